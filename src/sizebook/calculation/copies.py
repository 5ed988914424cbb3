"""Formulas that were copied over many cells: one is rewritten, the others are the same text with other places.

Two cells hold copies of one formula when it reads the same in both once each reference that is not fixed by ``$`` is
counted from the cell (as R1C1 references do).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from sizebook.calculation.callback_names import PLACE
from sizebook.calculation.tokens import LAST_COLUMN, LAST_ROW, Area, cell_at, column_letters, column_number, tokenize

# Kinds of formulas: those that differ only in the rows of their references, and in columns that nothing fixes.
_ROW = re.compile(r"(?<=[A-Za-z$])\d+(?![\w(.])")
_LOOSE_COLUMN = re.compile(r"(?<![\w.$])[A-Za-z]{1,3}(?=\$?0(?![\w(.]))")
# A row beyond the last of a sheet, which a kind does not tell from others.
_BEYOND = re.compile(
    r"[A-Za-z$:](?:104857[7-9]|10485[89]\d|1048[6-9]\d\d|1049\d{3}|10[5-9]\d{4}|1[1-9]\d{5}|[2-9]\d{6})(?![\w(.])"
)
_PART = re.compile(r"(\$?)([A-Za-z]{0,3})(\$?)(\d*)")


def down_kind(text: str) -> str:
    """Return a formula with 0 for each row of a reference: alike for copies further down."""
    return _ROW.sub("0", text)


def may_reach_beyond(text: str) -> bool:
    """Return whether a formula may name a row beyond the last of a sheet, where copies further up name none."""
    return _BEYOND.search(text) is not None


def across_kind(kind: str) -> str:
    """Return a `down_kind` with A for each column that is not fixed: alike for copies to the right as well."""
    return _LOOSE_COLUMN.sub("A", kind)


def grows(reference: str) -> bool:
    """Return whether an area is of another size in copies of its formula: one of its ends is fixed, one is not."""
    first, _, last = reference.rpartition("!")[2].partition(":")
    one, other = _PART.fullmatch(first), _PART.fullmatch(last or first)
    return one is not None and other is not None and (one[1], one[3]) != (other[1], other[3])


def kinds(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield both kinds of formulas; one search each goes through all of them."""
    down = down_kind("\0".join(texts))
    return zip(down.split("\0"), across_kind(down).split("\0"), strict=True) if texts else iter(())


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
    match = _PART.fullmatch(text)
    before_column, letters, before_row, row = match.groups() if match else ("", "", "", "")
    if not letters:
        before_column, before_row = "", before_column + before_row
    return Corner(
        f"${letters}" if before_column else "",
        column_number(letters) - at.left if letters and not before_column else None,
        f"${row}" if before_row else "",
        int(row) - at.top if row and not before_row else None,
    )


class InColumn(NamedTuple):
    """A formula as it reads in the cells of one column, where only rows and the number of the cell differ.

    Attributes:
        text: the formula with ``%d`` for each of those.
        steps: how many rows further down each row is, None for the number of the cell, by which calls are told it.
    """

    text: str
    steps: tuple[int | None, ...]

    def written(self, row: int, place: int) -> str:
        """Return the formula as it reads in a row; references wrap around the sheet."""
        rows = [place if step is None else (row + step - 1) % LAST_ROW + 1 for step in self.steps]
        return self.text % tuple(rows)


@lru_cache(1024)
def in_column(pieces: Pieces, column: int) -> InColumn:
    """Return a formula as it reads in a column; references wrap around the sheet."""
    text, steps = "", list[int | None]()
    for piece in pieces:
        if isinstance(piece, Corner):
            text += piece.fixed_column if piece.across is None else _letters(column + piece.across)
            if piece.down is None:
                text += piece.fixed_row
            else:
                text += "%d"
                steps.append(piece.down)
        elif piece == PLACE:
            text += "%d"
            steps.append(None)
        else:
            text += piece.replace("%", "%%")
    return InColumn(text, tuple(steps))


def _letters(column: int) -> str:
    return column_letters((column - 1) % LAST_COLUMN + 1)


class Copies:
    """The ordinary formulas of a sheet that were rewritten, as they read further down and to the right."""

    def __init__(self) -> None:
        self.plain: set[str] = set()  # kinds of formulas that stand as they are
        self._lines: dict[tuple[str, int], tuple[InColumn, InColumn]] = {}  # as they are, and rewritten
        self._rows: dict[str, tuple[Pieces, Pieces | None]] = {}  # the same for a row; None where they stand

    def stands(self, kind: str, seen: Pieces) -> None:
        """Note a formula that stands as it is, here and in its copies."""
        self.plain.add(kind)
        self._rows[across_kind(kind)] = seen, None

    def moves(self, kind: str, column: int, seen: Pieces, rewritten: Pieces) -> None:
        """Note what becomes of a formula and its copies."""
        self._lines[kind, column] = in_column(seen, column), in_column(rewritten, column)
        self._rows[across_kind(kind)] = seen, rewritten

    def rewritten(self, text: str, kind: tuple[str, str], address: str, number: int) -> str | None:
        """Return what becomes of a formula that is a copy of one noted before, None for any other."""
        down, across = kind
        row, column = cell_at(address) or (1, 0)
        before, after = self._lines.get((down, column), (None, None))
        if before is not None and after is not None and before.written(row, number) == text:
            return after.written(row, number)
        seen, moved = self._rows.get(across, (None, None))
        if seen is None:
            return None
        here = in_column(seen, column)
        if here.written(row, number) != text:
            return None
        if moved is None:
            self.plain.add(down)
            return text
        after = in_column(moved, column)
        self._lines[down, column] = here, after
        return after.written(row, number)
