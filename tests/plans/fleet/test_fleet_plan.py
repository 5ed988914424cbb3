"""The fleet plan: GPUs in whole nodes, terms, burst hours and money by hand, from a rate set by hand."""

import math
from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from itertools import product
from typing import Any

import pytest

from sizebook.core.errors import InputError, TargetError
from sizebook.plans.fleet import choice
from sizebook.plans.fleet.figures import contracts
from sizebook.plans.fleet.inputs import Service
from sizebook.plans.fleet.months import PurchaseMonth, asked, service_load
from sizebook.plans.fleet.plan import FleetPlan, plan_fleet
from sizebook.plans.fleet.remarks import warnings
from sizebook.plans.fleet.steps import derivations
from sizebook.plans.serving.pools import replica_in
from sizebook.plans.serving.replica import PlannedReplica, Setup, Workload, replica_for
from sizebook.serving.arrivals import Lengths
from tests.plans.asking import fleet_inputs, service
from tests.refused import message_of

BY_NODE: dict[str, Any] = {"failure_domain": "node", "whole_nodes": True}
DAY = 864_000  # 10 requests a second


def one(**values: Any) -> Service:
    """Return a service of 10 requests a second on replicas of two GPUs, with what is given in place of its own."""
    own: dict[str, Any] = {
        "name": "A", "model": "llama-3.1-8b", "gpu": "h100-sxm", "tp": 2, "requests_per_day": DAY, "peak_factor": 2,
        "input_tokens": 1000, "output_tokens": 200, "concurrency": 32,
        "on_demand_usd_per_gpu_hour": 3.0, "reserved_usd_per_gpu_hour": 2.0,
    }  # fmt: skip
    return service(**own | values)


class _Timed(PlannedReplica):
    """A replica whose rate is set by hand."""

    rate: float

    @property
    def requests_per_second(self) -> float:
        return self.rate * self.speed


def planned(
    each: Service, monkeypatch: pytest.MonkeyPatch, *others: Service, rate: float = 1.25, **terms: Any
) -> FleetPlan:
    """Return the plan of services whose replicas serve so many requests a second."""

    def timed(*arguments: Any, cost: Any) -> PlannedReplica:
        found = replica_in(*arguments, cost=cost)
        kind: type[PlannedReplica] = type("Timed", (_Timed,), {"rate": rate})
        return kind(**{f.name: getattr(found, f.name) for f in fields(found)})

    monkeypatch.setattr(choice, "replica_in", timed)
    common = {"start": date(2027, 11, 30), "months": 36, "grams_per_kwh": 100}
    return plan_fleet(fleet_inputs(each, *others, **{**common, **terms}))


def _asked_of(each: Service) -> tuple[Any, ...]:
    """Return what `replica_for` is asked for a service."""
    demand = each.traffic.demand
    longest = demand.input_tokens, demand.output_tokens
    stream = each.requests.stream(Lengths(demand.input_tokens), Lengths(demand.output_tokens))
    asked = Workload(demand, longest, stream, each.latencies)
    return Setup(each.model, each.gpu, each.replica, each.gpus_per_node), asked


def test_gpus_by_the_replica_and_by_whole_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 % of 1.25 a second the mean of 10 a second takes 10 replicas of 2 GPUs, the peak of 20 takes 20."""
    month = planned(one(), monkeypatch).months[0]
    assert (month.peak_gpus, month.mean_gpus, month.reserved_gpus) == (42, 22, 22)  # one spare replica
    month = planned(one(), monkeypatch, **BY_NODE).months[0]
    assert (month.peak_gpus, month.mean_gpus) == (48, 32)  # 24 and 14 replicas, four a node of 8
    month = planned(one(gpus_per_node=1), monkeypatch, **BY_NODE).months[0]
    assert (month.peak_gpus, month.mean_gpus) == (42, 22)  # a replica takes two nodes of 1 GPU


def test_what_is_needed_long_enough_is_signed_for_in_whole_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU-hour is 2.00 for a year and 3.00 on demand: more than 16 hours of a day are cheaper under contract."""
    for busy, gpus in ((8, 32), (15.9, 32), (16.1, 48)):
        plan = planned(one(), monkeypatch, **BY_NODE, burst_hours=busy)
        assert {month.reserved_gpus for month in plan.months} == {gpus}
        assert [(of, one.gpus, one.first_month, one.last_month) for of, one in plan.contracts] == [
            ("A", gpus, 1, 12), ("A", gpus, 13, 24), ("A", gpus, 25, 36)
        ]  # fmt: skip
        assert (contracts(plan).tail_months, contracts(plan).tail_usd) == (0, 0)


