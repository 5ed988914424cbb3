"""What a serving or fleet plan says of each service and month, as factors of its cost, and of other lengths."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from sizebook.actuals.variance import LABELS, CostFactors, MonthCost, shares
from sizebook.core.errors import InputError, RangeError
from sizebook.core.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH
from sizebook.core.texts import text
from sizebook.plans.fleet.choice import replica_of
from sizebook.plans.fleet.plan import FleetPlan, PlannedService
from sizebook.plans.serving.conversation import Conversation
from sizebook.plans.serving.lengths import RequestLengths
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.scenarios.money import Money
from sizebook.scenarios.serving import ServingResult


@dataclass(frozen=True)
class ServicePlan:
    """A service of a plan: its months, and the GPU-hours that a request of other lengths takes by the same estimate."""

    name: str
    months: tuple[MonthCost, ...]
    hours_for: Callable[[int, int], float]


@dataclass(frozen=True)
class PlannedServices:
    """All services of a plan, the first day of its months, its currency, and what 1 USD is in it month by month."""

    services: tuple[ServicePlan, ...]
    start: date | None
    currency: str
    rates: tuple[float, ...]

    @property
    def n_months(self) -> int:
        """How many months are planned."""
        return len(self.rates)


def services_of(plan: ServingResult | FleetPlan, money: Money | None = None, name: str = "") -> PlannedServices:
    """Return the services of a plan in the currency of ``money``; a serving plan is one, under the name given.

    Errors: a plan without a price.
    """
    months = plan.months if isinstance(plan, FleetPlan) else plan.plan.months
    rates = tuple(money.level(at) if money else 1.0 for at in range(len(months)))
    if isinstance(plan, FleetPlan):
        services, start = tuple(_of_fleet(plan, at, rates) for at in range(len(plan.services))), plan.terms.start
    else:
        services, start = (_of_serving(plan.plan, rates, name),), plan.plan.traffic.start
    if any(math.isnan(month.cost) for service in services for month in service.months):
        raise InputError("no price: got a plan whose price is not listed, want one. Set on_demand_usd_per_gpu_hour.")
    return PlannedServices(services, start, money.currency if money else "USD", rates)


def between_months(planned: PlannedServices, one: int, other: int) -> Iterator[tuple[str, float]]:
    """Yield what each cause adds from one month of a plan to another, of several services each by itself."""
    if not all(1 <= month <= planned.n_months for month in (one, other)):
        raise RangeError(f"month out of range: got {one} and {other}, want 1 to {planned.n_months}. Name another.")
    for service in planned.services:
        for cause, added in shares(service.months[one - 1], service.months[other - 1]).items():
            named = LABELS[cause]
            yield text("{row}: {label}", row=service.name, label=named) if len(planned.services) > 1 else named, added


def _month(requests: float, work: float, gpu_hours: float, usd: float, rate: float) -> MonthCost:
    """Return a planned month; ``work`` are GPU-hours a request. Without requests its cost has no factors."""
    if not requests:
        return MonthCost(usd * rate)
    factors = CostFactors(
        volume=requests,
        lengths=work,
        efficiency=1.0,
        idle=gpu_hours / (requests * work),
        price=usd / gpu_hours,
        currency=rate,
    )
    return MonthCost(usd * rate, factors)


def _work(replica: PlannedReplica) -> float:
    """Return the GPU-hours that a request takes at the load that a plan's replicas carry."""
    return replica.gpus / replica.requests_per_second / 3600


def _of_serving(plan: ServingPlan, rates: tuple[float, ...], name: str) -> ServicePlan:
    work = _work(plan.replica)
    months = (
        _month(month.requests, work, month.gpu_hours, month.usd, rate)
        for month, rate in zip(plan.months, rates, strict=True)
    )
    return ServicePlan(name, tuple(months), partial(_serving_hours, plan))


def _serving_hours(plan: ServingPlan, prompt: int, answer: int) -> float:
    """Return the GPU-hours of a request on the same replicas, asked for other lengths than planned.

    Turns, a trace or seconds of sound would give lengths of their own; what caches hold of prompts stays as planned.
    """
    mean = plan.traffic.mean_demand
    if (mean.input_tokens, mean.output_tokens) == (prompt, answer):
        return _work(plan.replica)
    text, cached = max(1, prompt - plan.traffic.image_tokens), plan.replica.demand.cache_hit_ratio
    demand = replace(mean, input_tokens=text, output_tokens=answer, cache_hit_ratio=cached)
    inputs = replace(
        plan.inputs,
        traffic=replace(plan.traffic, demand=demand, lengths=RequestLengths()),
        requests=replace(plan.inputs.requests, trace=None, input_seconds=None),
        conversation=Conversation(),
    )
    return _work(plan_serving(plan.model, plan.replica.setup.gpu, inputs).replica)


def _of_fleet(plan: FleetPlan, at: int, rates: tuple[float, ...]) -> ServicePlan:
    planned, bought = plan.services[at], next(each for each in plan.purchases if at in each.members)
    place, work = bought.members.index(at), _work(planned.replica)
    months = []
    for month, purchase, rate in zip(planned.months, bought.months, rates, strict=True):
        hours = (purchase.reserved * HOURS_PER_MONTH + purchase.burst_hours) * purchase.shares[place]
        months.append(_month(month.requests_per_day * DAYS_PER_MONTH, work, hours, month.usd, rate))
    return ServicePlan(planned.service.name, tuple(months), partial(_fleet_hours, plan, planned))


def _fleet_hours(plan: FleetPlan, planned: PlannedService, prompt: int, answer: int) -> float:
    """Return the GPU-hours of a request of a service on the same kind of replica, asked for other lengths."""
    service = planned.service
    demand = service.traffic.demand
    if (demand.input_tokens, demand.output_tokens) == (prompt, answer):
        return _work(planned.replica)
    asked = replace(demand, input_tokens=prompt, output_tokens=answer)
    requests = replace(service.requests, input_seconds=None)
    other = replace(service, traffic=replace(service.traffic, demand=asked), requests=requests)
    return _work(replica_of(other, plan.terms)[1])
