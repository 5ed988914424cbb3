"""The months of a fleet: replicas that follow traffic, what is bought for them, and what it costs, draws and emits.

Replicas follow the busiest hour and the mean of the day. What is bought together, a service or all that share nodes
paid for whole, has contracts of its own (`plans.commitments`); hours beyond them are burst.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.core.sections import Quantity, quantity, section
from sizebook.formulas.covering import Need
from sizebook.plans.commitments import HOURS, TERMS, IdleGpuHours, PaidUsd, Portfolio, SignedGpus, UsedGpuHours
from sizebook.plans.fleet.inputs import FleetTerms, Service
from sizebook.plans.fleet.nodes import nodes_together
from sizebook.plans.purchases import Purchase, counted
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
Racks = Annotated[int, Quantity("racks of these nodes", unit="racks", minimum=0, label="Racks")]


@section
class FleetMonth:
    """One month of all services: GPUs paid for, burst hours, money, energy, nodes, racks and power."""

    requests_per_day: RequestsPerDay
    peak_gpus: int = quantity("GPUs in the busiest hour", "GPUs", minimum=0, label="At peak")
    mean_gpus: int = quantity("GPUs at the mean of the day", "GPUs", minimum=0, label="At the mean")
    reserved_gpus: int = quantity("GPUs under contract", "GPUs", minimum=0, label="Reserved")
    signed_gpus: SignedGpus
    reserved_used_gpu_hours: UsedGpuHours
    reserved_idle_gpu_hours: IdleGpuHours
    burst_gpu_hours: float = quantity("GPU-hours on demand", "GPU-hours", label="Burst hours")
    reserved_usd: ReservedUsd
    burst_usd: BurstUsd
    usd: float = quantity("cost of the month", "USD", label="Together, USD")
    cash_usd: PaidUsd
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


def service_load(
    service: Service, replica: PlannedReplica, rates: Rates, terms: FleetTerms, times: float = 1.0
) -> ServiceLoad:
    """Return the replicas of a service month by month, at so many times its traffic: none before it begins and after
    it ends."""
    return _load(service, replica, rates, terms, days=[times * day for day in days_of(service, terms)])


def last_month(each: ServiceLoad, terms: FleetTerms, times: float) -> ServiceLoad:
    """Return the last month of a service alone, at so many times its traffic."""
    return _load(each.service, each.replica, each.rates, terms, days=[times * each.days[-1]])


def _load(
    service: Service, replica: PlannedReplica, rates: Rates, terms: FleetTerms, days: Sequence[float]
) -> ServiceLoad:
    mean = tuple(_replicas(replica, terms, day / SECONDS_PER_DAY) if day else 0 for day in days)
    return ServiceLoad(service, replica, rates, tuple(days), _peak(service, replica, terms, days), mean)


def peak_gpus(service: Service, replica: PlannedReplica, terms: FleetTerms) -> tuple[int, ...]:
    """Return the GPUs to pay for in the busiest hour, month by month, whatever they cost."""
    whole = terms.margins.whole_nodes
    return tuple(replica.packing.gpus(n, whole) for n in _peak(service, replica, terms, days_of(service, terms)))


def days_of(service: Service, terms: FleetTerms) -> tuple[float, ...]:
    """Return requests a day month by month: its own while it runs, and those of services that it has replaced."""
    last = service.running.last(terms.months)
    moved = service.moved or (0.0,) * terms.months
    return tuple(
        (day if month <= last else 0.0) + more
        for month, (day, more) in enumerate(zip(users_days(service, terms), moved, strict=True), 1)
    )


def users_days(service: Service, terms: FleetTerms) -> tuple[float, ...]:
    """Return the requests a day of its own users from its first month on, whoever serves them."""
    if not service.demand.ways(service.traffic):
        return (0.0,) * terms.months
    first = service.running.start_month - 1
    return tuple(
        service.demand.requests_in(at, service.traffic, terms.start, since=first) if at >= first else 0.0
        for at in range(terms.months)
    )


def _peak(service: Service, replica: PlannedReplica, terms: FleetTerms, days: Sequence[float]) -> tuple[int, ...]:
    return tuple(_replicas(replica, terms, peak_requests_per_second(day, service.peak)) if day else 0 for day in days)


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
    """What one group of services buys in a month: GPUs, hours of contracts and burst, money, energy, carbon."""

    peak: int
    mean: int
    reserved: int
    signed: int
    used_hours: float
    idle_hours: float
    burst_hours: float
    reserved_usd: float
    burst_usd: float
    cash_usd: float
    energy_kwh: float
    co2e_kg: float
    shares: tuple[float, ...]

    @property
    def usd(self) -> float:
        """The cost of the month."""
        return self.reserved_usd + self.burst_usd


@dataclass(frozen=True)
class Bought:
    """What services buy together: their places in the plan, their contracts, and what they buy month by month."""

    members: tuple[int, ...]
    portfolio: Portfolio
    months: tuple[PurchaseMonth, ...]


def gpus_needed(members: Sequence[ServiceLoad], terms: FleetTerms) -> tuple[Need, ...]:
    """Return the hours of a day by the GPUs that services need together, month by month."""
    return tuple(hours_by_need(peak, mean, terms) for peak, mean in _paid(members, terms))


def hours_by_need(peak: int, mean: int, terms: FleetTerms) -> Need:
    """Return the hours of a day by the GPUs that they need: busy ones and the others."""
    busy = terms.busy.burst_hours
    return counted(((peak, busy), (mean, HOURS - busy)))


def asked(members: Sequence[ServiceLoad], terms: FleetTerms) -> Purchase:
    """Return what is to buy for services that are bought together, at the price and on the terms of the first."""
    rates, (first, *others) = members[0].rates, (each.service.commitments for each in members)
    prices = rates.by_month(terms.months), rates.by_term(terms.months)
    return Purchase(gpus_needed(members, terms), *prices, terms=first.together(others), change=rates.change)


def purchase_months(
    members: Sequence[ServiceLoad], terms: FleetTerms, portfolio: Portfolio
) -> tuple[PurchaseMonth, ...]:
    """Return the months of services that are bought together: one, or all that share nodes paid for whole.

    Each month is split among them by the part of the nodes that each takes at peak; where none runs any more, the first
    has it.
    """
    found = []
    for month, (peak, mean) in enumerate(_paid(members, terms)):
        taken = [each.replica.packing.node_share * each.peak[month] for each in members]
        shares = tuple(one / sum(taken) if sum(taken) else float(at == 0) for at, one in enumerate(taken))
        working = sum(each.at_work(month) for each in members)
        bought = _bought(month, hours_by_need(peak, mean, terms), portfolio, members[0].rates, working)
        found.append(PurchaseMonth(peak, mean, shares=shares, **bought))
    return tuple(found)


def _paid(members: Sequence[ServiceLoad], terms: FleetTerms) -> Iterator[tuple[int, int]]:
    """Yield the GPUs to pay for at peak and at the mean, month by month: of replicas, or of the nodes under them."""
    packings, whole = [each.replica.packing for each in members], terms.margins.whole_nodes

    def gpus(replicas: Sequence[int]) -> int:
        if whole:
            return nodes_together(packings, replicas) * packings[0].gpus_per_node
        return sum(packing.gpus_per_replica * n for packing, n in zip(packings, replicas, strict=True))

    for month in range(len(members[0].days)):
        yield gpus([each.peak[month] for each in members]), gpus([each.mean[month] for each in members])


def _bought(month: int, need: Need, portfolio: Portfolio, rates: Rates, working: float) -> dict[str, Any]:
    """Return a month under contracts, counted from 0: burst GPUs run in the busy hours up to the peak, in the others
    up to the mean.

    All draw power while they are paid for, busy or idle.
    """
    held, a_month = portfolio.gpus(month + 1), HOURS_PER_MONTH / HOURS
    burst = sum(max(0, gpus - held) * hours for gpus, hours in need.items()) * a_month
    idle = sum(max(0, held - gpus) * hours for gpus, hours in need.items()) * a_month
    hours = HOURS_PER_MONTH * held + burst
    at_work = min(1.0, working * HOURS_PER_MONTH / hours) if hours else 0.0
    energy = serving_kwh(1, rates.tdp_watts, at_work, pue=rates.pue, hours=hours) if hours else 0.0
    burst_usd = burst * rates.in_month(month).on_demand_usd
    return {
        "reserved": held,
        "signed": sum(portfolio.signed(month + 1, term) for term in TERMS),
        "used_hours": HOURS_PER_MONTH * held - idle,
        "idle_hours": idle,
        "burst_hours": burst,
        "reserved_usd": portfolio.usd(month + 1),
        "burst_usd": burst_usd,
        "cash_usd": portfolio.cash_usd(month + 1) + burst_usd,
        "energy_kwh": energy,
        "co2e_kg": serving_co2e_kg(energy, rates.grams_per_kwh),
    }


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
