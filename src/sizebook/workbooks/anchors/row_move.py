"""Rows of a table come or go: where cells, references and formulas are afterwards.

Arithmetic on addresses alone; `moved_references` applies it to every part of a workbook.
"""

import re
from dataclasses import dataclass

from sizebook.calculation.tokens import LAST_ROW, Area, address, area, tokenize, unquoted

_ROW = re.compile(r"(\$?)(\d+)")


class RowsGoneError(Exception):
    """All cells of a reference are in rows that the table gives up."""


class CannotMoveError(Exception):
    """A reference that cannot be rewritten, and why."""


@dataclass(frozen=True)
class RowMove:
    """The rows of a table's data, and how many more there are to be.

    Attributes:
        table, book: the table's name, and that of its workbook.
        covered: the table as it stands, headers and totals included.
        first, last: its first and last row of data.
        by: how many rows come behind ``last``; negative where so many up to ``last`` go.
        whole: whole rows of the sheet move, not the table's cells alone; below the table nothing moves then.
    """

    table: str
    book: str
    covered: Area
    first: int
    last: int
    by: int
    whole: bool

    @property
    def end(self) -> int:
        """The last row of data afterwards."""
        return self.last + self.by

    @property
    def bottom(self) -> int:
        """The table's last row afterwards, totals included."""
        return self.covered.bottom + self.by

    def on(self, sheet: str) -> bool:
        """Return whether a sheet of that name is the table's."""
        return sheet.casefold() == self.covered.sheet.casefold()

    def row(self, row: int) -> int | None:
        """Return where a row of the table's columns is afterwards, None for one that goes."""
        if row <= min(self.last, self.end) or (row > self.covered.bottom and not self.whole):
            return row
        return None if row <= self.last else min(row + self.by, LAST_ROW)

    def area(self, at: Area, *, one_cell: bool = True, lenient: bool = False) -> Area:
        """Return what an area on the table's sheet is afterwards; one of all rows of data keeps to them.

        Args:
            at: the area.
            one_cell: a single cell that is all of a column's data grows with it.
            lenient: an area that is wider than the table may grow with it, as where it only says how cells look.

        Errors: `RowsGoneError`, `CannotMoveError`.
        """
        beside = at.right < self.covered.left or at.left > self.covered.right
        if beside and not self.whole:
            return at
        covers = not beside and at.top <= self.first and at.bottom == self.last and (one_cell or at.top < at.bottom)
        moved = at._replace(bottom=self.end) if covers else self._rows(at)
        within = self.covered.left <= at.left and at.right <= self.covered.right
        if moved != at and not (self.whole or within or lenient):
            raise CannotMoveError("it covers columns of the table and others")
        return moved

    def _rows(self, at: Area) -> Area:
        """Return an area with its first and last row as they are afterwards."""
        if at.bottom >= LAST_ROW and at.top == 1:
            return at
        if not self.whole and at.top <= self.covered.bottom < at.bottom:
            if at.top > self.first or self.bottom > at.bottom:
                raise CannotMoveError("it ends below the table, where nothing moves")
            return at
        top, bottom = self.row(at.top), self.row(at.bottom)
        if top is None and bottom is None:
            raise RowsGoneError
        return at._replace(top=self.end + 1 if top is None else top, bottom=self.end if bottom is None else bottom)

    def formula(self, text: str, sheet: str, *, inside: bool = False, one_cell: bool = False) -> str:
        """Return a formula as it reads afterwards.

        Args:
            text: the formula.
            sheet: where it stands; references without a sheet mean that one.
            inside: it stands in the table's data, where a range up to its own row is a running sum.
            one_cell: a reference to one cell that is all of a column's data grows with it, as in a chart.

        Errors: `RowsGoneError`, `CannotMoveError`.
        """
        if not self.on(sheet) and "!" not in text:
            return text
        return "".join(
            self._reference(token.text, sheet, inside, one_cell) if token.kind == "reference" else token.text
            for token in tokenize(text)
        )

    def _reference(self, text: str, sheet: str, inside: bool, one_cell: bool) -> str:
        named, mark, own = text.rpartition("!")
        own, spill = own.removesuffix("#"), "#" if own.endswith("#") else ""
        where = unquoted(named) if named else sheet
        through = ":" in where and not where.startswith("[")
        at = area(own, self.covered.sheet)
        if not (through or self.on(where)) or at is None or not _ROW.search(own):
            return text
        if inside and at.bottom == self.last and not _last_row_is_fixed(own):
            return text
        moved = self.area(at, one_cell=one_cell or ":" in own)
        if through and moved != at:
            raise CannotMoveError(f"{text} goes through several sheets")
        return f"{named}{mark}{_with_rows(own, at, moved)}{spill}"


def _last_row_is_fixed(own: str) -> bool:
    return bool(max(_ROW.findall(own), key=lambda found: int(found[1]))[0] == "$")


def _with_rows(own: str, before: Area, after: Area) -> str:
    """Return a reference with other rows, its dollar signs and the order of its corners kept."""
    if before == after:
        return own
    first, colon, second = own.partition(":")
    if not colon:
        top = _at_row(first, after.top)
        return top if after.top == after.bottom else f"{top}:{_at_row(first, after.bottom)}"
    rows = (after.top, after.bottom)
    top_of_first, top_of_second = rows if _row(first) <= _row(second) else rows[::-1]
    return f"{_at_row(first, top_of_first)}:{_at_row(second, top_of_second)}"


def _row(corner: str) -> int:
    found = _ROW.search(corner)
    return int(found[2]) if found else 0


def _at_row(corner: str, row: int) -> str:
    return _ROW.sub(lambda found: f"{found[1]}{row}", corner)


def area_text(at: Area) -> str:
    """Return an area as files write it, without its sheet: ``A1:B2``."""
    first = address(at.top, at.left)
    return first if at.is_cell else f"{first}:{address(at.bottom, at.right)}"
