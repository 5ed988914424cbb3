"""Quarters and years of a fleet plan: what their months add up to, and the most of what is counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.core.sections import Quantity, section
from sizebook.plans.fleet.months import BurstUsd, FleetMonth, MonthCo2e, MonthKwh, Racks, ReservedUsd
from sizebook.plans.quantities import COUNT

QUARTER, YEAR = 3, 12  # months


@section
class FleetPeriod:
    """Some months of a fleet together: most GPUs, nodes, racks and power, and sums of hours, money and energy."""

    period: Annotated[int, Quantity("number of the quarter or year, counted from 1", kind="integer", label="Period")]
    months: Annotated[int, Quantity("months of it in the plan", unit="months", **COUNT, label="Months")]
    peak_gpus: Annotated[int, Quantity("GPUs in its busiest hour", unit="GPUs", **COUNT, label="GPUs at peak")]
    nodes: Annotated[int, Quantity("nodes in its busiest hour", unit="nodes", **COUNT, label="Nodes")]
    racks: Racks
    site_kw: Annotated[float, Quantity("power to provide, at most", unit="kW", label="Power, kW")]
    gpu_hours: Annotated[float, Quantity("GPU-hours, reserved and burst", unit="GPU-hours", label="GPU-hours")]
    reserved_usd: ReservedUsd
    burst_usd: BurstUsd
    usd: Annotated[float, Quantity("cost of the period", unit="USD", label="Together, USD")]
    energy_kwh: MonthKwh
    co2e_kg: MonthCo2e


def periods(months: Sequence[FleetMonth], length: int) -> tuple[FleetPeriod, ...]:
    """Return periods of so many months, the first from the first month of the plan; the last may be shorter."""
    parts = (months[at : at + length] for at in range(0, len(months), length))
    return tuple(period(part, number) for number, part in enumerate(parts, 1))


def period(months: Sequence[FleetMonth], number: int = 1) -> FleetPeriod:
    """Return what some months come to together."""
    most = {name: max(getattr(month, name) for month in months) for name in ("peak_gpus", "nodes", "racks", "site_kw")}
    sums = {
        name: sum(getattr(month, name) for month in months)
        for name in ("reserved_usd", "burst_usd", "usd", "energy_kwh", "co2e_kg")
    }
    hours = sum(HOURS_PER_MONTH * month.reserved_gpus + month.burst_gpu_hours for month in months)
    return FleetPeriod(period=number, months=len(months), gpu_hours=hours, **most, **sums)
