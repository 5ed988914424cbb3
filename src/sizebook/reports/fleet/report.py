"""The fleet report: GPUs, nodes, power and money of several services by month, and how sure the figures are."""

import math
from collections.abc import Sequence
from datetime import date

from sizebook.core.texts import Text, plural, span, text
from sizebook.core.units import grouped, usd
from sizebook.plans.fleet.figures import contracts
from sizebook.plans.fleet.months import FleetMonth, ServiceMonth
from sizebook.plans.fleet.periods import QUARTER, YEAR, FleetPeriod, period, periods
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.plans.fleet.remarks import warnings
from sizebook.plans.fleet.steps import derivations
from sizebook.plans.ledgers import total_usd
from sizebook.reports import phrases
from sizebook.reports.alternative_tables import rent_buy_or_call
from sizebook.reports.charts.chart_types import Bar, Bars, Chart, Columns, Line, Lines, Series
from sizebook.reports.contract_tables import decision_page, what_to_sign
from sizebook.reports.document import (
    Report,
    Row,
    RowKind,
    Section,
    Table,
    derivation,
    figure_columns,
    headings,
    section,
    unchanged,
)
from sizebook.reports.fleet.nodes import nodes_and_power
from sizebook.reports.fleet.notes import assumptions, error_bands, per_service
from sizebook.reports.fleet.summary import sentences, tiles
from sizebook.reports.money_charts import by_term
from sizebook.reports.number_columns import share
from sizebook.reports.phrases import data_dates, month_axis, numbered

Months = Sequence[FleetMonth] | Sequence[ServiceMonth]
MOST_SERIES = 6  # colours that a chart can tell apart


def report(plan: FleetPlan, as_of: date, title: str = "") -> Report:
    """Return the report of a fleet plan."""
    names = ", ".join(each.service.name for each in plan.services)
    return Report(
        kind=text("Fleet plan"),
        title=title or text("Fleet of {names}", names=names),
        subtitle=text("{names}; {months}", names=names, months=span(plan.label(0), plan.label(len(plan.months) - 1))),
        as_of=as_of,
        sentences=sentences(plan),
        tiles=tiles(plan),
        chart=gpus_chart(plan),
        warnings=warnings(plan),
        sections=(
            _decision(plan),
            *rent_buy_or_call(
                plan.alternative_months, plan.alternatives, plan.alternatives.sentences, start=plan.terms.start
            ),
            _gpus(plan),
            nodes_and_power(plan),
            _cost(plan),
            per_service(plan),
            error_bands(plan),
            _by_month(plan),
            derivation(derivations(plan), text("How the figures of the first month of each service were computed")),
            assumptions(plan),
        ),
        data_dates=data_dates("hardware", "prices", "grid", "calibration_serving"),
    )


def gpus_chart(plan: FleetPlan) -> Chart:
    """Return the GPUs of each service by month, as bars where no month differs; beyond six the smallest are one."""
    largest = sorted(plan.services, key=lambda each: -sum(month.peak_gpus for month in each.months))
    kept = largest if len(largest) <= MOST_SERIES else largest[: MOST_SERIES - 1]
    named = [Series(each.service.name, tuple(float(month.peak_gpus) for month in each.months)) for each in kept]
    if others := largest[len(kept) :]:
        sums = zip(*(each.months for each in others), strict=True)
        named.append(Series(text("Others"), tuple(float(sum(month.peak_gpus for month in each)) for each in sums)))
    # What stands on the chart: nodes paid for whole have more GPUs than their replicas.
    at_last = sum(each.months[-1].peak_gpus for each in plan.services)
    most = max(largest, key=lambda each: each.months[-1].peak_gpus)
    part = share(most.months[-1].peak_gpus, at_last)
    title = plural(
        at_last,
        "{n} GPU of replicas in the last month's busiest hour, {part} of it for {name}",
        "{n} GPUs of replicas in the last month's busiest hour, {part} of them for {name}",
        part=part,
        name=most.service.name,
    )
    if all(len(set(one.values)) == 1 for one in named):
        bars = (Bar(one.name, one.values[0], grouped(one.values[0]), marked=one is named[0]) for one in named)
        return Bars(title, text("GPUs of replicas"), tuple(bars))
    return Columns(
        title,
        month_axis(plan.terms.start, plan.label(0)),
        text("GPUs of replicas"),
        categories=numbered(plan.months),
        series=tuple(named),
    )


def _busiest(plan: FleetPlan) -> Text:
    """Return the GPUs of the busiest hour in the first month and in the last, and the service that changes most."""
    first, last = (plan.months[at].peak_gpus for at in (0, -1))
    if first == last:
        return plural(last, "{n} GPU in the busiest hour", "{n} GPUs in the busiest hour")
    ends = {each.service.name: (each.months[0].peak_gpus, each.months[-1].peak_gpus) for each in plan.services}
    name = max(ends, key=lambda each: abs(ends[each][1] - ends[each][0]))
    few, many = map(grouped, ends[name])
    return text(
        "From {first} to {last} GPUs in the busiest hour, {name} from {few} to {many}",
        first=grouped(first),
        last=grouped(last),
        name=name,
        few=few,
        many=many,
    )


def _gpus(plan: FleetPlan) -> Section:
    months = plan.months
    lines = tuple(
        Line(name, tuple((float(at + 1), float(getattr(month, key))) for at, month in enumerate(months)))
        for name, key in (
            (text("Busiest hour"), "peak_gpus"),
            (text("Mean"), "mean_gpus"),
            (text("Reserved"), "reserved_gpus"),
        )
    )
    last, changes = months[-1], any(len({y for _, y in line.points}) > 1 for line in lines)
    chart = Lines(
        plural(
            last.peak_gpus,
            "{reserved} of {n} GPU is reserved in the last month",
            "{reserved} of {n} GPUs are reserved in the last month",
            reserved=grouped(last.reserved_gpus),
        ),
        month_axis(plan.terms.start, plan.label(0)),
        text("GPUs"),
        lines=lines,
    )
    return section(text("GPUs"), _busiest(plan), *((chart,) if changes else ()), _by_service(plan))


