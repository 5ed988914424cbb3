"""Rent, buy or use an API, for a fleet plan: what its months cost in each way, and the break-even traffic.

Nodes are bought whole, for all services of one accelerator, node, provider and region together; those that share nodes
share bought ones too. Each service calls an API of its own. How good the answers of either model are, the reader
judges.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sizebook.core.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH
from sizebook.core.sections import DEFAULT, flat, quantity, section
from sizebook.core.texts import Day, Text, joined, text
from sizebook.core.units import significant
from sizebook.plans.alternatives import (
    AlternativeMonth,
    AlternativesSaid,
    AlternativeTotals,
    break_even_sentences,
    months_by_way,
    totals_of,
    usd_of_a_request,
)
from sizebook.plans.break_even import Course, Stairs, break_even
from sizebook.plans.fleet.inputs import FleetTerms
from sizebook.plans.fleet.months import Bought, FleetMonth, ServiceLoad, gpus_needed, last_month
from sizebook.plans.fleet.node_groups import groups_sharing_nodes, hardware_of
from sizebook.plans.fleet.nodes import nodes_together, places_by_key
from sizebook.plans.owned import OwnedMonth, OwnedNode, added_up
from sizebook.plans.purchases import least_usd_of_month
from sizebook.plans.serving.nodes import node_facts
from sizebook.serving.traffic import SECONDS_PER_DAY


@section
class FleetAlternatives(AlternativeTotals):
    """What buying and an API cost beside renting, and from when on which costs less; blank where it is not asked.

    Traffic is that of all services in the last month, whatever runs already.
    """

    buy_beats_rent_times: float | None = quantity(
        "least times the traffic at which bought GPUs cost no more than rented ones, blank if none is found",
        "ratio",
        default=None,
        label="Break-even multiple of traffic: above it buying is cheaper than renting",
    )
    buy_beats_api_times: float | None = quantity(
        "least times the traffic at which bought GPUs cost no more than the API, blank if none is found",
        "ratio",
        default=None,
        label="Break-even multiple of traffic: above it buying is cheaper than the API",
    )
    rent_beats_api_times: float | None = quantity(
        "least times the traffic at which rented GPUs cost no more than the API, blank if none is found",
        "ratio",
        default=None,
        label="Break-even multiple of traffic: above it renting is cheaper than the API",
    )
    alternatives_said: AlternativesSaid = DEFAULT
    sentences: tuple[str, ...] = field(default=(), metadata={"not_a_key": True})


@dataclass(frozen=True)
class Pool:
    """Nodes of one kind at one place, if they are bought, and the services on them by those that share nodes."""

    node: OwnedNode
    groups: tuple[tuple[int, ...], ...]

    @property
    def members(self) -> tuple[int, ...]:
        """The services on its nodes."""
        return tuple(at for group in self.groups for at in group)

    @property
    def usd_per_node(self) -> float:
        """What a node costs a month that does no work."""
        return self.node.usd_per_month

    def nodes(self, loads: Sequence[ServiceLoad], month: int = 0) -> int:
        """Return the nodes that the busiest hour of a month takes."""
        return sum(
            nodes_together([loads[at].replica.packing for at in group], [loads[at].peak[month] for at in group])
            for group in self.groups
        )

    def months(
        self, loads: Sequence[ServiceLoad], terms: FleetTerms, purchases: Sequence[Bought]
    ) -> tuple[OwnedMonth, ...]:
        """Return the months of its nodes beside existing contracts; both share the work by their GPUs."""
        nodes, work = [], []
        own = [each for each in purchases if each.members[0] in self.members]
        for month in range(terms.months):
            nodes.append(sum(_beside(each, loads, month, terms) for each in self._held(own)))
            gpus, held = nodes[-1] * self.node.gpus, sum(each.portfolio.running.gpus(month + 1) for each in own)
            working = sum(loads[at].at_work(month) for at in self.members)
            work.append(HOURS_PER_MONTH * gpus * min(1.0, working / (gpus + held)) if gpus else 0.0)
        return self.node.months(nodes, work)

    def _held(self, own: Sequence[Bought]) -> list[list[Bought]]:
        """Return what is bought by the services that share nodes."""
        return [[each for each in own if each.members[0] in group] for group in self.groups]


def _beside(own: Sequence[Bought], loads: Sequence[ServiceLoad], month: int, terms: FleetTerms) -> int:
    """Return the nodes that services which share them need in a month beside their existing contracts.

    Contracts of one service hold its replicas, those of services that are bought together whole nodes.
    """
    packings, replicas, nodes = [], [], 0
    for each in own:
        held, members = each.portfolio.running.gpus(month + 1), [loads[at] for at in each.members]
        packings += [one.replica.packing for one in members]
        alone = len(members) == 1
        in_them = packings[-1].replicas_in(held, terms.margins.whole_nodes) if alone else 0
        replicas += [max(0, one.peak[month] - in_them) for one in members]
        nodes += 0 if alone else held // packings[-1].gpus_per_node
    return max(0, nodes_together(packings, replicas) - nodes)


def pools(loads: Sequence[ServiceLoad], terms: FleetTerms) -> tuple[Pool, ...]:
    """Return the nodes that are bought, by kind and place; none where no purchase is asked."""
    if loads[0].service.owned.capex_usd is None:
        return ()
    found, shared = [], groups_sharing_nodes(loads, terms)
    for members in places_by_key(map(hardware_of, loads)):
        first = loads[members[0]]
        gpus = first.replica.packing.gpus_per_node
        kw = node_facts(first.replica.setup.gpu, gpus).kw
        node = OwnedNode(first.service.owned, gpus, kw, tdp_watts=first.rates.tdp_watts, pue=first.rates.pue)
        found.append(Pool(node, tuple(group for group in shared if group[0] in members)))
    return tuple(found)


def usd_per_api_request(load: ServiceLoad) -> float:
    """Return what a request of a service costs at its API; NaN where none is asked."""
    each = usd_of_a_request(load.service.api, load.service.traffic.demand)
    return math.nan if each is None else each


def alternative_months(
    loads: Sequence[ServiceLoad], terms: FleetTerms, purchases: Sequence[Bought], months: Sequence[FleetMonth]
) -> tuple[AlternativeMonth, ...]:
    """Return the months of a fleet in each way that is asked; none where only renting is."""
    bought, each = pools(loads, terms), [usd_per_api_request(load) for load in loads]
    calls = not math.isnan(each[0])
    if not bought and not calls:
        return ()
    running = [one.portfolio.running for one in purchases]
    days = zip(*(load.days for load in loads), strict=True)
    called = [DAYS_PER_MONTH * math.fsum(usd * day for usd, day in zip(each, of, strict=True)) for of in days]
    return months_by_way(
        months,
        [math.fsum(one.usd(month) for one in running) for month in range(1, terms.months + 1)],
        owned=added_up(pool.months(loads, terms, purchases) for pool in bought),
        called=called if calls else (),
    )


@dataclass(frozen=True)
class _LastMonth:
    """The last month of a fleet as if it went on for ever, on the cheapest terms, existing contracts left aside."""

    loads: Sequence[ServiceLoad]
    terms: FleetTerms
    purchases: Sequence[Bought]

    def at(self, times: float) -> list[ServiceLoad]:
        """Return its services at a multiple of their traffic."""
        return [last_month(each, self.terms, times) for each in self.loads]

    @property
    def running(self) -> list[ServiceLoad]:
        """The services that run in it."""
        return [each for each in self.loads if each.days[-1]]

    @property
    def stairs(self) -> Stairs:
        """The multiples of its traffic at which the busiest hour, or the mean, needs a further replica."""
        once = set()
        for each in self.running:
            rate = each.replica.requests_per_second * self.terms.margins.target_load
            mean = each.days[-1] / SECONDS_PER_DAY
            once |= {rate / mean, rate / (mean * each.service.peak)}
        return Stairs(frozenset(once))

    @property
    def courses(self) -> dict[str, Course]:
        """Its cost by traffic in each way that is asked; ways with a price that nobody lists are left out."""
        found = {"rent": self._rented()}
        if bought := pools(self.loads, self.terms):
            found["buy"] = self._bought(bought)
        usd = math.fsum(DAYS_PER_MONTH * usd_per_api_request(each) * each.days[-1] for each in self.loads)
        if not math.isnan(usd):
            found["api"] = Course(lambda _: 0.0, usd)
        return {way: course for way, course in found.items() if not math.isnan(course.at(1.0))}

    def _rented(self) -> Course:
        return Course(
            lambda times: math.fsum(self._usd(each, self.at(times)) for each in self.purchases),
            fixed=math.fsum(self._spare_gpus(each) * self._gpu_usd(each) for each in self.running),
            gpu_usd=tuple(map(self._gpu_usd, self.running)),
        )

    def _usd(self, bought: Bought, loads: Sequence[ServiceLoad]) -> float:
        members = [loads[at] for at in bought.members]
        (need,) = gpus_needed(members, self.terms)
        rates = members[0].rates.in_month(self.terms.months - 1)
        return least_usd_of_month(need, rates.on_demand_usd, rates.cheapest_usd(members[0].service.commitments.terms))

    def _gpu_usd(self, each: ServiceLoad) -> float:
        rates = each.rates.in_month(self.terms.months - 1)
        return HOURS_PER_MONTH * rates.cheapest_usd(each.service.commitments.terms)

    def _spare_gpus(self, each: ServiceLoad) -> float:
        packing = each.replica.packing
        together, gpus = packing.together(self.terms.margins.whole_nodes)
        return self.terms.margins.spare_replicas(packing) * gpus / together

    def _bought(self, bought: Sequence[Pool]) -> Course:
        def stair(times: float) -> float:
            loads = self.at(times)
            return math.fsum(pool.nodes(loads) * pool.usd_per_node for pool in bought)

        of = {id(self.loads[at]): pool for pool in bought for at in pool.members}
        running = [(each, of[id(each)]) for each in self.running]
        work = (HOURS_PER_MONTH * each.at_work(-1) * pool.node.usd_per_work_hour for each, pool in running)
        packings = [(each.replica.packing, pool) for each, pool in running]
        return Course(
            stair,
            math.fsum(work),
            fixed=math.fsum(
                self.terms.margins.spare_replicas(each) * each.node_share * pool.usd_per_node for each, pool in packings
            ),
            gpu_usd=tuple(pool.usd_per_node / pool.node.gpus for _, pool in running),
        )


def alternatives(
    loads: Sequence[ServiceLoad], terms: FleetTerms, purchases: Sequence[Bought], months: Sequence[AlternativeMonth]
) -> FleetAlternatives:
    """Return what buying and an API come to over months, and from which traffic of the last on one costs less."""
    if not months:
        return FleetAlternatives()
    last = _LastMonth(loads, terms, purchases)
    figures, words = break_even(
        last.stairs,
        last.courses if last.running else {},
        "times",
        of=1.0,
        traffic=lambda times: text("{n} times the last month's", n=significant(times, 4)),
    )
    sentences = (*break_even_sentences(months), *words, *_apis(loads))
    return FleetAlternatives(
        **flat(totals_of(months)),
        **figures,
        alternatives_said=joined(sentences),
        sentences=sentences,
    )


def _apis(loads: Sequence[ServiceLoad]) -> Iterator[Text]:
    """Yield whose prices of an API these are, service by service, and what they do not say."""
    for load in loads:
        if price := load.service.api.price:
            yield text(
                "{name} at the API: {provider}, {model}, {date}.",
                name=load.service.name,
                provider=price.provider,
                model=price.model,
                date=Day(price.date),
            )
    if loads[0].service.api.price:
        yield text("You must judge for each service which of the two models gives the better answers.")
