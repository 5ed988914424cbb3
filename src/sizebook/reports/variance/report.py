"""The report for a monthly meeting: what was planned, what came, why, what it means for the year, what to decide."""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from sizebook.actuals.plan_variance import PlanVariance, Subtotal
from sizebook.actuals.variance import LABELS
from sizebook.core.texts import Text, joined, plural, text
from sizebook.core.units import significant
from sizebook.plans.bridges import fewest
from sizebook.reports.document import Notes, Report, Row, Section, Table, Tile, figure_columns, headings, section
from sizebook.reports.number_columns import aligned
from sizebook.reports.variance.drawing import bridge_chart, money, signed, with_signs

DECISIONS: dict[str, Text] = {
    "volume": text("Plan again with the actual traffic, and state the growth you expect."),
    "lengths": text("Plan again with the actual lengths, and ask the owner of the service why they changed."),
    "efficiency": text("Measure a replica under load and plan with your own rates (sizebook calibrate)."),
    "idle": text("Turn off or share GPUs without work: keep fewer spare replicas, or raise the target load."),
    "price": text("Compare the price paid with your contract, and the contract with the market."),
    "currency": text("Plan with the present exchange rate, or fix it."),
    "unused_cost": text("Use or sell unused commitments, or let them run out."),
    "untagged_cost": text("Tag untagged resources: until then nobody answers for their cost."),
    "no_gpu_cost": text("Plan storage, network and support too, not only GPUs."),
}
_MOST_SERVICES = 8
_LEAST_DECIDED = 0.1  # of all that causes moved: what adds less, or saves, needs no decision


def report(found: PlanVariance, as_of: date) -> Report:
    """Return the report of a plan against its actuals."""
    total, currency, later = found.total, found.currency, found.forecast_total - found.planned_total
    lines = {name: value for name, value in total.lines.items() if value}
    by_size = sorted(lines, key=lambda name: -abs(lines[name]))
    planned, came = money(total.planned, currency), money(total.actual, currency)
    months, forecast = found.by_month, money(found.forecast_total, currency)
    span = joined((months[0].name, months[-1].name), " – ") if len(months) > 1 else months[0].name
    return Report(
        kind=text("Plan against actual"),
        title=found.name,
        subtitle=text("{months}, in {currency}", months=span, currency=currency),
        as_of=as_of,
        sentences=_sentences(found, total, by_size),
        tiles=(
            Tile(text("Planned"), planned, text("for these months")),
            Tile(text("Actual"), came, signed(total.difference, currency)),
            Tile(text("Plan to {month}", month=found.until), money(found.planned_total, currency)),
            Tile(text("Forecast to {month}", month=found.until), forecast, signed(later, currency)),
        ),
        chart=bridge_chart(
            text("From plan to actual"),
            ((text("Planned"), total.planned), (text("Actual"), total.actual)),
            fewest((LABELS[name], value) for name, value in lines.items()),
            currency=currency,
        ),
        sections=(
            section(text("Months"), text("Month by month"), *tuple(_tables(found)), new_page=True),
            _decisions(found, lines, by_size),
        ),
        warnings=found.remarks,
    )


def _sentences(found: PlanVariance, total: Subtotal, by_size: list[str]) -> tuple[Text, ...]:
    currency = found.currency
    first = plural(
        len(found.by_month),
        "{n} month was planned at {planned} and cost {came}: {difference}.",
        "{n} months were planned at {planned} and cost {came}: {difference}.",
        came=money(total.actual, currency),
        planned=money(total.planned, currency),
        difference=signed(total.difference, currency),
    )
    why = [
        text("{cause}: {amount}.", cause=LABELS[name], amount=signed(total.lines[name], currency))
        for name in by_size[:2]
    ] or [text("Cost is as planned.")]
    year = text(
        "The forecast to the end of {month} is {now}, the plan {planned}: {difference}.",
        month=found.until,
        now=money(found.forecast_total, currency),
        planned=money(found.planned_total, currency),
        difference=signed(found.forecast_total - found.planned_total, currency),
    )
    return (first, *why, year)


def _tables(found: PlanVariance) -> Iterator[Table]:
    """Yield the table of months, and that of services where there are several."""
    note = text(
        "Each cause has its average effect over all orders of change (Shapley value), so the causes add up exactly."
    )
    yield _table(text("Month"), text("Planned and actual"), found.by_month, found.currency, note=note)
    if len(services := found.by_service) > 1:
        yield _table(text("Service"), text("Planned and actual by service"), _few(services), found.currency)


def _few(parts: Sequence[Subtotal]) -> Sequence[Subtotal]:
    """Return the parts that are furthest off, the others as one, so that the report keeps its two pages."""
    if len(parts) <= _MOST_SERVICES:
        return parts
    by_size = sorted(parts, key=lambda part: -abs(part.difference))
    kept, rest = by_size[: _MOST_SERVICES - 1], by_size[_MOST_SERVICES - 1 :]
    names = dict.fromkeys(name for part in rest for name in part.lines)
    lines = {name: math.fsum(part.lines.get(name, 0.0) for part in rest) for name in names}
    others = plural(len(rest), "{n} other service", "{n} other services")
    return [*kept, Subtotal(others, sum(p.planned for p in rest), sum(p.actual for p in rest), lines=lines)]


def _table(first: str, caption: str, parts: Sequence[Subtotal], currency: str, note: str = "") -> Table:
    heads = headings(
        first, figure_columns(text("Planned"), text("Actual"), text("Difference"), unit=currency), text("Largest cause")
    )
    columns = (
        [each.name for each in parts],
        aligned([each.planned for each in parts], digits=4),
        aligned([each.actual for each in parts], digits=4),
        with_signs([each.difference for each in parts]),
        [_largest(each.lines) for each in parts],
    )
    return Table(caption, heads, tuple(map(Row, zip(*columns, strict=True))), note=note)


def _largest(lines: Mapping[str, float]) -> Text:
    name = max(lines, key=lambda line: abs(lines[line]))
    return LABELS[name] if lines[name] else text("as planned")


def _decisions(found: PlanVariance, lines: dict[str, float], by_size: list[str]) -> Section:
    moved = math.fsum(map(abs, lines.values()))
    rows = tuple(
        Row((LABELS[name], signed(lines[name], found.currency), f"{significant(100 * abs(lines[name]) / moved, 2)}"))
        for name in by_size
    )
    heads = headings(text("Cause"), text("Against plan"), figure_columns(text("Share of all changes"), unit="%"))
    items = tuple(DECISIONS[name] for name in by_size if lines[name] >= _LEAST_DECIDED * moved)
    return section(
        text("Decisions"),
        text("What to decide"),
        Table(text("Causes over all months"), heads, rows),
        Notes(items or (text("No cause of extra cost needs a decision."),)),
    )
