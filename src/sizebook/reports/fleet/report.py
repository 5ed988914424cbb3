"""The fleet report: GPUs and money of several services over 36 months, and how sure the figures are."""

from __future__ import annotations

from datetime import date

from sizebook.core.texts import text
from sizebook.core.units import grouped, usd
from sizebook.plans.fleet.inputs import MONTHS
from sizebook.plans.fleet.plan import FleetMonth, FleetPlan, total_usd, warnings
from sizebook.plans.fleet.steps import derivations
from sizebook.reports import words
from sizebook.reports.charts.kinds import Columns, Line, Lines, Series
from sizebook.reports.figures import fixed, scaled, share, short_scale
from sizebook.reports.fleet.executive import sentences, tiles
from sizebook.reports.fleet.notes import assumptions, how_sure, per_service
from sizebook.reports.view import Column, Derivation, Report, Row, RowKind, Section, Table
from sizebook.reports.words import newest

Months = tuple[FleetMonth, ...]


def report(plan: FleetPlan, as_of: date, title: str = "") -> Report:
    """Return the report of a fleet plan."""
    names = ", ".join(each.service.name for each in plan.services)
    return Report(
        kind=text("Fleet plan"),
        title=title or text("Fleet of {names}", names=names),
        subtitle=text("{names}; {first} to {last}", names=names, first=plan.label(0), last=plan.label(MONTHS - 1)),
        as_of=as_of,
        sentences=sentences(plan),
        tiles=tiles(plan),
        chart=cost_chart(plan),
        warnings=warnings(plan),
        sections=(
            _gpus(plan),
            _cost(plan),
            per_service(plan),
            how_sure(plan),
            _by_month(plan),
            Section(
                text("Derivation"),
                text("How the figures of the first month were computed"),
                (Derivation(derivations(plan)),),
            ),
            assumptions(plan),
        ),
        data_dates=text(
            "hardware of {hardware}, calibration of {calibration}",
            hardware=newest("hardware"),
            calibration=newest("calibration_serving"),
        ),
    )


_NUMBERS = tuple(str(month + 1) for month in range(MONTHS))


def _axis(plan: FleetPlan) -> str:
    return text("Month, 1 is {label}", label=plan.label(0)) if plan.terms.start else text("Month")


def _gpus(plan: FleetPlan) -> Section:
    months = plan.months
    series = tuple(
        Series(each.service.name, tuple(float(month.peak_gpus) for month in each.months)) for each in plan.services
    )
    lines = tuple(
        Line(name, tuple((float(at + 1), float(getattr(month, key))) for at, month in enumerate(months)))
        for name, key in (
            (text("Busiest hour"), "peak_gpus"),
            (text("Mean"), "mean_gpus"),
            (text("Reserved"), "reserved_gpus"),
        )
    )
    first, last = months[0], months[-1]
    return Section(
        text("GPUs"),
        text("From {first} to {last} GPUs in the busiest hour", first=first.peak_gpus, last=last.peak_gpus),
        (
            Columns(
                text(
                    "GPUs at peak are {ratio} times as many after three years",
                    ratio=fixed(last.peak_gpus / first.peak_gpus, 1),
                ),
                _axis(plan),
                text("GPUs"),
                categories=_NUMBERS,
                series=series,
            ),
            Lines(
                text(
                    "{reserved_gpus} of {peak_gpus} GPUs are reserved in the last month",
                    reserved_gpus=last.reserved_gpus,
                    peak_gpus=last.peak_gpus,
                ),
                _axis(plan),
                text("GPUs"),
                lines=lines,
            ),
            _by_service(plan),
        ),
    )


def _by_service(plan: FleetPlan) -> Table:
    rows = [_service_row(each.service.name, each.months) for each in plan.services]
    return Table(
        text("GPUs at peak and cost by service"),
        (
            Column(text("Service")),
            Column(text("First month"), text("GPUs"), figures=True),
            Column(text("Last month"), text("GPUs"), figures=True),
            Column(text("First month"), "USD", figures=True),
            Column(text("Last month"), "USD", figures=True),
            Column(text("{MONTHS} months", MONTHS=MONTHS), "USD", figures=True),
        ),
        (*rows, _service_row(text("Together"), plan.months, "total")) if len(rows) > 1 else tuple(rows),
    )


