"""The fleet of the serving report: replicas by hour, and the months that follow."""

from sizebook.core.texts import text
from sizebook.core.units import grouped, parameters, percent
from sizebook.plans.ledgers import month_label, total_usd
from sizebook.plans.serving.plan import ServingPlan
from sizebook.reports.charts.chart_types import Columns, Series
from sizebook.reports.document import Row, Section, Table, figure_columns, headings, section, unchanged
from sizebook.reports.number_columns import fixed, plain_number
from sizebook.reports.phrases import gpus

_HOURS = tuple(f"{hour:02d}" for hour in range(24))


def fleet(plan: ServingPlan) -> Section:
    """Return replicas by hour of the first month, and how much of them traffic uses."""
    month = plan.months[0]
    always, spare = reserved_replicas(plan), _spare(plan)
    series = [Series(text("Reserved, always on"), (float(always),) * 24)] if always else []
    burst = tuple(float(count - always) for count in month.replicas_by_hour)
    if any(burst):
        series.append(Series(text("On demand"), burst))
    return section(
        text("Fleet"),
        text(
            "{gpus} under contract and {peak} in the busiest hour of month 1",
            gpus=gpus(month.reserved_gpus),
            peak=grouped(month.peak_gpus),
        ),
        Columns(
            text(
                "Replicas of {gpus} by hour of month 1, {spare} of them spare; traffic uses {share} of them",
                gpus=gpus(plan.replica.gpus),
                spare=grouped(spare),
                share=percent(month.utilization),
            ),
            text("Hour of the day"),
            text("Replicas"),
            categories=_HOURS,
            series=tuple(series),
        ),
    )


def reserved_replicas(plan: ServingPlan) -> int:
    """Return the replicas that contracts hold in the first month, at most all that run."""
    month, whole = plan.months[0], plan.inputs.target.margins.whole_nodes
    return min(max(month.replicas_by_hour), plan.replica.packing.replicas_in(month.reserved_gpus, whole))


def fleet_by_month(plan: ServingPlan) -> Table:
    """Return the fleet in every month, with the sums of what adds up."""
    spare = _spare(plan)
    rows = tuple(
        Row(
            (
                month_label(plan.traffic.start, month.month - 1),
                parameters(month.requests),
                grouped(month.reserved_gpus),
                grouped(month.peak_gpus),
                grouped(month.gpu_hours),
                fixed(100 * month.utilization, 1),
                grouped(month.usd),
                fixed(month.usd_per_mtok_output, 2),
            )
        )
        for month in plan.months
    )
    return Table(
        text("The fleet in every month"),
        headings(
            text("Month"),
            figure_columns(text("Requests"), text("GPUs reserved"), text("GPUs at peak"), text("GPU-hours")),
            figure_columns(text("Used"), unit="%"),
            figure_columns(text("Cost"), text("Mtok out"), unit="USD"),
        ),
        (*unchanged(rows), _all_months(plan)) if len(rows) > 1 else rows,
        note=text(
            "Replicas are planned to {percent} of the rate at which they meet the target, with "
            "{spare} spare and bursts {burst_factor} times the hourly mean.",
            percent=percent(plan.inputs.target.margins.target_load),
            spare=spare,
            burst_factor=plain_number(plan.traffic.burst_factor),
        ),
    )


def _all_months(plan: ServingPlan) -> Row:
    """Return the sums of requests, GPU-hours and cost, the most GPUs of a month, and what follows from the sums."""
    months = plan.months
    requests, hours = (sum(getattr(month, key) for month in months) for key in ("requests", "gpu_hours"))
    used = sum(month.utilization * month.gpu_hours for month in months) / hours
    per_mtok = total_usd(months) / (requests * plan.traffic.mean_demand.output_tokens) * 1e6
    cells = (
        text("Together"),
        parameters(requests),
        grouped(max(month.reserved_gpus for month in months)),
        grouped(max(month.peak_gpus for month in months)),
        grouped(hours),
        fixed(100 * used, 1),
        grouped(total_usd(months)),
        fixed(per_mtok, 2),
    )
    return Row(cells, "total")


def _spare(plan: ServingPlan) -> int:
    return plan.inputs.target.margins.spare_replicas(plan.replica.packing)
