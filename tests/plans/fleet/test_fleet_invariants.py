"""What holds of every fleet plan: services sum to the fleet, shares are shares, more never takes fewer GPUs."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sizebook.core.errors import InputError, TargetError
from sizebook.core.sections import flat, leaves, put_together
from sizebook.plans.fleet.inputs import FleetInputs, Service
from sizebook.plans.fleet.months import FleetMonth, ServiceMonth, asked, service_load
from sizebook.plans.fleet.plan import FleetPlan, PlannedService, plan_fleet
from sizebook.plans.ledgers import total_usd, usd_range
from sizebook.plans.serving.rates import Rates
from tests.plans.asking import fleet_inputs, service

few = settings(max_examples=25, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
WITHIN = 1e-9

SETUPS = st.sampled_from([
    {"model": "llama-3.1-8b", "gpu": "h100-sxm"},
    {"model": "llama-3.1-70b", "gpu": "h200-sxm", "tp": 4, "weight_dtype": "fp8", "engine": "sglang"},
    {"model": "gemma-4-31b", "gpu": "b200-sxm", "tp": 2},
])  # fmt: skip
LOADS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"concurrency": st.integers(1, 20)}),
    st.fixed_dictionaries({"ttft_target_seconds": st.floats(0.5, 10)}),
    st.just({}),
)
SERVICES = st.builds(
    lambda setup, load_of, rest: setup | load_of | rest,
    SETUPS,
    LOADS,
    st.fixed_dictionaries({
        "requests_per_day": st.floats(1, 3e7), "input_tokens": st.integers(1, 10_000),
        "output_tokens": st.integers(1, 2000), "growth_per_month": st.floats(0, 0.1),
        "peak_factor": st.floats(1, 5), "gpus_per_node": st.sampled_from([None, 1, 8]),
        "on_demand_usd_per_gpu_hour": st.floats(0, 10), "reserved_usd_per_gpu_hour": st.floats(0, 10),
    }),
)  # fmt: skip
TERMS = st.fixed_dictionaries({
    "target_load": st.floats(0.1, 1), "spare": st.integers(0, 2),
    "failure_domain": st.sampled_from(["replica", "node"]), "whole_nodes": st.booleans(),
    "share_nodes": st.booleans(), "burst_hours": st.floats(0, 24),
    "pue": st.floats(1, 3), "grams_per_kwh": st.floats(0, 1000),
})  # fmt: skip


@st.composite
def fleets(draw: st.DrawFn) -> FleetInputs:
    """One to three services and what they share."""
    services = draw(st.lists(SERVICES, min_size=1, max_size=3))
    return fleet_inputs(*(service(name=f"S{at}", **values) for at, values in enumerate(services)), **draw(TERMS))


def planned(inputs: FleetInputs) -> FleetPlan:
    try:
        return plan_fleet(inputs)
    except TargetError:
        assume(False)
        raise
    except InputError as error:
        assume(not str(error).startswith("two values of "))  # of services that would share whole nodes
        raise


def rates_of(plan: FleetPlan) -> list[Rates]:
    """Return the rates at which each purchase is made: those of its first service."""
    return [plan.services[each.members[0]].rates for each in plan.purchases]


def changed(inputs: FleetInputs, **changes: Any) -> FleetInputs:
    """Return a fleet with quantities of its first service, or of what all share, in place of its own."""
    first = inputs.service[0]
    if set(changes) <= {leaf.name for leaf in leaves(Service)}:
        return replace(inputs, service=(put_together(Service, flat(first) | changes), *inputs.service[1:]))
    return replace(inputs, terms=put_together(type(inputs.terms), flat(inputs.terms) | changes))


def loads(plan: FleetPlan) -> list[int]:
    return [each.replica.concurrency for each in plan.services]


def never_less(less: FleetPlan, more: FleetPlan, *names: str) -> None:
    """Hold that no month has less of a figure, nor its ends of the band: at other loads bands are not of one width."""
    both = [(less.months, more.months)]
    if loads(less) == loads(more):
        both += [(less.fewest, more.fewest), (less.most, more.most)]
    for a, b in (pair for months in both for pair in zip(*months, strict=True)):
        for name in names:
            assert getattr(b, name) >= getattr(a, name) * (1 - WITHIN), name


def whole(plan: FleetPlan) -> float:
    """Return what the plan costs with what follows it: of contracts only the whole is the least there is."""
    loads = [service_load(each.service, each.replica, each.rates, plan.terms) for each in plan.services]
    bought = plan.purchases
    return sum(asked([loads[at] for at in each.members], plan.terms).usd(each.portfolio) for each in bought)


def never_cheaper(less: FleetPlan, more: FleetPlan) -> None:
    assert whole(more) >= whole(less) * (1 - WITHIN) - WITHIN


@few
@given(fleets())
def test_services_sum_to_the_fleet_and_parts_to_the_cost(inputs: FleetInputs) -> None:
    plan = planned(inputs)
    shared = {leaf.name for leaf in leaves(ServiceMonth)} & {leaf.name for leaf in leaves(FleetMonth)}
    money = shared - {"peak_gpus", "mean_gpus"}  # of replicas; the fleet's are those paid for
    assert money == {"requests_per_day", "usd", "energy_kwh", "co2e_kg"}
    for at, month in enumerate(plan.months):
        for name in money:
            parts = [getattr(each.months[at], name) for each in plan.services]
            assert getattr(month, name) == pytest.approx(sum(parts)), name
        for name in ("peak_gpus", "mean_gpus"):
            placed = sum(getattr(each.months[at], name) for each in plan.services)
            paid = getattr(month, name)
            assert placed <= paid if inputs.terms.margins.whole_nodes else placed == paid
        assert month.usd == pytest.approx(month.reserved_usd + month.burst_usd)
        assert month.co2e_kg == pytest.approx(month.energy_kwh * (inputs.terms.energy.grams_per_kwh or 0) / 1000)
    for rates, purchase in zip(rates_of(plan), plan.purchases, strict=True):
        for bought in purchase.months:
            assert sum(bought.shares) == pytest.approx(1)
            assert bought.reserved_usd == pytest.approx(bought.reserved * 730 * rates.reserved_usd)
            assert bought.burst_usd == pytest.approx(bought.burst_hours * rates.on_demand_usd)


@few
@given(fleets())
def test_shares_are_at_most_the_whole(inputs: FleetInputs) -> None:
    plan = planned(inputs)
    for rates, purchase in zip(rates_of(plan), plan.purchases, strict=True):
        for month in purchase.months:
            assert month.mean <= month.peak
            over = max(0, month.peak - month.reserved)
            assert month.burst_hours <= over * 730 * (1 + WITHIN)
            hours, watts = 730 * month.reserved + month.burst_hours, rates.tdp_watts * rates.pue
            assert 0.3 * hours * watts / 1000 * (1 - WITHIN) <= month.energy_kwh
            assert month.energy_kwh <= 1.3 * hours * watts / 1000 * (1 + WITHIN)
    for at_month in plan.months:
        assert at_month.nodes <= at_month.own_nodes
        assert at_month.racks <= at_month.nodes


# By how much an input of the first service grows, as a factor or as what is added, and what may not fall then.
TIMES, MORE = st.floats(1, 3), st.floats(0, 5)
GROWTH: dict[str, tuple[st.SearchStrategy[float], tuple[str, ...]]] = {
    **dict.fromkeys(("requests_per_day", "peak_factor"), (TIMES, ("peak_gpus", "mean_gpus"))),
    **dict.fromkeys(("input_tokens", "output_tokens"), (st.integers(1, 1000), ("peak_gpus", "mean_gpus"))),
    **dict.fromkeys(("on_demand_usd_per_gpu_hour", "reserved_usd_per_gpu_hour"), (MORE, ("peak_gpus",))),
    **dict.fromkeys(("pue", "grams_per_kwh"), (st.floats(0, 2), ("co2e_kg", "usd"))),
}


@pytest.mark.parametrize("name", GROWTH)
@few
@given(fleets(), st.data())
def test_more_is_never_cheaper(name: str, inputs: FleetInputs, data: st.DataObject) -> None:
    growth, names = GROWTH[name]
    by, before = data.draw(growth), (flat(inputs.service[0]) | flat(inputs.terms))[name]
    grown = {name: before * by if growth is TIMES else before + by}
    less, greater = planned(inputs), planned(changed(inputs, **grown))
    in_flight = [plan.services[0].replica.concurrency for plan in (less, greater)]
    if name == "output_tokens" and in_flight[1] > in_flight[0]:  # prompts of others come less often: at the same load
        free = dict.fromkeys(("ttft_target_seconds", "tpot_target_seconds"))
        greater = planned(changed(inputs, **grown, **free, concurrency=in_flight[0]))
    never_less(less, greater, *names)
    never_cheaper(less, greater)


@few
@given(fleets())
def test_growth_whole_nodes_and_spares_never_take_fewer_gpus(inputs: FleetInputs) -> None:
    plan = planned(inputs)
    for name in ("requests_per_day", "peak_gpus", "mean_gpus"):
        values = [getattr(month, name) for month in plan.months]
        assert values == sorted(values), name
    by_replica, by_node = planned(changed(inputs, whole_nodes=False)), planned(changed(inputs, whole_nodes=True))
    never_less(by_replica, by_node, "peak_gpus", "mean_gpus")
    never_less(plan, planned(changed(inputs, spare=inputs.terms.margins.spare + 1)), "peak_gpus", "mean_gpus")


@few
@given(fleets())
def test_bands_contain_their_middle(inputs: FleetInputs) -> None:
    plan = planned(inputs)
    for fewest, middle, most in zip(plan.fewest, plan.months, plan.most, strict=True):
        assert fewest.reserved_gpus == middle.reserved_gpus == most.reserved_gpus
        for name in ("peak_gpus", "mean_gpus", "usd"):
            assert getattr(fewest, name) <= getattr(middle, name) <= getattr(most, name), name
    both: list[FleetPlan | PlannedService] = [plan, *plan.services]
    for each in both:
        found = usd_range(each)
        assert found.low <= total_usd(each.months) <= found.high
