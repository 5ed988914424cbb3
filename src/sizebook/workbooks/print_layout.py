"""How a sheet prints: paper, letters that can be read, page breaks, results on one page, unscaled.

A sheet is scaled to the width of its paper only as far as its letters stay readable. One that is too wide turns, then
takes A3, and what is wider than that takes pages side by side, each with its labels. A long one takes A3 upright.
"""

from collections.abc import Sequence
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.pagebreak import Break, ColBreak
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.core.errors import InputError
from sizebook.workbooks.paper import A4_POINTS, LEAST_SCALE, WIDEST_LETTER

_ROW_HEIGHT, _A3_POINTS = 13.0, (842.0, 1190.0)  # of a row of one line; of paper
_THIN, _BROAD = "fijlrtI.,:;'|()[]/- ", "mwMW%@_"
_PADDING = 4.0  # points of a cell beside its text
_SIDE = 0.3  # inches beside a page
_A_YEAR = 12  # months
_MOST_TURNED = 4  # A4 pages of a long sheet; A3 upright is as wide and holds more than twice the rows
_FULL = 0.9  # of a page, from where on a section that does not fit begins another


def set_up_printing(sheet: Worksheet, title: str, version: str) -> None:
    """Set a sheet to the width of A4, with a footer of title, version and page."""
    sheet.sheet_view.showGridLines = False
    sheet.page_setup.paperSize = sheet.PAPERSIZE_A4
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    sheet.page_margins.left = sheet.page_margins.right = _SIDE
    margins = sheet.page_margins
    margins.top, margins.bottom, margins.header, margins.footer = 0.4, 0.55, 0.3, 0.3
    sheet.sheet_format.defaultRowHeight, sheet.sheet_format.customHeight = _ROW_HEIGHT, True
    footer: Any = sheet.oddFooter
    for part, text in (
        (footer.left, f"{title} · {sheet.title}"),
        (footer.center, f"sizebook {version}"),
        (footer.right, "Page &P of &N"),
    ):
        part.text, part.size = text, 9


def set_print_area(
    sheet: Worksheet, sections: Sequence[int], last_row: int, last_column: int, unprinted_from: int | None = None
) -> None:
    """Set the print area to what the sheet holds above its unprinted rows, and break pages between sections."""
    if sheet.sheet_state == "hidden":
        return  # LibreOffice prints a hidden sheet that has a print area
    end = max(last_row, sheet.max_row) if unprinted_from is None else unprinted_from - 1
    sections = [row for row in sections if row <= end]
    sheet.print_area = f"B1:{get_column_letter(last_column)}{end}"
    keep_readable(sheet, last_column)
    setup, height = sheet.page_setup, _height(sheet, 1, end + 1)
    is_turned_a4 = (str(setup.paperSize), setup.orientation) == (sheet.PAPERSIZE_A4, "landscape")
    if is_turned_a4 and height > _MOST_TURNED * _printed_height(sheet):
        setup.paperSize, setup.orientation = sheet.PAPERSIZE_A3, "portrait"
    on_one = int(100 * _room(sheet)[1] / height)
    if (setup.scale or 0) > on_one >= 100 * LEAST_SCALE:  # a page more for a few rows is worse
        setup.scale = on_one
    break_between(sheet, sections, end)


def break_between(sheet: Worksheet, sections: Sequence[int], end: int) -> None:
    """Break pages between sections, given by the rows they start in; none is torn through a chart."""
    drawn: Any = sheet
    charted = [chart.anchor._from.row + 1 for chart in drawn._charts]
    room, used = _printed_height(sheet), _height(sheet, 1, sections[0] if sections else 1)
    for start, stop in zip(sections, [*sections[1:], end + 1], strict=True):
        height, heads = _height(sheet, start, stop), _height(sheet, start, start + 1)
        # A section that would leave a good part of the page empty is rather broken itself, where heads repeat.
        is_whole = height <= room and (not sheet.print_title_rows or any(start <= row < stop for row in charted))
        begins_page = used + height > room and (is_whole or used > _FULL * room)
        for row in range(start, stop):
            own, begins = _height(sheet, row, row + 1), begins_page and row == start
            if begins or used + own > room:
                # Set also within a section, under heads: programs differ in how many rows a page takes.
                if begins or sheet.print_title_rows:
                    sheet.row_breaks.append(Break(id=row - 1))
                used = heads
            used += own


def keep_readable(sheet: Worksheet, last_column: int) -> None:
    """Scale a sheet to the width of the paper as far as its letters stay readable; else turn it, then take A3.

    A still wider one takes pages side by side, each with its labels.
    """
    _fix_scale(sheet, _width(sheet, 2, last_column))
    if (sheet.page_setup.scale or 0) < 100 * LEAST_SCALE:
        sheet.page_setup.scale = round(100 * LEAST_SCALE)
        sheet.print_title_cols = "B:B"
        sheet.page_setup.pageOrder = "overThenDown"


