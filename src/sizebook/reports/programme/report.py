"""The report of a programme: one budget, its phases side by side, its months with money and power."""

import math
from collections.abc import Iterator
from datetime import date

from sizebook.core.sections import leaves
from sizebook.core.texts import Day, joined, plural, range_text, span, text
from sizebook.core.units import grouped, significant, usd
from sizebook.plans.programme.plan import PARTS, Budget, ProgrammePlan, warnings
from sizebook.plans.programme.steps import derivations
from sizebook.reports.charts.chart_types import Chart, Columns, Line, Lines, Series
from sizebook.reports.document import Column, Report, Row, Section, Table, by_column, derivation, section
from sizebook.reports.money_charts import hours_bars, waterfall
from sizebook.reports.number_columns import SHORT_SIGNS, aligned, in_scale, scaled, share, short_scale, summed
from sizebook.reports.phrases import NO_COST, data_dates, month_axis, numbered
from sizebook.reports.programme.notes import assumptions
from sizebook.reports.programme.phases import memory, phases
from sizebook.reports.programme.summary import sentences, tiles

LABELS = {leaf.name: text(leaf.label) for leaf in leaves(Budget)}


def report(plan: ProgrammePlan, as_of: date, title: str = "") -> Report:
    """Return the report of a programme."""
    names = ", ".join(each.phase.name for each in plan.phases)
    return Report(
        kind=text("Programme"),
        title=title or plural(len(plan.phases), "Programme of {n} phase", "Programme of {n} phases"),
        subtitle=text("{names}; {months}", names=names, months=span(plan.label(0), plan.label(len(plan.months) - 1))),
        as_of=as_of,
        sentences=sentences(plan),
        tiles=tiles(plan),
        chart=budget_chart(plan),
        warnings=warnings(plan),
        sections=(
            _budget(plan),
            phases(plan),
            _by_month(plan),
            memory(plan),
            derivation(derivations(plan)),
            assumptions(plan),
        ),
        data_dates=data_dates("hardware", "prices", "grid", "calibration_training"),
    )


def budget_chart(plan: ProgrammePlan) -> Chart:
    """Return the waterfall of the middle case by part of the budget; GPU-hours where a price is not listed."""
    middle = plan.middle
    if math.isnan(middle.usd):
        hours = ((each.phase.name, each.cases[1].gpu_hours) for each in plan.phases)
        return hours_bars(text("GPU-hours by phase"), hours)
    parts = [(LABELS[name], getattr(middle, name)) for name in PARTS if getattr(middle, name)]
    return waterfall(parts, middle.usd, text("Together"), shown=share)


def _budget(plan: ProgrammePlan) -> Section:
    """Return the parts of the budget in all three cases."""
    low, _, high = plan.budgets
    message = (
        NO_COST
        if math.isnan(plan.middle.usd)
        else text(
            "The programme costs {usd}, {range}",
            usd=usd(plan.middle.usd),
            range=range_text(usd(low.usd), usd(high.usd)),
        )
    )
    return section(text("Budget"), message, _lines(plan))


def _lines(plan: ProgrammePlan) -> Table:
    rows = [
        Row(
            (LABELS[name], *(grouped(getattr(budget, name)) for budget in plan.budgets)),
            "total" if name == "usd" else "plain",
        )
        for name in (*PARTS, "usd")
    ]
    rows += [
        Row((text("Days"), *aligned([budget.days for budget in plan.budgets]))),
        Row((text("GPU-hours"), *(grouped(budget.gpu_hours) for budget in plan.budgets))),
    ]
    return Table(
        text("The budget in three cases, USD"),
        (Column(text("Part")), *(Column(name, figures=True) for name in (text("Fast"), text("Middle"), text("Slow")))),
        tuple(rows),
        note=text(
            "Fast and slow take every phase at the 10th or the 90th percentile of published "
            "runs. Phases are whole runs: restarts, ramp and evaluation of a run are in them. "
            "Tokens, prices and shares are taken as given."
        ),
    )


