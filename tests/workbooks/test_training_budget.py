"""training_budget.xlsx filled from a scenario gives the figures of the plan, also where its functions fall short."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest

from sizebook.bundled import bundled
from sizebook.jobs import inputs_of
from sizebook.plans.training import plan_training
from sizebook.scenarios import parse
from sizebook.training_scenario import TrainingScenario, training_inputs
from sizebook.workbooks.filling import fill

SEARCHED: dict[str, Any] = {
    "plan": "training",
    "title": "A run of the catalog",
    "model": "llama-3.1-8b",
    "gpu": "h200-sxm",
    "gpus": 64,
    "tokens": 2e12,
    "seq": 8192,
    "batch": 256,
    "price_usd_per_gpu_hour": 3.0,
    "other_usd": 50_000.0,
    "start_hours": 2.0,
    "grid": "fra",
    "covered_share": 0.5,
}
ADAPTERS: dict[str, Any] = {**SEARCHED, "lora_rank": 16, "tp": 1, "zero_stage": 0}
GIVEN: dict[str, Any] = {**SEARCHED, "mfu": 0.35}


def _figures(path: Path) -> dict[str, list[Any]]:
    sheet = openpyxl.load_workbook(path, data_only=True)["Calculation"]
    rows = sheet.iter_rows(min_row=4, max_col=6, values_only=True)
    return {f"{row[1]} {row[5] or ''}".strip(): list(row[2:5]) for row in rows if row[1]}


@pytest.mark.parametrize("values", [SEARCHED, ADAPTERS, GIVEN], ids=("searched", "adapters", "given MFU"))
def test_the_filled_workbook_gives_the_plan(values: dict[str, Any], tmp_path: Path) -> None:
    scenario = parse(TrainingScenario, values, "run.toml")
    filled = tmp_path / "filled.xlsx"
    fill(bundled("workbooks") / "training_budget.xlsx", inputs_of(scenario), filled)
    plan, figures = plan_training(training_inputs(scenario)), _figures(filled)
    expected = {
        "Step seconds": [case.step_seconds for case in plan.cases],
        "Run days": [case.train_days for case in plan.cases],
        "GPU-hours GPU-hours": [case.gpu_hours for case in plan.cases],
        "Cost of the run USD": [case.cost_usd for case in plan.cases],
        "Energy MWh": [case.energy_kwh / 1000 for case in plan.cases],
        "CO2e, location-based t": [case.co2e_kg / 1000 for case in plan.cases],
        "CO2e, market-based t": [(case.co2e_market_kg or 0) / 1000 for case in plan.cases],
        "Needed GiB": [plan.fullest.total / 2**30] * 3,
    }
    for name, three in expected.items():
        assert figures[name] == pytest.approx(three, rel=1e-9), name


def test_every_check_of_the_shipped_workbook_holds() -> None:
    workbook = openpyxl.load_workbook(bundled("workbooks") / "training_budget.xlsx", data_only=True)
    shown = {cell.value for row in workbook["Checks"].iter_rows(min_col=3, max_col=5) for cell in row}
    assert "OK" in shown and "CHECK" not in shown
    errors = [c.value for sheet in workbook for row in sheet.iter_rows() for c in row if str(c.value).startswith("#")]
    assert errors == []
