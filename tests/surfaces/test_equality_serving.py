"""One serving plan on every surface: function, JSON, TOML, sweep and PDF give the same figures, input by input."""

from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sizebook.batch.plan_kinds import plan_scenario, scenario_of
from sizebook.core.cells import call
from sizebook.core.sections import flat, leaves
from sizebook.core.units import grouped
from sizebook.functions import load
from sizebook.plans.serving.conversation import Conversation
from sizebook.plans.serving.figures import figures
from sizebook.plans.serving.functions import ledger
from sizebook.plans.serving.months import Month
from sizebook.plans.serving.pictures import Pictures
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.request_stream import RequestStream
from sizebook.reports.serving.notes import OWN_ROWS
from sizebook.scenarios.serving import ServingScenario, plan_serving_scenario
from sizebook.scenarios.statement import Overheads
from sizebook.serving.quantities import PoolLayout
from sizebook.sweeps.cases import INPUTS
from sizebook.sweeps.serving import sweep
from tests.commands import plan_printed
from tests.surfaces.grid import Values, assert_prints, bare, cases, first_in_make_test, in_print

load()
pytestmark = pytest.mark.usefixtures("on_the_day_of_the_grid")
BASE = {
    "plan": "serving", "model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 3_000_000,
    "input_tokens": 1500, "output_tokens": 300, "months": 3, "tpot_target_seconds": 0.04, "as_of": "2026-11-21",
}  # fmt: skip
GRID = list(cases(ServingScenario, BASE, most=14))
IDS = [case.name for case in GRID]
# Not an argument of the ledger's function: the model and machine are, and what names or dates a report.
BESIDE = (
    *("plan", "title", "as_of", "gpus_compared", "currency", "rates"),
    *(leaf.name for leaf in leaves(Overheads)),
)


@cache
def _plan(number: int) -> ServingPlan:
    scenario = scenario_of(GRID[number].values, "grid", Path())
    assert isinstance(scenario, ServingScenario)
    return plan_serving_scenario(scenario).plan


def test_every_input_is_away_from_its_default_somewhere() -> None:
    varied = {name for case in GRID for name in case.changed} | set(BASE)
    assert {leaf.name for leaf in leaves(ServingScenario)} - varied == set()


@pytest.mark.parametrize("number", range(len(GRID)), ids=IDS)
def test_the_function_gives_the_plan(number: int) -> None:
    plan, case = _plan(number), GRID[number]
    options = [[name, value] for name, value in case.values.items() if name not in (*BESIDE, "model", "gpu")]
    if "gpus_compared" in case.values:
        options = [[name, value] for name, value in flat(plan.inputs).items() if value is not None]
    gpu = plan.replica.setup.gpu
    # A cell of an options range cannot hold a list: lists are arguments of their own.
    lists = {name: value for name, value in options if isinstance(value, (list, tuple))}
    plain = [row for row in options if row[0] not in lists]
    for name, want in (("SERVING_LEDGER", ledger(plan)), ("SERVING_FIGURES", _rows(plan))):
        names = [argument.name for argument in load()[name].arguments]
        placed: list[Any] = [None] * len(names)
        for key, value in [("model", case.values["model"]), ("gpu", gpu), *plain, *lists.items()]:
            placed[names.index(key)] = value
        assert call(name, *placed) == want
        if not lists:
            assert call(name, case.values["model"], gpu, plain) == want, "as a two-column range"


def _rows(plan: ServingPlan) -> list[list[Any]]:
    return [[name, value] for name, value in flat(figures(plan)).items()]


@pytest.mark.parametrize("number", range(len(GRID)), ids=IDS)
def test_the_command_line_prints_the_plan(number: int, tmp_path: Path) -> None:
    plan = _plan(number)
    data, text = plan_printed(GRID[number].values, tmp_path)
    assert data["figures"] == flat(figures(plan))
    names = [leaf.name for leaf in leaves(Month)]
    assert [[month[name] for name in names] for month in data["months"]] == [
        list(flat(month).values()) for month in plan.months
    ]
    for month in plan.months:
        assert f"{month.usd:,.0f}" in text and f"{month.energy_kwh:,.0f}" in text and f"{month.co2e_kg:,.0f}" in text