def _by_month(plan: ProgrammePlan) -> Section:
    months = plan.months
    factor, sign = short_scale(month.usd for month in months)
    axis = month_axis(plan.terms.start, plan.label(0))
    dearest = max(range(len(months)), key=lambda at: months[at].usd)
    series = tuple(
        Series(LABELS[name], tuple(getattr(month, name) / factor for month in months))
        for name in PARTS
        if any(getattr(month, name) for month in months)
    )
    power = tuple(
        Line(name, tuple((float(at + 1), getattr(month, key)) for at, month in enumerate(months)))
        for name, key in ((text("Highest"), "peak_mw"), (text("Mean of the month"), "mean_mw"))
    )
    highest = max(month.peak_mw for month in months)
    drawn = (
        (Lines(text("The site draws up to {n} MW", n=significant(highest)), axis, "MW", lines=power),)
        if months[1:] and not math.isnan(plan.middle.peak_mw)
        else ()
    )
    columns = (
        (
            Columns(
                text("{share} of the cost falls into one month", share=share(months[dearest].usd, plan.middle.usd)),
                axis,
                scaled(text("USD a month"), sign),
                categories=numbered(months),
                series=series,
            ),
        )
        if months[1:]
        else ()
    )
    if math.isnan(plan.middle.usd):
        return section(text("By month"), NO_COST, *drawn, _money(plan), _site(plan), new_page=True)
    return section(
        text("By month"),
        text("{label} costs most, {usd}", label=plan.label(dearest), usd=usd(months[dearest].usd)),
        *columns,
        *drawn,
        _money(plan),
        _site(plan),
        new_page=True,
    )


def _money(plan: ProgrammePlan) -> Table:
    months = plan.months
    money, sign = short_scale(month.usd for month in months)
    unit = in_scale(sign, "USD")
    parts = {
        text("Phases"): [month.phases_usd for month in months],
        text("Experiments"): [month.ablation_usd + month.evaluation_usd for month in months],
        text("Data, storage, egress"): [month.data_usd + month.storage_usd + month.egress_usd for month in months],
        text("Together"): [month.usd for month in months],
    }
    return _table(
        plan,
        text("Cost by month, middle case"),
        {Column(name, unit, figures=True): summed(values, money) for name, values in parts.items()},
        note=joined(_months_notes(plan)),
    )


def _months_notes(plan: ProgrammePlan) -> Iterator[str]:
    """Yield what months hold."""
    yield text(
        "Months have 730 hours. Experiments, evaluation included, run beside the phases in "
        "proportion; data are paid in the first month, checkpoints of a phase when it ends, "
        "egress in the last."
    )
    if plan.starts_within:
        yield text(
            "{month} holds what is left of it from {day} on.", month=plan.label(0), day=Day(f"{plan.terms.start}")
        )


def _site(plan: ProgrammePlan) -> Table:
    months = plan.months
    hours, sign = short_scale(month.gpu_hours for month in months)
    peaks = [month.peak_mw for month in months]
    columns = {
        Column(text("GPU-hours"), SHORT_SIGNS.get(sign, ""), figures=True): summed(
            [month.gpu_hours for month in months], hours
        ),
        Column(text("Energy"), "MWh", figures=True): summed([month.energy_kwh for month in months], 1000),
        Column(text("Emissions"), "tCO\u2082e", figures=True): summed([month.co2e_kg for month in months], 1000),
        Column(text("Mean power"), "MW", figures=True): [*aligned([month.mean_mw for month in months]), ""],
        Column(text("Peak power"), "MW", figures=True): aligned([*peaks, max(peaks)]),
    }
    return _table(
        plan,
        text("The site by month"),
        columns,
        note=text("Power is that of the GPUs with their hosts and cooling; together, the highest of all months."),
    )


def _table(plan: ProgrammePlan, caption: str, columns: dict[Column, list[str]], note: str) -> Table:
    names = [*(plan.label(at) for at in range(len(plan.months))), text("Together")]
    return by_column(caption, text("Month"), names, columns=columns, note=note)
