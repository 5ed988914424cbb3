"""Formulas that were copied over many cells: one is rewritten, the others are the same text with other places.

Two cells hold copies of one formula when it reads the same in both once each reference that is not fixed by ``$`` is
counted from the cell (as R1C1 references do).
"""

import re
from functools import cache
from typing import NamedTuple

from sizebook.calculation.tokens import (
    LAST_COLUMN,
    LAST_ROW,
    Area,
    column_letters,
    column_number,
    halves,
    tokenize,
)

# A digit is looked for first and what stands before it afterwards, which is several times as fast.
_ROW = re.compile(r"\d(?<=[A-Za-z$]\d)\d*(?![\w(.])")
_LONG_ROW = re.compile(r"[1-9](?<=[A-Za-z$:]\d)\d{6}(?![\w(.])")  # may lie beyond the last of a sheet
AREA_ROWS = re.compile(r"(?<!\d)(\d{1,7}):\$?[A-Za-z]{0,3}\$?(\d{1,7})")  # both ends of an area
_COLUMNS = re.compile(r"([A-Za-z]{1,3})\$?\d*:\$?([A-Za-z]{1,3})(?![A-Za-z])")
_DOWN, _ACROSS = "down", "across"  # what differs between copies
_TRIED = 4  # formulas above a cell in its column: some tables repeat after a few rows


def down_kind(text: str) -> str:
    """Return a formula with 0 for each row of a reference: alike for copies further down, and others."""
    return _ROW.sub("0", text)


def stands_apart(text: str) -> bool:
    """Return whether a formula may name a row beyond the last of a sheet, or an area from below or from its right end,
    as its copies do not.

    ``B$5:B3`` is a copy of ``B$5:B7``; the engine fails at an area whose ends are the wrong way round.
    """
    return any(int(row) > LAST_ROW for row in _LONG_ROW.findall(text)) or (
        ":" in text
        and (
            any(int(first) > int(last) for first, last in AREA_ROWS.findall(text))
            or any((len(first), first.upper()) > (len(last), last.upper()) for first, last in _COLUMNS.findall(text))
        )
    )


def grows(reference: str) -> bool:
    """Return whether an area is of another size in copies of its formula: one of its ends is fixed, one is not."""
    first, _, last = reference.rpartition("!")[2].partition(":")
    return any(
        one[:1] != other[:1] and "$" in one + other
        for one, other in zip(halves(first), halves(last or first), strict=True)
    )


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


def copies_grow(seen: Pieces) -> bool:
    """Return whether an area in a formula is of another size in its copies, and may stand from its end there."""
    return any(
        (first.across is None) != (last.across is None) or (first.down is None) != (last.down is None)
        for first, colon, last in zip(seen, seen[1:], seen[2:], strict=False)
        if colon == ":" and isinstance(first, Corner) and isinstance(last, Corner)
    )


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


class Copy(NamedTuple):
    """A formula as it reads from its cell, and what becomes of it and of its copies; None where it stands."""

    seen: Template
    rewritten: Template | None


class Copies:
    """The ordinary formulas of a sheet in the order of its cells: nearly all are copies of one beside or above them."""

    def __init__(self) -> None:
        self._row, self._beside = 0, list[Copy]()
        self._above: dict[int, list[Copy]] = {}

    def find(self, text: str, row: int, column: int) -> Copy | None:
        """Return what a formula is a copy of, None where that is not beside nor above it."""
        beside = self._beside if row == self._row else []
        for known in [*beside, *self._above.get(column, [])]:
            if known.seen.written(row, column) == text:
                return known
        return None

    def note(self, copy: Copy | None, row: int, column: int) -> None:
        """Note the formula of a cell; None where no copy of it may be rewritten like it."""
        self._row, self._beside = row, [] if copy is None else [copy]
        if copy is not None:
            above = self._above.get(column, [])
            if not above or above[0] is not copy:
                self._above[column] = [copy, *(each for each in above if each is not copy)][:_TRIED]
