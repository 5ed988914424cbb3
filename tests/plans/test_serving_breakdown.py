"""What a serving plan's cost consists of, and the fleets that the error band allows."""

from __future__ import annotations

import math

import pytest
from sizebook.plans.serving_breakdown import bounds, on_demand_usd, reserved_usd

from sizebook.expression import parse
from sizebook.plans.serving import Prices, ServingPlan, Setup, Target, plan_serving
from sizebook.plans.serving_steps import derivations
from sizebook.plans.traffic import Traffic, hours_of


@pytest.fixture(scope="module")
def plan() -> ServingPlan:
    traffic = Traffic(
        2_000_000, hours_of("office"), growth_per_month=0.05, months=3, input_tokens=1000, output_tokens=250
    )
    target = Target(ttft_seconds=2.0, tpot_seconds=0.05, spare=2)
    return plan_serving("llama-3.1-8b", Setup("h100-sxm"), traffic, target, Prices(3.0, 2.0))


def test_reserved_and_on_demand_make_up_the_cost(plan: ServingPlan) -> None:
    month = plan.months[0]
    # Always-on GPUs for 730 hours at 2 USD; whatever the hours above them take at 3 USD.
    assert reserved_usd(plan, month) == month.reserved_gpus * 730 * 2.0
    burst_hours = sum(count - min(month.replicas_by_hour) for count in month.replicas_by_hour) * 730 / 24
    assert on_demand_usd(plan, month) == pytest.approx(burst_hours * 3.0)


def test_fleet_within_the_error_band_follows_the_rate(plan: ServingPlan) -> None:
    band = plan.replica.bands["throughput"]
    found = bounds(plan, 0)
    assert found.fewest.peak_gpus <= plan.months[0].peak_gpus <= found.most.peak_gpus
    # ceil(busiest arrivals / (rate x p10 x 0.8)) + 2 spare, by hand.
    busiest = 2_000_000 * 12 / sum(hours_of("office")) / 3600
    slow = plan.replica.requests_per_second * band.low
    assert found.most.peak_gpus == math.ceil(busiest / (slow * 0.8)) + 2


def test_derivations_give_the_plans_own_figures(plan: ServingPlan) -> None:
    steps = {step.label: step for step in derivations(plan)}
    month = plan.months[0]
    assert steps["GPUs in the busiest hour"].value == month.peak_gpus
    assert steps["Cost a month"].value == month.usd
    rate = parse(steps["Rate of one replica"].substituted).evaluate({})
    assert rate == pytest.approx(plan.replica.requests_per_second, rel=1e-3)
    replicas = parse(steps["Replicas in the busiest hour"].substituted).evaluate({})
    assert replicas == max(month.replicas_by_hour)
