"""One month of a serving fleet: replicas follow the hours, those that pay for it are reserved, the rest bursts.

`Month` is the ledger of a serving plan: what it declares is what every surface shows, under these names and units.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import Annotated, Any

from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.core.sections import Quantity, section
from sizebook.plans.serving.day import HOURS
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.nodes import Packing
from sizebook.plans.serving.rates import Rates
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.plans.serving.users import DAYS_PER_MONTH
from sizebook.serving.traffic import replicas_for_traffic, serving_co2e_kg, serving_kwh

_ROUNDING = 1e-9

_COUNT: Any = {"kind": "integer", "minimum": 0}


@section
class Month:
    """One month of the fleet: GPUs reserved and at peak, utilisation, money, energy, carbon; month 1 is now."""

    month: Annotated[int, Quantity("month, the first is now", **_COUNT, label="Month")]
    requests: Annotated[float, Quantity("requests of the month", unit="requests", label="Requests")]
    peak_gpus: Annotated[int, Quantity("GPUs in the busiest hour", unit="GPUs", **_COUNT, label="GPUs at peak")]
    reserved_gpus: Annotated[int, Quantity("GPUs that always run", unit="GPUs", **_COUNT, label="GPUs reserved")]
    peak_nodes: Annotated[int, Quantity("nodes in the busiest hour", unit="nodes", **_COUNT, label="Nodes at peak")]
    gpu_hours: Annotated[float, Quantity("GPU-hours paid for", unit="GPU-hours", label="GPU-hours")]
    utilization: Annotated[
        float, Quantity("share of the fleet's rate that traffic uses", unit="ratio", maximum=1, label="Fleet in use")
    ]
    reserved_usd: Annotated[float, Quantity("cost of what always runs", unit="USD", label="Reserved, USD")]
    on_demand_usd: Annotated[float, Quantity("cost of hours beyond it", unit="USD", label="On demand, USD")]
    usd: Annotated[float, Quantity("cost of the month", unit="USD", label="Cost, USD")]
    usd_per_mtok_output: Annotated[
        float, Quantity("cost of a million output tokens", unit="USD/Mtok", label="USD per Mtok out")
    ]
    usd_per_mtok_input: Annotated[
        float, Quantity("cost of a million prompt tokens, all of it", unit="USD/Mtok", label="USD per Mtok in")
    ]
    energy_kwh: Annotated[float, Quantity("electrical energy", unit="kWh", label="Energy, kWh")]
    co2e_kg: Annotated[float, Quantity("greenhouse gases, location-based", unit="kgCO2e", label="CO2e, kg")]
    replicas_by_hour: tuple[int, ...] = field(default=(), metadata={"not_a_key": True})
    utilization_by_hour: tuple[float, ...] = field(default=(), metadata={"not_a_key": True})


def arrivals_by_hour(inputs: ServingInputs, requests_per_day: float) -> tuple[float, ...]:
    """Return requests a second to plan for in each hour of the mean day: bursts raise the rate of every hour.

    Bursts shorter than an hour are what the burst factor stands for.
    """
    total = math.fsum(inputs.hours)
    return tuple(requests_per_day * hour / total / 3600 * inputs.bursts for hour in inputs.hours)


def fleet_months(replica: PlannedReplica, inputs: ServingInputs, rates: Rates) -> tuple[Month, ...]:
    """Return the months of a fleet of replicas."""
    rate, packing = replica.requests_per_second, replica.packing
    return tuple(
        fleet_month(month, rate, inputs, packing=packing, rates=rates.in_month(month))
        for month in range(inputs.traffic.months)
    )


def fleet_month(month: int, rate: float, inputs: ServingInputs, packing: Packing, rates: Rates) -> Month:
    """Return one month of replicas that take ``rate`` requests a second each; months count from 0 here.

    With whole nodes every hour pays for the nodes that its replicas stand on; GPUs without a replica draw idle power.
    """
    margins, asked = inputs.target.margins, inputs.traffic.mean_demand
    arrivals = arrivals_by_hour(inputs, inputs.days[month])
    spare = margins.spare_replicas(packing)
    # The least traffic of all takes a replica: the ceiling leaves 1e-9 of one to rounding.
    needed = tuple(
        max(int(each > 0), replicas_for_traffic(each, rate, margins.target_load, spare_replicas=spare))
        for each in arrivals
    )
    always = _always_on(needed, rates)
    fleets = tuple(max(each, always) for each in needed)
    paid = tuple(packing.gpus(fleet, margins.whole_nodes) for fleet in fleets)
    reserved, gpu_hours = min(paid), sum(paid) * HOURS_PER_MONTH / HOURS
    served = tuple(each / inputs.bursts for each in arrivals)
    busy = tuple(each / (fleet * rate) if fleet else 0.0 for each, fleet in zip(served, fleets, strict=True))
    requests = sum(served) * 3600 * DAYS_PER_MONTH
    reserved_usd = reserved * HOURS_PER_MONTH * rates.reserved_usd
    burst_usd = (gpu_hours - reserved * HOURS_PER_MONTH) * rates.on_demand_usd
    mean_busy = sum(served) / (sum(fleets) * rate)
    used = sum(fleets) * packing.gpus_per_replica / sum(paid)
    energy = serving_kwh(1, rates.tdp_watts, min(1.0, mean_busy) * used, pue=rates.pue, hours=gpu_hours)
    usd = reserved_usd + burst_usd
    return Month(
        month=month + 1,
        requests=requests,
        peak_gpus=max(paid),
        reserved_gpus=reserved,
        peak_nodes=packing.nodes(max(fleets)),
        gpu_hours=gpu_hours,
        utilization=mean_busy,
        reserved_usd=reserved_usd,
        on_demand_usd=burst_usd,
        usd=usd,
        usd_per_mtok_output=usd / (requests * asked.output_tokens) * 1e6,
        usd_per_mtok_input=usd / (requests * asked.input_tokens) * 1e6,
        energy_kwh=energy,
        co2e_kg=serving_co2e_kg(energy, rates.grams_per_kwh),
        replicas_by_hour=fleets,
        utilization_by_hour=busy,
    )


def _always_on(needed: tuple[int, ...], rates: Rates) -> int:
    """Return the replicas that run around the clock: as many as make the day cheapest, the fewest where several do.

    A GPU that is needed in more hours than 24 x reserved price / on-demand price is cheaper reserved, even idle in the
    others; so those of the hour are reserved that only so many hours exceed. Reserving the least hour alone would make
    a fleet cheaper by more traffic in that hour.
    """
    return sorted(needed, reverse=True)[hours_in_burst(rates.on_demand_usd, rates.reserved_usd)]


def hours_in_burst(on_demand_usd: float, reserved_usd: float) -> int:
    """Return the busiest hours of a day that may exceed what is reserved: 24 x reserved / on demand, at most 23."""
    if not reserved_usd < on_demand_usd:  # nor where a price is not listed: the fleet follows the hours
        return HOURS - 1
    return min(HOURS - 1, math.floor(HOURS * reserved_usd / on_demand_usd + _ROUNDING))
