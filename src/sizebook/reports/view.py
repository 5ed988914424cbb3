"""What a report is made of. Plans become these; templates and charts print them and compute nothing.

Texts are finished: numbers are already rounded, scaled and carry their unit. A chart keeps numbers beside their texts,
because its bars need lengths.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from sizebook.core.derivation import Step
from sizebook.reports.charts.kinds import Chart

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
    """One idea: a topic for bookmarks, the message as its heading, and what bears it out."""

    topic: str
    message: str
    blocks: tuple[Block, ...]
    new_page: bool = False


@dataclass(frozen=True)
class Report:
    """A whole report; ``data_dates`` says which tables were used and when they were retrieved."""

    kind: str
    title: str
    subtitle: str
    as_of: date
    summary: str
    tiles: tuple[Tile, ...]
    sections: tuple[Section, ...]
    data_dates: str = ""
