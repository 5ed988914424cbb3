"""One month of a serving fleet: replicas follow the hours, some GPUs under contract, the rest on demand.

`Month` is the ledger of a serving plan: what it declares is what every surface shows, under these names and units.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from sizebook.core.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH
from sizebook.core.sections import quantity, section
from sizebook.formulas.covering import Need
from sizebook.plans import purchases
from sizebook.plans.commitments import TERMS, IdleGpuHours, PaidUsd, Portfolio, SignedGpus, UsedGpuHours
from sizebook.plans.purchases import Purchase, counted
from sizebook.plans.quantities import MonthNumber
from sizebook.plans.serving.day import HOURS
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.internal_price import LINES, GpuSeconds, cost_by_use, gpu_seconds
from sizebook.plans.serving.nodes import Packing
from sizebook.plans.serving.rates import Rates
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.serving.traffic import replicas_for_traffic, serving_co2e_kg, serving_kwh


@section
class Month:
    """One month of the fleet: GPUs reserved and at peak, utilisation, money, energy, carbon; month 1 is now."""

    month: MonthNumber
    requests: float = quantity("requests of the month", "requests", label="Requests")
    peak_gpus: int = quantity("GPUs in the busiest hour", "GPUs", minimum=0, label="GPUs at peak")
    reserved_gpus: int = quantity("GPUs under contract", "GPUs", minimum=0, label="GPUs reserved")
    signed_gpus: SignedGpus
    peak_nodes: int = quantity("nodes in the busiest hour", "nodes", minimum=0, label="Nodes at peak")
    gpu_hours: float = quantity("GPU-hours paid for", "GPU-hours", label="GPU-hours")
    reserved_used_gpu_hours: UsedGpuHours
    reserved_idle_gpu_hours: IdleGpuHours
    on_demand_gpu_hours: float = quantity("GPU-hours beyond contracts", "GPU-hours", label="On demand, GPU-hours")
    utilization: float = quantity(
        "share of the fleet's rate that traffic uses", "ratio", maximum=1, label="Fleet in use"
    )
    reserved_usd: float = quantity("cost of contracts, spread evenly over their months", "USD", label="Reserved, USD")
    on_demand_usd: float = quantity("cost of hours beyond them", "USD", label="On demand, USD")
    usd: float = quantity("cost of the month", "USD", label="Cost, USD")
    cash_usd: PaidUsd
    usd_per_mtok_output: float = quantity("cost of a million output tokens", "USD/Mtok", label="USD per Mtok out")
    usd_per_mtok_input: float = quantity(
        "cost of a million prompt tokens, all of it", "USD/Mtok", label="USD per Mtok in"
    )
    input_usd: float = quantity("of the cost what prompts take, by seconds of GPUs", "USD", label="Prompts, USD")
    cached_usd: float = quantity("of the cost what cached tokens of prompts take", "USD", label="Cached tokens, USD")
    output_usd: float = quantity("of the cost what answers take", "USD", label="Answers, USD")
    idle_usd: float = quantity("of the cost what no request takes", "USD", label="Idle, USD")
    energy_kwh: float = quantity("electrical energy", "kWh", label="Energy, kWh")
    co2e_kg: float = quantity("greenhouse gases, location-based", "kgCO2e", label="CO2e, kg")
    replicas_by_hour: tuple[int, ...] = field(default=(), metadata={"not_a_key": True})
    utilization_by_hour: tuple[float, ...] = field(default=(), metadata={"not_a_key": True})


def arrivals_by_hour(inputs: ServingInputs, requests_per_day: float) -> tuple[float, ...]:
    """Return requests a second to plan for in each hour of the mean day: bursts raise the rate of every hour.

    Bursts shorter than an hour are what the burst factor stands for.
    """
    return _arrivals(requests_per_day, inputs.hours, bursts=inputs.bursts)


@lru_cache(maxsize=1000)
def _arrivals(requests_per_day: float, hours: tuple[float, ...], *, bursts: float) -> tuple[float, ...]:
    total = math.fsum(hours)
    return tuple(requests_per_day * hour / total / 3600 * bursts for hour in hours)


def gpus_needed(replica: PlannedReplica, inputs: ServingInputs, times: float = 1.0) -> tuple[Need, ...]:
    """Return the hours of a day by the GPUs that they need, month by month, at so many times the traffic."""
    return tuple(_needed_in_a_day(replica, inputs, times * requests) for requests in inputs.days)


def _needed_in_a_day(replica: PlannedReplica, inputs: ServingInputs, requests: float) -> Need:
    replicas = replicas_needed(replica, inputs, requests)
    return _need(replicas, replica.packing, inputs.target.margins.whole_nodes)


@lru_cache(maxsize=1000)
def _need(replicas: tuple[int, ...], packing: Packing, whole: bool) -> Need:
    return counted((packing.gpus(each, whole), 1.0) for each in replicas)


def most_gpus(replica: PlannedReplica, inputs: ServingInputs) -> int:
    """Return the GPUs of the busiest hour of all months, whatever they cost."""
    needed = max(max(replicas_needed(replica, inputs, day)) for day in inputs.days)
    return replica.packing.gpus(needed, inputs.target.margins.whole_nodes)


def purchase_of_months(replica: PlannedReplica, inputs: ServingInputs, rates: Rates, times: float = 1.0) -> Purchase:
    """Return what is to buy for the months of a plan, at so many times its traffic."""
    months, needs = inputs.traffic.months, gpus_needed(replica, inputs, times)
    return Purchase(needs, rates.by_month(months), rates.by_term(months), terms=inputs.commitments, change=rates.change)


def usd_if_kept_up(replica: PlannedReplica, inputs: ServingInputs, rates: Rates, times: float = 1.0) -> float:
    """Return what the last month costs on the terms that are cheapest for a month, existing contracts left aside."""
    bought = _needed_in_a_day(replica, inputs, times * inputs.days[-1])
    rates = rates.in_month(inputs.traffic.months - 1)
    return purchases.least_usd_of_month(bought, rates.on_demand_usd, rates.cheapest_usd(inputs.commitments.terms))


def fleet_months(
    replica: PlannedReplica, inputs: ServingInputs, rates: Rates, portfolio: Portfolio
) -> tuple[Month, ...]:
    """Return the months of a fleet of replicas under contracts."""
    each, days = gpu_seconds(replica), _days(replica, inputs, portfolio)
    return tuple(_month(at, day, inputs, rates, portfolio, each=each) for at, day in enumerate(days))


def replicas_needed(replica: PlannedReplica, inputs: ServingInputs, requests_per_day: float) -> tuple[int, ...]:
    """Return the replicas that each hour of the mean day needs, spare ones included."""
    margins, arrivals = inputs.target.margins, arrivals_by_hour(inputs, requests_per_day)
    spare = margins.spare_replicas(replica.packing)
    return _replicas_for(arrivals, replica.requests_per_second, load=margins.target_load, spare=spare)


@lru_cache(maxsize=1000)
def _replicas_for(arrivals: tuple[float, ...], rate: float, *, load: float, spare: int) -> tuple[int, ...]:
    # The least traffic of all takes a replica: the ceiling leaves 1e-9 of one to rounding.
    needed = {
        each: max(int(each > 0), replicas_for_traffic(each, rate, load, spare_replicas=spare)) for each in set(arrivals)
    }
    return tuple(needed[each] for each in arrivals)


@dataclass(frozen=True)
class _Day:
    """What a fleet does on the mean day of a month, whatever that costs."""

    replicas: tuple[int, ...]
    utilization: tuple[float, ...]
    held: int
    peak_gpus: int
    peak_nodes: int
    idle: float  # hours in the month of GPUs under contract
    on_demand: float
    gpu_hours: float
    requests: float
    mean_busy: float
    at_work: float


def _days(replica: PlannedReplica, inputs: ServingInputs, portfolio: Portfolio) -> Iterator[_Day]:
    """Yield the mean day of each month. Months alike are worked out once, and whatever the prices."""
    whole, bursts = inputs.target.margins.whole_nodes, inputs.bursts
    for month, requests_per_day in enumerate(inputs.days, 1):
        needed, held = replicas_needed(replica, inputs, requests_per_day), portfolio.gpus(month)
        served = tuple(each / bursts for each in arrivals_by_hour(inputs, requests_per_day))
        yield _day(needed, served, held, packing=replica.packing, whole=whole, rate=replica.requests_per_second)


@lru_cache(maxsize=1000)
def _day(
    needed: tuple[int, ...], served: tuple[float, ...], held: int, *, packing: Packing, whole: bool, rate: float
) -> _Day:
    """Return a day on which so many replicas are needed and requests served in each hour, with GPUs under contract.

    Replicas that these hold run around the clock, as many as the busiest hour needs. With whole nodes every hour pays
    for the nodes that its replicas stand on; GPUs without a replica draw idle power.
    """
    always = min(max(needed), packing.replicas_in(held, whole))
    fleets = tuple(max(each, always) for each in needed)
    gpus = {each: packing.gpus(each, whole) for each in set(needed)}
    wanted = [gpus[each] for each in needed]
    paid = [max(each, held) for each in wanted]
    mean_busy = sum(served) / (sum(fleets) * rate)
    return _Day(
        fleets,
        tuple(each / (fleet * rate) if fleet else 0.0 for each, fleet in zip(served, fleets, strict=True)),
        held,
        peak_gpus=max(paid),
        peak_nodes=packing.nodes(max(fleets)),
        idle=sum(max(0, held - each) for each in wanted) * DAYS_PER_MONTH,
        on_demand=(sum(paid) - HOURS * held) * DAYS_PER_MONTH,
        gpu_hours=sum(paid) * DAYS_PER_MONTH,
        requests=sum(served) * 3600 * DAYS_PER_MONTH,
        mean_busy=mean_busy,
        at_work=min(1.0, mean_busy) * sum(fleets) * packing.gpus_per_replica / sum(paid),
    )


def _month(at: int, day: _Day, inputs: ServingInputs, rates: Rates, portfolio: Portfolio, *, each: GpuSeconds) -> Month:
    """Return what a month costs whose days are so; months count from 0 here."""
    asked = inputs.traffic.mean_demand
    reserved_usd, burst_usd = portfolio.usd(at + 1), day.on_demand * rates.in_month(at).on_demand_usd
    energy = serving_kwh(1, rates.tdp_watts, day.at_work, pue=rates.pue, hours=day.gpu_hours)
    usd = reserved_usd + burst_usd
    return Month(
        month=at + 1,
        requests=day.requests,
        peak_gpus=day.peak_gpus,
        reserved_gpus=day.held,
        signed_gpus=sum(portfolio.signed(at + 1, term) for term in TERMS),
        peak_nodes=day.peak_nodes,
        gpu_hours=day.gpu_hours,
        reserved_used_gpu_hours=day.held * HOURS_PER_MONTH - day.idle,
        reserved_idle_gpu_hours=day.idle,
        on_demand_gpu_hours=day.on_demand,
        utilization=day.mean_busy,
        reserved_usd=reserved_usd,
        on_demand_usd=burst_usd,
        usd=usd,
        cash_usd=portfolio.cash_usd(at + 1) + burst_usd,
        usd_per_mtok_output=usd / (day.requests * asked.output_tokens) * 1e6,
        usd_per_mtok_input=usd / (day.requests * asked.input_tokens) * 1e6,
        **dict(zip(LINES, cost_by_use(usd, day.requests, day.gpu_hours, each=each), strict=True)),
        energy_kwh=energy,
        co2e_kg=serving_co2e_kg(energy, rates.grams_per_kwh),
        replicas_by_hour=day.replicas,
        utilization_by_hour=day.utilization,
    )
