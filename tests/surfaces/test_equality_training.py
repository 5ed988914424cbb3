"""One training plan on every surface: cell, JSON, text, TOML, sweep and PDF give the same figures, input by input."""

import csv
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sizebook.batch.plan_kinds import plan_kind_of, report_of, scenario_of
from sizebook.cli import app
from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.core.sections import flat, leaves
from sizebook.core.units import brief
from sizebook.functions import load
from sizebook.plans.training.case import Case
from sizebook.plans.training.inputs import TrainingInputs
from sizebook.plans.training.plan import TrainingPlan, unchecked_plan
from sizebook.plans.training.rows import INPUTS, OUTPUTS
from sizebook.plans.training.tables import components, ledger
from sizebook.reports.document import Table
from sizebook.reports.training.notes import OWN_ROWS
from sizebook.scenarios.training import TrainingScenario, training_inputs, with_found_layout
from tests.commands import plan_printed
from tests.csv_files import rows_of
from tests.surfaces.grid import (
    OWN_PRICES,
    OWN_RATES,
    Values,
    assert_prints,
    away,
    bare,
    first_in_make_test,
    in_print,
)

load()
pytestmark = pytest.mark.usefixtures("on_the_day_of_the_grid")
BASE: Values = {
    "plan": "training", "model": "mixtral-8x7b", "gpu": "h200-sxm", "gpus": 64, "tokens": 1e12, "batch": 256, "tp": 4,
    "as_of": "2026-11-21",
}  # fmt: skip
# Values where one out of the blue would be refused or say nothing, and what must stand with it.
SENSIBLE: Values = {
    "mfu": 0.35, "achieved_tflops": 350.0, "lora_rank": 16, "flops_convention": "palm", "compute_dtype": "fp8",
    "power_limit_watts": 600.0, "watts": 650.0, "covered_share": 0.4, "residual_grams_per_kwh": 450.0,
    "grams_per_kwh": 123.0, "price_usd_per_gpu_hour": 2.75, "other_usd": 5000.0, "start_hours": 6.0, "dp": 16,
    "restart_seconds": 900.0, "zero_stage": 3, "stack": "fsdp", "recompute": "full",
    "region": "ap-northeast-1", "recompute_modules": "moe", "offload": "optimizer", "fsdp": 4, "frozen_bits": 4,
    "gradient_dtype": "fp32", "optimizer_dtype": "fp8", "nic_gbit_per_s": 100.0, "fused_loss": True,
    "fp8_activation_inputs": True,
    "schedule": "zero-bubble", "programme_factor": 1.75, "tuning": "qdora", "example_tokens": 600.0, "packed": False,
    "rates_file": OWN_RATES, "price_book": OWN_PRICES, "rented_gpus": 500,
}  # fmt: skip
TOGETHER: dict[str, Values] = {
    "interleave": {"pp": 2},
    "etp": {"ep": 2},
    "lora_on": {"lora_rank": 16},
    "example_tokens": {"packed": False, "example_tokens": 300.0},
    "packed": {"example_tokens": 600},
    "frozen_weight_bytes": {"lora_rank": 16},
    "residual_grams_per_kwh": {"covered_share": 0.4},
    "region": {"provider": "aws"},
    "term": {"gpu": "h100-sxm"},
    "rented_gpus": {"price_book": OWN_PRICES},
    "frozen_bits": {"lora_rank": 16},
    "fused_loss": {"model": "llama-3.1-8b"},
    "recompute_modules": {"recompute": "none"},
    "fsdp": {"zero_stage": 3},
    "hsdp": {"zero_stage": 3},
    "schedule": {"pp": 2},
}
LEAVES = {leaf.name: leaf for leaf in leaves(TrainingInputs)}
VARIED = [name for name, leaf in LEAVES.items() if not leaf.required and name != "tp"]
# Each input alone, all that go together, and what no input is: another layout found, hardware of one's own.
CASES: dict[str, Values] = {
    "base": {},
    **{name: {**TOGETHER.get(name, {}), name: SENSIBLE.get(name, away(LEAVES[name]))} for name in VARIED},
    "all": {
        **{name: SENSIBLE.get(name, away(LEAVES[name])) for name in VARIED},
        "pp": 2, "cp": 1, "ep": 2, "dp": 8, "interleave": 2, "schedule": "1f1b",
        "micro_batch": 2, "batch": 512, "mfu": None,
        "achieved_tflops": None, "flops_convention": "hardware", "provider": None, "region": None,
        "frozen_weight_bytes": None,
    },
    "searched": {"tp": None, "recompute": "full"},
    "owned": {"owned": {"capex_usd": 30_000, "usd_per_kwh": 0.08}},
}  # fmt: skip
# Parts of the cost stand in their own table, parts of the time in the chart beside the table of cases.
PARTS = {"productive_seconds", "lost_seconds", "start_seconds", "productive_usd", "lost_usd", "start_usd", "other_usd"}
UNITS = {"s": 1, "ms": 1e-3, "minutes": 60, "hours": 3600, "days": 86_400, "%": 0.01, "tokens/s": 1, "USD": 1,
         "USD, thousands": 1e3, "kWh": 1, "MWh": 1e3, "kgCO\u2082e": 1, "tCO\u2082e": 1e3}  # fmt: skip
REPORTED = ("all", "base", "searched", "owned", "mfu", "lora_rank")
every_case = pytest.mark.parametrize("name", CASES)


