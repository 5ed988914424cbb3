"""The fleet plan: GPUs in whole nodes, terms, burst hours and money by hand, from a rate set by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from sizebook.errors import TargetError
from sizebook.plans import fleet
from sizebook.plans.fleet import Contract, FleetPlan, Service, bounds, plan_fleet, warnings
from sizebook.plans.fleet_steps import derivations
from sizebook.plans.serving import Prices, Replica, Setup, Target, replica_for
from sizebook.plans.traffic import Traffic

BY_NODE = Target(failure_domain="node", whole_nodes=True)
DAY = 864_000  # 10 requests a second


def service(target: Target = BY_NODE, growth: float = 0.0, concurrency: int | None = 32) -> Service:
    traffic = Traffic(DAY, peak_factor=2, growth_per_month=growth, input_tokens=1000, output_tokens=200)
    prices = Prices(3.0, 2.0, tdp_watts=700, pue=1.25, grams_per_kwh=100)
    return Service("A", "llama-3.1-8b", Setup("h100-sxm", tp=2), traffic, target, prices, concurrency)


def planned(one: Service, contract: Contract, monkeypatch: pytest.MonkeyPatch, rate: float = 1.25) -> FleetPlan:
    """Return the plan of a service whose replica serves so many requests a second."""

    def slowed(*arguments: object) -> Replica:
        return replace(replica_for(*arguments), requests_per_second=rate)  # type: ignore[arg-type]

    monkeypatch.setattr(fleet, "replica_for", slowed)
    return plan_fleet((one,), contract, date(2027, 11, 30))


def test_gpus_by_the_replica_and_by_whole_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 % of 1.25 a second the mean of 10 a second takes 10 replicas of 2 GPUs, the peak of 20 takes 20."""
    month = planned(service(Target()), Contract(), monkeypatch).months[0]
    assert (month.peak_gpus, month.mean_gpus, month.reserved_gpus) == (42, 22, 22)  # one spare replica
    month = planned(service(), Contract(), monkeypatch).months[0]
    assert (month.peak_gpus, month.mean_gpus) == (48, 32)  # 24 and 14 replicas, four a node of 8
    month = planned(service(replace(BY_NODE, gpus_per_node=1)), Contract(), monkeypatch).months[0]
    assert (month.peak_gpus, month.mean_gpus) == (42, 22)  # a replica takes two nodes of 1 GPU


def test_a_share_is_reserved_in_whole_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    for share, gpus in ((0.0, 0), (0.25, 8), (0.3, 16), (1.0, 32), (1.2, 40)):
        assert planned(service(), Contract(share), monkeypatch).months[0].reserved_gpus == gpus
    assert planned(service(Target()), Contract(0.5), monkeypatch).months[0].reserved_gpus == 12  # 11 GPUs: 6 replicas


def test_terms_hold_what_their_first_month_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    months = planned(service(growth=0.1), Contract(1.0, 9), monkeypatch).months
    assert [month.reserved_gpus for month in months] == [months[9 * (at // 9)].mean_gpus for at in range(36)]
    assert months[35].requests_per_day == pytest.approx(DAY * 1.1**35)


def test_money_energy_and_carbon_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    month = planned(service(), Contract(0.5, 12, 6), monkeypatch).months[0]
    assert month.reserved_gpus == 16
    burst = 730 / 24 * (6 * (48 - 16) + 18 * (32 - 16))
    assert month.burst_gpu_hours == pytest.approx(burst)
    assert (month.reserved_usd, month.burst_usd) == pytest.approx((730 * 16 * 2.0, burst * 3.0))
    hours = 730 * 16 + burst
    busy = 10 / 1.25 * 2 * 730 / hours
    kwh = hours * 0.7 * (1.3 * busy + 0.3 * (1 - busy)) * 1.25
    assert (month.energy_kwh, month.co2e_kg) == pytest.approx((kwh, kwh * 0.1))


def test_services_add_up_and_months_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    one = planned(service(), Contract(), monkeypatch)
    two = plan_fleet((service(), replace(service(), name="B")), Contract())
    assert [month.peak_gpus for month in two.months] == [2 * month.peak_gpus for month in one.months]
    assert two.months[7].usd == pytest.approx(2 * one.months[7].usd)
    assert [one.label(at) for at in (0, 1, 2, 35)] == ["2027-11", "2027-12", "2028-01", "2030-10"]
    assert two.label(35) == "Month 36"


def test_bounds_are_the_fleets_at_both_ends_of_the_band(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(service(Target()), Contract(), monkeypatch)
    band = plan.services[0].replica.bands["throughput"]
    fewest, most = (each.months[0].mean_gpus for each in bounds(plan))
    assert fewest == 2 * (-int(-10 // band.high) + 1)
    assert most == 2 * (-int(-10 // band.low) + 1)
    assert fewest < plan.months[0].mean_gpus < most


def test_derivation_shows_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = {step.label: step for step in derivations(planned(service(), Contract(), monkeypatch))}
    peak = steps["A: GPUs, busiest hour"]
    assert (peak.substituted, peak.value) == ("ceil((ceil(20.00 / (1.250 * 0.8)) + 4) / 4) * 8", 48)
    assert steps["A: GPUs reserved"].substituted == "ceil(1 * 32 / 8) * 8"
    assert steps["A: burst GPU-hours"].substituted == "730 / 24 * (16 * 8 + 0 * 16)"


def test_a_load_beyond_the_cache_is_refused() -> None:
    capacity = replica_for("llama-3.1-8b", Setup("h100-sxm", tp=2), service().traffic, Target()).capacity
    with pytest.raises(TargetError) as refused:
        plan_fleet((service(concurrency=capacity + 1),), Contract())
    assert str(refused.value) == (
        f"A: cache binds: got {capacity + 1} requests in flight on a replica of llama-3.1-8b at tp2, want at most "
        f"{capacity}. Lower concurrency, or raise tp to 4."
    )


def test_without_a_load_the_most_within_the_target_is_taken() -> None:
    fast = replace(Target(), tpot_seconds=0.01)
    plan = plan_fleet((service(fast, concurrency=None),), Contract())
    replica = plan.services[0].replica
    assert replica.binding == "tpot"
    assert float(replica.at_knee.tpot_seconds) <= 0.01
    more = plan_fleet((service(fast, concurrency=replica.concurrency + 1),), Contract()).services[0].replica
    assert float(more.at_knee.tpot_seconds) > 0.01


def test_what_to_check_is_said_of_its_service() -> None:
    assert warnings(plan_fleet((service(),), Contract())) == ()
    dear = replace(service(), prices=Prices(1.5, 2.0))
    long = replace(dear, traffic=replace(dear.traffic, input_tokens=131_000), concurrency=1)
    assert warnings(plan_fleet((long,), Contract())) == (
        "A: a reserved GPU-hour at $2.00 costs more than one on demand at $1.50; medians of the catalog may be of "
        "different providers.",
        "A: 131 200 tokens a request are more than the 131 072 that the model states.",
    )
