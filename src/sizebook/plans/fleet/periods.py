"""Quarters and years of a fleet plan: what their months add up to, and the most of what is counted."""

from collections.abc import Sequence

from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.core.sections import quantity, section
from sizebook.plans.fleet.months import BurstUsd, FleetMonth, MonthCo2e, MonthKwh, Racks, ReservedUsd

QUARTER, YEAR = 3, 12  # months


@section
class FleetPeriod:
    """Some months of a fleet together: most GPUs, nodes, racks and power, and sums of hours, money and energy."""

    period: int = quantity("number of the quarter or year, counted from 1", label="Period")
    months: int = quantity("months of it in the plan", "months", minimum=0, label="Months")
    peak_gpus: int = quantity("GPUs in its busiest hour", "GPUs", minimum=0, label="GPUs at peak")
    nodes: int = quantity("nodes in its busiest hour", "nodes", minimum=0, label="Nodes")
    racks: Racks
    site_kw: float = quantity("power to provide, at most", "kW", label="Power, kW")
    gpu_hours: float = quantity("GPU-hours, reserved and burst", "GPU-hours", label="GPU-hours")
    reserved_usd: ReservedUsd
    burst_usd: BurstUsd
    usd: float = quantity("cost of the period", "USD", label="Together, USD")
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
