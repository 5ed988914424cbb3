"""The fleet plan: several services, each a model on replicas of its own, over 36 months of growth.

GPUs follow the busiest hour and the mean of the day. A share of the mean is reserved for a term; the rest is burst.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Any

from sizebook.core.errors import InputError, RangeError, SizebookError
from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.core.registry import Quantity, flat, section
from sizebook.core.texts import Figure, text
from sizebook.core.units import grouped
from sizebook.models import catalog
from sizebook.plans.fleet.inputs import MONTHS, MOST_SERVICES, Contract, FleetInputs, FleetTerms, Service
from sizebook.plans.ledgers import month_label
from sizebook.plans.serving.inputs import Margins, Prices
from sizebook.plans.serving.plan import demand_read
from sizebook.plans.serving.pools import Around, replica_in
from sizebook.plans.serving.rates import Rates, rates_of
from sizebook.plans.serving.replica import Asked, PlannedReplica, Setup, at_speed
from sizebook.serving.arrivals import Lengths
from sizebook.serving.encoding import EncodedCase
from sizebook.serving.traffic import (
    SECONDS_PER_DAY,
    peak_requests_per_second,
    replicas_for_traffic,
    requests_after,
    serving_co2e_kg,
    serving_kwh,
)
from sizebook.tables.hardware import accelerator

_COUNT: Any = {"kind": "integer", "minimum": 0}


@section
class FleetMonth:
    """One month of one service, or of all: GPUs at peak, at the mean and reserved, burst hours, money, energy."""

    requests_per_day: Annotated[float, Quantity("requests a day", unit="requests", label="Requests a day")]
    peak_gpus: Annotated[int, Quantity("GPUs in the busiest hour", unit="GPUs", **_COUNT, label="At peak")]
    mean_gpus: Annotated[int, Quantity("GPUs at the mean of the day", unit="GPUs", **_COUNT, label="At the mean")]
    reserved_gpus: Annotated[int, Quantity("GPUs under contract", unit="GPUs", **_COUNT, label="Reserved")]
    burst_gpu_hours: Annotated[float, Quantity("GPU-hours on demand", unit="GPU-hours", label="Burst hours")]
    reserved_usd: Annotated[float, Quantity("cost of reserved GPUs", unit="USD", label="Reserved, USD")]
    burst_usd: Annotated[float, Quantity("cost of burst hours", unit="USD", label="Burst, USD")]
    usd: Annotated[float, Quantity("cost of the month", unit="USD", label="Together, USD")]
    energy_kwh: Annotated[float, Quantity("electrical energy", unit="kWh", label="kWh")]
    co2e_kg: Annotated[float, Quantity("greenhouse gases, location-based", unit="kgCO2e", label="kgCO2e")]


@dataclass(frozen=True)
class PlannedService:
    """A service with its replica, its rates and months, and the longest context that its model states, None for none.

    ``notes`` are those of the model's count.
    ``fewest`` and ``most`` are the months if replicas are as fast, or as slow, as 1 in 10 measurements.
    """

    service: Service
    replica: PlannedReplica
    rates: Rates
    months: tuple[FleetMonth, ...]
    fewest: tuple[FleetMonth, ...]
    most: tuple[FleetMonth, ...]
    context_tokens: int | None
    notes: tuple[str, ...] = ()

    @property
    def longest_tokens(self) -> int:
        """Tokens of a request, prompt and answer; with an encoder those that stand in the places of the context."""
        demand = self.service.traffic.demand
        if isinstance(self.replica.case, EncodedCase):
            return demand.output_tokens if self.replica.decodes else demand.input_tokens
        return demand.input_tokens + demand.output_tokens


@dataclass(frozen=True)
class FleetPlan:
    """What every surface shows of a fleet plan: its services, and all of them together month by month."""

    services: tuple[PlannedService, ...]
    terms: FleetTerms
    months: tuple[FleetMonth, ...]
    fewest: tuple[FleetMonth, ...]
    most: tuple[FleetMonth, ...]

    def label(self, month: int) -> str:
        """Return the name of a month, counted from 0."""
        return month_label(self.terms.start, month)


def total_usd(months: tuple[FleetMonth, ...]) -> float:
    """Return the cost of all months."""
    return sum(month.usd for month in months)


def usd_range(planned: FleetPlan | PlannedService) -> tuple[float, float]:
    """Return the least and the most that all months cost, with replicas as planned and at both ends of their band.

    Slow replicas need more GPUs and cost more as a rule; where a reserved GPU costs less than the busy hours that it
    saves, a contract for a share of the mean makes a smaller mean the dearer one.
    """
    totals = [total_usd(months) for months in (planned.fewest, planned.months, planned.most)]
    return min(totals), max(totals)


def plan_fleet(inputs: FleetInputs) -> FleetPlan:
    """Return the plan of the services over 36 months."""
    _check(inputs)
    planned = []
    for service in inputs.service:
        with naming(service.name):
            planned.append(_planned(service, inputs.terms))
    together = (
        tuple(_sum(month) for month in zip(*(getattr(each, name) for each in planned), strict=True))
        for name in ("months", "fewest", "most")
    )
    return FleetPlan(tuple(planned), inputs.terms, *together)


def _check(inputs: FleetInputs) -> None:
    names = [service.name for service in inputs.service]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"name twice: got '{twice[0]}' for two services, want each its own. Rename one.")
    if len(names) > MOST_SERVICES:
        raise InputError(f"too many services: got {len(names)}, want at most {MOST_SERVICES}. Split the plan.")
    term = inputs.terms.contract.term_months
    if MONTHS % term:
        raise RangeError(f"term does not divide: got term_months {term}, want a divisor of {MONTHS}. Change it.")


@contextmanager
def naming(service: str) -> Iterator[None]:
    """Put the name of a service before what is wrong with it."""
    try:
        yield
    except SizebookError as error:
        error.args = (f"{service}: {error}",)  # the same error still: one from a cell keeps the code of that cell
        raise


def _planned(service: Service, terms: FleetTerms) -> PlannedService:
    demand = demand_read(service.model, service.traffic.demand, service.requests)
    service = replace(service, traffic=replace(service.traffic, demand=demand))
    latencies = service.latencies
    setup = Setup(service.model, accelerator(service.gpu).key, service.replica)
    longest = demand.input_tokens + demand.output_tokens
    if service.requests.has_lengths:
        raise InputError(
            "trace with lengths: got seconds and tokens, want seconds alone in a fleet. Plan the service by itself, or "
            "remove the tokens."
        )
    stream = service.requests.stream(Lengths(demand.input_tokens), Lengths(demand.output_tokens))
    asked = Asked(demand, longest, stream, latencies=latencies, share=service.requests.share)
    rates = rates_of(setup.gpu, Prices(gpu_hours=service.prices, energy=terms.energy), terms.contract.term)
    around = Around(service.gpus_per_node, lambda each: _months(service, each, rates, terms)[-1].usd)
    replica = replica_in(setup, asked, service.pools, around=around)
    band = replica.bands["throughput"]
    middle, fewest, most = (
        _months(service, at_speed(replica, speed), rates, terms) for speed in (1.0, band.high, band.low)
    )
    context, notes = catalog.context_tokens(service.model), catalog.notes(service.model)
    return PlannedService(service, replica, rates, middle, fewest, most, context, notes)


def warnings(plan: FleetPlan) -> tuple[str, ...]:
    """Return what to check: reserved hours dearer than on demand, requests beyond a context, notes of counts."""
    return tuple(
        text("{name}: {warning}", name=each.service.name, warning=said)
        for each in plan.services
        for said in _warned(each)
    )


def _warned(planned: PlannedService) -> Iterator[str]:
    rates, longest, stated = planned.rates, planned.longest_tokens, planned.context_tokens
    if rates.reserved_usd > rates.on_demand_usd:
        yield text(
            "a reserved GPU-hour at {reserved} costs more than one on demand at {demand}.",
            reserved=Figure(f"${rates.reserved_usd:,.2f}"), demand=Figure(f"${rates.on_demand_usd:,.2f}"),
        )  # fmt: skip
    if stated is not None and longest > stated:
        yield text(
            "{longest} tokens a request are more than the {stated} that the model states.",
            longest=grouped(longest), stated=grouped(stated),
        )  # fmt: skip
    yield from (text("{note}.", note=note) for note in planned.notes)


def _months(service: Service, replica: PlannedReplica, rates: Rates, terms: FleetTerms) -> tuple[FleetMonth, ...]:
    traffic, contract = service.traffic, terms.contract
    days = [requests_after(traffic.requests_per_day, traffic.growth_per_month, month) for month in range(MONTHS)]
    peaks = [_gpus(replica, terms.margins, peak_requests_per_second(day, traffic.peak_factor)) for day in days]
    means = [_gpus(replica, terms.margins, day / SECONDS_PER_DAY) for day in days]
    _, n_gpus = replica.packing.together(terms.margins.whole_nodes)
    found = []
    for month, (day, peak, mean) in enumerate(zip(days, peaks, means, strict=True)):
        wanted = contract.reserve_share * means[month - month % contract.term_months]
        reserved = math.ceil(wanted / n_gpus - 1e-9) * n_gpus
        found.append(_month(replica, rates, contract, _Fleet(day, peak, mean, reserved)))
    return tuple(found)


def _gpus(replica: PlannedReplica, margins: Margins, requests_per_second: float) -> int:
    """Return the GPUs to pay for at a rate, spare replicas included."""
    packing, rate = replica.packing, replica.requests_per_second
    replicas = replicas_for_traffic(
        requests_per_second, rate, margins.target_load, spare_replicas=margins.spare_replicas(packing)
    )
    return packing.gpus(replicas, margins.whole_nodes)


@dataclass(frozen=True)
class _Fleet:
    """Requests a day, and GPUs at peak, at the mean and reserved."""

    day: float
    peak: int
    mean: int
    reserved: int


def _month(replica: PlannedReplica, rates: Rates, contract: Contract, fleet: _Fleet) -> FleetMonth:
    """Return a month: burst GPUs run in the busy hours up to the peak, in the others up to the mean.

    All draw power while they are paid for, busy or idle.
    """
    busy, reserved = contract.burst_hours, fleet.reserved
    over_peak, over_mean = max(0, fleet.peak - reserved), max(0, fleet.mean - reserved)
    burst = HOURS_PER_MONTH / 24 * (over_peak * busy + over_mean * (24 - busy))
    hours = HOURS_PER_MONTH * reserved + burst
    served = fleet.day / SECONDS_PER_DAY / replica.requests_per_second
    working = served * replica.gpus * HOURS_PER_MONTH
    energy = serving_kwh(1, rates.tdp_watts, min(1.0, working / hours), pue=rates.pue, hours=hours) if hours else 0.0
    reserved_usd, burst_usd = HOURS_PER_MONTH * reserved * rates.reserved_usd, burst * rates.on_demand_usd
    return FleetMonth(
        requests_per_day=fleet.day,
        peak_gpus=fleet.peak,
        mean_gpus=fleet.mean,
        reserved_gpus=reserved,
        burst_gpu_hours=burst,
        reserved_usd=reserved_usd,
        burst_usd=burst_usd,
        usd=reserved_usd + burst_usd,
        energy_kwh=energy,
        co2e_kg=serving_co2e_kg(energy, rates.grams_per_kwh),
    )


def _sum(months: tuple[FleetMonth, ...]) -> FleetMonth:
    parts = [flat(month) for month in months]
    return FleetMonth(**{name: sum(part[name] for part in parts) for name in parts[0]})
