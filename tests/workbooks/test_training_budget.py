"""The planning workbook `training_budget.xlsx` shows the plan: staged once, derived again, compared by its checks."""

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.batch.plan_kinds import scenario_of, workbook_inputs_of
from sizebook.core.sections import leaves
from sizebook.core.units import significant
from sizebook.functions import load
from sizebook.scenarios.scenario_files import read_toml
from sizebook.sources.bundled import bundled
from sizebook.training.memory import Memory
from sizebook.training.whole_run import default
from sizebook.workbooks.filling import Filled
from tests.surfaces.grid import first_in_make_test
from tests.workbooks.filled import FilledOnce
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
    "adapters": ADAPTERS,
    "adapters on four bits": {
        **ADAPTERS, "frozen_weight_bytes": 0.516, "lora_on": "all", "flops_convention": "hardware", "recompute": "full",
    },
    "experts": {**RUN, "model": "mixtral-8x7b", "tp": 1, "ep": 8, "expert_imbalance": 1.3},
    "selective": {**RUN, "recompute": "selective", "flops_convention": "hardware", "grid": "fra", "tp": 2},
}  # fmt: skip


def inputs(values: dict[str, Any]) -> dict[str, Any]:
    return workbook_inputs_of(scenario_of(values, "run.toml", Path()))


def filled(values: dict[str, Any], filled_once: FilledOnce) -> Filled:
    return filled_once(TEMPLATE, inputs(values))


@pytest.mark.parametrize("values", first_in_make_test(VARIED.values(), VARIED, 2))
def test_all_checks_of_a_plan_that_holds_say_ok(values: dict[str, Any], filled_once: FilledOnce) -> None:
    found = filled(values, filled_once)
    assert (found.problems, found.notes) == ([], ())
    assert {label: text for label, text in checks(found.path).items() if text != "OK"} == {}


def test_the_sample_in_figures(filled_once: FilledOnce) -> None:
    """2 048 H100 at 3.89 USD, 700 W x 1.3 x PUE 1.25 and 369.5 g/kWh: cost and energy from the days shown."""
    result = load_workbook(filled(read_toml(SAMPLE), filled_once).path, data_only=True)["Result"]
    labels, figures = ([result.cell(row, column).value for column in range(2, 7)] for row in (6, 7))
    assert labels == [
        "Steady state, days", "Steady state, USD", "Memory a GPU in GiB", "Whole run, MWh", "Whole run, t CO2e"
    ]  # fmt: skip
    days, cost, _, energy, carbon = figures
    assert cost == pytest.approx(2048 * 24 * days * columns(TEMPLATE, "Plan")["GPU-hour"][0] + 250_000)
    whole = result.cell(11, 4).value  # GPU-hours of the whole run
    assert whole / (2048 * 24 * days) == pytest.approx(default(), rel=5e-3)  # start-up counts once
    assert energy == pytest.approx(whole * 700 * 1.3 * 1.25 / 1e6)
    assert carbon == pytest.approx(energy * 0.369473, rel=1e-5)


def test_memory_of_adapters_adds_up_and_no_share_exceeds_the_whole(filled_once: FilledOnce) -> None:
    """On 0.3.0 optimizer states took 143 % of what was needed: components of the model, a total of its adapters."""
    shown = columns(filled(ADAPTERS, filled_once).path, "Parts")
    parts = [shown[leaf.label] for leaf in leaves(Memory) if leaf.name != "stage"]
    n_bytes, gibibytes, shares, of_gpu = ([part[column] for part in parts] for column in range(4))
    assert sum(n_bytes) == pytest.approx(shown["Needed"][0])
    assert sum(gibibytes) == pytest.approx(shown["Needed"][0] / 2**30)
    assert sum(shares) == pytest.approx(1) and max(shares) <= 1 and max(of_gpu) < 1
    # Adapters of rank 16 on queries, keys, values and outputs of 80 layers, eight bytes each, over eight ranks.
    n_adapters = 80 * 16 * ((8192 + 8192) + 2 * (8192 + 1024) + (8192 + 8192))
    assert shown["Optimizer states"][0] == 8 * n_adapters / 8


def test_a_price_left_blank_is_looked_up_and_one_of_owned_hardware_filled_in(filled_once: FilledOnce) -> None:
    assert "price_usd_per_gpu_hour" not in inputs(RUN)
    owned = {**RUN, "owned": {"capex_usd": 35_040.0, "years": 4, "busy": 1.0, "usd_per_kwh": 0.0}}
    given = inputs(owned)
    assert given["price_usd_per_gpu_hour"] == pytest.approx(1.0)
    assert columns(filled_once(TEMPLATE, given).path, "Plan")["GPU-hour"][0] == pytest.approx(1.0)


def test_small_figures_keep_their_digits(filled_once: FilledOnce) -> None:
    """On 0.3.0 the chart of a small run was titled "$0.0 M to $0.0 M"."""
    small = {
        **RUN, "model": "gpt-2-small", "gpus": 8, "tokens": 1e8, "batch": 64, "seq": 1024, "tp": 1, "other_usd": 0.0,
        "start_hours": 0.0, "price_usd_per_gpu_hour": 3.0,
    }  # fmt: skip
    path = filled(small, filled_once).path
    low, _, high = columns(path, "Result")["Whole run, cost"][:3]
    said = f"The whole run costs ${significant(low, 3)} to ${significant(high, 3)}"
    assert columns(path, "Plan")["Cost by cause"][0] == said
    result = load_workbook(path, data_only=True)["Result"]
    texts = [str(cell.value) for row in result.iter_rows(max_row=7) for cell in row if isinstance(cell.value, str)]
    assert [text for text in texts if re.search(r"\b0\.0+\b", text)] == []
    assert {"Steady state, hours", "Whole run, kWh", "Whole run, kg CO2e"} <= set(texts)


def test_a_run_that_does_not_fit_is_said(filled_once: FilledOnce) -> None:
    given = inputs({**RUN, "tp": 2})
    found = filled_once(TEMPLATE, {**given, "model": "llama-3.1-70b"})
    failed = {label for label, text in checks(found.path).items() if text != "OK"}
    assert failed == {"It fits 1", "All checks 1"}


def test_a_blank_degree_is_what_the_others_leave_over(filled_once: FilledOnce) -> None:
    given = inputs({**RUN, "tp": 4})
    blank = {name: value for name, value in given.items() if name != "dp"}
    plan = load_workbook(filled_once(TEMPLATE, blank).path, data_only=True)["Plan"]
    shown = [
        value for label, value in plan.iter_rows(min_col=2, max_col=3, values_only=True) if label == "Data parallel"
    ]
    assert given["dp"] == 64 / 4 and shown == [16]


def test_titles_of_the_charts_are_cells() -> None:
    with zipfile.ZipFile(TEMPLATE) as archive:
        charts = [archive.read(name).decode() for name in archive.namelist() if name.startswith("xl/charts/chart")]
    assert len(charts) == 4
    assert sum("Plan!$C$" in chart for chart in charts) == 3
    assert sum("Sensitivity!$C$" in chart for chart in charts) == 1