def test_a_contract_outlasts_its_service_and_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service of 22 GPUs from month 3 on, in a plan of 5 months: nine months of twelve are owed after it."""
    plan = planned(one(start_month=3), monkeypatch, months=5)
    assert [month.reserved_gpus for month in plan.months] == [0, 0, 22, 22, 22]
    found, year = contracts(plan), 12 * 730 * 22 * 2.0
    assert (found.tail_months, found.tail_usd) == (9, pytest.approx(year * 9 / 12))
    held = planned(one(end_month=2, contracts=((30, -3, 4, 1.5),)), monkeypatch, months=5).months
    assert [(month.reserved_gpus, month.reserved_used_gpu_hours) for month in held] == [
        (30, pytest.approx(730 * (22 + 8 / 3))), (30, pytest.approx(730 * (22 + 8 / 3))), (30, 0), (30, 0), (0, 0)
    ]  # fmt: skip
    assert [month.reserved_idle_gpu_hours for month in held] == pytest.approx(
        [730 * (30 - 22 - 8 / 3)] * 2 + [730 * 30] * 2 + [0]
    )
    assert [month.usd for month in held][2:] == pytest.approx([730 * 30 * 1.5] * 2 + [0])


def test_what_is_prepaid_is_paid_at_signing(monkeypatch: pytest.MonkeyPatch) -> None:
    months = planned(one(prepay="all"), monkeypatch, months=12).months
    assert months[0].cash_usd == pytest.approx(12 * months[0].reserved_usd + months[0].burst_usd)
    assert [month.cash_usd for month in months[1:]] == pytest.approx([months[0].burst_usd] * 11)


def _least(needs: Sequence[PurchaseMonth], unit: int) -> float:
    """Return the least that contracts of a year at 2.00 and hours at 3.00 cost, tried one by one.

    The last month goes on for eleven more; then a GPU costs no more hours of a day than a contract would.
    """
    last, most = needs[-1], max(month.peak for month in needs)
    following, least = [*needs, *[last] * 11], math.inf
    for signed in product(range(0, most + 1, unit), repeat=len(needs)):
        cost = sum(12 * 24 * 2.0 * gpus for gpus in signed)
        for at, month in enumerate(following):
            held = sum(gpus for first, gpus in enumerate(signed) if first <= at < first + 12)
            for gpu in range(held + 1, month.peak + 1):
                by_hour = 3.0 * (24 if gpu <= month.mean else 8)
                cost += min(by_hour, 24 * 2.0) if at >= len(needs) else by_hour
        least = min(least, cost)
    return least * 730 / 24


@pytest.mark.parametrize("growth", [-0.4, -0.2, 0.0, 0.3])
def test_no_other_contracts_cost_less(growth: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two services that share whole nodes, one for two months only: every way to sign is worked out beside the plan."""
    few = {"requests_per_day": DAY / 3, "growth_per_month": growth}
    other = one(name="B", tp=1, requests_per_day=DAY, start_month=2, end_month=3)
    plan = planned(one(**few), monkeypatch, other, months=4, spare=0, whole_nodes=True, share_nodes=True)
    (bought,) = plan.purchases
    loads = [service_load(each.service, each.replica, each.rates, plan.terms) for each in plan.services]
    assert asked(loads, plan.terms).usd(bought.portfolio) == pytest.approx(_least(bought.months, 8))


