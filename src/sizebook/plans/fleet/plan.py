"""The fleet plan: several services, each a model on replicas of its own, over the months of a calendar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sizebook.models import catalog
from sizebook.plans.alternatives import AlternativeMonth
from sizebook.plans.commitments import Commitment, ContractMonth
from sizebook.plans.fleet.alternatives import FleetAlternatives, alternative_months, alternatives, pools
from sizebook.plans.fleet.choice import chosen
from sizebook.plans.fleet.inputs import FleetInputs, FleetTerms, Service
from sizebook.plans.fleet.months import (
    Bought,
    FleetMonth,
    ServiceLoad,
    ServiceMonth,
    asked,
    hours_by_need,
    purchase_months,
    service_load,
    service_months,
)
from sizebook.plans.fleet.node_groups import NodeGroup, groups_sharing_nodes, node_groups
from sizebook.plans.fleet.nodes import bought_together
from sizebook.plans.fleet.refusals import check, check_bought, check_prices
from sizebook.plans.fleet.replaced import with_moved_requests
from sizebook.plans.ledgers import month_label
from sizebook.plans.serving.plan import STEP
from sizebook.plans.serving.rates import Rates
from sizebook.plans.serving.replica import PlannedReplica, at_speed
from sizebook.serving.encoding import tokens_in_context


@dataclass(frozen=True)
class PlannedService:
    """A service with its replica, its rates and months, and the longest context that its model states, None for none.

    ``notes`` are those of the model's count.
    ``fewest`` and ``most`` are the months if replicas are as fast, or as slow, as 1 in 10 measurements; ``cheap`` and
    ``dear`` those where providers are.
    """

    service: Service
    replica: PlannedReplica
    rates: Rates
    months: tuple[ServiceMonth, ...]
    fewest: tuple[ServiceMonth, ...]
    most: tuple[ServiceMonth, ...]
    cheap: tuple[ServiceMonth, ...]
    dear: tuple[ServiceMonth, ...]
    context_tokens: int | None
    notes: tuple[str, ...] = ()

    @property
    def busy_months(self) -> tuple[int, ...]:
        """The months, counted from 0, in which requests come to it."""
        return tuple(at for at, month in enumerate(self.months) if month.requests_per_day)

    @property
    def longest_tokens(self) -> int:
        """Tokens of a request that stand in the context."""
        return longest_tokens(self.service, self.replica)


def longest_tokens(service: Service, replica: PlannedReplica) -> int:
    """Return the tokens of a request of a service in the context."""
    demand = service.traffic.demand
    return tokens_in_context(replica.case, (demand.input_tokens, demand.output_tokens))


@dataclass(frozen=True)
class FleetPlan:
    """What every surface shows of a fleet plan: its services, what they buy and stand on, and all months together."""

    services: tuple[PlannedService, ...]
    terms: FleetTerms
    months: tuple[FleetMonth, ...]
    fewest: tuple[FleetMonth, ...]
    most: tuple[FleetMonth, ...]
    cheap: tuple[FleetMonth, ...]
    dear: tuple[FleetMonth, ...]
    purchases: tuple[Bought, ...]
    node_groups: tuple[NodeGroup, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the models' counts must know, by service."""
        return tuple(f"{each.service.name}: {note}" for each in self.services for note in each.notes)

    def names(self, bought: Bought) -> str:
        """Return the names of services that are bought together."""
        return ", ".join(self.services[at].service.name for at in bought.members)

    @property
    def contracts(self) -> tuple[tuple[str, Commitment], ...]:
        """All contracts, existing or to sign, each with the services that it is for."""
        return tuple((self.names(each), one) for each in self.purchases for one in each.portfolio.contracts)

    @cached_property
    def regrets(self) -> tuple[float, float]:
        """What the contracts cost more than the best ones would, if traffic is a fifth lower, and a fifth higher."""
        return self._regret(1 - STEP), self._regret(1 + STEP)

    def _regret(self, times: float) -> float:
        loads = self.loads(times)
        return sum(
            asked([loads[at] for at in each.members], self.terms).regret(each.portfolio) for each in self.purchases
        )

    def loads(self, times: float = 1.0) -> tuple[ServiceLoad, ...]:
        """Return its services on their replicas, at so many times their traffic."""
        return tuple(
            service_load(each.service, each.replica, each.rates, terms=self.terms, times=times)
            for each in self.services
        )

    @cached_property
    def alternative_months(self) -> tuple[AlternativeMonth, ...]:
        """The months with GPUs rented, bought, and at an API; none where neither is asked."""
        return alternative_months(self.loads(), self.terms, self.purchases, months=self.months)

    @cached_property
    def alternatives(self) -> FleetAlternatives:
        """What buying and an API cost beside renting, and from when on one of them costs less."""
        return alternatives(self.loads(), self.terms, self.purchases, months=self.alternative_months)

    def label(self, month: int) -> str:
        """Return the name of a month, counted from 0."""
        return month_label(self.terms.start, month)


