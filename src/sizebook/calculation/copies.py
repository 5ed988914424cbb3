"""Formulas that were copied over many cells: one is rewritten, the others are the same text with other places.

Two cells hold copies of one formula when it reads the same in both once each reference that is not fixed by ``$`` is
counted from the cell (as R1C1 references do).
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from sizebook.calculation.tokens import (
    LAST_COLUMN,
    LAST_ROW,
    Area,
    cell_at,
    column_letters,
    column_number,
    halves,
    tokenize,
)

# Kinds of formulas: those that differ only in the rows of their references, and in columns that nothing fixes.
# A digit is looked for first and what stands before it afterwards, which is several times as fast.
_ROW = re.compile(r"\d(?<=[A-Za-z$]\d)\d*(?![\w(.])")
_LOOSE_COLUMN = re.compile(r"(?<![\w.$])[A-Za-z]{1,3}(?=\$?0(?![\w(.]))")
_LONG_ROW = re.compile(r"[1-9](?<=[A-Za-z$:]\d)\d{6}(?![\w(.])")  # may lie beyond the last of a sheet
_ROWS = re.compile(r"(?<!\d)(\d{1,7}):\$?[A-Za-z]{0,3}\$?(\d{1,7})")  # both ends of an area
_COLUMNS = re.compile(r"([A-Za-z]{1,3})\$?\d*:\$?([A-Za-z]{1,3})(?![A-Za-z])")
_DOWN, _ACROSS = "down", "across"  # what differs between copies


def down_kind(text: str) -> str:
    """Return a formula with 0 for each row of a reference: alike for copies further down."""
    return _ROW.sub("0", text)


def stands_apart(text: str) -> bool:
    """Return whether a formula may name a row beyond the last of a sheet, or an area from below, as its copies do not.

    ``B$5:B3`` is a copy of ``B$5:B7``; the engine fails at an area whose ends are the wrong way round.
    """
    return any(int(row) > LAST_ROW for row in _LONG_ROW.findall(text)) or (
        ":" in text and any(int(first) > int(last) for first, last in _ROWS.findall(text))
    )


def is_mirrored(kind: str) -> bool:
    """Return whether a `down_kind` may name an area from its right end."""
    return any((len(first), first.upper()) > (len(last), last.upper()) for first, last in _COLUMNS.findall(kind))


def across_kind(kind: str) -> str:
    """Return a `down_kind` with A for each column that is not fixed: alike for copies to the right as well."""
    return _LOOSE_COLUMN.sub("A", kind)


def grows(reference: str) -> bool:
    """Return whether an area is of another size in copies of its formula: one of its ends is fixed, one is not."""
    first, _, last = reference.rpartition("!")[2].partition(":")
    return any(
        one[:1] != other[:1] and "$" in one + other
        for one, other in zip(halves(first), halves(last or first), strict=True)
    )


def kinds(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield both kinds of formulas; one search goes through all of them, another through those that differ.

    A mirrored one is no copy of any further left: its second kind is blank.
    """
    if not texts:
        return
    down = down_kind("\0".join(texts)).split("\0")
    different = list(dict.fromkeys(down))
    across = dict(zip(different, across_kind("\0".join(different)).split("\0"), strict=True))
    across |= dict.fromkeys(filter(is_mirrored, different), "")
    yield from ((kind, across[kind]) for kind in down)


class Corner(NamedTuple):
    """A corner of a reference: what is fixed as text, what is not as steps from the cell (None where not there)."""

    fixed_column: str
    across: int | None
    fixed_row: str
    down: int | None


Pieces = tuple[str | Corner, ...]


def relative(formula: str, at: Area) -> Pieces:
    """Return a formula as it reads from its cell; equal for copies, and for those only."""
    found: list[str | Corner] = []
    for token in tokenize(formula):
        if token.kind != "reference":
            found.append(token.text)
            continue
        sheet, mark, own = token.text.rstrip("#").rpartition("!")
        first, colon, last = own.partition(":")
        found += [sheet + mark, _corner(first, at)]
        if colon:
            found += [colon, _corner(last, at)]
        if token.text.endswith("#"):
            found.append("#")
    return tuple(found)


def _corner(text: str, at: Area) -> Corner:
    column, row = halves(text)
    across = None if column[:1] in ("", "$") else column_number(column) - at.left
    down = None if row[:1] in ("", "$") else int(row) - at.top
    return Corner(column if across is None else "", across, row if down is None else "", down)


class Template(NamedTuple):
    """A formula as it reads from its cell: the text with ``%s`` for what differs between cells, and what stands there.

    ``moving`` are pairs: a column or a row, and the steps to it from the cell.
    """

    text: str
    moving: tuple[tuple[str, int], ...]

    def written(self, row: int, column: int) -> str:
        """Return the formula as it reads in a cell; references wrap around the sheet."""
        values = [
            (row + step - 1) % LAST_ROW + 1 if kind == _DOWN else _letters(column + step) for kind, step in self.moving
        ]
        return self.text % tuple(values)


def template(pieces: Pieces) -> Template:
    """Return a formula that is to be written in many cells."""
    text, moving = "", list[tuple[str, int]]()
    for piece in pieces:
        if not isinstance(piece, Corner):
            text += piece.replace("%", "%%")
            continue
        for fixed, kind, step in (
            (piece.fixed_column, _ACROSS, piece.across),
            (piece.fixed_row, _DOWN, piece.down),
        ):
            text += fixed if step is None else "%s"
            moving += [] if step is None else [(kind, step)]
    return Template(text, tuple(moving))


@cache
def _letters(column: int) -> str:
    return column_letters((column - 1) % LAST_COLUMN + 1)


class Copies:
    """The ordinary formulas of a sheet that were rewritten, as they read further down and to the right."""

    def __init__(self) -> None:
        self.plain: set[str] = set()  # kinds of formulas that stand as they are
        # As they are, and rewritten (None where they stand): by the kind and the column, and the latest by the kind.
        self._lines: dict[tuple[str, int], tuple[Template, Template | None]] = {}
        self._rows: dict[str, tuple[Template, Template | None]] = {}

    def note_unchanged(self, kind: str, seen: Pieces) -> None:
        """Note a formula that stands as it is, here and in its copies."""
        self.plain.add(kind)
        self._rows[across_kind(kind)] = template(seen), None

    def note_rewritten(self, kind: str, column: int, seen: Pieces, rewritten: Template) -> None:
        """Note what becomes of a formula and its copies."""
        self._lines[kind, column] = self._rows[across_kind(kind)] = template(seen), rewritten

    def rewritten(self, text: str, kind: tuple[str, str], address: str) -> str | None:
        """Return what becomes of a formula that is a copy of one noted before, None for any other."""
        down, across = kind
        row, column = cell_at(address) or (1, 0)
        for known in (self._lines.get((down, column)), self._rows.get(across)):
            if known is None or known[0].written(row, column) != text:
                continue
            if known[1] is None:
                self.plain.add(down)
                return text
            self._lines[down, column] = known
            return known[1].written(row, column)
        return None