def test_money_energy_and_carbon_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    held = one(sign_terms="none", contracts=((16, 1, 36, 2.0),))
    month = planned(held, monkeypatch, **BY_NODE, burst_hours=6).months[0]
    assert month.reserved_gpus == 16
    burst = 730 / 24 * (6 * (48 - 16) + 18 * (32 - 16))
    assert month.burst_gpu_hours == pytest.approx(burst)
    assert (month.reserved_usd, month.burst_usd) == pytest.approx((730 * 16 * 2.0, burst * 3.0))
    hours = 730 * 16 + burst
    busy = 10 / 1.25 * 2 * 730 / hours
    kwh = hours * 0.7 * (1.3 * busy + 0.3 * (1 - busy)) * 1.25
    assert (month.energy_kwh, month.co2e_kg) == pytest.approx((kwh, kwh * 0.1))


def test_services_add_up_and_months_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = planned(one(), monkeypatch)
    two = plan_fleet(fleet_inputs(one(), one(name="B"), months=36))
    assert [month.peak_gpus for month in two.months] == [2 * month.peak_gpus for month in alone.months]
    assert two.months[7].usd == pytest.approx(2 * alone.months[7].usd)
    assert [alone.label(at) for at in (0, 1, 2, 35)] == ["2027-11", "2027-12", "2028-01", "2030-10"]
    assert two.label(35) == "Month 36"


