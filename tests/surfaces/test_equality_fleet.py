"""One fleet plan on every surface: JSON, text and PDF give the same figures, input by input."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sizebook.batch.plan_kinds import plan_scenario, scenario_of
from sizebook.core.sections import flat, leaves
from sizebook.core.units import grouped
from sizebook.plans.fleet.inputs import Service
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.plans.owned import OwnedGpus
from sizebook.reports.fleet.notes import OWN_ROWS
from sizebook.scenarios.fleet import FleetScenario, plan_fleet_scenario
from sizebook.tables.api_prices import ApiAsked
from tests.commands import plan_printed
from tests.surfaces.grid import (
    SENSIBLE,
    Case,
    Values,
    assert_prints,
    bare,
    cases,
    first_in_make_test,
    in_print,
)

pytestmark = pytest.mark.usefixtures("on_the_day_of_the_grid")
SEARCH = {
    "name": "Search", "model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 4_000_000, "input_tokens": 900,
    "output_tokens": 120, "tpot_target_seconds": 0.03,
}  # fmt: skip
CHAT = {
    "name": "Chat", "model": "qwen3-0.6b", "gpu": "h200-sxm", "requests_per_day": 900_000, "input_tokens": 700,
    "output_tokens": 350, "concurrency": 24, "reserved_usd_per_gpu_hour": 2.5, "growth_per_month": 0.02,
}  # fmt: skip
BASE = {"plan": "fleet", "as_of": "2026-11-21", "service": [SEARCH, CHAT]}
COMPARED = {leaf.name for kind in (OwnedGpus, ApiAsked) for leaf in leaves(kind)}  # for all services or for none


def _grid() -> list[Case]:
    """Return scenarios with each input of the fleet, and each of a service, away from its default once."""
    found = list(cases(FleetScenario, BASE, most=3))
    for case in list(cases(Service, SEARCH, most=12))[1:]:
        calendar = {"start": SENSIBLE["start"]} if "season" in case.changed else {}
        of_all = {name: value for name, value in case.values.items() if name in COMPARED}
        values: Values = {**BASE, **calendar, "service": [{**case.values, "name": "Search"}, {**CHAT, **of_all}]}
        found.append(Case(case.changed, values))
    return found


GRID = _grid()
IDS = [case.name for case in GRID]


@cache
def _plan(number: int) -> FleetPlan:
    scenario = scenario_of(GRID[number].values, "grid", Path())
    assert isinstance(scenario, FleetScenario)
    return plan_fleet_scenario(scenario)


def test_every_input_is_away_from_its_default_somewhere() -> None:
    varied = {name for case in GRID for name in case.changed} | set(BASE) | set(SEARCH)
    assert {leaf.name for kind in (FleetScenario, Service) for leaf in leaves(kind)} - varied == set()


@pytest.mark.parametrize("number", range(len(GRID)), ids=IDS)
def test_the_command_line_prints_the_plan(number: int, tmp_path: Path) -> None:
    plan = _plan(number)
    data, text = plan_printed(GRID[number].values, tmp_path)
    assert _months(data["months"]) == [list(flat(month).values()) for month in plan.months]
    for told, planned in zip(data["services"], plan.services, strict=True):
        assert _months(told["months"]) == [list(flat(month).values()) for month in planned.months]
    assert data["usd"] == sum(month.usd for month in plan.months)
    for month in plan.months:
        assert f"{month.reserved_usd:,.0f}" in text and f"{month.burst_usd:,.0f}" in text
        assert f"{month.energy_kwh:,.0f}" in text and f"{month.co2e_kg:,.0f}" in text


def test_sums_ceilings_and_nodes_are_those_of_the_months(tmp_path: Path) -> None:
    """On the command and among the figures of which a batch makes its index; Chat grows by 20 % a month."""
    values = {**BASE, "months": 15, "start": "2027-01-01", "service": [SEARCH, {**CHAT, "growth_per_month": 0.2}]}
    ceiling = plan_scenario(values, "grid", Path()).plan.months[0].peak_gpus
    values["gpu_ceiling"] = ceiling
    made = plan_scenario(values, "grid", Path())
    plan, (data, text) = made.plan, plan_printed(values, tmp_path)
    for name, sizes in (("quarters", [3] * 5), ("years", [12, 3])):
        assert [each["months"] for each in data[name]] == sizes
        assert sum(each["usd"] for each in data[name]) == pytest.approx(data["usd"])
    assert [each["nodes"] for each in data["nodes"]] == [list(each.nodes) for each in plan.node_groups]
    over = next(at for at, month in enumerate(plan.months) if month.peak_gpus > ceiling)
    assert [(each["name"], each["month"]) for each in data["exceeded"]] == [("gpu_ceiling", plan.label(over))]
    (said,) = (each for each in data["warnings"] if each.startswith(f"From {plan.label(over)} on "))
    assert f"exceed the ceiling of {ceiling}; in {15 - over} of 15 months." in said and said in text
    for at in (0, 14):
        ends = [each[at].peak_gpus for each in (plan.fewest, plan.most)]
        assert data["band"][f"peak_gpus_{'last' if at else 'first'}_month"] == ends
        assert f"GPUs at peak  {plan.months[at].peak_gpus} in {plan.label(at)} ({ends[0]} to {ends[1]})\n" in text
    assert [figure.value for figure in made.contents.figures if figure.label == "GPUs, last month"] == [
        plan.months[14].peak_gpus
    ]


def _months(data: list[dict[str, Any]]) -> list[list[Any]]:
    """Return the figures of months; each carries its name beside them."""
    return [[value for name, value in month.items() if name != "month"] for month in data]


@pytest.mark.parametrize("number", first_in_make_test([*range(1, len(GRID)), 0], [*IDS[1:], IDS[0]], 1))
def test_the_report_prints_the_plan_and_every_input(number: int, tmp_path: Path) -> None:
    plan, case = _plan(number), GRID[number]
    report = plan_scenario(case.values, "grid", Path()).report
    text = in_print(report, tmp_path)
    for month in plan.months:
        for figure in (month.peak_gpus, month.reserved_usd, month.burst_usd, month.usd, month.energy_kwh):
            assert bare(grouped(figure)) in text
    assert_prints(text, report, plan.terms, plan.services[0].service, inputs=set(case.changed) - OWN_ROWS)
