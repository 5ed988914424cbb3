"""How reports show amounts and bridges: in a currency, as more or less, and bar upon bar from one end to the other."""

from collections.abc import Iterable, Sequence
from typing import Any

from sizebook.core.texts import Text, joined, text
from sizebook.core.units import NO_BREAK_SPACE, grouped, parameters, usd
from sizebook.plans.bridges import Bridge
from sizebook.reports.charts.chart_types import Span, Spans
from sizebook.reports.number_columns import MINUS, aligned, plain_number, scaled, short_scale

_LONGEST = 60  # signs of a value in a table


def shown(value: Any) -> str:
    """Return what an input was or is, shortened where it is long."""
    if isinstance(value, Text):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return grouped(value) if float(value).is_integer() else plain_number(value)
    said = "–" if value is None else str(value)
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"


def money(amount: float, currency: str) -> str:
    """Return an amount in a currency."""
    return usd(amount) if currency == "USD" else joined((parameters(amount), currency), NO_BREAK_SPACE)


def signed(amount: float, currency: str) -> Text:
    """Return a difference in words: more, less or the same."""
    if abs(amount) < 0.5:
        return text("no change")
    shown = money(abs(amount), currency)
    return text("{amount} more", amount=shown) if amount > 0 else text("{amount} less", amount=shown)


def with_signs(values: Sequence[float]) -> list[str]:
    """Return differences as a column of figures, each with its sign."""
    shown = aligned([abs(value) for value in values], digits=4)
    return [f"{MINUS if value < 0 else '+'}{cell}" for value, cell in zip(values, shown, strict=True)]


def chart_of(found: Bridge) -> Spans:
    """Return the bridge between two plans as a chart."""
    ends = zip(found.ends, (found.start, found.end), strict=True)
    return bridge_chart(found.title, ends, found.named_bars, currency=found.unit)


def bridge_chart(
    title: str, ends: Iterable[tuple[str, float]], added: Iterable[tuple[str, float]], currency: str
) -> Spans:
    """Return the bridge from one end to the other: a bar for each, and one for each change between them."""
    (first, start), (last, end) = ends
    factor, sign = short_scale([start, end])
    spans = [Span(first, 0, start / factor, text=money(start, currency), marked=True)]
    at = start
    for name, value in added:
        spans.append(Span(name, at / factor, (at + value) / factor, text=signed(value, currency)))
        at += value
    spans.append(Span(last, 0, end / factor, text=money(end, currency), marked=True))
    return Spans(title, scaled(currency, sign), tuple(spans))