@dataclass(frozen=True)
class _Fleet:
    """All services at one speed of their replicas, and at one end of their prices."""

    services: tuple[ServiceLoad, ...]
    purchases: tuple[Bought, ...]
    node_groups: tuple[NodeGroup, ...]

    @classmethod
    def of_services(cls, services: Sequence[ServiceLoad], terms: FleetTerms, signed: Sequence[Bought] = ()) -> _Fleet:
        """Return the fleet of services: what they buy together, and the nodes that they stand on.

        What is signed stays so where replicas or prices turn out otherwise, at the prices that are then asked.
        """
        shared = bought_together(terms.margins, terms.racks)
        found = groups_sharing_nodes(services, terms) if shared else tuple((at,) for at in range(len(services)))
        purchases = []
        for number, each in enumerate(found):
            members = [services[at] for at in each]
            if signed:
                portfolio = signed[number].portfolio.repriced(members[0].rates.by_term(terms.months))
            else:
                portfolio = asked(members, terms).cheapest()
            purchases.append(Bought(each, portfolio, purchase_months(members, terms, portfolio)))
        return cls(tuple(services), tuple(purchases), node_groups(services, terms))

    def months(self) -> tuple[FleetMonth, ...]:
        return tuple(self._month(at) for at in range(len(self.services[0].days)))

    def _month(self, at: int) -> FleetMonth:
        parts = [each.months[at] for each in self.purchases]
        return FleetMonth(
            requests_per_day=sum(each.days[at] for each in self.services),
            peak_gpus=sum(each.peak for each in parts),
            mean_gpus=sum(each.mean for each in parts),
            reserved_gpus=sum(each.reserved for each in parts),
            signed_gpus=sum(each.signed for each in parts),
            reserved_used_gpu_hours=sum(each.used_hours for each in parts),
            reserved_idle_gpu_hours=sum(each.idle_hours for each in parts),
            burst_gpu_hours=sum(each.burst_hours for each in parts),
            reserved_usd=sum(each.reserved_usd for each in parts),
            burst_usd=sum(each.burst_usd for each in parts),
            usd=sum(each.usd for each in parts),
            cash_usd=sum(each.cash_usd for each in parts),
            energy_kwh=sum(each.energy_kwh for each in parts),
            co2e_kg=sum(each.co2e_kg for each in parts),
            nodes=sum(each.nodes[at] for each in self.node_groups),
            own_nodes=sum(each.own_nodes[at] for each in self.node_groups),
            racks=sum(each.racks[at] for each in self.node_groups),
            site_kw=sum(each.site_kw[at] for each in self.node_groups),
        )

    def of(self, at: int) -> tuple[ServiceMonth, ...]:
        """Return the months of one service."""
        purchase = next(each for each in self.purchases if at in each.members)
        return service_months(self.services[at], purchase.months, purchase.members.index(at))


def months_of_contracts(plan: FleetPlan, bought: Bought, rows: int) -> tuple[ContractMonth, ...]:
    """Return what contracts are in each month of what is bought together, and after the plan up to so many rows."""
    needs = [hours_by_need(each.peak, each.mean, plan.terms) for each in bought.months]
    return bought.portfolio.by_month((*needs, *[{}] * (rows - len(needs))))


def plan_fleet(inputs: FleetInputs) -> FleetPlan:
    """Return the plan of the services over the months of the plan."""
    check(inputs)
    terms = inputs.terms
    loads = chosen(with_moved_requests(inputs.service, terms), terms)
    middle = _Fleet.of_services(loads, terms)
    check_prices(middle.services, [each.members for each in middle.purchases])
    check_bought(middle.services, pools(middle.services, terms))
    fewest, most, cheap, dear = (_Fleet.of_services(each, terms, middle.purchases) for each in _at_ends(loads, terms))
    planned = tuple(
        PlannedService(
            each.service,
            each.replica,
            each.rates,
            months=middle.of(at),
            fewest=fewest.of(at),
            most=most.of(at),
            cheap=cheap.of(at),
            dear=dear.of(at),
            context_tokens=catalog.context_tokens(each.service.model),
            notes=catalog.notes(each.service.model),
        )
        for at, each in enumerate(middle.services)
    )
    return FleetPlan(
        planned,
        terms,
        months=middle.months(),
        fewest=fewest.months(),
        most=most.months(),
        cheap=cheap.months(),
        dear=dear.months(),
        purchases=middle.purchases,
        node_groups=middle.node_groups,
    )


def _at_ends(loads: Sequence[ServiceLoad], terms: FleetTerms) -> Iterator[tuple[ServiceLoad, ...]]:
    """Yield the services with replicas as fast, and as slow, as 1 in 10 measurements; then at cheap and dear prices."""
    for end in ("high", "low"):
        yield tuple(
            service_load(
                each.service,
                at_speed(each.replica, getattr(each.replica.bands["throughput"], end)),
                each.rates,
                terms=terms,
            )
            for each in loads
        )
    yield from zip(*([replace(each, rates=rates) for rates in each.rates.at_ends()] for each in loads), strict=True)
