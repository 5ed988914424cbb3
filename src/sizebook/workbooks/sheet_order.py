"""The order of sheets, the same in every planning workbook: the answer, its inputs, what moves it, how it was found.

What only shows how a figure is worked out is not printed. A sheet without a print area prints whole, so that of such a
sheet is its first cell, which is blank.
"""

from collections.abc import Iterator
from typing import Any

from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.workbooks.print_ranges import PRINT_TO

BLANK = "A1"  # of every sheet: column A is a margin
ANSWER, CALCULATION = "Answer", "Calculation"
# Groups of sheets and their names; a visible sheet of no name here is calculation, a hidden one follows that.
GROUPS: dict[str, tuple[str, ...]] = {
    "Front": ("Cover",),
    ANSWER: ("Result",),
    "Inputs": ("Inputs", "Scenarios"),
    "Month by month": ("Months", "Years"),
    "What moves it": ("Sensitivity",),
    "In detail": ("Replica", "Parts", "Charts", "Budget", "Comparison"),
    CALCULATION: (),
    "Lists": (),
    "Checks and sources": ("Checks", "Notes"),
}
_PLACES = {name: (group, at) for group, names in enumerate(GROUPS.values()) for at, name in enumerate(names)}


def group_of(sheet: Worksheet) -> str:
    """Return the group that a sheet belongs to."""
    if sheet.title in _PLACES:
        return tuple(GROUPS)[_PLACES[sheet.title][0]]
    return CALCULATION if sheet.sheet_state == "visible" else "Lists"


def arrange(workbook: Workbook) -> None:
    """Put the sheets of a workbook in order, and print none of its calculation."""
    groups = list(GROUPS)
    ordered = sorted(
        workbook.worksheets, key=lambda sheet: (groups.index(group_of(sheet)), _PLACES.get(sheet.title, (0, 0))[1])
    )
    for at, sheet in enumerate(ordered):
        workbook.move_sheet(sheet, at - workbook.index(sheet))
        if group_of(sheet) == CALCULATION:
            sheet.print_area = BLANK
            sheet.defined_names.pop(PRINT_TO, None)


def shown_groups(workbook: Workbook) -> Iterator[tuple[str, list[Any]]]:
    """Yield the groups of visible sheets behind the cover, each with its sheets, in their order."""
    for name in list(GROUPS)[1:]:
        sheets = [each for each in workbook.worksheets if each.sheet_state == "visible" and group_of(each) == name]
        if sheets:
            yield name, sheets
