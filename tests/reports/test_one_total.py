"""What all months cost reads alike on the command, in its JSON and on the report's first page."""

import json
from pathlib import Path

import pytest

from sizebook.core.units import duration, usd
from sizebook.reports.serving.summary import sentences, tiles
from sizebook.scenarios.scenario_files import parse, read_toml
from sizebook.scenarios.serving import ServingScenario, plan_serving_scenario
from tests.commands import run

SCENARIOS = Path(__file__).parents[2] / "reports"


@pytest.mark.parametrize("name", ["serving-llama-3.1-70b", "serving-percentile-llama-3.1-70b"])
def test_command_and_first_page_lead_with_the_same_totals(name: str) -> None:
    file = SCENARIOS / f"{name}.toml"
    plan = plan_serving_scenario(parse(ServingScenario, read_toml(file), where=file.name)).plan
    said = run("plan", "serve", file).output
    data = json.loads(run("plan", "serve", file, "--json").output)
    months = len(data["months"])
    total, tokens = (sum(month[key] for month in data["months"]) for key in ("usd", "requests"))
    out = total / (tokens * plan.traffic.mean_demand.output_tokens) * 1e6
    low, high = data["band"]["usd"]
    by_month = [sum(month["band"]["usd"][end] for month in data["months"]) for end in (0, 1)]
    assert data["usd"] == pytest.approx(total) and data["usd_per_mtok"] == pytest.approx(out)
    assert by_month == pytest.approx([low, high], rel=1e-3)  # each month's quadrature, and that of their sums
    assert f"Cost               {usd(total)} over {months} months ({usd(low)} to {usd(high)})\n" in said
    assert f"Output tokens      {usd(out)} per million over {months} months; " in said
    shown = {str(tile.label): (str(tile.value), str(tile.note)) for tile in tiles(plan)}
    assert shown[f"Cost, {months} months"] == (usd(total), f"{usd(low)} to {usd(high)}")
    assert shown[f"Million output tokens, {months} months"][0] == usd(out)
    asked = {"mean": ("", ""), "p95": (", p95", " at p95")}[plan.inputs.requests.held_for]
    for tile, line, words in (
        ("First token", "TTFT", "to the first token"),
        ("Each further token", "TPOT", "for each further token"),
    ):
        seconds = duration(plan.replica.held(line.lower()))
        assert shown[tile + asked[0]][0] == seconds
        assert f"{line + asked[1]:18} {seconds} {words} (8 of 10 cases: " in said
    assert f"costs {usd(total)} ({usd(low)} to {usd(high)})" in str(sentences(plan)[0])
