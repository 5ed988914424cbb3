"""The report for a monthly meeting: what was planned, what came, why, what it means for the year, what to decide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date

from sizebook.actuals.plan_variance import PlanVariance
from sizebook.actuals.variance import Share
from sizebook.core.texts import Text, joined, plural, text
from sizebook.core.units import NO_BREAK_SPACE, parameters, significant, usd
from sizebook.reports.charts.chart_types import Span, Spans
from sizebook.reports.document import Notes, Report, Row, Section, Table, Tile, figures, words
from sizebook.reports.number_columns import MINUS, aligned, scaled, short_scale

CAUSES: dict[str, Text] = {
    "volume": text("More or fewer requests"),
    "lengths": text("Longer or shorter requests"),
    "efficiency": text("GPUs slower or faster than planned"),
    "idle": text("GPU-hours without work"),
    "price": text("Price of a GPU-hour"),
    "currency": text("Exchange rate"),
    "unused_cost": text("Committed and unused"),
    "untagged_cost": text("Without a tag"),
    "no_gpu_cost": text("No GPU"),
}
DECISIONS: dict[str, Text] = {
    "volume": text("Plan again with the traffic that came, and say what growth you expect."),
    "lengths": text("Plan again with the lengths that came, and ask the service why they changed."),
    "efficiency": text("Measure a replica under load and plan with your own rates (sizebook calibrate)."),
    "idle": text("Turn off or share what has no work: fewer spare replicas, or a larger target load."),
    "price": text("Compare the price paid with your contract, and the contract with the market."),
    "currency": text("Plan with the present exchange rate, or fix it."),
    "unused_cost": text("Use, sell or let run out what is committed and unused."),
    "untagged_cost": text("Tag what has no tag: until then nobody answers for it."),
    "no_gpu_cost": text("Plan storage, network and support beside the GPUs."),
}
_LEAST_DECIDED = 0.1  # of all that causes moved: what adds less, or saves, needs no decision


def report(found: PlanVariance, as_of: date) -> Report:
    """Return the report of a plan against its actuals."""
    planned, came = sum(each.planned for each in found.months), sum(each.actual.total for each in found.months)
    lines = {name: value for name, value in found.lines.items() if value}
    by_size = sorted(lines, key=lambda name: -abs(lines[name]))
    span = joined((found.months[0].label, found.months[-1].label), " – ") if len(found.months) > 1 else ""
    return Report(
        kind=text("Plan against actual"),
        title=found.name,
        subtitle=text("{months}, in {currency}", months=span or found.months[0].label, currency=found.currency),
        as_of=as_of,
        sentences=_sentences(found, planned, came, by_size),
        tiles=(
            Tile(text("Planned"), money(planned, found), text("for these months")),
            Tile(text("Actual"), money(came, found), signed(came - planned, found)),
            Tile(text("To {month}, planned", month=found.until), money(found.planned_total, found)),
            Tile(
                text("To {month}, now", month=found.until),
                money(found.forecast_total, found),
                signed(found.forecast_total - found.planned_total, found),
            ),
        ),
        chart=_bridge(found, planned, came, lines),
        sections=(_months(found), _decisions(found, lines, by_size)),
        warnings=found.remarks,
    )


def money(amount: float, found: PlanVariance) -> str:
    """Return an amount in the currency of the plan."""
    if found.currency == "USD":
        return usd(amount)
    return joined((parameters(amount), found.currency), NO_BREAK_SPACE)


def signed(amount: float, found: PlanVariance) -> Text:
    """Return a difference to plan in words: more, less or as planned."""
    if abs(amount) < 0.5:
        return text("as planned")
    shown = money(abs(amount), found)
    return text("{amount} more", amount=shown) if amount > 0 else text("{amount} less", amount=shown)


def _sentences(found: PlanVariance, planned: float, came: float, by_size: list[str]) -> tuple[Text, ...]:
    first = plural(
        len(found.months),
        "{n} month cost {came} where {planned} was planned: {difference}.",
        "{n} months cost {came} where {planned} was planned: {difference}.",
        came=money(came, found),
        planned=money(planned, found),
        difference=signed(came - planned, found),
    )
    lines = found.lines
    why = [
        text("{cause}: {amount}.", cause=CAUSES[name], amount=signed(lines[name], found)) for name in by_size[:2]
    ] or [text("Cost is as planned.")]
    year = text(
        "To {month} it is {now} now, {difference}.",
        month=found.until,
        now=money(found.forecast_total, found),
        difference=signed(found.forecast_total - found.planned_total, found),
    )
    return (first, *why, year)


def _bridge(found: PlanVariance, planned: float, came: float, lines: dict[str, float]) -> Spans:
    """Return the bridge from plan to actual: at most nine causes between the two."""
    factor, sign = short_scale([planned, came])
    spans = [Span(text("Planned"), 0, planned / factor, text=money(planned, found), marked=True)]
    at = planned
    for name, value in lines.items():
        spans.append(Span(CAUSES[name], at / factor, (at + value) / factor, text=signed(value, found)))
        at += value
    spans.append(Span(text("Actual"), 0, came / factor, text=money(came, found), marked=True))
    return Spans(text("From plan to actual"), scaled(found.currency, sign), tuple(spans))


def _months(found: PlanVariance) -> Section:
    heads = (
        *words(text("Month")),
        *figures(text("Planned"), text("Actual"), text("Difference"), unit=found.currency),
        *words(text("Largest cause")),
    )
    planned, came, difference = (
        aligned(values, digits=4)
        for values in (
            [each.planned for each in found.months],
            [each.actual.total for each in found.months],
            [abs(each.difference) for each in found.months],
        )
    )
    signs = [MINUS if each.difference < 0 else "+" for each in found.months]
    rows = tuple(
        Row((each.label, planned[at], came[at], f"{signs[at]}{difference[at]}", _most(each.shares)))
        for at, each in enumerate(found.months)
    )
    note = text(
        "Each cause has its average effect over all orders of change (Shapley value), so the causes add up exactly."
    )
    return Section(
        text("Months"),
        text("Month by month"),
        (Table(text("Planned and actual"), heads, rows, note=note),),
        new_page=True,
    )


def _most(found: Sequence[Share]) -> Text:
    largest = max(found, key=lambda share: abs(share.shapley))
    return CAUSES[largest.cause] if largest.shapley else text("as planned")


def _decisions(found: PlanVariance, lines: dict[str, float], by_size: list[str]) -> Section:
    moved = math.fsum(map(abs, lines.values()))
    rows = tuple(
        Row((CAUSES[name], signed(lines[name], found), f"{significant(100 * abs(lines[name]) / moved, 2)}"))
        for name in by_size
    )
    heads = (*words(text("Cause"), text("Against plan")), *figures(text("Share of all changes"), unit="%"))
    items = tuple(DECISIONS[name] for name in by_size if lines[name] >= _LEAST_DECIDED * moved)
    return Section(
        text("Decisions"),
        text("What to decide"),
        (
            Table(text("Causes over all months"), heads, rows),
            Notes(items or (text("No cause of extra cost needs a decision."),)),
        ),
    )
