"""Rent, buy or use an API as a section of a report: what each costs by year, and what has been paid by when."""

from collections.abc import Sequence
from datetime import date
from itertools import accumulate

from sizebook.core.texts import joined, text
from sizebook.core.units import grouped, usd
from sizebook.plans.alternatives import AlternativeMonth, AlternativeTotals, by_year, cost_by_way
from sizebook.plans.ledgers import month_label
from sizebook.plans.serving.volumes import Volume
from sizebook.reports.charts.chart_types import Line, Lines
from sizebook.reports.document import Notes, Row, Section, Table, figure_columns, headings
from sizebook.reports.number_columns import aligned, scaled, short_scale
from sizebook.reports.phrases import month_axis


def rent_buy_or_call(
    months: Sequence[AlternativeMonth],
    totals: AlternativeTotals,
    said: Sequence[str],
    start: date | None = None,
    volumes: Sequence[Volume] = (),
) -> tuple[Section, ...]:
    """Return the section; nothing where only renting is asked."""
    if not months:
        return ()
    (least, cost), *_ = sorted(cost_by_way(months), key=lambda each: each[1])
    message = text("{way} costs the least over all months: {usd}", way=least, usd=usd(cost))
    chart = (_paid(months, month_axis(start, month_label(start, 0))),) if len(months) > 1 else ()
    notes = Notes(tuple(said), text("From when on which costs less"))
    over_traffic = (_over_traffic(volumes),) if volumes else ()
    return (Section(text("Rent, buy or API"), message, (*chart, _by_year(months, totals), *over_traffic, notes)),)


def _paid(months: Sequence[AlternativeMonth], axis: str) -> Lines:
    """Return what has been paid by the end of each month in each way."""
    ways = (text("Rented"), text("Bought"), text("API"))
    paid = zip(ways, zip(*(month.paid for month in months), strict=True), strict=True)
    sums = {way: tuple(accumulate(each)) for way, each in paid if None not in each}
    factor, sign = short_scale(total for each in sums.values() for total in each)
    return Lines(
        text("What has been paid by the end of each month"),
        axis,
        scaled(text("USD"), sign),
        lines=tuple(
            Line(way, tuple((float(month), total / factor) for month, total in enumerate(each, 1)))
            for way, each in sums.items()
        ),
    )


def _by_year(months: Sequence[AlternativeMonth], totals: AlternativeTotals) -> Table:
    *years, (whole, amounts) = by_year(months)
    rows = [Row((name, *map(_amount, each))) for name, each in years]
    note = text(
        "Bought: what is written off of the nodes of each month's busiest hour, with interest, and what they cost to "
        "run. Existing contracts are paid in each way."
    )
    if totals.owned_left_usd is not None:
        worth = usd(totals.owned_left_usd)
        left = text(
            "After the last month the book value of the bought GPUs, less what is owed for them, is {usd}.", usd=worth
        )
        note = joined([note, left])
    return Table(
        text("What each way costs by year"),
        headings(
            text("Year"), figure_columns(text("Rented"), text("Bought"), text("Bought, paid"), text("API"), unit="USD")
        ),
        (*(rows if len(rows) > 1 else ()), Row((whole, *map(_amount, amounts)), "total")),
        note=note,
    )


def _over_traffic(volumes: Sequence[Volume]) -> Table:
    """Return what the last month costs at shares of its traffic, in full and at the margin."""
    full = aligned([each.rented_usd_per_mtok for each in volumes])
    rows = (
        Row(
            (
                grouped(100 * each.traffic_share),
                grouped(each.requests_per_day),
                grouped(each.rented_usd),
                per_mtok,
                _amount(each.mtok_to_step),
                _amount(each.step_usd),
                _amount(each.owned_usd),
                _amount(each.api_usd),
            )
        )
        for each, per_mtok in zip(volumes, full, strict=True)
    )
    return Table(
        text("What the last month costs over its traffic, bought as is cheapest"),
        headings(
            text("Traffic, %"),
            figure_columns(text("Requests a day")),
            figure_columns(text("Rented"), unit="USD"),
            figure_columns(text("in full"), unit="USD/Mtok"),
            figure_columns(text("until GPUs are added"), unit="Mtok"),
            figure_columns(text("added GPUs"), text("Bought"), text("API"), unit="USD"),
        ),
        tuple(rows),
        note=text(
            "A further million tokens costs nothing until GPUs are added, and then all they cost. Tokens are output "
            "tokens, or input tokens where one pass answers."
        ),
    )


def _amount(value: float | None) -> str:
    return "" if value is None else grouped(value)
