"""How a sheet prints: paper, margins, footer, pages that break between sections, and results on one page, unscaled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.pagebreak import Break
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.core.errors import InputError

# A row of the default height; the width of one figure in the default face with its share of the padding; paper.
_ROW_HEIGHT, _LETTER_POINTS, _A4_POINTS = 13.0, 5.4, (595.0, 842.0)
_WIDEST_LETTER = 5.6  # what LibreOffice makes of it; Excel 5.25


def set_up(sheet: Worksheet, title: str, version: str) -> None:
    """Set a sheet to the width of A4, with a footer of title, version and page."""
    sheet.sheet_view.showGridLines = False
    sheet.page_setup.paperSize = sheet.PAPERSIZE_A4
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    sheet.page_margins.left = sheet.page_margins.right = 0.5
    sheet.page_margins.top, sheet.page_margins.bottom = 0.6, 0.7
    footer: Any = sheet.oddFooter
    for part, text in (
        (footer.left, f"{title} · {sheet.title}"),
        (footer.center, f"sizebook {version}"),
        (footer.right, "Page &P of &N"),
    ):
        part.text, part.size = text, 9


def lay_out(sheet: Worksheet, sections: Sequence[int], last_row: int, last_column: int) -> None:
    """Set the print area to what the sheet holds, and break pages between sections, given by the rows they start in."""
    if sheet.sheet_state == "hidden":
        return  # LibreOffice prints a hidden sheet that has a print area
    end = max(last_row, sheet.max_row)
    sheet.print_area = f"A1:{get_column_letter(last_column)}{end}"
    room, used = _printed_height(sheet, last_column), _height(sheet, 1, sections[0] if sections else 1)
    for start, stop in zip(sections, [*sections[1:], end + 1], strict=True):
        height = _height(sheet, start, stop)
        # A section that would leave most of the page empty is rather broken itself.
        if used + height > room and used > 0.4 * room:
            sheet.row_breaks.append(Break(id=start - 1))
            used = _ROW_HEIGHT  # the heads, which stand on every page
        used += height


def one_page(sheet: Worksheet, last_row: int, last_column: int) -> None:
    """Print a sheet on one upright A4 page at its full size, so that letters are as large as their style says.

    Errors: `InputError` where its columns or rows are more than the page holds, which would be scaled down.
    """
    margins = sheet.page_margins
    margins.left = margins.right = margins.top = 0.4
    margins.bottom, margins.header, margins.footer = 0.55, 0.3, 0.3
    sheet.page_setup.orientation, sheet.page_setup.fitToHeight = "portrait", 1
    sheet.sheet_format.defaultRowHeight, sheet.sheet_format.customHeight = _ROW_HEIGHT, True  # of rows behind charts
    letters = [get_column_letter(column) for column in range(2, last_column + 1)]  # column A is a margin of the screen
    width = _WIDEST_LETTER * sum(sheet.column_dimensions[letter].width for letter in letters)
    height = _height(sheet, 1, last_row + 1)
    short, long = _A4_POINTS
    room = short - 72 * (margins.left + margins.right), long - 72 * (margins.top + margins.bottom)
    if width > room[0] or height > room[1]:
        raise InputError(
            f"page too small: got {width:.0f} x {height:.0f} points on sheet {sheet.title}, want at most "
            f"{room[0]:.0f} x {room[1]:.0f}. Narrow its columns, lower its charts or move a table to another sheet."
        )
    sheet.print_area = f"{letters[0]}1:{letters[-1]}{last_row}"


def _height(sheet: Worksheet, start: int, stop: int) -> float:
    heights = (sheet.row_dimensions[row].height for row in range(start, stop))
    return sum(_ROW_HEIGHT if height is None else height for height in heights)


def _printed_height(sheet: Worksheet, last_column: int) -> float:
    """Return how many points of rows a printed page takes, once it is scaled to the width of the paper."""
    widths = (sheet.column_dimensions[get_column_letter(c)].width for c in range(1, last_column + 1))
    short, long = _A4_POINTS
    is_portrait = sheet.page_setup.orientation != "landscape"  # which a sheet says that is not upright
    paper_width, paper_height = (short, long) if is_portrait else (long, short)
    margins = sheet.page_margins
    scale = min(1.0, (paper_width - 72 * (margins.left + margins.right)) / (_LETTER_POINTS * sum(widths)))
    return (paper_height - 72 * (margins.top + margins.bottom)) / scale
