"""The fleet of the serving report: replicas and utilisation by hour, and the months that follow."""

from __future__ import annotations

from sizebook.core.units import grouped, parameters, percent
from sizebook.plans.serving.plan import ServingPlan
from sizebook.reports.charts.kinds import Columns, Series
from sizebook.reports.figures import counted, fixed
from sizebook.reports.view import Column, Row, Section, Table

_HOURS = tuple(f"{hour:02d}" for hour in range(24))
_MOST_MONTHS = 36  # rows that a page holds


def fleet(plan: ServingPlan) -> Section:
    """Return replicas and utilisation by hour of the first month."""
    month, gpus = plan.months[0], plan.replica.gpus
    always, spare = min(month.replicas_by_hour), _spare(plan)
    series = [Series("Reserved, always on", (float(always),) * 24)]
    burst = tuple(float(count - always) for count in month.replicas_by_hour)
    if any(burst):
        series.append(Series("On demand", burst))
    return Section(
        "Fleet",
        f"{counted(month.reserved_gpus, 'GPU')} always on, {month.peak_gpus} in the busiest hour",
        (
            Columns(
                f"Replicas of {counted(gpus, 'GPU')} by hour, {spare} of them spare",
                "Hour of the day",
                "Replicas",
                categories=_HOURS,
                series=tuple(series),
            ),
            Columns(
                f"Traffic uses {percent(month.utilization)} of what the fleet could carry",
                "Hour of the day",
                "Utilisation, %",
                categories=_HOURS,
                series=(Series("Utilisation", tuple(100 * share for share in month.utilization_by_hour)),),
            ),
        ),
    )


def fleet_by_month(plan: ServingPlan) -> Table:
    """Return the fleet by month; a plan longer than a page is thinned out, and its caption says so."""
    every = max(1, -(-len(plan.months) // _MOST_MONTHS))
    shown = [month for month in plan.months if (month.month - 1) % every == 0 or month is plan.months[-1]]
    spare = _spare(plan)
    rows = tuple(
        Row(
            (
                f"Month {month.month}",
                parameters(month.requests),
                grouped(month.reserved_gpus),
                grouped(month.peak_gpus),
                grouped(month.gpu_hours),
                fixed(100 * month.utilization, 1),
                grouped(month.usd),
                fixed(month.usd_per_mtok_output, 2),
            )
        )
        for month in shown
    )
    return Table(
        "The fleet over the months" if every == 1 else f"The fleet every {every} months, and in the last",
        (
            Column("Month"),
            Column("Requests", figures=True),
            Column("GPUs always", figures=True),
            Column("GPUs at peak", figures=True),
            Column("GPU-hours", figures=True),
            Column("Used", "%", figures=True),
            Column("Cost", "USD", figures=True),
            Column("Mtok out", "USD", figures=True),
        ),
        rows,
        note="Replicas are planned to "
        f"{percent(plan.inputs.target.margins.target_load)} of the rate at which they meet the "
        f"target, with "
        f"{spare} spare and bursts {plan.traffic.burst_factor:g} times the hourly mean.",
    )


def _spare(plan: ServingPlan) -> int:
    return plan.inputs.target.margins.spare_replicas(plan.replica.packing)