def _service_row(name: str, months: Months, kind: RowKind = "plain") -> Row:
    first, last = months[0], months[-1]
    cells = (name, *(grouped(n) for n in (first.peak_gpus, last.peak_gpus, first.usd, last.usd, total_usd(months))))
    return Row(cells, kind)


def cost_chart(plan: FleetPlan) -> Columns:
    """Return the cost by month and by term of purchase."""
    months = plan.months
    factor, sign = short_scale(month.usd for month in months)
    reserved = share(sum(month.reserved_usd for month in months), total_usd(months))
    return Columns(
        text("Reserved GPUs are {share} of the cost", share=reserved),
        _axis(plan),
        scaled(text("USD a month"), sign),
        categories=_NUMBERS,
        series=(
            Series(text("Reserved"), tuple(month.reserved_usd / factor for month in months)),
            Series(text("Burst"), tuple(month.burst_usd / factor for month in months)),
        ),
    )


def _cost(plan: FleetPlan) -> Section:
    months = plan.months
    rows = [_year_row(text("Year {n}", n=year + 1), months[12 * year : 12 * year + 12]) for year in range(MONTHS // 12)]
    return Section(
        text("Cost"),
        text(
            "{months} cost {usd}, from {first} to {last} a month",
            months=words.months(MONTHS),
            usd=usd(total_usd(months)),
            first=usd(months[0].usd),
            last=usd(months[-1].usd),
        ),
        (
            Table(
                text("Years"),
                (
                    Column(text("Year")),
                    Column(text("GPUs at peak"), figures=True),
                    Column(text("Reserved"), "USD", figures=True),
                    Column(text("Burst"), "USD", figures=True),
                    Column(text("Together"), "USD", figures=True),
                    Column(text("Energy"), "MWh", figures=True),
                    Column(text("Emissions"), "tCO\u2082e", figures=True),
                ),
                (*rows, _year_row(text("Together"), months, "total")),
                note=text(
                    "Reserved GPUs are paid around the clock; burst GPUs in the busy hours, and where "
                    "growth within a term outruns what is reserved."
                ),
            ),
        ),
    )


def _year_row(name: str, months: Months, kind: RowKind = "plain") -> Row:
    sums = [sum(getattr(month, key) for month in months) for key in ("reserved_usd", "burst_usd", "usd")]
    sums += [sum(getattr(month, key) for month in months) / 1000 for key in ("energy_kwh", "co2e_kg")]
    cells = (name, grouped(max(month.peak_gpus for month in months)), *(grouped(value) for value in sums))
    return Row(cells, kind)


def _by_month(plan: FleetPlan) -> Section:
    """Return the ledger of all services together, month by month."""
    rows = []
    for at, month in enumerate(plan.months):
        gpus = (month.peak_gpus, month.mean_gpus, month.reserved_gpus)
        money = (month.reserved_usd, month.burst_usd, month.usd, month.energy_kwh, month.co2e_kg)
        rows.append(Row((plan.label(at), *(grouped(value) for value in (*gpus, *money)))))
    peak, reserved = (max(getattr(month, key) for month in plan.months) for key in ("peak_gpus", "reserved_gpus"))
    keys = ("reserved_usd", "burst_usd", "usd", "energy_kwh", "co2e_kg")
    sums = [sum(getattr(month, key) for month in plan.months) for key in keys]
    most = (grouped(peak), "", grouped(reserved))
    rows.append(Row((text("Together, most GPUs"), *most, *(grouped(value) for value in sums)), "total"))
    columns = (
        Column(text("Month")),
        Column(text("Peak"), figures=True),
        Column(text("Mean"), figures=True),
        Column(text("Reserved"), figures=True),
        Column(text("Reserved"), "USD", figures=True),
        Column(text("Burst"), "USD", figures=True),
        Column("USD", figures=True),
        Column("kWh", figures=True),
        Column("kgCO\u2082e", figures=True),
    )
    return Section(
        text("Month by month"),
        text(
            "{first} in the first month, {last} in the last",
            first=usd(plan.months[0].usd),
            last=usd(plan.months[-1].usd),
        ),
        (Table(text("GPUs at peak, at the mean and reserved; cost, energy and emissions"), columns, tuple(rows)),),
        new_page=True,
    )