def test_bounds_are_the_fleets_at_both_ends_of_the_band() -> None:
    # The band is that of a replica at its own rate: 10 requests a second at 0.8 x 1.25 take 10 replicas in the middle.
    alone = replica_for(*_asked_of(one())).requests_per_second
    day = 86_400 * 10 * alone * 0.8
    plan = plan_fleet(fleet_inputs(one(requests_per_day=day)))
    band = plan.services[0].replica.bands["throughput"]
    fewest, most = (months[0].mean_gpus for months in (plan.fewest, plan.most))
    assert fewest == 2 * (-int(-10 // band.high) + 1)
    assert most == 2 * (-int(-10 // band.low) + 1)
    assert fewest < plan.months[0].mean_gpus < most


def test_derivation_shows_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = {step.label: step for step in derivations(planned(one(), monkeypatch, **BY_NODE))}
    peak = steps["A: GPUs, busiest hour"]
    needed = steps["A: replicas, busiest hour"]
    assert (needed.substituted, needed.value) == ("ceil(20.00 / (1.250 * 0.8)) + 4", 24)
    assert (peak.substituted, peak.value) == ("ceil(24 / 4) * 8", 48)
    assert steps["A: GPUs reserved"].substituted == "0 + 32"
    assert steps["A: burst GPU-hours"].substituted == "730 / 24 * (16 * 8 + 0 * 16)"


def test_a_load_beyond_the_cache_is_refused() -> None:
    capacity = replica_for(*_asked_of(one())).capacity
    assert message_of(TargetError, lambda: plan_fleet(fleet_inputs(one(concurrency=capacity + 1)))) == (
        f"A: cache binds: got {capacity + 1} requests in flight on a replica of llama-3.1-8b at tp2, want at most "
        f"{capacity}. Lower concurrency, or raise tp to 4."
    )


def test_without_a_load_the_most_within_the_target_is_taken() -> None:
    plan = plan_fleet(fleet_inputs(one(concurrency=None, tpot_target_seconds=0.01)))
    replica = plan.services[0].replica
    assert replica.binding == "tpot"
    assert float(replica.at_knee.tpot_seconds) <= 0.01
    more = plan_fleet(fleet_inputs(one(concurrency=replica.concurrency + 1))).services[0].replica
    assert float(more.at_knee.tpot_seconds) > 0.01


def test_what_to_check_is_said_of_its_service() -> None:
    priced = (
        "Price of a GPU-hour: given in the scenario.",
        "The range of cost covers how fast the GPUs are. The price of a GPU-hour is taken as certain.",
    )
    assert warnings(plan_fleet(fleet_inputs(one()))) == priced
    long = one(input_tokens=131_000, concurrency=1)
    assert warnings(plan_fleet(fleet_inputs(long))) == (
        "A: 131\u202f200 tokens a request are more than the 131\u202f072 that the model states.",
        *priced,
    )


@pytest.mark.parametrize(
    ("services", "terms", "error", "message"),
    [
        ((one(), one()), {}, InputError, "name twice: got 'A' for two services, want each its own. Rename one."),
        (tuple(one(name=str(at)) for at in range(21)), {}, InputError,
         "too many services: got 21, want at most 20. Split the plan."),
        ((one(start_month=5, end_month=4),), {}, InputError, "A: ends before it begins: got end_month 4 with "
         "start_month 5, want the end not before the start. Change one."),
        ((one(), one(name="B", reserved_usd_per_gpu_hour=2.5)), {"whole_nodes": True, "share_nodes": True}, InputError,
         "two values of reserved_usd_per_gpu_hour: got 2 for A and 2.5 for B, which buy whole nodes of h100-sxm "
         "together, want one. State the same for both, or give one a region of its own."),
        ((one(), one(name="B", sign_terms="any")), {"whole_nodes": True, "share_nodes": True}, InputError,
         "two values of sign_terms: got 1y for A and any for B, which buy whole nodes of h100-sxm together, want one. "
         "State the same for both, or give one a region of its own."),
        ((one(), one(name="B", prepay="all")), {"whole_nodes": True, "share_nodes": True}, InputError,
         "two values of prepay: got none for A and all for B, which buy whole nodes of h100-sxm together, want one. "
         "State the same for both, or give one a region of its own."),
        ((one(tpot_target_seconds=0.05),), {}, InputError, "A: load given twice: got concurrency and a target of "
         "seconds, want one of them. The load follows from the target: remove concurrency, or keep it and remove the "
         "target."),
    ],
)  # fmt: skip
def test_what_no_fleet_is_planned_for(
    services: tuple[Service, ...], terms: dict[str, int], error: type[Exception], message: str
) -> None:
    assert message_of(error, lambda: plan_fleet(fleet_inputs(*services, **terms))) == message


def test_what_is_reserved_keeps_the_price_of_its_term_while_bursts_follow_the_month(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ten GPUs-worth of load is flat: a term of twelve months is paid at the price of its first."""
    flat = planned(one(), monkeypatch, months=14)
    falling = planned(one(price_change_per_month=-0.03), monkeypatch, months=14)
    for at, (before, after) in enumerate(zip(flat.months, falling.months, strict=True)):
        assert after.reserved_usd == pytest.approx(before.reserved_usd * (0.97**12 if at >= 12 else 1))
        assert after.burst_usd == pytest.approx(before.burst_usd * 0.97**at)


def test_a_service_takes_users_and_a_table_of_months(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user asks in eight hours of 21 working days: three times the mean of the day, 365/12/21 times on its days."""
    table = planned(one(requests_per_day=None, monthly_requests=((1, 73e6), (3, 146e6))), monkeypatch, months=4)
    assert [month.requests_per_day for month in table.months] == pytest.approx([2.4e6, 2.4e6, 4.8e6, 4.8e6])
    people = {"users": 1000, "requests_per_user": 21, "working_days": 21, "hours_active": 8}
    service_of_users = one(requests_per_day=None, **people)
    assert service_of_users.peak == pytest.approx(3 * 365 / 12 / 21)
    assert message_of(InputError, one, requests_per_day=None, **people, peak_factor=3) == (
        "hours given twice: got peak_factor and hours_active, want one of them. Remove the other."
    )
