"""Shared nodes, racks, power, calendar and ceilings of a fleet, worked out by hand."""

from itertools import product
from typing import Any

import pytest

from sizebook.core.errors import InputError
from sizebook.plans.fleet.functions import shared_nodes
from sizebook.plans.fleet.inputs import Racks
from sizebook.plans.fleet.months import FleetMonth
from sizebook.plans.fleet.nodes import fills_nodes, fits, nodes_of_a_rack, nodes_together
from sizebook.plans.fleet.periods import period, periods
from sizebook.plans.fleet.plan import FleetPlan, plan_fleet
from sizebook.plans.fleet.remarks import exceeded, warnings
from sizebook.plans.serving.nodes import Packing, node_facts
from tests.plans.asking import fleet_inputs, service
from tests.plans.fleet.test_fleet_plan import DAY, one, planned
from tests.refused import message_of
from tests.row_lists import listed

SHARED: dict[str, Any] = {"whole_nodes": True, "share_nodes": True, "spare": 0}


PRICED = (
    "Price of a GPU-hour: given in the scenario.",
    "The range of cost covers how fast the GPUs are. The price of a GPU-hour is taken as certain.",
)


def first_fit_decreasing(node: int, sizes: list[int]) -> int:
    """Return the nodes on which replicas stand, the largest placed first where they first fit."""
    free: list[int] = []
    for size in sorted(sizes, reverse=True):
        at = next((n for n, room in enumerate(free) if room >= size), None)
        if at is None:
            free.append(node - size)
        else:
            free[at] -= size
    return len(free)


@pytest.mark.parametrize(*listed("plans/fleet", "test_parts_of_nodes_by_hand"))
def test_parts_of_nodes_by_hand(counts: list[int], sizes: list[int], nodes: int) -> None:
    assert nodes_together([Packing(8, size) for size in sizes], counts) == nodes