def _by_service(plan: FleetPlan) -> Table:
    rows = [_service_row(each.service.name, each.months) for each in plan.services]
    return Table(
        text("GPUs of replicas at peak, and part of the cost, by service"),
        headings(
            text("Service"),
            figure_columns(text("First month"), text("Last month"), unit=text("GPUs")),
            figure_columns(text("First month"), text("Last month"), phrases.months(len(plan.months)), unit="USD"),
        ),
        (*rows, _together(plan)) if len(rows) > 1 else tuple(rows),
        note=text(
            "Nodes paid for whole have GPUs without a replica; their cost is split by the places of each service."
        ),
    )


def _together(plan: FleetPlan) -> Row:
    """Return the sum of the services, which leaves out GPUs of whole nodes on which no replica stands."""
    ends = [[each.months[at] for each in plan.services] for at in (0, -1)]
    gpus = [sum(month.peak_gpus for month in each) for each in ends]
    cost = [sum(month.usd for month in each) for each in ends]
    return Row((text("Together"), *(grouped(n) for n in (*gpus, *cost, total_usd(plan.months)))), "total")


def _service_row(name: str, months: Months) -> Row:
    first, last = months[0], months[-1]
    return Row((name, *(grouped(n) for n in (first.peak_gpus, last.peak_gpus, first.usd, last.usd, total_usd(months)))))


def cost_chart(plan: FleetPlan) -> tuple[Columns, ...]:
    """Return the cost by month and by term of purchase; nothing where a price is not listed."""
    if math.isnan(total_usd(plan.months)):
        return ()
    burst = [month.burst_usd for month in plan.months]
    return by_term(plan.months, burst, text("Burst"), axis=month_axis(plan.terms.start, plan.label(0)))


def _cost(plan: FleetPlan) -> Section:
    months = plan.months
    quarters = [_period_row(text("Quarter {n}", n=each.period), each) for each in periods(months, QUARTER)]
    together = _period_row(text("Together"), period(months), "total")
    return section(
        text("Cost"),
        phrases.months_cost(len(months), usd(total_usd(months)), usd(months[0].usd), last=usd(months[-1].usd)),
        *cost_chart(plan),
        Table(text("Quarters"), _PERIOD, (*quarters, together)),
    )


def _decision(plan: FleetPlan) -> Section:
    """Return on one page what to sign, what that costs by year, and what would change it."""
    years = [_period_row(text("Year {n}", n=each.period), each) for each in periods(plan.months, YEAR)]
    table = Table(
        text("Years"),
        _PERIOD,
        (*years, _period_row(text("Together"), period(plan.months), "total")),
        note=text(
            "Reserved GPUs are paid around the clock to the end of their contract; burst GPUs where they are "
            "not enough. A year counts from the first month."
        ),
    )
    return decision_page((what_to_sign(plan.contracts, contracts(plan), plan.terms.start), table), plan)


_PERIOD = headings(
    text("Period"),
    figure_columns(text("GPUs at peak"), text("Racks")),
    figure_columns(text("Power"), unit="kW"),
    figure_columns(text("Reserved"), text("Burst"), text("Together"), unit="USD"),
    figure_columns(text("Energy"), unit="MWh"),
    figure_columns(text("Emissions"), unit="tCO\u2082e"),
)


def _period_row(name: str, each: FleetPeriod, kind: RowKind = "plain") -> Row:
    values = (
        each.peak_gpus,
        each.racks,
        each.site_kw,
        each.reserved_usd,
        each.burst_usd,
        each.usd,
        each.energy_kwh / 1000,
        each.co2e_kg / 1000,
    )
    return Row((name, *(grouped(value) for value in values)), kind)


def _by_month(plan: FleetPlan) -> Section:
    """Return the ledger of all services together, month by month."""
    keys = (
        "peak_gpus",
        "mean_gpus",
        "reserved_gpus",
        "nodes",
        "racks",
        "site_kw",
        "reserved_usd",
        "burst_usd",
        "usd",
        "energy_kwh",
        "co2e_kg",
    )
    months = (
        Row((plan.label(at), *(grouped(getattr(month, key)) for key in keys))) for at, month in enumerate(plan.months)
    )
    rows = [*unchanged(tuple(months))]
    most = [grouped(max(getattr(month, key) for month in plan.months)) for key in keys[:6]]
    sums = [grouped(sum(getattr(month, key) for month in plan.months)) for key in keys[6:]]
    rows.append(Row((text("Most, then sums"), *most, *sums), "total"))
    columns = headings(
        text("Month"),
        figure_columns(text("Peak"), text("Mean"), text("Reserved"), text("Nodes"), text("Racks"), "kW"),
        figure_columns(text("Reserved"), text("Burst"), unit="USD"),
        figure_columns("USD", "kWh", "kgCO\u2082e"),
    )
    return section(
        text("Month by month"),
        phrases.NO_COST
        if math.isnan(total_usd(plan.months))
        else text(
            "{first} in the first month, {last} in the last",
            first=usd(plan.months[0].usd),
            last=usd(plan.months[-1].usd),
        ),
        Table(text("GPUs paid for, nodes, racks, power; cost, energy and emissions"), columns, tuple(rows)),
        new_page=True,
    )
