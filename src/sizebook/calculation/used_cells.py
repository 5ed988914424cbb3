"""Which cells of a sheet hold something: the last row, and of areas that reach far the columns that are used."""

from collections.abc import Iterator

from lxml import etree

from sizebook.calculation.package import Package, tag
from sizebook.calculation.tokens import Area, area, cell_at

# An area of more cells than these is taken as its used columns: the engine holds every cell that an area spans.
_MOST_SPANNED = 4_000_000
_MOST_COLUMNS = 200
Columns = dict[int, tuple[int, int]]  # the first and last used row of each used column


class UsedCells:
    """The used cells of each sheet."""

    def __init__(self, package: Package, dynamic: frozenset[str]) -> None:
        self._package, self._dynamic = package, dynamic
        self._parts = {sheet.casefold(): part for sheet, part in package.sheets().items()}
        self.known: dict[str, Columns] = {}

    def last(self, sheet: str) -> int | None:
        """Return the last used row; None where nobody knows: of other workbooks, and beside arrays that grow."""
        columns = self.columns(sheet)
        return None if columns is None else max((last for _, last in columns.values()), default=1)

    def split(self, place: Area) -> list[Area] | None:
        """Return an area that spans too many cells as the used part of each column; None for any other."""
        if (place.bottom - place.top + 1) * (place.right - place.left + 1) <= _MOST_SPANNED:
            return None
        columns = self.columns(place.sheet)
        if not columns:
            return None
        right, bottom = max(columns), max(last for _, last in columns.values())
        spanned = (min(place.bottom, bottom) - place.top + 1) * (min(place.right, right) - place.left + 1)
        used = [(column, *rows) for column, rows in sorted(columns.items()) if place.left <= column <= place.right]
        if spanned <= _MOST_SPANNED or len(used) > _MOST_COLUMNS:
            return None
        parts = [
            Area(place.sheet, max(first, place.top), column, bottom=min(last, place.bottom), right=column)
            for column, first, last in used
            if first <= place.bottom and last >= place.top
        ]
        return parts or [Area(place.sheet, place.top, place.left, bottom=place.top, right=place.left)]

    def columns(self, sheet: str) -> Columns | None:
        """Return the used rows of each used column; None where nobody knows."""
        key = sheet.casefold()
        if key not in self._parts or key in self._dynamic:
            return None
        if key not in self.known:
            columns = self.known[key] = {}
            for row, column in _places(self._package.xml(self._parts[key])):
                first, last = columns.get(column, (row, row))
                columns[column] = min(first, row), max(last, row)
        return self.known[key]


def _places(sheet: etree._Element) -> Iterator[tuple[int, int]]:
    for cell in sheet.iter(tag("c")):
        if len(cell) and (at := cell_at(cell.get("r", ""))) is not None:
            yield at
    for formula in sheet.iter(tag("f")):
        if (filled := area(formula.get("ref", ""), "")) is not None and formula.get("t") != "shared":
            for column in range(filled.left, filled.right + 1):
                yield from ((filled.top, column), (filled.bottom, column))
