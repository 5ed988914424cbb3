"""A service of a fleet whose prompts have a pool of their own: planned as by itself, its GPUs all counted."""

from datetime import date
from typing import Any

import pytest

from sizebook.plans.fleet.figures import figures
from sizebook.plans.fleet.plan import FleetPlan, plan_fleet
from sizebook.plans.serving.plan import plan_serving
from sizebook.reports.document import Report, Row, Table
from sizebook.reports.fleet.report import report
from sizebook.serving.traffic import serving_kwh
from tests.plans.asking import fleet_inputs, service, serving_inputs

REPLICA: dict[str, Any] = {
    "input_tokens": 4000, "output_tokens": 400, "tp": 4, "weight_dtype": "fp8", "ttft_target_seconds": 1.5,
    "tpot_target_seconds": 0.025, "separate_prefill": True,
}  # fmt: skip
STATED = {"prefill_tp": 1, "prefill_workers": 6, "decode_workers": 1}
PRICES = {"on_demand_usd_per_gpu_hour": 3.0, "reserved_usd_per_gpu_hour": 2.0}


def fleet(**given: Any) -> FleetPlan:
    asked = {"name": "Code", "model": "llama-3.1-70b", "gpu": "h200-sxm", "requests_per_day": 2e6, **PRICES}
    return plan_fleet(fleet_inputs(service(**asked, **REPLICA | given), grams_per_kwh=400))


def test_a_service_has_the_replica_of_a_plan_by_itself() -> None:
    planned = fleet(**STATED).services[0].replica
    alone = plan_serving("llama-3.1-70b", "h200-sxm", serving_inputs(requests_per_day=2e6, **REPLICA, **STATED)).replica
    assert (planned.layout, planned.gpus) == ("6 x tp1 to read, 1 x tp4 to decode", 10)
    assert planned.requests_per_second == alone.requests_per_second


def test_gpus_of_both_pools_are_paid_for_and_draw_power() -> None:
    """23.148 a second at the mean and twice that at peak, at 80 % of 11.639 a replica: 3 and 5, and a spare one."""
    plan = fleet(**STATED)
    month, rate = plan.months[0], plan.services[0].replica.requests_per_second
    assert rate == pytest.approx(11.639, abs=0.01)
    assert (month.peak_gpus, month.mean_gpus) == (60, 40)
    hours = 730 * 40 + month.burst_gpu_hours
    busy = 2e6 / 86_400 / rate * 10 * 730 / hours
    assert month.energy_kwh == pytest.approx(serving_kwh(1, 700, busy, pue=1.25, hours=hours))
    shown = figures(plan.services[0], plan.terms)
    assert (shown.gpus_per_replica, shown.workers) == (10, "6 x tp1 to read, 1 x tp4 to decode")


def test_pools_are_searched_for_the_fleet_that_costs_the_least() -> None:
    found = fleet().months[-1].usd
    for workers in (4, 5, 6, 7):
        assert fleet(**STATED | {"prefill_workers": workers}).months[-1].usd >= found


def test_a_percentile_of_requests_is_simulated_in_a_fleet_as_well() -> None:
    replica = fleet(**STATED, request_percentile="p95").services[0].replica
    assert replica.loaded is not None and replica.held("ttft") <= 1.5


def test_the_report_names_both_pools() -> None:
    plan = fleet(**STATED)
    cells = {cell for row in _rows(report(plan, date(2026, 11, 21))) for cell in row.cells}
    assert {"6 x tp1 to read, 1 x tp4 to decode: 10 GPUs", "searched"} <= cells


def _rows(shown: Report) -> list[Row]:
    blocks = [block for section in shown.sections for block in section.blocks]
    return [row for block in blocks if isinstance(block, Table) for row in block.rows]
