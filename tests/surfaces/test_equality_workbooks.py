"""Plans in their workbooks: what filling stores and what LibreOffice works out are the plan's, input by input."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sizebook.batch.plan_kinds import PLAN_KINDS, scenario_of, workbook_inputs_of
from sizebook.core.sections import flat, leaves
from sizebook.functions import load
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.plans.ledgers import usd_range
from sizebook.plans.serving.figures import ReplicaFigures, figures
from sizebook.plans.serving.plan import ServingPlan
from sizebook.scenarios.money import Money, amount_of
from sizebook.scenarios.scenario_files import SizingScenario
from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import Filled, fill
from tests.libreoffice.office import Office, assert_stored_is_recalculated
from tests.surfaces import test_equality_fleet as fleet
from tests.surfaces import test_equality_serving as serving
from tests.surfaces.grid import Values, cases
from tests.workbooks.shipped import checks, totals
from tests.workbooks.shipped import columns as labelled
from tests.workbooks.test_fleet_plan import assert_shows_the_plan
from tests.workbooks.test_serving_capacity import ledger_in, months

load()
pytestmark = pytest.mark.usefixtures("on_the_day_of_the_grid")
SIZING = {"plan": "sizing", "model": "llama-3.1-8b", "as_of": "2026-11-21"}


@dataclass(frozen=True)
class GridScenario:
    """One scenario of a kind of plan."""

    kind: str
    name: str
    values: Values


GRID = [
    *(GridScenario("serving", case.name, case.values) for case in serving.GRID),
    *(GridScenario("fleet", case.name, case.values) for case in fleet.GRID[1:5]),  # each a book of 30 000 formulas
    *(GridScenario("sizing", case.name, case.values) for case in cases(SizingScenario, SIZING, most=1)),
]
# Filling takes 2 to 17 seconds of a processor: `make test` fills the first of each kind, `.ci/run` the others.
FIRST = {next(at for at, scenario in enumerate(GRID) if scenario.kind == kind) for kind in ("serving", "sizing")}
every_scenario = pytest.mark.parametrize(
    "number",
    [
        pytest.param(at, id=f"{scenario.kind}: {scenario.name}", marks=() if at in FIRST else pytest.mark.ci)
        for at, scenario in enumerate(GRID)
    ],
)
IN_ONE_OFFICE = 24


@cache
def planned(number: int) -> tuple[Any, Money]:
    """Return the plan of a scenario, of serving the one that was chosen, and the currency that it is stated in."""
    kind, scenario = GRID[number].kind, scenario_of(GRID[number].values, "grid", Path())
    plan = PLAN_KINDS[kind].plan(scenario)
    return (plan.plan if kind == "serving" else plan), getattr(scenario, "money", Money())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("grid")


@cache
def filled(number: int, folder: Path) -> Filled:
    scenario = GRID[number]
    given = workbook_inputs_of(scenario_of(scenario.values, "grid", Path()))
    template = bundled("workbooks") / PLAN_KINDS[scenario.kind].workbook
    return fill(template, given, folder / f"grid-{number}.xlsx", target="libreoffice")


@every_scenario
def test_what_filling_stores_is_the_plan(number: int, folder: Path) -> None:
    (plan, money), found = planned(number), filled(number, folder)
    assert found.problems == []
    if not isinstance(plan, (ServingPlan, FleetPlan)):
        assert labelled(found.path, "Calculation")["Total parameters"][0] == plan.count.total
        assert (
            labelled(found.path, "Calculation")["Of the checkpoint, else in the chosen format"][0] == plan.weight_bytes
        )
        return
    sheet = "Cases" if isinstance(plan, ServingPlan) else "Months"
    whole = amount_of(plan, money) or usd_range(plan)
    ends = [totals(found.path, sheet)[label] for label in ("Cost, least", "Cost, most")]
    assert ends == pytest.approx([whole.low, whole.high], rel=1e-12)
    if isinstance(plan, ServingPlan):
        assert months(found.path, len(plan.months), money.currency) == ledger_in(money, plan)
        shown, values = labelled(found.path, "Basis"), flat(figures(plan))
        for leaf in leaves(ReplicaFigures):
            value = values[leaf.name]
            assert shown[leaf.label][0] == (value if isinstance(value, str) else pytest.approx(value)), leaf.name
        return
    assert_shows_the_plan(found.path, plan, money)


@every_scenario
def test_the_checks_of_a_plan_that_holds_say_ok(number: int, folder: Path) -> None:
    assert {label: text for label, text in checks(filled(number, folder).path).items() if text != "OK"} == {}


@pytest.mark.parametrize("number", range(len(GRID))[:IN_ONE_OFFICE], ids=[a.name for a in GRID[:IN_ONE_OFFICE]])
def test_libreoffice_works_out_what_filling_stored(number: int, folder: Path, calc_office: Office) -> None:
    assert_stored_is_recalculated(calc_office, filled(number, folder).path)
