"""Formulas that were copied over many cells: one is rewritten, the others are the same text with other places.

Two cells hold copies of one formula when it reads the same in both once each reference that is not fixed by ``$`` is
counted from the cell (as R1C1 references do).
"""

from __future__ import annotations

import re
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


def written(pieces: Pieces, at: Area, place: int) -> str:
    """Return a formula as it reads in a cell; references wrap around the sheet, calls are told the cell's number."""
    return "".join(
        _written(piece, at) if isinstance(piece, Corner) else str(place) if piece == PLACE else piece
        for piece in pieces
    )


def _written(corner: Corner, at: Area) -> str:
    column, across, row, down = corner
    if across is not None:
        column = column_letters((at.left + across - 1) % LAST_COLUMN + 1)
    return column + (row if down is None else str((at.top + down - 1) % LAST_ROW + 1))
