"""One fleet, one answer: the command, the filled workbook and LibreOffice's own recalculation give the same figures."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

from sizebook.cli import app
from sizebook.core.errors import SizebookError
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.scenarios.fleet import FleetScenario, plan_fleet_scenario
from sizebook.scenarios.money import Money
from sizebook.scenarios.scenario_files import parse, read_toml
from tests.libreoffice.office import Office
from tests.workbooks.shipped import checks
from tests.workbooks.test_fleet_plan import ROWS, assert_shows_the_plan

EXAMPLE = Path(__file__).resolve().parents[2] / "workbooks" / "scenarios" / "six-services.toml"
OTHER = """plan = "fleet"
spare = 2
reserve_share = 0.6
term_months = 36
burst_hours = 5
whole_nodes = true
grams_per_kwh = 50
[[service]]
name = "Large"
model = "llama-3.1-70b"
gpu = "h100-sxm"
tp = 8
gpus_per_node = 4
requests_per_day = 900_000
input_tokens = 3000
output_tokens = 500
tpot_target_seconds = 0.03
band_quantile = "p90"
growth_per_month = 0.03
on_demand_usd_per_gpu_hour = 1.5
reserved_usd_per_gpu_hour = 2.25
[[service]]
name = "Small"
model = "qwen3-32b"
gpu = "h100-sxm"
tp = 2
requests_per_day = 300_000
input_tokens = 1000
output_tokens = 300
concurrency = 40
peak_factor = 3
on_demand_usd_per_gpu_hour = 9.5
"""
DEAR = "Reserving costs no more than burst"


@pytest.fixture(scope="module", params=["example", "other"])
def scenario(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scenario that comes with the package; and one with replicas over two nodes, and prices of the catalog."""
    if request.param == "example":
        return EXAMPLE
    path = tmp_path_factory.mktemp("fleet") / "other.toml"
    path.write_text(OTHER, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def plan(scenario: Path) -> FleetPlan:
    return plan_fleet_scenario(parse(FleetScenario, read_toml(scenario), scenario.name))


@pytest.fixture(scope="module")
def workbook(scenario: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("filled") / "fleet.xlsx"
    words = ["fill", "fleet_plan.xlsx", str(scenario), "-o", str(output), "--target", "libreoffice"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert (done.exit_code, done.stderr) == (0, "")
    return output


@pytest.mark.ci  # the workbook takes 25 seconds; tests/workbooks fill a smaller fleet
def test_filled_workbook_gives_what_the_plan_gives(plan: FleetPlan, workbook: Path) -> None:
    assert_shows_the_plan(workbook, plan, Money())
    large = any(each.service.name == "Large" for each in plan.services)
    assert {label for label, text in checks(workbook).items() if text != "OK"} == (
        {f"{DEAR} 1", "All checks 1"} if large else set()
    )


def plan_month(label: Any, plan: FleetPlan) -> bool:
    return label in [plan.label(month) for month in range(len(plan.months))]


def test_libreoffice_works_out_what_the_plan_gives(plan: FleetPlan, workbook: Path, calc_office: Office) -> None:
    shown = calc_office.values(workbook)
    texts = [value for cells in shown.values() for value in cells.values() if isinstance(value, str)]
    assert not [text for text in texts if text.startswith(("#", "Err:"))]
    cells = shown["Months"]
    rows = {text: int(at[1:]) for at, text in sorted(cells.items(), reverse=True) if re.fullmatch(r"B\d+", at)}
    for name, label in ROWS.items():
        calc = [cells[f"{get_column_letter(5 + at)}{rows[label]}"] for at in range(len(plan.months))]
        assert calc == pytest.approx([getattr(month, name) for month in plan.months], rel=1e-9), name


def test_command_prints_what_the_plan_gives(plan: FleetPlan, scenario: Path) -> None:
    data = json.loads(CliRunner().invoke(app, ["plan", "fleet", str(scenario), "--json"]).stdout)
    assert data["usd"] == sum(month.usd for month in plan.months)
    assert [each["name"] for each in data["services"]] == [each.service.name for each in plan.services]
    assert data["services"][0]["months"][11]["peak_gpus"] == plan.services[0].months[11].peak_gpus
    assert data["months"][9]["energy_kwh"] == plan.months[9].energy_kwh
    assert sum(year["usd"] for year in data["years"]) == pytest.approx(data["usd"])
    assert sum(quarter["usd"] for quarter in data["quarters"]) == pytest.approx(data["usd"])
    assert [sum(stand["nodes"]) for stand in data["nodes"]] == [sum(each.nodes) for each in plan.node_groups]
    text = CliRunner().invoke(app, ["plan", "fleet", str(scenario)]).stdout.splitlines()
    fewest, most = plan.fewest[0].peak_gpus, plan.most[0].peak_gpus
    assert text[0] == f"GPUs at peak  {plan.months[0].peak_gpus} in {plan.label(0)} ({fewest} to {most})"
    assert len([line for line in text if plan_month(line[:10].strip(), plan)]) == len(plan.months)
    dear = "Large: a reserved GPU-hour at $2.25 costs more than one on demand at $1.50."
    assumed = "No node with 4 H100 SXM5 80 GB is listed; the plan assumes 3.64 kW (GPUs x TDP at the wall) and 8 U."
    warned = [line for line in text if "costs more than one on demand" in line]
    over = "From 2028-06 on 422 kW exceed the ceiling of 400; in 7 of 24 months."
    assert warned == ([] if scenario == EXAMPLE else [dear])
    said = [line for line in data["warnings"] if not line.startswith(("Price of a GPU-hour", "The range of cost"))]
    assert said == ([over] if scenario == EXAMPLE else [assumed, dear])
    assert all(any(f": {each.rates.basis}." in line for line in data["warnings"]) for each in plan.services)
    assert [each["month"] for each in data["exceeded"]] == (["2028-06"] if scenario == EXAMPLE else [])
    assert (over in text) == (scenario == EXAMPLE)


@pytest.mark.ci
def test_batch_produces_workbook_report_and_a_line_of_the_index(tmp_path: Path) -> None:
    table = EXAMPLE.read_text(encoding="utf-8").replace("[[service]]", "[[scenario.service]]")
    (tmp_path / "many.toml").write_text(f'[[scenario]]\nname = "three"\n{table}', encoding="utf-8")
    words = ["batch", str(tmp_path / "many.toml"), "-o", str(tmp_path / "out"), "--jobs", "1"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    made = ["index.html", "index.xlsx", "journal.sqlite", "three.pdf", "three.xlsx"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == made
    heads, line = list(load_workbook(tmp_path / "out" / "index.xlsx")["Index"].iter_rows(max_row=2, values_only=True))
    found = dict(zip(heads, line, strict=True))
    assert found["Model"] == "llama-3.1-70b, llama-3.1-8b, qwen3-32b, mixtral-8x7b, gpt-oss-120b"
    plan = plan_fleet_scenario(parse(FleetScenario, read_toml(EXAMPLE), EXAMPLE.name))
    assert found["GPUs, last month"] == plan.months[-1].peak_gpus


def refusal(text: str) -> str:
    with pytest.raises(SizebookError) as refused:
        values = tomllib.loads(text)
        plan_fleet_scenario(parse(FleetScenario, values, "f.toml"))
    return str(refused.value)


def test_what_is_wrong_in_a_service_is_named() -> None:
    assert refusal(OTHER.replace('model = "qwen3-32b"', 'model = "qwen3-32"')).startswith(
        "Small: unknown model: got 'qwen3-32', want "
    )
    assert refusal(OTHER.replace("tpot_target_seconds = 0.03", "tpot_target_seconds = 0.001")).startswith(
        "Large: tpot_target_seconds binds: got "
    )
    assert refusal(OTHER.replace("peak_factor = 3", "peak_factr = 3")).startswith(
        "f.toml: service 2: unknown key: got 'peak_factr', want 'peak_factor', or one of "
    )
    assert refusal(OTHER.replace("peak_factor = 3", "peak_factor = 0.5")) == (
        "f.toml: service 2: peak_factor is out of range: got 0.5, want at least 1 and at most 1000 (busiest hour over "
        "the mean of the day). Correct the number."
    )
    assert refusal(OTHER.replace("output_tokens = 300\n", "")) == (
        "Small: no lengths: got no output_tokens, want mean tokens of an answer. Add a line 'output_tokens = ...'."
    )
    assert refusal(OTHER.replace('name = "Small"', 'name = "Large"')) == (
        "name twice: got 'Large' for two services, want each its own. Rename one."
    )
    assert refusal(OTHER.replace("peak_factor = 3", "ttft_target_seconds = 1.0")) == (
        "Small: load given twice: got concurrency and a target of seconds, want one of them. The load follows from the "
        "target: remove concurrency, or keep it and remove the target."
    )
    assert refusal(OTHER.replace("peak_factor = 3", "start_month = 61")) == (
        "f.toml: service 2: start_month is out of range: got 61, want at least 1 and at most 60 (month of the plan in "
        "which the service begins; its traffic is that of this month, and grows from it on). Correct the number."
    )
