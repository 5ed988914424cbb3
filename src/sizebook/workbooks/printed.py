"""What a filled workbook prints and folds: months as far as its plan goes, rows of services that there are.

No print area follows a formula in every spreadsheet, so hidden names of a sheet say what filling is to look at: in
`print_to` the cell that counts the columns in use, and in `fold_blank` the cells that are blank where their row is of
nothing. Folded rows stand under the + of an outline; a later filling unfolds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.calculation.found import formulas
from sizebook.calculation.package import WORKBOOK, Package, tag
from sizebook.calculation.tokens import Area, address, area, column_letters, column_number
from sizebook.workbooks.references import quoted

PRINT_TO, FOLD_BLANK = "print_to", "fold_blank"
_FROM = "from column "
_NAMES = f"{tag('definedNames')}/{tag('definedName')}"
Shown = Callable[[str, int, int], Any]


def print_to(sheet: Worksheet, first: str, count: str, least: int = 1) -> None:
    """Let a sheet print as many columns from ``first`` on as a cell counts, and no fewer than ``least``."""
    sheet.defined_names[PRINT_TO] = DefinedName(
        PRINT_TO, attr_text=count, comment=f"{_FROM}{first}, at least {least}", hidden=True
    )


def fold_blank(sheet: Worksheet, cells: str) -> None:
    """Let filling fold the rows whose cell, in one column, shows nothing."""
    sheet.defined_names[FOLD_BLANK] = DefinedName(FOLD_BLANK, attr_text=f"{quoted(sheet.title)}!{cells}", hidden=True)


def follow_plan(package: Package, shown: Shown) -> None:
    """Print and fold what the sheets of a package ask for."""
    tabs = [tab.get("name", "") for tab in package.xml(WORKBOOK).iterfind(f"{tag('sheets')}/{tag('sheet')}")]
    for mark, at in list(_marks(package)):
        tab = tabs[int(mark.get("localSheetId", ""))]
        if mark.get("name") == FOLD_BLANK:
            _fold(package, tab, at, shown)
        else:
            _print_to(package, mark, (tab, at), shown)


def _marks(package: Package) -> Iterator[tuple[etree._Element, Area]]:
    for name in package.xml(WORKBOOK).iterfind(_NAMES):
        at = area(name.text or "", "") if name.get("name") in (PRINT_TO, FOLD_BLANK) else None
        if at is not None and name.get("localSheetId") and name.get("hidden") == "1":
            yield name, at


def _print_to(package: Package, mark: etree._Element, place: tuple[str, Area], shown: Shown) -> None:
    """End the print area of a sheet with the last column in use."""
    tab, at = place
    count = shown(at.sheet, at.top, at.left)
    if isinstance(count, bool) or not isinstance(count, int | float):
        return  # an error there: all of it prints
    first, _, least = mark.get("comment", "").removeprefix(_FROM).partition(", at least ")
    last = column_letters(column_number(first) + max(int(count), int(least)) - 1)
    for name in package.xml(WORKBOOK, change=True).iterfind(_NAMES):
        printed = area(name.text or "", tab)
        same = (name.get("name"), name.get("localSheetId")) == ("_xlnm.Print_Area", mark.get("localSheetId"))
        if same and printed is not None:
            name.text = f"{quoted(tab)}!$B${printed.top}:${last}${printed.bottom}"


def _fold(package: Package, tab: str, within: Area, shown: Shown) -> None:
    """Fold the rows whose formula in the area shows nothing, and unfold its others."""
    root = package.xml(package.sheets()[tab], change=True)
    rows = {int(row.get("r", 0)): row for row in root.iterfind(f"{tag('sheetData')}/{tag('row')}")}
    named = {cell.get("r") for cell, _ in formulas(root)}
    folded = {
        row for row, column in within.cells()
        if address(row, column) in named and shown(tab, row, column) in (None, "")
    }  # fmt: skip
    for number in range(within.top, within.bottom + 2):
        if (row := rows.get(number)) is None:
            continue
        for attribute in ("hidden", "outlineLevel", "collapsed"):
            row.attrib.pop(attribute, "")
        if number in folded:
            row.set("hidden", "1")
            row.set("outlineLevel", "1")
        elif number - 1 in folded:
            row.set("collapsed", "1")
    settings = root.find(tag("sheetFormatPr"))
    if settings is not None:
        settings.attrib.pop("outlineLevelRow", "")
        if folded:
            settings.set("outlineLevelRow", "1")
