"""The money and carbon of the serving report."""

from __future__ import annotations

from sizebook.core.units import energy, mass, usd
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.sensitivity import sensitivities
from sizebook.reports.charts.kinds import Bar, Bars, Chart, Columns, Limit, Series, Span, Spans
from sizebook.reports.figures import SHORT_WORDS, fixed, share, short_scale
from sizebook.reports.serving.fleet import fleet_by_month
from sizebook.reports.view import Column, Row, Section, Table


def cost(plan: ServingPlan) -> Section:
    """Return the cost by month and by term of purchase."""
    months = plan.months
    total = sum(month.usd for month in months)
    message = (
        f"The fleet costs {usd(months[0].usd)} a month"
        if len(months) == 1
        else f"{len(months)} months cost {usd(total)}, from {usd(months[0].usd)} to {usd(months[-1].usd)} a month"
    )
    prices = plan.rates
    table = Table(
        "What a GPU-hour and a million tokens cost",
        (Column("Figure"), Column("Amount", "USD", figures=True), Column("Basis")),
        (
            Row(("GPU-hour, reserved", fixed(prices.reserved_usd, 2), prices.basis)),
            Row(("GPU-hour, on demand", fixed(prices.on_demand_usd, 2), prices.basis)),
            *_per_million(plan),
        ),
        note="Input tokens are paid for within the output tokens' price: a replica's hours are divided by output alone."
        if plan.replica.decodes
        else "Nothing is decoded: a replica's hours are divided by the tokens put in.",
    )
    return Section("Cost", message, (_cost_chart(plan), fleet_by_month(plan), table))


def _per_million(plan: ServingPlan) -> tuple[Row, Row]:
    """Return what a million tokens cost: those put out, or put in where one pass answers."""
    month, full = plan.months[0], plan.usd_per_mtok_saturated
    label, cost, digits = "Million output tokens", month.usd_per_mtok_output, 2
    if not plan.replica.decodes:
        label, cost, digits = "Million input tokens", month.usd_per_mtok_input, 4
        full /= plan.traffic.asked.input_tokens
    return (
        Row((label, fixed(cost, digits), "at the utilisation of month 1")),
        Row((label, fixed(full, digits), "best case: always full, reserved")),
    )


def _cost_chart(plan: ServingPlan) -> Chart:
    """Return columns by month, or two bars where there is one month."""
    reserved = [month.reserved_usd for month in plan.months]
    burst = [month.on_demand_usd for month in plan.months]
    factor, sign = short_scale(month.usd for month in plan.months)
    axis = f"USD a month, {SHORT_WORDS[sign]}".rstrip(", ")
    title = f"Reserved GPUs are {share(sum(reserved), sum(reserved) + sum(burst))} of the cost"
    if len(plan.months) == 1:
        pairs = (("Reserved", reserved[0]), ("On demand", burst[0]))
        bars = (
            Bar(label, value / factor, usd(value), marked=value == max(reserved[0], burst[0])) for label, value in pairs
        )
        return Bars(title, axis, tuple(bars))
    return Columns(
        title,
        "Month",
        axis,
        categories=tuple(str(month.month) for month in plan.months),
        series=(
            Series("Reserved", tuple(value / factor for value in reserved)),
            Series("On demand", tuple(value / factor for value in burst)),
        ),
    )


def sensitivity(plan: ServingPlan) -> Section:
    """Return what the last month's cost hangs on, one input at a time."""
    swings = sensitivities(plan)
    last = plan.months[-1]
    factor, sign = short_scale([last.usd])
    spans = tuple(
        Span(
            swing.label,
            min(swing.low_usd, swing.high_usd) / factor,
            max(swing.low_usd, swing.high_usd) / factor,
            text=f"{usd(swing.low_usd)} to {usd(swing.high_usd)}",
            marked=index == 0,
        )
        for index, swing in enumerate(swings)
    )
    title = f"{swings[0].label}: {usd(swings[0].width_usd)} a month between its ends"
    axis = f"USD in month {last.month}, {SHORT_WORDS[sign]}".rstrip(", ")
    limit = Limit(last.usd / factor, f"Plan {usd(last.usd)}")
    return Section(
        "Sensitivity", "What the cost hangs on, one input at a time", (Spans(title, axis, spans, limit=limit),)
    )


def carbon(plan: ServingPlan) -> Section:
    """Return energy and emissions of the first month and of all."""
    month, prices = plan.months[0], plan.rates
    rows = [
        ("Energy, month 1", energy(month.energy_kwh), f"TDP {prices.tdp_watts:g} W a GPU, PUE {prices.pue:g}"),
        ("Emissions, month 1", mass(month.co2e_kg), f"{prices.grams_per_kwh:g} g/kWh, {prices.grid_basis}"),
    ]
    if len(plan.months) > 1:
        months = f"{len(plan.months)} months"
        rows += [
            (
                f"Energy, {months}",
                energy(sum(each.energy_kwh for each in plan.months)),
                "with the traffic's growth",
            ),
            (f"Emissions, {months}", mass(sum(each.co2e_kg for each in plan.months)), "with the traffic's growth"),
        ]
    return Section(
        "Energy and carbon",
        f"The fleet takes {energy(month.energy_kwh)} a month and emits {mass(month.co2e_kg)} of CO\u2082e",
        (
            Table(
                "Energy and location-based emissions",
                (Column("Figure"), Column("Amount", figures=True), Column("Basis")),
                tuple(Row(cells) for cells in rows),
                note="Wall power is 1.3 times the TDP when busy, as MLPerf submissions "
                "measured, and 0.3 times when idle.",
            ),
        ),
    )
