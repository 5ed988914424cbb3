"""The serving plan: traffic, knee, fleet and money hold together, and a missed target says which limit binds."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from sizebook.core.errors import InputError, RangeError, TargetError
from sizebook.core.expression import parse as parse_formula
from sizebook.plans.serving.choice import choose
from sizebook.plans.serving.curves import LOADS, latency_curve, loads_of
from sizebook.plans.serving.day import hours_of, lognormal_p95
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.months import arrivals_by_hour
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.plans.serving.replica import bands_of
from sizebook.plans.serving.steps import derivations
from sizebook.serving.case import case_of
from sizebook.serving.estimate import estimate
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.time import latency
from tests.plans.asking import serving_inputs
from tests.refused import message_of

TRAFFIC = {
    "requests_per_day": 2_000_000, "shape": "office", "burst_factor": 1.5, "growth_per_month": 0.1, "months": 3,
    "input_tokens": 1500, "output_tokens": 300,
}  # fmt: skip
PRICES = {"on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.0}
TARGET = {"ttft_target_seconds": 1.0, "tpot_target_seconds": 0.02}


def asked(**values: Any) -> ServingInputs:
    """Return the inputs of the plan of most tests, with what is given in place of its own."""
    return serving_inputs(**{**TRAFFIC, **PRICES, **TARGET, "weight_dtype": "fp8", **values})


NO_TARGET = {"ttft_target_seconds": None, "tpot_target_seconds": None}


@pytest.fixture(scope="module")
def plan() -> ServingPlan:
    return plan_serving("llama-3.1-8b", "h100-sxm", asked())


def test_arrivals_of_a_day_sum_to_its_requests_times_the_burst_factor() -> None:
    first, _, third = (sum(arrivals_by_hour(asked(), day)) * 3600 for day in asked().days)
    assert (first, third) == pytest.approx((2_000_000 * 1.5, 2_000_000 * 1.5 * 1.21))


def test_the_load_planned_for_meets_the_target_and_one_request_more_does_not(plan: ServingPlan) -> None:
    replica = plan.replica
    at, above = (
        estimate(
            replica.case,
            replica.memory,
            Demand(input_tokens=1500, output_tokens=300, concurrency=replica.concurrency + more),
        )
        for more in (0, 1)
    )
    assert at.tpot_seconds <= 0.02 and at.ttft_seconds <= 1.0
    assert above.tpot_seconds > 0.02
    assert replica.binding == "tpot"


def test_littles_law_at_the_planned_load(plan: ServingPlan) -> None:
    knee = plan.replica.at_knee
    stays = knee.ttft_seconds + knee.tpot_seconds * 299
    assert plan.replica.requests_per_second * stays == pytest.approx(plan.replica.concurrency)


def test_every_hour_is_within_the_load_with_the_spare_down(plan: ServingPlan) -> None:
    for month in plan.months:
        arrivals = arrivals_by_hour(plan.inputs, plan.inputs.days[month.month - 1])
        for replicas, arriving in zip(month.replicas_by_hour, arrivals, strict=True):
            working = replicas - 1
            assert arriving <= working * plan.replica.requests_per_second * 0.8 * (1 + 1e-9)
            always_on = replicas == min(month.replicas_by_hour)
            assert always_on or arriving > (working - 1) * plan.replica.requests_per_second * 0.8


def test_money_is_reserved_hours_and_burst_hours_at_their_prices(plan: ServingPlan) -> None:
    month = plan.months[0]
    assert month.month == 1
    reserved = min(month.replicas_by_hour) * 730
    burst = sum(count - min(month.replicas_by_hour) for count in month.replicas_by_hour) * 730 / 24
    assert month.gpu_hours == pytest.approx(reserved + burst)
    assert (month.reserved_usd, month.on_demand_usd) == pytest.approx((reserved * 2, burst * 4))
    assert month.usd == month.reserved_usd + month.on_demand_usd
    tokens = 2_000_000 * 730 / 24 * 300
    assert month.usd_per_mtok_output == pytest.approx(month.usd / tokens * 1e6)


def test_what_is_needed_long_enough_to_pay_for_it_is_reserved() -> None:
    """1, 2 and 3 GPUs are needed in 24, 13 and 11 hours; at half the price 12 hours of a day pay for a reservation."""
    flat = plan_serving("llama-3.1-8b", "h100-sxm", asked(shape="flat", **NO_TARGET)).replica.requests_per_second
    hours = [0.5] * 11 + [1.5] * 2 + [2.5] * 11  # of what a replica is planned to take
    daily = {"requests_per_day": sum(hours) * 3600 * flat * 0.8, "shape": tuple(hours), "burst_factor": 1, "spare": 0}
    months = {
        reserved: plan_serving(
            "llama-3.1-8b", "h100-sxm", asked(**daily, **NO_TARGET, reserved_usd_per_gpu_hour=reserved)
        ).months[0]
        for reserved in (1.0, 2.0, 2.2, 4.0)
    }
    by_price = {price: (month.reserved_gpus, month.gpu_hours / 730 * 24) for price, month in months.items()}
    assert by_price == {
        1.0: (3, pytest.approx(72)), 2.0: (2, pytest.approx(59)), 2.2: (1, pytest.approx(48)),
        4.0: (0, pytest.approx(48)),
    }  # fmt: skip
    # Two GPUs around the clock at 2 USD, the third in 11 hours at 4.
    assert months[2.0].usd == pytest.approx(730 / 24 * (2 * 24 * 2.0 + 11 * 4.0))


def test_fleet_within_the_error_band_follows_the_rate(plan: ServingPlan) -> None:
    band = plan.replica.bands["throughput"]
    assert plan.fewest[0].peak_gpus <= plan.months[0].peak_gpus <= plan.most[0].peak_gpus
    # ceil(busiest arrivals / (rate x p10 x 0.8)) + 1 spare, by hand.
    busiest = 1.5 * 2_000_000 * 12 / sum(hours_of("office")) / 3600
    for months, quantile in ((plan.most, band.low), (plan.fewest, band.high)):
        rate = plan.replica.requests_per_second * quantile
        assert months[0].peak_gpus == math.ceil(busiest / (rate * 0.8)) + 1


def test_derivations_give_the_plans_own_figures(plan: ServingPlan) -> None:
    steps = {step.label: step for step in derivations(plan)}
    month = plan.months[0]
    assert steps["GPUs in the busiest hour"].value == month.peak_gpus
    assert steps["Cost a month"].value == month.usd
    reserved = steps["GPUs reserved"]
    assert (reserved.substituted, reserved.value) == (f"0 + {month.signed_gpus}", month.reserved_gpus)
    rate = parse_formula(steps["Rate of one replica"].substituted).evaluate({})
    assert rate == pytest.approx(plan.replica.requests_per_second, rel=1e-3)
    replicas = parse_formula(steps["Replicas in the busiest hour"].substituted).evaluate({})
    assert replicas == max(month.replicas_by_hour)


def test_the_error_band_makes_a_target_at_p90_harder(plan: ServingPlan) -> None:
    sure = plan_serving("llama-3.1-8b", "h100-sxm", asked(band_quantile="p90"))
    assert sure.replica.concurrency < plan.replica.concurrency
    assert sure.replica.at_knee.tpot_seconds * sure.replica.bands["tpot"].high <= 0.02


def test_the_latency_curve_rises_within_the_cache(plan: ServingPlan) -> None:
    curve = latency_curve(plan.replica)
    assert [each.concurrency for each in curve] == [2**i for i in range(len(curve))]
    assert 2 * curve[-1].concurrency > plan.replica.capacity >= curve[-1].concurrency
    assert all(a.tpot_seconds < b.tpot_seconds for a, b in pairwise(curve))


def test_a_target_out_of_reach_says_what_binds_and_what_would_meet_it() -> None:
    with pytest.raises(TargetError) as refused:
        plan_serving("llama-3.1-70b", "h100-sxm", asked(tp=2, ttft_target_seconds=None, tpot_target_seconds=0.012))
    one = Demand(input_tokens=1500, output_tokens=300, concurrency=1)
    alone = latency(case_of("llama-3.1-70b", "h100-sxm", Replica(tp=2, weight_dtype="fp8")), one).tpot_seconds
    assert str(refused.value) == (
        f"tpot_target_seconds binds: got {alone:.4g} s with one request in flight at tp2, want 0.012 s. Raise tp to 4, "
        f"or accept {alone:.4g} s."
    )
    assert message_of(
        TargetError, lambda: plan_serving("llama-3.1-70b", "h100-sxm", asked(weight_dtype="bf16", **NO_TARGET))
    ) == (
        "memory binds: got 66.2 GB too much on each h100-sxm for llama-3.1-70b at tp1, want room for one request. "
        "Raise tp to 2 or choose a narrower weight_dtype."
    )


def test_the_choice_is_sorted_by_cost_and_its_front_is_not_beaten() -> None:
    found = choose("llama-3.1-8b", asked(weight_dtype=None), ["h100-sxm", "h200-sxm"], "vllm")
    costs = [choice.usd_per_month for choice in found.ranked]
    assert costs == sorted(costs)
    for choice in found.ranked:
        beaten = any(
            other.usd_per_month <= choice.usd_per_month and other.tpot_seconds < choice.tpot_seconds
            for other in found.ranked[: found.ranked.index(choice)]
        )
        assert not (choice.on_front and beaten)
    with pytest.raises(TargetError) as refused:
        choose("llama-3.1-70b", asked(weight_dtype="bf16", tpot_target_seconds=1e-4), ["h200-sxm"], "vllm")
    # At tp 1 the weights leave no room; at 2, 4 and 8 each token takes longer.
    assert str(refused.value) == (
        "no candidate meets the target: got tpot_target_seconds binds (3), memory binds (1), want one that does. Relax "
        "that target or add a faster gpu."
    )


def test_a_log_normal_length() -> None:
    assert lognormal_p95(100, 100) == 100
    assert lognormal_p95(1000, 500) == pytest.approx(500 * math.exp(1.6448536 * math.sqrt(2 * math.log(2))))
    assert message_of(RangeError, lognormal_p95, 100, 200) == (
        "not a log-normal length: got mean 100 under median 200, want the mean at or above it. "
        "Give the 95th percentile itself."
    )


@pytest.mark.parametrize(
    ("given", "loads"),
    [
        (None, LOADS),
        ([["", ""], [None, " "]], LOADS),
        (" , ", LOADS),
        ([[8, None], [16, ""]], (8, 16)),
        ("8, 16", (8, 16)),
    ],
)
def test_blank_cells_of_a_list_of_loads_are_no_loads(given: Any, loads: tuple[int, ...]) -> None:
    assert loads_of(given) == loads


def test_a_curve_has_an_end() -> None:
    assert len(loads_of([[each] for each in range(1, 1001)])) == 1000
    assert (
        message_of(InputError, lambda: loads_of(list(range(1, 1002))))
        == "too many loads: got 1001, want at most 1000. Leave some out."
    )


@pytest.mark.parametrize("target", [0.055, 0.058, 0.062])
def test_a_target_within_the_band_holds_within_that_of_its_load(target: float) -> None:
    """It is wider beyond 128 requests: 0.058 s a token took fewer of them than 0.055 s."""
    asked_for = {"input_tokens": 1000, "output_tokens": 200, "tp": 4, "weight_dtype": "fp8", "months": 1}
    replica = plan_serving(
        "llama-3.1-70b", "h200-sxm",
        serving_inputs(requests_per_day=500_000, tpot_target_seconds=target, band_quantile="p90", **asked_for),
    ).replica  # fmt: skip
    within = [
        n
        for n in range(100, 150)
        if replica.at(n).tpot_seconds * bands_of(replica.setup, replace(replica.demand, concurrency=n))["tpot"].high
        <= target
    ]
    assert replica.concurrency == max(within)
    assert replica.bands == bands_of(replica.setup, replica.demand)