def _values(name: str) -> Values:
    return {key: value for key, value in {**BASE, **CASES[name]}.items() if value is not None}


@cache
def _planned(name: str) -> tuple[TrainingScenario, TrainingPlan]:
    scenario = scenario_of(_values(name), "grid", Path())
    assert isinstance(scenario, TrainingScenario)
    return scenario, unchecked_plan(training_inputs(scenario))


def test_every_input_moves_a_figure() -> None:
    """An input that no figure answers to would be read and dropped; dp is what the other degrees leave over."""
    silent = set()
    for name in VARIED:
        plan = _planned(name)[1]
        usual = scenario_of({**BASE, **TOGETHER.get(name, {})}, "grid", Path())
        assert isinstance(usual, TrainingScenario)
        without = unchecked_plan(training_inputs(usual))
        if (ledger(plan), components(plan)) == (ledger(without), components(without)):
            silent.add(name)
    assert silent == {"dp"}


@every_case
def test_the_cells_give_the_plan(name: str) -> None:
    scenario, plan = _planned(name)
    inputs = with_found_layout(scenario, plan).inputs
    options = [[key, value] for key, value in flat(inputs).items()]
    for function, want in (("TRAINING_LEDGER", ledger(plan)), ("TRAINING_MEMORY", components(plan))):
        assert call(function, scenario.model, plan.inputs.gpu.key, options) == want, function


@every_case
def test_the_command_line_prints_the_plan(name: str, tmp_path: Path) -> None:
    plan = _planned(name)[1]
    if not plan.fits:
        with pytest.raises(SizebookError, match=r"^does not fit: got "):
            plan_printed(_values(name), tmp_path)
        return
    data, text = plan_printed(_values(name), tmp_path)
    assert data["cases"] == {case.name: flat(case) for case in plan.cases}
    assert [stage["total"] for stage in data["memory"]["stages"]] == [stage.total for stage in plan.work.stages]
    for case in plan.cases:
        for figure, unit in ((case.cost_usd, "USD"), (case.energy_kwh, "kWh"), (case.co2e_kg, "kgCO2e"),
                             (case.programme_gpu_hours, "GPU-hours"), (case.programme_days, "days"),
                             (case.programme_cost_usd, "USD")):  # fmt: skip
            assert brief(figure, unit) in text


@every_case
def test_a_row_of_a_sweep_gives_the_plan(name: str, tmp_path: Path) -> None:
    scenario, plan = _planned(name)
    row = {**flat(with_found_layout(scenario, plan).inputs), "model": scenario.model, "gpu": plan.inputs.gpu.key}
    assert set(row) == set(INPUTS)
    table, output = tmp_path / "runs.csv", tmp_path / "out.csv"
    with table.open("w", newline="") as lines:
        csv.writer(lines).writerows([row.keys(), row.values()])
    CliRunner().invoke(app, ["sweep", str(table), "-o", str(output)], catch_exceptions=False)
    found = rows_of(output)[0]
    middle = plan.middle
    numbers: dict[str, Any] = {
        "memory_bytes": plan.fullest.total, "mfu_reached": middle.mfu,
        "error_low": plan.cases[0].step_seconds / middle.step_seconds - 1,
        "error_high": plan.cases[2].step_seconds / middle.step_seconds - 1,
    }  # fmt: skip
    numbers |= {key: value for key, value in flat(middle).items() if key in OUTPUTS}
    assert {key: float(found[key]) for key in numbers} == pytest.approx(numbers, rel=1e-12)
    assert found["fits"] == str(plan.fits).lower()
    assert (found["run_family"], found["recipe"]) == (plan.work.band.family, plan.work.recipe)
    assert found["rates_basis"] == plan.work.rates_basis(plan.inputs.utilization)
    assert set(OUTPUTS) == {*numbers, "fits", "run_family", "rates_basis", "recipe", "reason"}


@pytest.mark.parametrize("name", first_in_make_test(REPORTED, REPORTED, 1))
def test_the_report_prints_the_plan_and_every_input(name: str, tmp_path: Path) -> None:
    scenario, plan = _planned(name)
    report = report_of(scenario, plan_kind_of(scenario).plan(scenario) if plan.fits else plan)
    text = in_print(report, tmp_path)
    inputs = with_found_layout(scenario, plan).inputs
    assert_prints(text, report, inputs, inputs=set(CASES[name]) - OWN_ROWS)
    for case in plan.cases:
        assert bare(brief(case.cost_usd, "USD")) in text and bare(brief(case.train_seconds, "seconds")) in text
    (figures,) = (block for section in report.sections for block in section.blocks
                  if isinstance(block, Table) and block.caption == "The run in figures")  # fmt: skip
    table = {row.cells[0]: row.cells[1:] for row in figures.rows}
    for leaf in leaves(Case):
        wanted = [getattr(case, leaf.name) for case in plan.cases]
        if leaf.name in PARTS | {"name", "train_days"} or wanted[1] is None:
            assert leaf.label not in table
            continue
        unit, *cells = table[leaf.label]
        factor = UNITS[unit] if unit != "thousands" else 1e3
        factor /= {"GPU-hours": 1 if unit == "thousands" else 3600, "days": 86_400}.get(leaf.quantity.unit, 1)
        wanted = wanted if len(cells) == 3 else wanted[1:2]
        assert [float(bare(cell)) * factor for cell in cells] == pytest.approx(wanted, rel=6e-3), leaf.name
        assert all(bare(cell) in text for cell in (leaf.label, *cells)), leaf.name
