"""What a filled workbook prints and folds: months as far as its plan goes, rows of services that there are.

No print area follows a formula in every spreadsheet, so hidden names of a sheet say what filling is to look at: in
`print_to` the cell that counts the columns in use, in `fold_rows` cells of a column and in `fold_columns` cells of a
row that are blank where their row or column is of nothing. What is folded stands under the + of an outline, and charts
leave it out; a later filling unfolds it.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any

from lxml import etree

from sizebook.calculation.package import WORKBOOK, Package, tag
from sizebook.calculation.tokens import Area, address, area, column_letters, column_number
from sizebook.workbooks.paper import A4, scale_on_a4, scale_saving_pages
from sizebook.workbooks.references import quoted

PRINT_TO, FOLD_ROWS, FOLD_COLUMNS = "print_to", "fold_rows", "fold_columns"
FROM_COLUMN, ELSE_ON_PAPER = "from column ", ", else on paper "
_NAMES = f"{tag('definedNames')}/{tag('definedName')}"
Shown = Callable[[str, int, int], Any]


def print_marks(package: Package) -> Mapping[str, list[tuple[etree._Element, Area]]]:
    """Return the names of each sheet that say what filling is to look at, and where."""
    tabs = [tab.get("name", "") for tab in package.xml(WORKBOOK).iterfind(f"{tag('sheets')}/{tag('sheet')}")]
    found: dict[str, list[tuple[etree._Element, Area]]] = {}
    for name in package.xml(WORKBOOK).iterfind(_NAMES):
        at = area(name.text or "", "") if name.get("name") in (PRINT_TO, FOLD_ROWS, FOLD_COLUMNS) else None
        if at is not None and name.get("localSheetId") and name.get("hidden") == "1":
            found.setdefault(tabs[int(name.get("localSheetId", ""))], []).append((name, at))
    return found


def apply_print_range(package: Package, place: tuple[str, Area], *, mark: etree._Element, shown: Shown) -> None:
    """Print and fold what one of `print_marks` asks for."""
    if mark.get("name") == PRINT_TO:
        _print_to(package, mark, place, shown)
    else:
        _fold(package, *place, shown)


def _print_to(package: Package, mark: etree._Element, place: tuple[str, Area], shown: Shown) -> None:
    """End the print area of a sheet with the last column in use."""
    tab, at = place
    count = shown(at.sheet, at.top, at.left)
    if isinstance(count, bool) or not isinstance(count, int | float):
        return  # an error there: all of it prints
    said, _, paper = mark.get("comment", "").partition(ELSE_ON_PAPER)
    first, _, least = said.removeprefix(FROM_COLUMN).partition(", at least ")
    last = column_letters(column_number(first) + max(int(count), int(least)) - 1)
    for name in package.xml(WORKBOOK, change=True).iterfind(_NAMES):
        printed = area(name.text or "", tab)
        same = (name.get("name"), name.get("localSheetId")) == ("_xlnm.Print_Area", mark.get("localSheetId"))
        if same and printed is not None:
            name.text = f"{quoted(tab)}!$B${printed.top}:${last}${printed.bottom}"
            if paper:
                _choose_paper(package.xml(package.sheets()[tab], change=True), paper, column_number(last))


def _choose_paper(root: etree._Element, paper: str, last: int) -> None:
    """Print a sheet that takes A3 with all its months on A4 where those in the plan leave it readable there."""
    setup, margins = root.find(tag("pageSetup")), root.find(tag("pageMargins"))
    if setup is None or margins is None or setup.get("orientation") != "landscape":
        return
    widths = {
        at: float(column.get("width", 0))
        for column in root.iterfind(f"{tag('cols')}/{tag('col')}")
        for at in range(int(column.get("min", 0)), min(int(column.get("max", 0)), last) + 1)
    }
    beside = float(margins.get("left", 0)) + float(margins.get("right", 0))
    scale = scale_on_a4([width for at, width in widths.items() if at > 1], beside)
    if scale is not None:
        scale = scale_saving_pages(
            scale, _heights(root), float(margins.get("top", 0)) + float(margins.get("bottom", 0))
        )
    large, _, usual = paper.removesuffix(" %").partition(", ")
    setup.set("paperSize", large if scale is None else A4)
    setup.set("scale", usual if scale is None else str(scale))


def _heights(root: etree._Element) -> list[float]:
    """Return the points of the rows between two breaks of a sheet, those that are folded apart."""
    settings = root.find(tag("sheetFormatPr"))
    usual = float(settings.get("defaultRowHeight", 15)) if settings is not None else 15.0
    breaks = sorted(int(each.get("id", 0)) for each in root.iterfind(f"{tag('rowBreaks')}/{tag('brk')}"))
    found = [0.0] * (len(breaks) + 1)
    for row in root.iterfind(f"{tag('sheetData')}/{tag('row')}"):
        if row.get("hidden") != "1":
            found[bisect_left(breaks, int(row.get("r", 0)))] += float(row.get("ht", usual))
    return found


def _fold(package: Package, tab: str, within: Area, shown: Shown) -> None:
    """Fold the rows whose formula in the area shows nothing, and unfold its others."""
    root = package.xml(package.sheets()[tab], change=True)
    rows = {int(row.get("r", 0)): row for row in root.iterfind(f"{tag('sheetData')}/{tag('row')}")}
    if within.top == within.bottom:
        _fold_columns(root, {at for _, at in within.cells() if shown(tab, within.top, at) in (None, "")}, within)
        return
    folded = {
        row
        for row, column in within.cells()
        if row in rows and _is_formula(rows[row], address(row, column)) and shown(tab, row, column) in (None, "")
    }
    _outline(
        root, {at: rows[at] for at in range(within.top, within.bottom + 2) if at in rows}, folded, "outlineLevelRow"
    )


def _is_formula(row: etree._Element, at: str) -> bool:
    """Return whether a cell of a row is a formula; a label stands among its first."""
    cell = next((cell for cell in row if cell.get("r") == at), None)
    return cell is not None and cell.find(tag("f")) is not None


def _fold_columns(root: etree._Element, blank: set[int], within: Area) -> None:
    """Fold these columns of a sheet, and unfold the others of the area; each has a width of its own."""
    columns = {
        int(column.get("min", 0)): column
        for column in root.iterfind(f"{tag('cols')}/{tag('col')}")
        if column.get("min") == column.get("max")
    }
    near = {at: column for at, column in columns.items() if within.left <= at <= within.right + 1}
    _outline(root, near, blank, "outlineLevelCol")


def _outline(root: etree._Element, lines: Mapping[int, etree._Element], folded: set[int], level: str) -> None:
    """Fold some of these rows or columns, and unfold the others; the one after a folded one carries the +."""
    for at, line in lines.items():
        for attribute in ("hidden", "outlineLevel", "collapsed"):
            line.attrib.pop(attribute, "")
        if at in folded:
            line.set("hidden", "1")
            line.set("outlineLevel", "1")
        elif at - 1 in folded:
            line.set("collapsed", "1")
    settings = root.find(tag("sheetFormatPr"))
    if settings is not None:
        settings.attrib.pop(level, "")
        if folded:
            settings.set(level, "1")