def test_the_sum_of_parts_is_what_placing_the_largest_first_reaches() -> None:
    """Each replica is given its whole place; then no order and no search does better than the sum, rounded up."""
    sizes = (8, 5, 4, 3, 2, 1)
    place = {size: 8 // (8 // size) for size in sizes}
    for counts in product((0, 1, 3), repeat=len(sizes)):
        standing = [place[size] for size, n in zip(sizes, counts, strict=True) for _ in range(n)]
        found = nodes_together([Packing(8, size) for size in sizes], counts)
        assert found == first_fit_decreasing(8, standing) == -(-sum(standing) // 8)
        assert found <= sum(Packing(8, size).nodes(n) for size, n in zip(sizes, counts, strict=True))


def test_what_leaves_a_gap_shares_no_node() -> None:
    assert [size for size in range(1, 9) if fills_nodes(Packing(8, size))] == list(range(1, 9))
    assert [size for size in range(1, 7) if fills_nodes(Packing(6, size))] == [
        3,
        4,
        5,
        6,
    ]  # six and three a node do not
    assert not fills_nodes(Packing(8, 16))


def test_services_share_whole_nodes_and_pay_by_their_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """10 requests a second at 0.8 x 1.25 take 10 replicas at the mean and 20 at peak: of two GPUs, and of one."""
    plan = planned(one(), monkeypatch, one(name="B", tp=1), **SHARED, months=2)
    month = plan.months[0]
    assert (month.nodes, month.own_nodes) == (8, 8)  # 20 / 4 + 20 / 8 = 7.5; alone 5 and 3
    assert (month.peak_gpus, month.mean_gpus) == (64, 32)  # at the mean 10 / 4 + 10 / 8 = 3.75 nodes
    parts = [each.months[0].usd for each in plan.services]
    assert sum(parts) == pytest.approx(month.usd)
    assert parts[0] == pytest.approx(2 * parts[1])  # five nodes against two and a half
    assert [each.months[0].peak_gpus for each in plan.services] == [40, 20]
    alone = planned(one(), monkeypatch, one(name="B", tp=1), whole_nodes=True, spare=0, months=2).months[0]
    assert (alone.peak_gpus, alone.mean_gpus) == (64, 40)  # 3 and 2 nodes at the mean


def test_a_month_is_shared_only_on_the_same_accelerator_node_and_place(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {"requests_per_day": DAY / 10}  # one replica at the mean, two at peak
    for other, nodes in (
        ({}, 1), ({"gpu": "h200-sxm"}, 2), ({"gpus_per_node": 4}, 2), ({"region": "us-east-1"}, 2),
    ):  # fmt: skip
        plan = planned(one(**few), monkeypatch, one(name="B", **few | other), **SHARED, months=1)
        assert (plan.months[0].nodes, plan.months[0].own_nodes) == (nodes, 2), other
    apart = planned(one(**few), monkeypatch, one(name="B", **few), whole_nodes=True, spare=0, months=1)
    assert (apart.months[0].nodes, apart.months[0].racks) == (2, 1)


def test_racks_by_power_height_and_number() -> None:
    h100, b200, nvl72 = node_facts("h100-sxm", 8), node_facts("b200-sxm", 8), node_facts("gb200", 4)
    assert [nodes_of_a_rack(h100, Racks(kw_per_rack=kw)) for kw in (41, 40.7, 20.4, 5)] == [4, 3, 2, 1]
    assert nodes_of_a_rack(h100, Racks(kw_per_rack=500)) == 5  # 42 U hold five of 8 U
    assert nodes_of_a_rack(b200, Racks(kw_per_rack=500, rack_units=48)) == 4  # of 10 U
    assert nodes_of_a_rack(h100, Racks(nodes_per_rack=2)) == 2
    assert nodes_of_a_rack(nvl72, Racks(nodes_per_rack=2)) == 18  # the rack comes as it is
    assert nvl72.kw * 18 == pytest.approx(120, rel=1e-3)
    assert not fits(h100, Racks(kw_per_rack=5)) and fits(h100, Racks())
    other = node_facts("mi300x", 8)  # not listed: 8 x 750 W at 1.3 at the wall
    assert (other.kw, other.rack_units) == (pytest.approx(7.8), 8)


def test_racks_and_power_of_a_month(monkeypatch: pytest.MonkeyPatch) -> None:
    month = planned(one(), monkeypatch, spare=0, pue=1.2, months=1).months[0]
    assert (month.nodes, month.racks) == (5, 2)  # 20 replicas, four a node, four nodes a rack
    assert month.site_kw == pytest.approx(5 * 10.2 * 1.2)


def test_a_service_begins_grows_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    late = one(start_month=3, end_month=5, growth_per_month=0.5)
    plan = planned(late, monkeypatch, months=7, spare=0)
    assert [month.requests_per_day for month in plan.months] == [0, 0, DAY, DAY * 1.5, DAY * 2.25, 0, 0]
    assert [month.mean_gpus for month in plan.months] == [0, 0, 20, 30, 46, 0, 0]  # 10, 15 and 22.5 replicas of two
    assert {month.usd for month in plan.months[5:]} == {0.0} and not plan.contracts  # three months are no year
    never = planned(one(start_month=9), monkeypatch, months=8)
    assert sum(month.usd for month in never.months) == 0
    assert warnings(never) == ("A: begins in month 9, after the 8 months of the plan.", PRICED[0])


def test_ceilings_are_said_with_their_first_month(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = {"gpu_ceiling": 60, "rack_ceiling": 3, "kw_ceiling": 10_000}
    plan = planned(one(growth_per_month=0.25), monkeypatch, months=4, spare=0, **terms)
    assert [month.peak_gpus for month in plan.months] == [40, 50, 64, 80]  # 20, 25, 31.25 and 39.06 replicas
    assert [month.racks for month in plan.months] == [2, 2, 2, 3]
    (over,) = exceeded(plan)
    assert (over.name, over.month, over.figure, over.months) == ("gpu_ceiling", 2, 64, 2)
    assert warnings(plan)[0] == "From 2028-01 on 64 GPUs exceed the ceiling of 60; in 2 of 4 months."
    small = planned(one(), monkeypatch, months=1, kw_per_rack=5)
    # 40 GPUs x 11 months x 730 hours x 1.10 USD.
    signed = (
        "Contracts run for up to 11 months after the plan and cost $353\xa0k in them. The plan's cost leaves this out."
    )
    assert warnings(small) == (
        signed,
        "A node of H100 SXM5 80 GB draws 10.2 kW and takes 8 U, more than a rack gives; the plan counts "
        "one node a rack.",
        *PRICED,
    )
    others = planned(one(gpus_per_node=4), monkeypatch, months=1)  # 4 x 700 W x 1.3
    assert warnings(others) == (
        signed,
        "No node with 4 H100 SXM5 80 GB is listed; the plan assumes 3.64 kW (GPUs x TDP at the wall) and 8 U.",
        *PRICED,
    )


def test_counts_and_sizes_of_shared_nodes_stay_beside_each_other() -> None:
    assert shared_nodes([3, None, 5], [4, None, 1], 8) == 3
    assert shared_nodes(3, 4, 8) == 2
    for counts, sizes, got in (
        ([3, None, 5], [4, 2, None], "blank of size 2 in pair 2"),
        ([1.5], [4], "1.5 of size 4 in pair 1"),
        ([1, 2], [4, 0], "2 of size 0 in pair 2"),
        ([1, 2], [4], "2 of size blank in pair 2"),
        (["two"], [4], "'two' of size 4 in pair 1"),
    ):
        assert message_of(InputError, shared_nodes, counts, sizes, 8) == (
            f"bad pair of replicas and size: got {got}, want a whole number of replicas, 0 or more, beside a size "
            "of 1 or more. Correct the lists."
        )


def test_quarters_and_years_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    months = planned(one(growth_per_month=0.1), monkeypatch, months=14).months
    quarters, years = periods(months, 3), periods(months, 12)
    assert [each.months for each in quarters] == [3, 3, 3, 3, 2]
    assert [each.months for each in years] == [12, 2]
    whole = period(months)
    for each in (quarters, years):
        assert sum(one.usd for one in each) == pytest.approx(whole.usd)
        assert max(one.peak_gpus for one in each) == whole.peak_gpus == months[-1].peak_gpus
    reserved = sum(730 * month.reserved_gpus + month.burst_gpu_hours for month in months)
    assert whole.gpu_hours == pytest.approx(reserved)


def test_twenty_services_over_sixty_months() -> None:
    many = [
        service(name=f"S{at}", model="llama-3.1-8b", gpu="h100-sxm", requests_per_day=100_000 * at, input_tokens=500,
                output_tokens=100, concurrency=16, start_month=at)
        for at in range(1, 21)
    ]  # fmt: skip
    plan: FleetPlan = plan_fleet(fleet_inputs(*many, **SHARED, months=60))
    assert (len(plan.services), len(plan.months)) == (20, 60)
    running = [sum(month.peak_gpus > 0 for month in of) for of in zip(*(s.months for s in plan.services), strict=True)]
    assert running == [min(at, 20) for at in range(1, 61)]
    last: FleetMonth = plan.months[-1]
    assert last.nodes < last.own_nodes == 20
    assert last.nodes == -(-sum(each.months[-1].peak_gpus for each in plan.services) // 8)
