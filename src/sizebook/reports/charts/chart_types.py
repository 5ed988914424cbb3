"""The charts a report can hold, as data: numbers, their finished texts, and a title that states the message.

Each knows its own description in words (``alt``) for those who do not see it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sizebook.core.texts import Joined, joined, text


@dataclass(frozen=True)
class Limit:
    """A line across the chart at a value: memory of the GPU, a latency target, the base case."""

    value: float
    label: str


@dataclass(frozen=True)
class Bar:
    """One bar: its length in the axis unit and the text at its end; ``marked`` is what the message is about."""

    label: str
    value: float
    text: str
    marked: bool = False


@dataclass(frozen=True)
class Bars:
    """Horizontal bars from zero, one series, labelled directly."""

    title: str
    axis: str
    bars: tuple[Bar, ...]

    @property
    def alt(self) -> str:
        bars = _listed((bar.label, bar.text) for bar in self.bars)
        return text("Bar chart. {title}. {values}.", title=self.title, values=bars)


@dataclass(frozen=True)
class Span:
    """One floating bar from ``start`` to ``end``: a step of a waterfall, a phase of a timeline, a sensitivity."""

    label: str
    start: float
    end: float
    text: str
    marked: bool = False


@dataclass(frozen=True)
class Spans:
    """Horizontal floating bars: waterfall, timeline or tornado. ``limit`` is the base case of a tornado."""

    title: str
    axis: str
    spans: tuple[Span, ...]
    limit: Limit | None = None

    @property
    def alt(self) -> str:
        spans = _listed((span.label, span.text) for span in self.spans)
        return joined((text("Chart of ranges. {title}. {values}.", title=self.title, values=spans), _limit(self.limit)))


@dataclass(frozen=True)
class Series:
    """One series of a stack or of columns: a value and, where it should be written, a text for each category."""

    name: str
    values: tuple[float, ...]
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stacks:
    """Horizontal bars from zero, each the sum of at most six series, with its total at the end."""

    title: str
    axis: str
    categories: tuple[str, ...]
    series: tuple[Series, ...]
    totals: tuple[str, ...]
    limit: Limit | None = None

    @property
    def alt(self) -> str:
        parts = joined((series.name for series in self.series), ", ")
        totals = _listed(zip(self.categories, self.totals, strict=True))
        said = text("Stacked bars of {parts}. {title}. {values}.", parts=parts, title=self.title, values=totals)
        return joined((said, _limit(self.limit)))


@dataclass(frozen=True)
class Columns:
    """Upright columns over hours or months, stacked where there are several series."""

    title: str
    x_axis: str
    y_axis: str
    categories: tuple[str, ...]
    series: tuple[Series, ...]
    limit: Limit | None = None

    @property
    def alt(self) -> str:
        said = text(
            "Columns of {parts} by {axis}, {first} to {last}. {title}.",
            parts=joined((series.name for series in self.series), ", "),
            axis=self.x_axis,
            first=self.categories[0],
            last=self.categories[-1],
            title=self.title,
        )
        return joined((said, _limit(self.limit)))


@dataclass(frozen=True)
class Line:
    """One line of (x, y) points, and the band of (x, low, high) around it where its error is known."""

    name: str
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True)
class Lines:
    """Lines labelled at their ends; ``points`` are (x, y, text) marked on the chart, such as the plan itself."""

    title: str
    x_axis: str
    y_axis: str
    lines: tuple[Line, ...]
    limit: Limit | None = None
    points: tuple[tuple[float, float, str], ...] = ()
    log_x: bool = False

    @property
    def alt(self) -> str:
        said = text(
            "Lines of {names} over {axis}. {title}.",
            names=joined((line.name for line in self.lines), ", "),
            axis=self.x_axis,
            title=self.title,
        )
        marked = joined((point for _, _, point in self.points), "; ")
        return joined((said, _limit(self.limit), text("{marked}.", marked=marked) if marked else ""))


def stacked(series: Iterable[Series]) -> Iterator[tuple[Series, list[tuple[float, float]]]]:
    """Yield each series with the start and the end of its parts, which stand on those of the one before."""
    before: list[float] = []
    for each in series:
        before = before or [0.0] * len(each.values)
        ends = [start + value for start, value in zip(before, each.values, strict=True)]
        yield each, list(zip(before, ends, strict=True))
        before = ends


def totals_of(series: Iterable[Series]) -> list[float]:
    """Return how high each stack is."""
    return [sum(values) for values in zip(*(each.values for each in series), strict=True)]


Chart = Bars | Spans | Stacks | Columns | Lines


def _listed(pairs: Iterable[tuple[str, str]]) -> Joined:
    return joined((text("{label}: {value}", label=label, value=value) for label, value in pairs), "; ")


def _limit(limit: Limit | None) -> str:
    return text("{limit}.", limit=limit.label) if limit else ""
