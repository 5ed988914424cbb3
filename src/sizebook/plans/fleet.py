"""The fleet plan: several services, each a model on replicas of its own, over 36 months of growth.

GPUs follow the busiest hour and the mean of the day. A share of the mean is reserved for a term; the rest is burst.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import date

from sizebook.errors import SizebookError
from sizebook.formulas.serving_traffic import (
    SECONDS_PER_DAY,
    peak_requests_per_second,
    replicas_for_traffic,
    requests_after,
    serving_co2e_kg,
    serving_kwh,
)
from sizebook.models import catalog
from sizebook.plans.serving import Prices, Replica, Setup, Target, replica_for
from sizebook.plans.traffic import Traffic
from sizebook.quantities import HOURS_PER_MONTH

MONTHS = 36


@dataclass(frozen=True)
class Service:
    """One model and its traffic on replicas of its own.

    ``concurrency`` is the load of a replica, the largest within the target where it is None. The traffic's
    ``peak_factor`` is the busiest hour over the mean of the day.
    """

    name: str
    model: str
    setup: Setup
    traffic: Traffic
    target: Target
    prices: Prices
    concurrency: int | None = None


@dataclass(frozen=True)
class Contract:
    """What is reserved: a share of the mean fleet at the start of each term; and the busy hours of a day."""

    reserve_share: float = 1.0
    term_months: int = 12
    burst_hours: float = 8.0


@dataclass(frozen=True)
class FleetMonth:
    """One month of one service, or of all: GPUs at peak, at the mean and reserved, burst hours, money, energy."""

    requests_per_day: float
    peak_gpus: int
    mean_gpus: int
    reserved_gpus: int
    burst_gpu_hours: float
    reserved_usd: float
    burst_usd: float
    energy_kwh: float
    co2e_kg: float

    @property
    def usd(self) -> float:
        """Cost of the month, reserved and burst."""
        return self.reserved_usd + self.burst_usd


@dataclass(frozen=True)
class PlannedService:
    """A service with its replica, its months, and the longest context that its model states, None for none."""

    service: Service
    replica: Replica
    months: tuple[FleetMonth, ...]
    context_tokens: int | None


@dataclass(frozen=True)
class FleetPlan:
    """What a fleet report shows; ``start`` is a day of the first month, where months have names."""

    services: tuple[PlannedService, ...]
    contract: Contract
    start: date | None = None

    @property
    def months(self) -> tuple[FleetMonth, ...]:
        """All services together, month by month."""
        return tuple(_sum(month) for month in zip(*(each.months for each in self.services), strict=True))

    def label(self, month: int) -> str:
        """Return the name of a month, counted from 0: ``2027-01``, or ``Month 1`` where the plan has no start."""
        if self.start is None:
            return f"Month {month + 1}"
        at = self.start.year * 12 + self.start.month - 1 + month
        return f"{at // 12}-{at % 12 + 1:02d}"


def plan_fleet(services: tuple[Service, ...], contract: Contract, start: date | None = None) -> FleetPlan:
    """Return the plan of the services over 36 months."""
    planned = []
    for service in services:
        with naming(service.name):
            replica = replica_for(service.model, service.setup, service.traffic, service.target, service.concurrency)
        months = _months(service, replica, contract)
        planned.append(PlannedService(service, replica, months, catalog.context_tokens(service.model)))
    return FleetPlan(tuple(planned), contract, start)


@contextmanager
def naming(service: str) -> Iterator[None]:
    """Put the name of a service before what is wrong with it."""
    try:
        yield
    except SizebookError as error:
        raise type(error)(f"{service}: {error}") from error


def bounds(plan: FleetPlan) -> tuple[FleetPlan, FleetPlan]:
    """Return the fleets if replicas are as fast, or as slow, as 1 in 10 measurements: fewest GPUs first, then most."""
    fewest: list[PlannedService] = []
    most: list[PlannedService] = []
    for each in plan.services:
        band = each.replica.bands["throughput"]
        for factor, plans in ((band.high, fewest), (band.low, most)):
            replica = replace(each.replica, requests_per_second=each.replica.requests_per_second * factor)
            months = _months(each.service, replica, plan.contract)
            plans.append(replace(each, replica=replica, months=months))
    return replace(plan, services=tuple(fewest)), replace(plan, services=tuple(most))


def warnings(plan: FleetPlan) -> tuple[str, ...]:
    """Return what to check: reserved GPU-hours dearer than those on demand, requests beyond a model's context."""
    return tuple(f"{each.service.name}: {text}" for each in plan.services for text in _warned(each))