def years_a_page(sheet: Worksheet, titles: int, *, first: int, last: int) -> None:
    """Print twelve columns of months a page from column ``first`` on, with the columns to ``titles`` on each.

    What stands before the months shares the first page with a year where it leaves room.
    """
    _fix_scale(sheet, _width(sheet, 2, first + _A_YEAR - 1))
    fits = (sheet.page_setup.scale or 0) >= 100 * LEAST_SCALE
    if not fits:
        _fix_scale(sheet, _width(sheet, 2, titles) + _width(sheet, first, first + _A_YEAR - 1))
    starts = range(first + _A_YEAR if fits else first, last + 1, _A_YEAR)
    sheet.col_breaks = ColBreak()
    for start in starts:
        sheet.col_breaks.append(Break(id=start - 1))
    sheet.print_title_cols = f"B:{get_column_letter(titles)}"
    sheet.page_setup.pageOrder = "overThenDown"


def _fix_scale(sheet: Worksheet, width: float) -> None:
    """Choose the smallest paper on which so many points across stay readable, and the scale to its width."""
    setup = sheet.page_setup
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=False)
    setup.fitToWidth = setup.fitToHeight = None
    for paper, turned in ((sheet.PAPERSIZE_A4, False), (sheet.PAPERSIZE_A4, True), (sheet.PAPERSIZE_A3, True)):
        if setup.orientation == "landscape" and not turned:
            continue
        setup.paperSize = paper
        setup.orientation = "landscape" if turned else "portrait"
        setup.scale = int(100 * min(1.0, _room(sheet)[0] / width))
        if setup.scale >= 100 * LEAST_SCALE:
            return


def fit_one_page(sheet: Worksheet, last_row: int, last_column: int) -> None:
    """Print a sheet on one upright A4 page at its full size, so that letters are as large as their style says.

    Errors: `InputError` where its columns or rows are more than the page holds, which would be scaled down.
    """
    margins = sheet.page_margins
    margins.left = margins.right = 0.4
    sheet.page_setup.orientation, sheet.page_setup.fitToHeight = "portrait", 1
    width = _width(sheet, 2, last_column)  # column A is a margin of the screen
    height = _height(sheet, 1, last_row + 1)
    short, long = A4_POINTS
    room = short - 72 * (margins.left + margins.right), long - 72 * (margins.top + margins.bottom)
    if width > room[0] or height > room[1]:
        raise InputError(
            f"page too small: got {width:.0f} x {height:.0f} points on sheet {sheet.title}, want at most "
            f"{room[0]:.0f} x {room[1]:.0f}. Narrow its columns, lower its charts or move a table to another sheet."
        )
    sheet.print_area = f"B1:{get_column_letter(last_column)}{last_row}"


def widest_letters() -> float:
    """Return the widths of columns together that a turned A4 page holds at the least scale."""
    return (A4_POINTS[1] - 72 * 2 * _SIDE) / (WIDEST_LETTER * LEAST_SCALE)


def height_of(text: str, width: float, size: float = 9) -> float | None:
    """Return the points of a row that holds a wrapped text, None where it takes one line as any row does."""
    room, n_lines, used = (WIDEST_LETTER * width - _PADDING) / size, 1, 0.0
    for word in text.split():
        needed = _ems(word)
        if used and used + _ems(" ") + needed > room:
            n_lines, used = n_lines + 1, 0.0
        used += needed + (_ems(" ") if used else 0)
    return 12.0 * n_lines + 2 if n_lines > 1 else None


def _ems(text: str) -> float:
    """Return how wide a text is in sizes of its letters: Arial's are of four widths, near enough."""
    return sum(0.29 if each in _THIN else 0.8 if each in _BROAD else 0.68 if each.isupper() else 0.54 for each in text)


def _height(sheet: Worksheet, start: int, stop: int) -> float:
    heights = (sheet.row_dimensions[row].height for row in range(start, stop))
    usual: float = sheet.sheet_format.defaultRowHeight
    return sum(usual if height is None else height for height in heights)


def _width(sheet: Worksheet, first: int, last: int) -> float:
    """Return the points across some columns."""
    return WIDEST_LETTER * sum(sheet.column_dimensions[get_column_letter(at)].width for at in range(first, last + 1))


def _room(sheet: Worksheet) -> tuple[float, float]:
    """Return the points across and down a page that its margins leave."""
    short, long = _A3_POINTS if str(sheet.page_setup.paperSize) == sheet.PAPERSIZE_A3 else A4_POINTS
    across, down = (long, short) if sheet.page_setup.orientation == "landscape" else (short, long)
    margins = sheet.page_margins
    return across - 72 * (margins.left + margins.right), down - 72 * (margins.top + margins.bottom)


def _printed_height(sheet: Worksheet) -> float:
    """Return how many points of rows a printed page takes, scaled as it is."""
    return 100 * _room(sheet)[1] / (sheet.page_setup.scale or 100)
