"""What a serving plan's cost consists of, and the fleets that measurements allow around it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sizebook.plans.serving import Month, ServingPlan, fleet_month
from sizebook.quantities import HOURS_PER_MONTH


@dataclass(frozen=True)
class Bounds:
    """A month's fleet if replicas are as fast, or as slow, as 1 in 10 measurements: fewest and most GPUs and USD."""

    fewest: Month
    most: Month


def reserved_usd(plan: ServingPlan, month: Month) -> float:
    """Return what the GPUs that always run cost a month, at the reserved price."""
    return month.reserved_gpus * HOURS_PER_MONTH * plan.prices.reserved_usd


def on_demand_usd(plan: ServingPlan, month: Month) -> float:
    """Return what the hours above the reserved GPUs cost a month, at the on-demand price."""
    return month.usd - reserved_usd(plan, month)


def bounds(plan: ServingPlan, month: int) -> Bounds:
    """Return a month's fleet at both ends of the throughput band: measured over predicted at p90 and at p10."""
    band = plan.replica.bands["throughput"]

    def at(factor: float) -> Month:
        replica = replace(plan.replica, requests_per_second=plan.replica.requests_per_second * factor)
        return fleet_month(replica, plan.traffic, plan.target, plan.prices, month)

    return Bounds(at(band.high), at(band.low))