def _warned(planned: PlannedService) -> Iterator[str]:
    prices, longest, stated = planned.service.prices, planned.service.traffic.longest_tokens, planned.context_tokens
    if prices.reserved_usd > prices.on_demand_usd:
        yield (
            f"a reserved GPU-hour at ${prices.reserved_usd:,.2f} costs more than one on demand at "
            f"${prices.on_demand_usd:,.2f}; medians of the catalog may be of different providers."
        )
    if stated is not None and longest > stated:
        yield f"{longest:,} tokens a request are more than the {stated:,} that the model states.".replace(",", " ")


def _months(service: Service, replica: Replica, contract: Contract) -> tuple[FleetMonth, ...]:
    traffic = service.traffic
    days = [requests_after(traffic.requests_per_day, traffic.growth_per_month, month) for month in range(MONTHS)]
    peaks = [_gpus(service, replica, peak_requests_per_second(day, traffic.peak_factor)) for day in days]
    means = [_gpus(service, replica, day / SECONDS_PER_DAY) for day in days]
    _, n_gpus = replica.packing.together(service.target.whole_nodes)
    found = []
    for month, (day, peak, mean) in enumerate(zip(days, peaks, means, strict=True)):
        wanted = contract.reserve_share * means[month - month % contract.term_months]
        reserved = math.ceil(wanted / n_gpus - 1e-9) * n_gpus
        found.append(_month(service, replica, contract, (day, peak, mean, reserved)))
    return tuple(found)


def _gpus(service: Service, replica: Replica, requests_per_second: float) -> int:
    """Return the GPUs to pay for at a rate, spare replicas included."""
    target, packing = service.target, replica.packing
    spare = target.spare_replicas(packing)
    replicas = replicas_for_traffic(requests_per_second, replica.requests_per_second, target.target_load, spare)
    return packing.gpus(replicas, target.whole_nodes)


def _month(service: Service, replica: Replica, contract: Contract, fleet: tuple[float, int, int, int]) -> FleetMonth:
    """Return a month from requests a day and GPUs at peak, at the mean and reserved.

    Burst GPUs run in the busy hours up to the peak, in the others up to the mean. All draw power while they are paid
    for, busy or idle.
    """
    day, peak, mean, reserved = fleet
    prices, busy = service.prices, contract.burst_hours
    burst = HOURS_PER_MONTH / 24 * (max(0, peak - reserved) * busy + max(0, mean - reserved) * (24 - busy))
    hours = HOURS_PER_MONTH * reserved + burst
    working = day / SECONDS_PER_DAY / replica.requests_per_second * service.setup.gpus * HOURS_PER_MONTH
    energy = serving_kwh(1, prices.tdp_watts, min(1.0, working / hours), prices.pue, hours) if hours else 0.0
    return FleetMonth(
        day, peak, mean, reserved, burst, HOURS_PER_MONTH * reserved * prices.reserved_usd,
        burst * prices.on_demand_usd, energy, serving_co2e_kg(energy, prices.grams_per_kwh),
    )  # fmt: skip


def _sum(months: tuple[FleetMonth, ...]) -> FleetMonth:
    return FleetMonth(
        **{field.name: sum(getattr(month, field.name) for month in months) for field in fields(FleetMonth)}
    )
