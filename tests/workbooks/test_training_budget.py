"""The planning workbook `training_budget.xlsx` against the plan that Python makes of the same scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.bundled import bundled
from sizebook.errors import InputError
from sizebook.jobs import JOBS, scenario_of
from sizebook.plans.training import plan_training
from sizebook.training_scenario import training_inputs
from sizebook.workbooks.filling import fill

SCENARIO: dict[str, Any] = {
    "plan": "training",
    "model": "mixtral-8x7b",
    "gpu": "h100-sxm",
    "gpus": 128,
    "tokens": 2e12,
    "batch": 1024,
    "seq": 4096,
    "tp": 4,
    "pp": 2,
    "ep": 4,
    "start_hours": 5.0,
    "other_usd": 1000.0,
    "grid": "france",
}
FIGURES = {
    "the same in days": "days",
    "GPU-hours": "gpu_hours",
    "Energy": "energy_kwh",
    "Model FLOPs utilisation": "mfu",
}


def columns(path: Path, sheet: str) -> dict[str, list[Any]]:
    """Return the three stored values beside each label; the first line of a label counts."""
    found: dict[str, list[Any]] = {}
    for label, *values in load_workbook(path, data_only=True)[sheet].iter_rows(min_col=2, max_col=5, values_only=True):
        found.setdefault(str(label), values)
    return found


def filled(scenario: dict[str, Any], folder: Path) -> Path:
    inputs = JOBS["training"].inputs(scenario_of(scenario, "test"))
    result = fill(bundled("workbooks") / "training_budget.xlsx", inputs, folder / "out.xlsx")
    assert result.problems == []
    return result.path


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"mfu": 0.4},
        {"achieved_tflops": 400.0, "price_usd_per_gpu_hour": 2.5, "grams_per_kwh": 50.0, "watts": 500.0, "pue": 1.1},
        {"owned": {"capex_usd": 40_000.0}, "convention": "megatron", "gpu_mtbf_hours": 10_000.0},
        {"tp": None, "pp": None, "ep": None, "gpus": 64},  # the layout is searched
    ],
)
def test_three_cases_are_the_plans(tmp_path: Path, changes: dict[str, Any]) -> None:
    scenario = {key: value for key, value in (SCENARIO | changes).items() if value is not None}
    plan = plan_training(training_inputs(scenario_of(scenario, "test")))  # type: ignore[arg-type]
    path = filled(scenario, tmp_path)
    stored = columns(path, "Calculation")
    for label, name in FIGURES.items():
        assert stored[label] == pytest.approx([getattr(case, name) for case in plan.cases], rel=1e-12), label
    assert stored["Operational carbon"] == pytest.approx([case.co2e_kg / 1000 for case in plan.cases], rel=1e-12)
    assert stored["Together"] == [plan.fullest.total] * 3
    assert columns(path, "Result")["Cost"] == pytest.approx([case.cost_usd for case in plan.cases], rel=1e-12)
    assert columns(path, "Checks")["It fits in memory"] == ["OK"] * 3


def test_low_and_high_may_have_their_own_inputs(tmp_path: Path) -> None:
    """Ten times the tokens of low cost ten times as much at a given MFU: 6 x 10^21 FLOP and so on up."""
    given = JOBS["training"].inputs(scenario_of(SCENARIO | {"mfu": 0.5, "start_hours": 0.0, "other_usd": 0.0}, "test"))
    path = tmp_path / "out.xlsx"
    given |= {"tokens": 2e12, "tokens_low": 1e12, "tokens_high": 1e13, "mfu_high": 0.25}
    fill(bundled("workbooks") / "training_budget.xlsx", given, path)
    low, base, high = columns(path, "Result")["Cost"]
    assert base / low == pytest.approx(2)
    assert high / base == pytest.approx(10)  # five times the tokens at half the utilisation


def test_too_large_for_memory_fails_a_check(tmp_path: Path) -> None:
    given = JOBS["training"].inputs(scenario_of(SCENARIO | {"zero_stage": 0, "mfu": 0.4}, "test"))
    given |= {"model": "llama-3.1-405b", "ep": 1}
    fill(bundled("workbooks") / "training_budget.xlsx", given, tmp_path / "out.xlsx")
    assert columns(tmp_path / "out.xlsx", "Checks")["It fits in memory"] == ["CHECK"] * 3
    assert columns(tmp_path / "out.xlsx", "Cover")["Checks"][0] == "CHECK"


def test_what_the_workbook_cannot_say_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        JOBS["training"].inputs(scenario_of(SCENARIO | {"lora_rank": 16}, "test"))
    assert str(caught.value) == (
        "not in the workbook: got lora_rank = 16, want an input of training_budget.xlsx. "
        "Use 'sizebook plan train' or 'sizebook report' for this scenario."
    )
