"""What a report is made of. Plans become these; templates and charts print them and compute nothing.

Texts are finished: numbers are already rounded, scaled and carry their unit. A chart keeps numbers beside their texts,
because its bars need lengths.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date
from typing import Any, Literal

from sizebook.core.derivation import Step
from sizebook.core.texts import joined, span, text
from sizebook.reports.charts.chart_types import Chart
from sizebook.reports.charts.letters import BOLD, letters
from sizebook.reports.charts.theme import HOUSE_LOOK

# In points: how wide the text is; the size of cells, and of headings and cells of wide tables; at either size what
# stands between columns, and what the names of rows take at least.
_TEXT_WIDTH = 493.0
_USUAL, _SMALL = 9.0, 7.5
_BETWEEN, _ROW_NAME = {_USUAL: 9.9, _SMALL: 5.7}, {_USUAL: 79.0, _SMALL: 57.0}
_FIGURE = 0.6  # em, of a sign of the figures face
RowKind = Literal["plain", "group", "marked", "total", "failed"]


@dataclass(frozen=True)
class Tile:
    """A headline figure: what it is, its value, and the exact number or the error band under it."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Column:
    """A column's heading with the unit of its figures; ``figures`` sets them right, in the figures face."""

    heading: str
    unit: str = ""
    figures: bool = False


def figure_columns(*headings: str, unit: str = "") -> tuple[Column, ...]:
    """Return columns of figures in one unit."""
    return tuple(Column(heading, unit, figures=True) for heading in headings)


def headings(*parts: str | Column | tuple[Column, ...]) -> tuple[Column, ...]:
    """Return the columns of a table in order; a heading alone is that of a column of words."""
    found: list[Column] = []
    for part in parts:
        found += part if isinstance(part, tuple) else (part if isinstance(part, Column) else Column(part),)
    return tuple(found)


@dataclass(frozen=True)
class Row:
    """A row's cells, the first of which names the row."""

    cells: tuple[str, ...]
    kind: RowKind = "plain"


@dataclass(frozen=True)
class Table:
    """A table with a caption that says what its rows are."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""

    @property
    def is_wide(self) -> bool:
        """Whether it is wider than the page at its usual size: figures never wrap."""
        return sum(self._widths(_USUAL, least=True)) > _TEXT_WIDTH

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of its columns in its width.

        Each column has the room that it takes at least. What is left goes to texts in equal parts until each stands in
        one line, and then to all columns in proportion. WeasyPrint would measure each text twice.
        """
        size = _SMALL if self.is_wide else _USUAL
        least, whole = self._widths(size, least=True), self._widths(size, least=False)
        left, found = max(0.0, _TEXT_WIDTH - sum(least)), list(least)
        for n, at in enumerate(sorted(range(len(least)), key=lambda at: whole[at] - least[at])):
            more = min(whole[at] - least[at], left / (len(least) - n))
            found[at], left = found[at] + more, left - more
        return tuple(each / sum(found) for each in found)

    def _widths(self, size: float, *, least: bool) -> list[float]:
        """Return the points that each column takes, padding included: at least, or with each text in one line."""
        cells = zip(*(row.cells for row in self.rows), strict=True) if self.rows else ((),) * len(self.columns)
        first, *others = (_width(column, of, size, least) for column, of in zip(self.columns, cells, strict=True))
        return [max(first, _ROW_NAME[size]), *(each + _BETWEEN[size] for each in others)]


def unchanged(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return rows of months as they are, or one for all where every month has the same figures."""
    if len(rows) == 1 or len({row.cells[1:] for row in rows}) > 1:
        return tuple(rows)
    months = text("{months}, unchanged", months=span(rows[0].cells[0], rows[-1].cells[0]))
    return (Row((months, *rows[0].cells[1:])),)


def by_column(
    caption: str, first: str, names: Sequence[str], columns: Mapping[Column, Sequence[str]], note: str
) -> Table:
    """Return a table given by its columns under the names of its rows, the last of which sums up the others.

    Where there is one other row, it is the sum already.
    """
    *rows, total = (Row(cells) for cells in zip(names, *columns.values(), strict=True))
    shown = (*rows, replace(total, kind="total")) if len(rows) > 1 else tuple(rows)
    return Table(caption, (Column(first), *columns), shown, note=note)


def _width(column: Column, cells: Sequence[str], size: float, least: bool) -> float:
    """Return the points that texts of a column take: in one line each, or broken at spaces; figures never break."""
    heads = [f"{column.heading}, {column.unit}" if column.unit else column.heading]
    if least:
        heads = [*heads[0].removesuffix(column.unit).split(), column.unit]
    if column.figures:
        widest = _FIGURE * max(map(len, cells), default=0)
    else:
        widest = _ems(word for cell in cells for word in cell.split()) if least else _ems(cells)
    return max(_SMALL * _ems(heads), size * widest)


def _ems(texts: Iterable[str]) -> float:
    """Return how wide the widest text is in the house's face, in bold as rows of sums are."""
    return max(map(letters(HOUSE_LOOK, BOLD).ems, texts), default=0.0)


@dataclass(frozen=True)
class Derivation:
    """Figures one by one: formula, substituted numbers, result, source."""

    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Notes:
    """Short statements as a list: assumptions, what is left out, sources."""

    items: tuple[str, ...]
    heading: str = ""


@dataclass(frozen=True)
class Prose:
    """One paragraph."""

    text: str


Block = Chart | Table | Derivation | Notes | Prose


@dataclass(frozen=True)
class Section:
    """One idea: a topic for bookmarks, the message as its heading, and the evidence for it."""

    topic: str
    message: str
    blocks: tuple[Block, ...]
    new_page: bool = False


def section(topic: str, message: str, *blocks: Block, new_page: bool = False) -> Section:
    """Return a section of blocks."""
    return Section(topic, message, blocks, new_page)


def derivation(steps: Sequence[Step], message: str = text("How each figure was computed")) -> Section:
    """Return the section that computes figures one by one."""
    return section(text("Derivation"), message, Derivation(tuple(steps)))


@dataclass(frozen=True)
class Report:
    """A whole report: a one-page summary for decision makers, then its sections.

    The summary has three sentences in plain words, the headline figures, the most important chart where one says
    something, and ``warnings``: what to know before using the figures. ``data_dates`` says which tables were used and
    when they were retrieved.
    """

    kind: str
    title: str
    subtitle: str
    as_of: date
    sentences: tuple[str, ...]
    tiles: tuple[Tile, ...]
    chart: Chart | None
    sections: tuple[Section, ...]
    warnings: tuple[str, ...] = ()
    data_dates: str = ""

    @property
    def summary(self) -> str:
        """The sentences as one paragraph."""
        return joined(self.sentences)


def texts_of(value: Any) -> Iterator[str]:
    """Yield every text of a report, or of a part of it, that a reader sees, the descriptions of charts among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from texts_of(each)
    elif is_dataclass(value):
        for field in fields(value):
            if field.name != "kind" or isinstance(value, Report):  # the kind of a row is no text
                yield from texts_of(getattr(value, field.name))
