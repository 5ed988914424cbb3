"""Charts of money that several plans have: what a cost consists of, what moves it, hours where no price is listed."""

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Protocol

from sizebook.core.texts import range_text, text
from sizebook.core.units import amount, usd
from sizebook.plans.contents import Sensitivity
from sizebook.plans.fleet.high_end import Reached
from sizebook.reports.charts.chart_types import Bar, Bars, Columns, Limit, Series, Span, Spans
from sizebook.reports.document import Section, section
from sizebook.reports.number_columns import scaled, share, short_scale
from sizebook.reports.phrases import months_cost, numbered


class Month(Protocol):
    """A month of a plan that buys GPUs by term."""

    @property
    def reserved_usd(self) -> float: ...


def waterfall(
    parts: Sequence[tuple[str, float]], total: float, name: str, shown: Callable[[float, float], str]
) -> Spans:
    """Return what a cost consists of, part upon part up to the total; ``shown`` writes a part's share of it."""
    factor, sign = short_scale([total])
    reached = pairwise(accumulate((value for _, value in parts), initial=0.0))
    spans = [
        Span(
            label,
            start / factor,
            end / factor,
            text=text("{usd} ({share})", usd=usd(value), share=shown(value, total)),
        )
        for (label, value), (start, end) in zip(parts, reached, strict=True)
    ]
    spans.append(Span(name, 0, total / factor, text=usd(total), marked=True))
    largest, most = max(parts, key=lambda part: part[1])
    title = text("{part}: {usd} of {total}", part=largest, usd=usd(most), total=usd(total))
    return Spans(title, scaled(text("USD"), sign), tuple(spans))


def to_the_high_end(reached: Reached) -> Spans:
    """Return a bridge: what a plan costs, what each surprise after it adds, and what all of them come to."""
    factor, sign = short_scale(usd for _, usd in reached)
    (plan, first), (_, last) = reached[0], reached[-1]
    added = [
        Span(label, before / factor, after / factor, text=text("{usd} more", usd=usd(after - before)))
        for (_, before), (label, after) in pairwise(reached)
    ]
    named = ((plan, first), (text("All together"), last))
    begin, end = (Span(name, 0, total / factor, text=usd(total), marked=True) for name, total in named)
    title = text("{usd} if all three come together", usd=usd(last))
    return Spans(title, scaled(text("USD"), sign), (begin, *added, end))


def hours_bars(title: str, hours: Iterable[tuple[str, float]]) -> Bars:
    """Return GPU-hours as bars, where no price is listed."""
    named = list(hours)
    factor, sign = short_scale(value for _, value in named)
    bars = tuple(Bar(label, value / factor, amount(value)) for label, value in named)
    return Bars(title, scaled(text("GPU-hours"), sign), bars)


def by_term(months: Sequence[Month], burst: Sequence[float], name: str, axis: str) -> tuple[Columns, ...]:
    """Return the cost by month and by term of purchase; ``name`` is what GPUs on demand are called.

    Nothing where every month costs the same, one alone among them: equal columns show nothing.
    """
    reserved = [month.reserved_usd for month in months]
    whole = [sum(each) for each in zip(reserved, burst, strict=True)]
    if len(set(zip(reserved, burst, strict=True))) == 1:
        return ()
    factor, sign = short_scale(whole)
    shown = [(label, values) for label, values in ((text("Reserved"), reserved), (name, burst)) if any(values)]
    columns = Columns(
        text("Reserved GPUs are {share} of the cost", share=share(sum(reserved), sum(whole)))
        if len(shown) > 1
        else months_cost(len(whole), usd(sum(whole)), usd(whole[0]), last=usd(whole[-1])),
        axis,
        scaled(text("USD a month"), sign),
        categories=numbered(reserved),
        series=tuple(Series(label, tuple(value / factor for value in values)) for label, values in shown),
    )
    return (columns,)


def tornado(swings: Sequence[Sensitivity], total: float, title: str, axis: str, base: str) -> tuple[Section, ...]:
    """Return what a cost hangs on, one input at a time, around what it is; ``base`` names that."""
    factor, sign = short_scale([total])
    spans = tuple(
        Span(
            swing.label,
            min(swing.low_usd, swing.high_usd) / factor,
            max(swing.low_usd, swing.high_usd) / factor,
            text=range_text(usd(swing.low_usd), usd(swing.high_usd)),
            marked=index == 0,
        )
        for index, swing in enumerate(swings)
    )
    message = text("What the cost hangs on, one input at a time")
    chart = Spans(title, scaled(axis, sign), spans, limit=Limit(total / factor, base))
    return (section(text("Sensitivity"), message, chart),)
