"""Services that others replace: requests by month by hand, on the plan, the command, in cells and a workbook."""

from pathlib import Path
from typing import Any

import pytest

from sizebook.batch.plan_kinds import plan_scenario
from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.core.quantities import DAYS_PER_MONTH
from sizebook.functions import load
from sizebook.plans.fleet.plan import FleetPlan, plan_fleet
from sizebook.plans.fleet.steps import derivations
from sizebook.scenarios.fleet import FleetScenario, plan_fleet_scenario, with_counted_gpus
from sizebook.scenarios.scenario_files import parse
from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import fill
from sizebook.workbooks.input_cells import workbook_inputs
from tests.commands import plan_printed
from tests.plans.asking import fleet_inputs, service
from tests.refused import message_of
from tests.row_lists import listed
from tests.workbooks.shipped import timeline

load()
OLD: dict[str, Any] = {
    "name": "Old", "model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 1_000_000, "growth_per_month": 0.5,
    "input_tokens": 1000, "output_tokens": 200, "concurrency": 32, "peak_factor": 3.0,
    "on_demand_usd_per_gpu_hour": 3.0, "reserved_usd_per_gpu_hour": 2.0, "replaced_by": "New", "replaced_month": 3,
}  # fmt: skip
NEW = {**OLD, "name": "New", "input_tokens": 500, "growth_per_month": 0.0, "replaced_by": None, "replaced_month": None}
LAST = {**NEW, "name": "Last", "requests_per_day": None, "tp": 2}
FLEET = {
    "plan": "fleet", "as_of": "2026-11-21", "months": 5, "grams_per_kwh": 100,
    "service": [OLD, {**NEW, "replaced_by": "Last", "replaced_month": 5}, LAST],
}  # fmt: skip


def _stated(values: dict[str, Any]) -> dict[str, Any]:
    services = [{key: each for key, each in one.items() if each is not None} for one in values["service"]]
    return {**values, "service": services}


def _plan() -> FleetPlan:
    return plan_fleet_scenario(parse(FleetScenario, _stated(FLEET), "fleet"))


def _days(plan: FleetPlan) -> list[list[float]]:
    return [[month.requests_per_day / 1e6 for month in each.months] for each in plan.services]


def test_requests_move_with_their_growth_and_what_moved_moves_on() -> None:
    """Old: 1, 1.5, 2.25, 3.375, 5.0625 million. New has 1 million, and Old's from month 3; Last all in month 5."""
    plan = _plan()
    old, new, last = _days(plan)
    assert old == pytest.approx([1, 1.5, 0, 0, 0])
    assert new == pytest.approx([1, 1, 1 + 2.25, 1 + 3.375, 0])
    assert last == pytest.approx([0, 0, 0, 0, 1 + 5.0625])
    assert [month.requests_per_day / 1e6 for month in plan.months] == pytest.approx([2, 2.5, 3.25, 4.375, 6.0625])
    (step,) = (each for each in derivations(plan) if each.label.startswith("Last: Requests a day from month"))
    assert (step.label, step.substituted) == ("Last: Requests a day from month 5 on", "0 + 6\u202f062\u202f500")


def test_the_other_serves_them_as_if_they_were_its_own() -> None:
    """The same requests stated by month give the same GPUs, contracts and cost, at its own tokens and busiest hour."""
    table = [(month, day * 1e6 * DAYS_PER_MONTH) for month, day in enumerate((1, 1, 3.25, 4.375), 1)]
    new = service(**{**NEW, "requests_per_day": None, "monthly_requests": tuple(table), "end_month": 4})
    by_hand = plan_fleet(fleet_inputs(new, months=5, grams_per_kwh=100))
    plan = _plan()
    assert plan.services[1].months == pytest.approx(by_hand.services[0].months)
    assert plan.purchases[1].portfolio == by_hand.purchases[0].portfolio


def test_an_api_is_asked_for_what_comes_to_each_service() -> None:
    """The last one has requests in month 5 alone, 6 062 500 a day of 500 tokens at 1 USD and 200 at 5 a million."""
    values = _stated(FLEET) | {"api": {"api_provider": "anthropic", "api_model": "claude-haiku-4-5"}}
    plan = plan_fleet_scenario(parse(FleetScenario, values, "fleet"))
    month = 6_062_500 * DAYS_PER_MONTH * (500 + 200 * 5) / 1e6
    (step,) = (each for each in derivations(plan) if each.label == "Last: cost of the month at the API")
    assert (step.value, plan.alternative_months[4].api_usd) == pytest.approx((month, month))


def test_command_report_and_cells_show_the_plan(tmp_path: Path) -> None:
    plan = _plan()
    data, text = plan_printed(_stated(FLEET), tmp_path)
    for told, each in zip(data["services"], plan.services, strict=True):
        assert [month["requests_per_day"] for month in told["months"]] == [m.requests_per_day for m in each.months]
    assert "runs from Month 1 to Month 2, then as New\n" in text and "runs from Month 5 to Month 5\n" in text
    names = list(OLD)
    columns = [[name, *(each.get(name) for each in FLEET["service"])] for name in (*names, "tp")]
    ledger = call("FLEET_LEDGER", columns, [["months", 5], ["grams_per_kwh", 100]])
    cost = ledger[0].index("usd")
    assert [row[cost] for row in ledger[1:6]] == [month.usd for month in plan.months]
    report = plan_scenario(_stated(FLEET), "fleet", Path()).report
    assert any(row.cells[:2] == ("Replaced by", "New") for row in _rows(report))


def _rows(report: Any) -> list[Any]:
    blocks = [block for section in report.sections for block in section.blocks]
    return [row for block in blocks for row in getattr(block, "rows", ())]


@pytest.mark.ci  # a fleet for three rows
def test_a_workbook_holds_the_months_as_values(tmp_path: Path) -> None:
    scenario, plan = parse(FleetScenario, _stated(FLEET), "fleet"), _plan()
    given = workbook_inputs(with_counted_gpus(scenario, plan))
    found = fill(bundled("workbooks") / "fleet_plan.xlsx", given, tmp_path / "out.xlsx")
    assert found.problems == []
    shown = timeline(found.path)
    for label, name in (("Requests a day", "requests_per_day"), ("GPUs reserved", "reserved_gpus"), ("Cost", "usd")):
        assert shown[label][1:6] == pytest.approx([getattr(month, name) for month in plan.months], rel=1e-12), label


@pytest.mark.parametrize(*listed("plans/fleet", "test_what_cannot_be_replaced_is_refused"))
def test_what_cannot_be_replaced_is_refused(old: dict[str, Any], new: dict[str, Any], message: str) -> None:
    assert (
        message_of(
            SizebookError, lambda: plan_fleet(fleet_inputs(service(**OLD | old), service(**NEW | new), months=5))
        )
        == message
    )
