"""Held values: cells that filling writes as plain values of calls, which stay where the functions are missing."""

from collections.abc import Iterator, Mapping

from sizebook.calculation import ErrorCode
from sizebook.calculation.package import Package
from sizebook.calculation.tokens import Area, area
from sizebook.workbooks.chart_caches import CellValue
from sizebook.workbooks.sheet import Sheet

CALLS = "Calls"  # the sheet of calls
CODE_CELL = f"{CALLS}!$B$2"  # holds the number of the error of a missing function
HELD_PREFIX = "held: "  # begins the comment of a name whose cells filling writes


def held_areas(package: Package) -> Iterator[tuple[Area, Area]]:
    """Yield the cells that hold plain values of others, and those others: a name's comment asks for them."""
    for defined in package.defined_names():
        to, source = area(defined.text, ""), area(defined.comment.removeprefix(HELD_PREFIX), "")
        if defined.comment.startswith(HELD_PREFIX) and to is not None and source is not None:
            yield to, source


def empty_held_cells(package: Package, sheets: Mapping[str, Sheet]) -> None:
    """Empty the cells that are written after the calculation: no formula may take what they held for what holds now."""
    for to, _ in held_areas(package):
        for row, column in to.cells():
            sheets[to.sheet].empty(row, column)


def hold_values(sheet: Sheet, to: Area, source: Area, *, shown: CellValue) -> None:
    """Write the values that held cells hold: they stay without functions."""
    for (row, column), at in zip(to.cells(), source.cells(), strict=True):
        value = shown(source.sheet, *at)
        if isinstance(value, ErrorCode):
            sheet.write_computed(row, column, value)
        elif value is not None:  # the cells are empty
            sheet.write_input(row, column, value)
