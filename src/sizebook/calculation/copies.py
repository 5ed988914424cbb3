"""Formulas that were copied over many cells: one is rewritten, the others are the same text with other places.

Two cells hold copies of one formula when it reads the same in both once each reference that is not fixed by ``$`` is
counted from the cell (as R1C1 references do).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from sizebook.calculation.marks import PLACE
from sizebook.calculation.tokens import LAST_COLUMN, LAST_ROW, Area, column_letters, column_number, tokenize

_PART = re.compile(r"(\$?)([A-Za-z]{0,3})(\$?)(\d*)")


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
        if piece == PLACE:
            text, steps = f"{text}%d", [*steps, None]
        elif isinstance(piece, Corner):
            text += piece.fixed_column if piece.across is None else _letters(column + piece.across)
            text += piece.fixed_row if piece.down is None else "%d"
            steps += [] if piece.down is None else [piece.down]
        else:
            text += piece.replace("%", "%%")
    return InColumn(text, tuple(steps))


def _letters(column: int) -> str:
    return column_letters((column - 1) % LAST_COLUMN + 1)
