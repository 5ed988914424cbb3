"""The planning workbook `training_budget.xlsx` shows the plan: staged once, derived again, compared by its checks."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from openpyxl import load_workbook

from sizebook.batch.plan_kinds import scenario_of, workbook_inputs_of
from sizebook.cli import app
from sizebook.core.sections import leaves
from sizebook.core.units import significant
from sizebook.functions import load
from sizebook.scenarios.scenario_files import read_toml
from sizebook.sources.bundled import bundled
from sizebook.training.memory import Memory
from sizebook.workbooks.filling import Filled, fill
from tests.workbooks.shipped import checks, columns

load()
SAMPLE = Path(__file__).resolve().parents[2] / "reports" / "training-llama-3.1-70b.toml"
TEMPLATE = bundled("workbooks") / "training_budget.xlsx"
RUN: dict[str, Any] = {
    "plan": "training", "model": "llama-3.1-8b", "gpu": "h200-sxm", "gpus": 64, "tokens": 2e12, "seq": 8192,
    "batch": 256, "other_usd": 50_000.0, "start_hours": 2.0,
}  # fmt: skip
ADAPTERS = {
    **RUN, "model": "llama-3.1-70b", "gpus": 8, "tp": 8, "tokens": 5e7, "batch": 32, "seq": 2048, "lora_rank": 16,
    "zero_stage": 0, "other_usd": 0.0, "start_hours": 0.0,
}  # fmt: skip
# What belongs together; the grid of tests/surfaces moves each input alone.
VARIED: dict[str, dict[str, Any]] = {
    "experts": {**RUN, "model": "mixtral-8x7b", "tp": 1, "ep": 8, "expert_imbalance": 1.3},
    "adapters": ADAPTERS,
    "adapters on four bits": {
        **ADAPTERS, "frozen_weight_bytes": 0.516, "lora_on": "all", "flops_convention": "hardware", "recompute": "full",
    },
    "selective": {**RUN, "recompute": "selective", "flops_convention": "hardware", "grid": "fra", "tp": 2},
}  # fmt: skip


def filled(values: dict[str, Any], folder: Path) -> Filled:
    return fill(TEMPLATE, workbook_inputs_of(scenario_of(values, "run.toml", folder)), folder / "out.xlsx")


def as_json(scenario: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(CliRunner().invoke(app, ["plan", "train", str(scenario), "--json"]).stdout)
    return data


def written(values: dict[str, Any], folder: Path) -> Path:
    path = folder / "run.toml"
    path.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in values.items()))
    return path


@pytest.mark.parametrize("values", VARIED.values(), ids=VARIED)
def test_all_checks_of_a_plan_that_holds_say_ok(values: dict[str, Any], tmp_path: Path) -> None:
    found = filled(values, tmp_path)
    assert (found.problems, found.notes) == ([], ())
    assert {label: text for label, text in checks(found.path).items() if text != "OK"} == {}


@pytest.mark.parametrize("name", ["sample", "adapters"])
def test_the_workbook_shows_what_plan_train_prints(name: str, tmp_path: Path) -> None:
    scenario = SAMPLE if name == "sample" else written(ADAPTERS, tmp_path)
    path, plan = filled(read_toml(scenario), tmp_path).path, as_json(scenario)
    result, cases = columns(path, "Result"), columns(path, "Cases")
    for number, case in enumerate(("low", "middle", "high")):
        for label, key in (
            ("Step time", "step_seconds"), ("Training days", "train_days"), ("GPU-hours", "gpu_hours"),
            ("Cost", "cost_usd"), ("Energy", "energy_kwh"), ("Carbon, location-based", "co2e_kg"),
        ):  # fmt: skip
            assert result[label][number] == cases[label][number], label
            assert result[label][number] == pytest.approx(plan["cases"][case][key], rel=1e-12), label
    result = columns(path, "Parts")
    stage = plan["memory"]["stages"][plan["memory"]["fullest"]]
    for leaf in leaves(Memory):
        if leaf.name != "stage":
            assert result[leaf.label][0] == stage[leaf.name], leaf.name
    assert result["Needed"][0] == stage["total"]
    rests_on = columns(path, "Plan")
    assert rests_on["Price basis"][0] == plan["price"]["basis"]
    assert rests_on["Grams of CO2e per kWh"][0] == plan["power"]["grams_per_kwh"]


def test_the_sample_in_figures(tmp_path: Path) -> None:
    """2 048 H100 at 3.89 USD, 700 W x 1.3 x PUE 1.25 and 369.5 g/kWh: cost and energy from the days shown."""
    result = load_workbook(filled(read_toml(SAMPLE), tmp_path).path, data_only=True)["Result"]
    labels, figures = ([result.cell(row, column).value for column in range(2, 7)] for row in (6, 7))
    assert labels == [
        "Days on 2,048 H100 SXM5 80 GB", "Steady state, USD", "Memory a GPU in GiB", "Energy in MWh", "CO2e in tonnes"
    ]  # fmt: skip
    days, cost, _, energy, carbon = figures
    assert cost == pytest.approx(2048 * 24 * days * columns(TEMPLATE, "Plan")["GPU-hour"][0] + 250_000)
    assert energy == pytest.approx(2048 * 24 * days * 700 * 1.3 * 1.25 / 1e6)
    assert carbon == pytest.approx(energy * 0.369473, rel=1e-5)


def test_memory_of_adapters_adds_up_and_no_share_exceeds_the_whole(tmp_path: Path) -> None:
    """On 0.3.0 optimizer states took 143 % of what was needed: components of the model, a total of its adapters."""
    shown = columns(filled(ADAPTERS, tmp_path).path, "Parts")
    parts = [shown[leaf.label] for leaf in leaves(Memory) if leaf.name != "stage"]
    n_bytes, gibibytes, shares, of_gpu = ([part[column] for part in parts] for column in range(4))
    assert sum(n_bytes) == pytest.approx(shown["Needed"][0])
    assert sum(gibibytes) == pytest.approx(shown["Needed"][0] / 2**30)
    assert sum(shares) == pytest.approx(1) and max(shares) <= 1 and max(of_gpu) < 1
    # Adapters of rank 16 on queries, keys, values and outputs of 80 layers, eight bytes each, over eight ranks.
    n_adapters = 80 * 16 * ((8192 + 8192) + 2 * (8192 + 1024) + (8192 + 8192))
    assert shown["Optimizer states"][0] == 8 * n_adapters / 8


def test_market_based_carbon_is_stated_where_contracts_are(tmp_path: Path) -> None:
    path = filled(RUN, tmp_path).path
    assert columns(path, "Result")["Carbon, market-based"][:3] == ["not stated"] * 3
    assert columns(path, "Cases")["Carbon, market-based"][:3] in ([None] * 3, [""] * 3)
    shown = columns(filled({**RUN, "covered_share": 0.9}, tmp_path).path, "Result")
    located = shown["Carbon, location-based"][:3]
    assert shown["Carbon, market-based"][:3] == pytest.approx([0.1 * kg for kg in located])


def test_a_price_left_blank_is_looked_up_and_one_of_owned_hardware_filled_in(tmp_path: Path) -> None:
    assert "price_usd_per_gpu_hour" not in workbook_inputs_of(scenario_of(RUN, "run.toml", tmp_path))
    owned = {**RUN, "owned": {"capex_usd": 35_040.0, "years": 4, "busy": 1.0, "usd_per_kwh": 0.0}}
    given = workbook_inputs_of(scenario_of(owned, "run.toml", tmp_path))
    assert given["price_usd_per_gpu_hour"] == pytest.approx(1.0)
    assert columns(fill(TEMPLATE, given, tmp_path / "out.xlsx").path, "Plan")["GPU-hour"][0] == pytest.approx(1.0)


def test_small_figures_keep_their_digits(tmp_path: Path) -> None:
    """On 0.3.0 the chart of a small run was titled "$0.0 M to $0.0 M"."""
    small = {
        **RUN, "model": "gpt-2-small", "gpus": 8, "tokens": 1e8, "batch": 64, "seq": 1024, "tp": 1, "other_usd": 0.0,
        "start_hours": 0.0, "price_usd_per_gpu_hour": 3.0,
    }  # fmt: skip
    path = filled(small, tmp_path).path
    low, _, high = columns(path, "Result")["Whole run, cost"][:3]
    said = f"The whole run costs ${significant(low, 3)} to ${significant(high, 3)}"
    assert columns(path, "Calculation")["Cost by cause"][0] == said
    result = load_workbook(path, data_only=True)["Result"]
    texts = [str(cell.value) for row in result.iter_rows(max_row=7) for cell in row if isinstance(cell.value, str)]
    assert [text for text in texts if re.search(r"\b0\.0+\b", text)] == []
    assert {"Hours on 8 H200 SXM 141 GB", "Energy in kWh", "CO2e in kg"} <= set(texts)


def test_a_run_that_does_not_fit_is_said(tmp_path: Path) -> None:
    given = workbook_inputs_of(scenario_of({**RUN, "tp": 2}, "run.toml", tmp_path))
    found = fill(TEMPLATE, {**given, "model": "llama-3.1-70b"}, tmp_path / "out.xlsx")
    failed = {label for label, text in checks(found.path).items() if text != "OK"}
    assert failed == {"It fits 1", "All checks 1"}


def test_an_impossible_layout_is_said_once_a_call(tmp_path: Path) -> None:
    given = workbook_inputs_of(scenario_of({**RUN, "tp": 1}, "run.toml", tmp_path))
    found = fill(TEMPLATE, {**given, "dp": 7}, tmp_path / "out.xlsx")
    begun = [problem for problem in found.problems if problem.startswith("Staged!")]
    assert len(begun) == 5
    assert all("GPUs are not the product of the layout: got 64 GPUs" in problem for problem in begun)


def test_titles_of_the_charts_are_cells() -> None:
    with zipfile.ZipFile(TEMPLATE) as archive:
        charts = [archive.read(name).decode() for name in archive.namelist() if name.startswith("xl/charts/chart")]
    assert len(charts) == 4
    assert sum("Calculation!$C$" in chart for chart in charts) == 3
    assert sum("Sensitivity!$C$" in chart for chart in charts) == 1
