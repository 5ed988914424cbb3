"""The months of a fleet: replicas that follow traffic, what is bought for them, and what it costs, draws and emits.

Replicas follow the busiest hour and the mean of the day. What is bought together, a service or all that share nodes
paid for whole, reserves a share of its mean for a term; the rest is burst.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated

from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.core.sections import Quantity, quantity, section
from sizebook.plans.fleet.inputs import Contract, FleetTerms, Service
from sizebook.plans.fleet.nodes import node_share, nodes_together
from sizebook.plans.quantities import COUNT
from sizebook.plans.serving.rates import Rates
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.serving.traffic import (
    SECONDS_PER_DAY,
    peak_requests_per_second,
    replicas_for_traffic,
    serving_co2e_kg,
    serving_kwh,
)

RequestsPerDay = Annotated[float, Quantity("requests a day", unit="requests", label="Requests a day")]
ReservedUsd = Annotated[float, Quantity("cost of reserved GPUs", unit="USD", label="Reserved, USD")]
BurstUsd = Annotated[float, Quantity("cost of burst hours", unit="USD", label="Burst, USD")]
MonthKwh = Annotated[float, Quantity("electrical energy", unit="kWh", label="kWh")]
MonthCo2e = Annotated[float, Quantity("greenhouse gases, location-based", unit="kgCO2e", label="kgCO2e")]
Racks = Annotated[int, Quantity("racks of these nodes", unit="racks", **COUNT, label="Racks")]


@section
class FleetMonth:
    """One month of all services: GPUs paid for, burst hours, money, energy, nodes, racks and power."""

    requests_per_day: RequestsPerDay
    peak_gpus: int = quantity("GPUs in the busiest hour", "GPUs", minimum=0, label="At peak")
    mean_gpus: int = quantity("GPUs at the mean of the day", "GPUs", minimum=0, label="At the mean")
    reserved_gpus: int = quantity("GPUs under contract", "GPUs", minimum=0, label="Reserved")
    burst_gpu_hours: float = quantity("GPU-hours on demand", "GPU-hours", label="Burst hours")
    reserved_usd: ReservedUsd
    burst_usd: BurstUsd
    usd: float = quantity("cost of the month", "USD", label="Together, USD")
    energy_kwh: MonthKwh
    co2e_kg: MonthCo2e
    nodes: int = quantity("nodes in the busiest hour", "nodes", minimum=0, label="Nodes")
    own_nodes: int = quantity("nodes if services shared none", "nodes", minimum=0, label="Nodes, none shared")
    racks: Racks
    site_kw: float = quantity("power to provide: nodes at their most, times the PUE", "kW", label="Power, kW")


@section
class ServiceMonth:
    """One month of one service: its replicas and their GPUs, and its part of what is bought."""

    requests_per_day: RequestsPerDay
    peak_replicas: int = quantity("replicas in the busiest hour", "replicas", minimum=0, label="Replicas at peak")
    mean_replicas: int = quantity(
        "replicas at the mean of the day", "replicas", minimum=0, label="Replicas at the mean"
    )
    peak_gpus: int = quantity("GPUs of its replicas in the busiest hour", "GPUs", minimum=0, label="At peak")
    mean_gpus: int = quantity("GPUs of its replicas at the mean of the day", "GPUs", minimum=0, label="At the mean")
    usd: float = quantity("its part of the cost", "USD", label="USD")
    energy_kwh: float = quantity("its part of the energy", "kWh", label="kWh")
    co2e_kg: float = quantity("its part of the greenhouse gases", "kgCO2e", label="kgCO2e")


@dataclass(frozen=True)
class ServiceLoad:
    """A service on replicas of one speed: requests a day, and replicas at peak and at the mean, month by month."""

    service: Service
    replica: PlannedReplica
    rates: Rates
    days: tuple[float, ...]
    peak: tuple[int, ...]
    mean: tuple[int, ...]

    def at_work(self, month: int) -> float:
        """Return the GPUs that work around the clock would take."""
        return self.days[month] / SECONDS_PER_DAY / self.replica.requests_per_second * self.replica.gpus


def service_load(service: Service, replica: PlannedReplica, rates: Rates, terms: FleetTerms) -> ServiceLoad:
    """Return the replicas of a service month by month: none before it begins and after it ends."""
    days = _days(service, terms)
    mean = tuple(_replicas(replica, terms, day / SECONDS_PER_DAY) if day else 0 for day in days)
    return ServiceLoad(service, replica, rates, days, _peak(service, replica, terms), mean)


def peak_gpus(service: Service, replica: PlannedReplica, terms: FleetTerms) -> tuple[int, ...]:
    """Return the GPUs to pay for in the busiest hour, month by month, whatever they cost."""
    whole = terms.margins.whole_nodes
    return tuple(replica.packing.gpus(n, whole) for n in _peak(service, replica, terms))


def _days(service: Service, terms: FleetTerms) -> tuple[float, ...]:
    traffic, first, last = service.traffic, service.running.start_month, service.running.last(terms.months)
    return tuple(
        service.demand.requests_in(at - 1, traffic, terms.start, since=first - 1) if first <= at <= last else 0.0
        for at in range(1, terms.months + 1)
    )


def _peak(service: Service, replica: PlannedReplica, terms: FleetTerms) -> tuple[int, ...]:
    return tuple(
        _replicas(replica, terms, peak_requests_per_second(day, service.peak)) if day else 0
        for day in _days(service, terms)
    )


def _replicas(replica: PlannedReplica, terms: FleetTerms, requests_per_second: float) -> int:
    margins = terms.margins
    return replicas_for_traffic(
        requests_per_second,
        replica.requests_per_second,
        margins.target_load,
        spare_replicas=margins.spare_replicas(replica.packing),
    )


@dataclass(frozen=True)
class PurchaseMonth:
    """What one group of services buys in a month: GPUs paid for, burst hours, money, energy, carbon."""

    peak: int
    mean: int
    reserved: int
    burst_hours: float
    reserved_usd: float
    burst_usd: float
    energy_kwh: float
    co2e_kg: float
    shares: tuple[float, ...]

    @property
    def usd(self) -> float:
        """The cost of the month."""
        return self.reserved_usd + self.burst_usd


def purchase_months(members: tuple[ServiceLoad, ...], terms: FleetTerms) -> tuple[PurchaseMonth, ...]:
    """Return the months of services that are bought together: one, or all that share nodes paid for whole.

    Each month is split among them by the part of the nodes that each takes at peak; where none runs any more, the first
    has it.
    """
    contract, first = terms.contract, min(each.service.running.start_month for each in members) - 1
    peaks, means = (_paid(members, terms, at) for at in ("peak", "mean"))
    _, unit = members[0].replica.packing.together(terms.margins.whole_nodes)
    found = []
    for month in range(terms.months):
        began = first + (month - first) // contract.term_months * contract.term_months
        wanted = contract.reserve_share * means[began] if month >= first else 0
        reserved = math.ceil(wanted / unit - 1e-9) * unit
        taken = [node_share(each.replica.packing) * each.peak[month] for each in members]
        shares = tuple(one / sum(taken) if sum(taken) else float(at == 0) for at, one in enumerate(taken))
        working = sum(each.at_work(month) for each in members)
        gpus, prices = (peaks[month], means[month], reserved), _prices(members[0].rates, began, month)
        found.append(_bought(prices, contract, gpus, working, shares))
    return tuple(found)


def _prices(rates: Rates, began: int, month: int) -> Rates:
    """Return the prices of a month: what is reserved stays at the price of the month in which its term began."""
    return replace(rates.in_month(month), reserved_usd=rates.in_month(max(0, began)).reserved_usd)


def _paid(members: tuple[ServiceLoad, ...], terms: FleetTerms, at: str) -> list[int]:
    """Return the GPUs to pay for month by month: of replicas, or of the nodes that they stand on."""
    packings = [each.replica.packing for each in members]
    columns = zip(*(getattr(each, at) for each in members), strict=True)
    if not terms.margins.whole_nodes:
        return [
            sum(packing.gpus_per_replica * n for packing, n in zip(packings, column, strict=True)) for column in columns
        ]
    return [nodes_together(packings, column) * packings[0].gpus_per_node for column in columns]


def _bought(
    rates: Rates, contract: Contract, gpus: tuple[int, int, int], working: float, shares: tuple[float, ...]
) -> PurchaseMonth:
    """Return a month: burst GPUs run in the busy hours up to the peak, in the others up to the mean.

    All draw power while they are paid for, busy or idle.
    """
    peak, mean, reserved = gpus
    busy, over_peak, over_mean = contract.burst_hours, max(0, peak - reserved), max(0, mean - reserved)
    burst = HOURS_PER_MONTH / 24 * (over_peak * busy + over_mean * (24 - busy))
    hours = HOURS_PER_MONTH * reserved + burst
    at_work = min(1.0, working * HOURS_PER_MONTH / hours) if hours else 0.0
    energy = serving_kwh(1, rates.tdp_watts, at_work, pue=rates.pue, hours=hours) if hours else 0.0
    return PurchaseMonth(
        peak,
        mean,
        reserved,
        burst_hours=burst,
        reserved_usd=HOURS_PER_MONTH * reserved * rates.reserved_usd,
        burst_usd=burst * rates.on_demand_usd,
        energy_kwh=energy,
        co2e_kg=serving_co2e_kg(energy, rates.grams_per_kwh),
        shares=shares,
    )


def service_months(each: ServiceLoad, of: tuple[PurchaseMonth, ...], at: int) -> tuple[ServiceMonth, ...]:
    """Return the months of a service, its part of what its group buys; ``at`` is its place in the group."""
    gpus = each.replica.gpus
    return tuple(
        ServiceMonth(
            requests_per_day=day,
            peak_replicas=peak,
            mean_replicas=mean,
            peak_gpus=peak * gpus,
            mean_gpus=mean * gpus,
            usd=month.usd * month.shares[at],
            energy_kwh=month.energy_kwh * month.shares[at],
            co2e_kg=month.co2e_kg * month.shares[at],
        )
        for day, peak, mean, month in zip(each.days, each.peak, each.mean, of, strict=True)
    )
