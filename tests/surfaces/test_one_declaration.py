"""A quantity is declared once: every surface refuses, reads and defaults it alike."""

import csv
from collections import defaultdict
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sizebook.batch.scenario_list import read_batch
from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.core.sections import Argument, leaves
from sizebook.functions import load
from sizebook.plans.fleet.inputs import Service
from sizebook.plans.serving.plan import ServingPlan
from sizebook.scenarios.fleet import FleetScenario
from sizebook.scenarios.scenario_files import parse, read_toml
from sizebook.scenarios.serving import ServingScenario, plan_serving_scenario
from sizebook.sweeps.cases import LOADS, NUMBERS
from sizebook.sweeps.serving import sweep
from tests.row_lists import listed

load()
SCENARIO = """plan = "serving"
model = "llama-3.1-8b"
gpu = "h100-sxm"
{top}
[traffic]
requests_per_day = 1_000_000
input_tokens = 1000
output_tokens = 200
months = 2
{traffic}
[target]
{target}
"""
ROW: dict[str, Any] = {
    "model": "llama-3.1-8b", "gpu": "h100-sxm", "input_tokens": 1000, "output_tokens": 200, "concurrency": 8,
}  # fmt: skip


def written(folder: Path, top: str = "", traffic: str = "", target: str = "") -> Path:
    """Write the scenario with more keys; one at the top stands in place of the scenario's own."""
    path, instead = folder / "s.toml", {line.partition(" =")[0] for line in top.splitlines()}
    text = "\n".join(line for line in SCENARIO.splitlines() if line.partition(" =")[0] not in instead)
    path.write_text(text.format(top=top, traffic=traffic, target=target), encoding="utf-8")
    return path


def planned(path: Path) -> ServingPlan:
    return plan_serving_scenario(parse(ServingScenario, read_toml(path), path.name)).plan


def function_says(**options: Any) -> str:
    with pytest.raises(SizebookError) as refused:
        call("TPOT_SECONDS", "; ".join(f"{name}={value}" for name, value in {**ROW, **options}.items()))
    return str(refused.value)


def toml_says(folder: Path, top: str) -> str:
    with pytest.raises(SizebookError) as refused:
        planned(written(folder, top))
    return str(refused.value)


def sweep_says(**columns: Any) -> str:
    row = {name: [str(value)] for name, value in {**ROW, **columns}.items()}
    return str(sweep(pl.DataFrame(row))["reason"][0])


@pytest.mark.parametrize(*listed("surfaces", "test_function_toml_and_sweep_refuse_alike"))
def test_function_toml_and_sweep_refuse_alike(name: str, value: Any, message: str, tmp_path: Path) -> None:
    bare = str(value).strip('"')
    assert toml_says(tmp_path, f"{name} = {value}") == f"s.toml: {message}"
    assert function_says(**{name: bare}) == message
    assert sweep_says(**{name: bare}) == message


def test_a_word_that_no_choice_knows_is_refused_alike(tmp_path: Path) -> None:
    message = "unknown engine: got 'vlm', want 'vllm', or one of sglang, tensorrt-llm. Correct it."
    assert toml_says(tmp_path, 'engine = "vlm"') == f"s.toml: {message}"
    assert function_says(engine="vlm") == sweep_says(engine="vlm") == message


@pytest.mark.parametrize(("text", "number"), [("2M", 2_000_000), ("0.002B", 2_000_000), ("1T", 10**12), ("4e5", 4e5)])
def test_a_number_as_text_means_the_same_everywhere(text: str, number: float, tmp_path: Path) -> None:
    """In a cell, a TOML file and a row of a CSV batch."""
    in_cell = call("SERVING_LEDGER", "llama-3.1-8b", "h100-sxm", text, "months=2; input_tokens=1000; output_tokens=200")
    as_number = call(
        "SERVING_LEDGER", "llama-3.1-8b", "h100-sxm", number, "months=2; input_tokens=1000; output_tokens=200"
    )
    assert in_cell == as_number
    path = written(tmp_path)
    path.write_text(path.read_text().replace("requests_per_day = 1_000_000", f'requests_per_day = "{text}"'))
    with (tmp_path / "many.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([
            ["plan", "model", "gpu", "requests_per_day", "input_tokens", "output_tokens", "months", "tp"],
            ["serving", "llama-3.1-8b", "h100-sxm", text, "1000", "200", "2", ""],
        ])  # fmt: skip
    row = read_batch(tmp_path / "many.csv").rows[0].values
    of_row = plan_serving_scenario(parse(ServingScenario, row, "many.csv")).plan
    assert of_row.traffic.requests_per_day == planned(path).traffic.requests_per_day == number
    assert of_row.months == planned(path).months
    usd = in_cell[0].index("usd")
    assert [month.usd for month in of_row.months] == [line[usd] for line in in_cell[1:]]


def test_a_number_as_text_means_the_same_in_a_sweep() -> None:
    """No model reads a million tokens a prompt here, but a state-space model keeps no cache of them."""
    row = {**ROW, "model": "mamba-130m", "input_tokens": "1M"}
    found = sweep(pl.DataFrame({name: [str(value)] for name, value in row.items()})).row(0, named=True)
    assert not found["reason"]
    asked = ("mamba-130m", "h100-sxm", "1M", 200, 8)
    assert found["ttft_seconds"] == pytest.approx(call("TTFT_SECONDS", *asked), rel=1e-12)
    assert call("TTFT_SECONDS", *asked) == call("TTFT_SECONDS", "mamba-130m", "h100-sxm", 1_000_000, 200, 8)


def test_keys_of_a_table_stand_at_the_top_too(tmp_path: Path) -> None:
    under = planned(written(tmp_path, traffic='shape = "office"', target="tpot_target_seconds = 0.02\nspare = 2"))
    above = planned(written(tmp_path, top='shape = "office"\ntpot_target_seconds = 0.02\nspare = 2'))
    assert above == under
    assert above.inputs.target.margins.spare == 2


def places() -> dict[str, tuple[Argument, ...]]:
    """Return every place that takes quantities of serving: functions, scenarios, columns of sweeps."""
    found = {name: function.arguments for name, function in load().items()}
    kinds = (ServingScenario, FleetScenario, Service)
    return found | {kind.__name__: leaves(kind) for kind in kinds} | {"sweep": (*NUMBERS, *LOADS)}


def test_a_quantity_has_one_default() -> None:
    """What every place that names it, and does not demand it, takes for blank; ``plan`` names the plan of a file."""
    of_serving = {leaf.name for kind in (ServingScenario, FleetScenario, Service) for leaf in leaves(kind)} - {"plan"}
    of_serving |= {a.name for function in load().values() if function.category == "serving" for a in function.arguments}
    defaults: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for place, arguments in places().items():
        for argument in arguments:
            if argument.name in of_serving and not argument.required:
                defaults[argument.name][repr(argument.default)].append(place)
    assert {name: dict(found) for name, found in defaults.items() if len(found) > 1} == {}


@pytest.mark.parametrize(*listed("surfaces", "test_defaults_of_the_issue_are_these"))
def test_defaults_of_the_issue_are_these(name: str, default: Any) -> None:
    found = {repr(a.default) for arguments in places().values() for a in arguments if a.name == name and not a.required}
    assert found == {repr(default)}