def _asked(number: int, *told: type[Any]) -> Values:
    """Return a scenario without what is told to plans alone; a model that hears reads then, as the base does."""
    names = {leaf.name for each in told for leaf in leaves(each)}
    given = GRID[number].values
    if "input_seconds" in given:
        names.add("input_seconds")
        given = {**given, "model": BASE["model"], "input_tokens": BASE["input_tokens"]}
    return {name: value for name, value in given.items() if name not in names}


def _planned(asked: Values) -> ServingPlan:
    return plan_serving_scenario(scenario_of(asked, "grid", Path())).plan


# Neither a sweep nor the cell of a percentile takes images or conversations.
TOLD_TO_PLANS = (Pictures, Conversation)


@pytest.mark.parametrize("number", range(len(GRID)), ids=IDS)
def test_a_row_of_a_sweep_gives_the_plans_latency(number: int) -> None:
    """It is a steady load of one pool: what requests see one by one is in cells, figures and plans."""
    asked = _asked(number, *TOLD_TO_PLANS, PoolLayout, RequestStream)
    plan = _planned(asked)
    row = {name: value for name, value in asked.items() if name in INPUTS}
    row |= {name: value for name, value in flat(plan.replica.setup.replica).items() if value is not None}
    row |= {name: value for name, value in flat(plan.replica.demand).items() if value is not None}
    row |= {"gpu": plan.replica.setup.gpu}
    found = sweep(pl.DataFrame({name: [str(value)] for name, value in row.items()})).row(0, named=True)
    headline = figures(plan)
    for name in ("ttft_seconds", "tpot_seconds", "tokens_per_second"):
        assert found[name] == pytest.approx(getattr(headline, name), rel=1e-12), name


SIMULATED = [number for number, case in enumerate(GRID) if "request_percentile" in case.values]


@pytest.mark.parametrize("number", SIMULATED, ids=[IDS[number] for number in SIMULATED])
def test_the_cell_of_a_percentile_gives_the_plans_figures(number: int, tmp_path: Path) -> None:
    given = _asked(number, *TOLD_TO_PLANS)
    plan = _planned(given)
    headline = figures(plan)
    asked = {name: value for name, value in flat(plan.inputs).items() if value is not None}
    asked |= {"model": plan.model, "gpu": plan.replica.setup.gpu}
    asked["replica_requests_per_second"] = headline.requests_per_second
    names = [argument.name for argument in load()["SERVING_PERCENTILE"].arguments]
    for latency in ("ttft", "tpot"):
        placed = [(asked | {"latency": latency}).get(name) for name in names]
        assert call("SERVING_PERCENTILE", *placed) == getattr(headline, f"{latency}_seconds_held")
    data, _ = plan_printed(given, tmp_path)
    held = headline.held_for
    assert data["requests"]["ttft_seconds"][held] == headline.ttft_seconds_held
    assert data["requests"]["tpot_seconds"][held] == headline.tpot_seconds_held
    assert data["requests"]["requests_per_second"] == headline.requests_per_second


@pytest.mark.parametrize("number", first_in_make_test([*range(1, len(GRID)), 0], [*IDS[1:], IDS[0]], 1))
def test_the_report_prints_the_plan_and_every_input(number: int, tmp_path: Path) -> None:
    plan, case = _plan(number), GRID[number]
    report = plan_scenario(case.values, "grid", Path()).report
    text = in_print(report, tmp_path)
    for month in plan.months:
        for figure in (grouped(month.usd), grouped(month.gpu_hours), grouped(month.peak_gpus)):
            assert bare(figure) in text
    assert_prints(text, report, plan.inputs, inputs=set(case.changed) - OWN_ROWS)
