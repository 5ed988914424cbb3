"""Writes the names by which filling knows what a new workbook prints and folds; see `print_ranges`."""

from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.calculation.tokens import area, column_letters
from sizebook.workbooks.print_ranges import ELSE_ON_PAPER, FOLD_COLUMNS, FOLD_ROWS, FROM_COLUMN, PRINT_TO
from sizebook.workbooks.references import quoted


def print_to(sheet: Worksheet, first: str, count: str, least: int = 1) -> None:
    """Let a sheet print as many columns from ``first`` on as a cell counts, and no fewer than ``least``."""
    setup = sheet.page_setup
    paper = f"{ELSE_ON_PAPER}{setup.paperSize}, {setup.scale} %" if str(setup.paperSize) == sheet.PAPERSIZE_A3 else ""
    sheet.defined_names[PRINT_TO] = DefinedName(
        PRINT_TO, attr_text=count, comment=f"{FROM_COLUMN}{first}, at least {least}{paper}", hidden=True
    )


def fold_blank(sheet: Worksheet, cells: str) -> None:
    """Let filling fold the rows whose cell in one column, or the columns whose cell in one row, shows nothing.

    Several areas of a column become one, with what stands between them: only cells with a formula count.
    """
    at = area(f"{quoted(sheet.title)}!{cells}", "")
    if at is None:
        raise ValueError(f"no area: got {cells}, want one such as $B$5:$B$24. Correct it.")
    name = FOLD_COLUMNS if at.top == at.bottom else FOLD_ROWS
    known = sheet.defined_names.get(name)
    first = area(known.attr_text, "") if known is not None else None
    joined = at if first is None else at._replace(top=min(at.top, first.top), bottom=max(at.bottom, first.bottom))
    left, right = column_letters(joined.left), column_letters(joined.right)
    reference = f"{quoted(sheet.title)}!${left}${joined.top}:${right}${joined.bottom}"
    sheet.defined_names[name] = DefinedName(name, attr_text=reference, hidden=True)
