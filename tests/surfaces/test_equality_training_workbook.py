"""Training plans in their workbook: what filling stores and what LibreOffice works out are the plan's."""

from functools import cache
from pathlib import Path

import pytest

from sizebook.batch.plan_kinds import PLAN_KINDS, scenario_of, workbook_inputs_of
from sizebook.core.sections import flat, leaves
from sizebook.functions import load
from sizebook.plans.training.case import Case
from sizebook.plans.training.figures import MEMORY_FIGURES, TrainingFigures, figures
from sizebook.plans.training.plan import TrainingPlan, unchecked_plan
from sizebook.plans.training.tables import components
from sizebook.scenarios.money import amount_of
from sizebook.scenarios.training import TrainingScenario, training_inputs
from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import Filled, fill
from tests.libreoffice.office import Office, assert_stored_is_recalculated
from tests.surfaces.grid import Values, first_in_make_test
from tests.surfaces.test_equality_training import BASE, CASES
from tests.workbooks.shipped import checks, columns, opened

load()
pytestmark = pytest.mark.usefixtures("on_the_day_of_the_grid")
GRID: dict[str, Values] = {
    **{name: CASES[name] for name in ("base", "all", "searched", "owned", "mfu", "lora_rank", "region")},
    "dense": {"model": "llama-3.1-8b", "gpu": "h100-sxm", "title": "Grid", "as_of": "2027-01-01", "tp": 2,
              "currency": "EUR", "rates": [["2026-11-01", 0.9], ["2027-03-01", 0.95]], "start": "2027-01-15"},
    **{name: CASES[name] for name in (
        "achieved_tflops", "covered_share", "term", "fused_loss", "flops_convention", "rates_file",
        "rented_gpus", "frozen_weight_bytes",
    )},
}  # fmt: skip
IN_ONE_OFFICE = 8
every_case = pytest.mark.parametrize("name", first_in_make_test(GRID, GRID, 2))


@cache
def planned(name: str) -> tuple[TrainingScenario, TrainingPlan]:
    values = {key: value for key, value in {**BASE, **GRID[name]}.items() if value is not None}
    scenario = scenario_of(values, "grid", Path())
    assert isinstance(scenario, TrainingScenario)
    return scenario, unchecked_plan(training_inputs(scenario))


def plan_rate(name: str) -> float:
    """Return what 1 USD is over the months of a plan: *Result* is in the plan's currency, *Cases* in USD."""
    scenario, plan = planned(name)
    amount = amount_of(plan, scenario.money)
    return 1.0 if amount is None else amount.rate


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("training")


@cache
def filled(name: str, folder: Path) -> Filled:
    template = bundled("workbooks") / PLAN_KINDS["training"].workbook
    return fill(template, workbook_inputs_of(*planned(name)), folder / f"{name}.xlsx", target="libreoffice")


def test_every_input_is_away_from_its_default_somewhere() -> None:
    varied = {key for values in GRID.values() for key, value in values.items() if value is not None} | set(BASE)
    assert {leaf.name for leaf in leaves(TrainingScenario)} - varied == set()


@every_case
def test_what_filling_stores_is_the_plan(name: str, folder: Path) -> None:
    plan, found = planned(name)[1], filled(name, folder)
    assert found.problems == []
    cases, rests_on, result = (columns(found.path, sheet) for sheet in ("Cases", "Plan", "Result"))
    compared = 0
    for leaf in leaves(Case):
        if leaf.name != "name":
            wanted = [getattr(case, leaf.name) for case in plan.cases]
            shown = [value if value != "" else None for value in cases[leaf.label][:3]]
            assert shown == pytest.approx(wanted, rel=1e-12) if wanted[0] is not None else shown == wanted, leaf.name
            if leaf.label in result and wanted[0] is not None:
                compared += 1
                rate = plan_rate(name) if leaf.quantity.unit.startswith("USD") else 1.0
                amounts = shown if rate == 1 else pytest.approx([value * rate for value in shown], rel=1e-12)
                assert result[leaf.label][:3] == amounts, leaf.name
    assert compared == (16 if plan.middle.co2e_market_kg is None else 17)
    parts = columns(found.path, "Parts")
    wanted_bytes = dict(components(plan)[1:])
    for leaf in MEMORY_FIGURES:
        assert rests_on[leaf.label][0] == wanted_bytes[leaf.name], leaf.name
        if leaf.name != "capacity":
            assert parts[leaf.label][0] == wanted_bytes[leaf.name], leaf.name
    values = flat(figures(plan))
    if name == "owned":  # a cell is told the price of owned hardware, not how it came about
        values["price_basis"] = "price given in the scenario, USD"
    share = values.pop("price_share_of_range")
    assert cases["Price's share of the range"][0] == ("" if share is None else pytest.approx(share, rel=1e-12))
    for leaf in leaves(TrainingFigures):
        if leaf.name in values:
            assert rests_on[leaf.label][0] == values[leaf.name], leaf.name


@every_case
def test_the_tiles_are_the_plans(name: str, folder: Path) -> None:
    scenario, plan = planned(name)
    middle = plan.middle
    sheet = opened(filled(name, folder).path, data_only=True)["Result"]
    shown = {str(sheet.cell(6, column).value): sheet.cell(7, column).value for column in range(2, 7)}
    usual = {
        "Steady state, days": middle.train_days,
        f"Steady state, {scenario.money.currency}": middle.cost_usd * plan_rate(name),
        "Memory a GPU in GiB": plan.fullest.total / 2**30,
        "Whole run, MWh": middle.energy_kwh / 1000,
        "Whole run, t CO2e": middle.co2e_kg / 1000,
    }
    assert shown == pytest.approx(usual, rel=1e-12)


@every_case
def test_the_checks_of_a_plan_that_holds_say_ok(name: str, folder: Path) -> None:
    failed = {label for label, text in checks(filled(name, folder).path).items() if text != "OK"}
    assert failed == (set() if planned(name)[1].fits else {"It fits 1", "All checks 1"})


@pytest.mark.parametrize("name", list(GRID)[:IN_ONE_OFFICE])
def test_libreoffice_works_out_what_filling_stored(name: str, folder: Path, calc_office: Office) -> None:
    assert_stored_is_recalculated(calc_office, filled(name, folder).path)
