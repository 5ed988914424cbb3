"""The answer comes first: the same order of sheets in every workbook, a cover of one screen, few printed pages."""

import re
from pathlib import Path

import pytest

from sizebook.workbooks.sheet_order import GROUPS, group_of
from tests.workbooks.shipped import SHIPPED, Shipped, opened

every_workbook = pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)
SCREEN = 600  # points: 1080 lines less what a spreadsheet puts around its cells, at 96 an inch
WORKBOOKS_PAGE = Path(__file__).resolve().parents[2] / "docs" / "workbooks.md"


@every_workbook
def test_the_answer_is_the_second_sheet_and_sources_the_last(book: Shipped) -> None:
    """On 0.13.0 Result of the serving workbook was the eighteenth of 22 sheets, page 47 of 53."""
    sheets = opened(book.path).worksheets
    assert [sheet.title for sheet in sheets[:3]] == ["Cover", "Result", "Inputs"]
    assert sheets[-1].title == "Notes"
    places = [list(GROUPS).index(group_of(sheet)) for sheet in sheets]
    assert places == sorted(places)


@every_workbook
def test_a_workbook_has_fifteen_sheets_at_most(book: Shipped) -> None:
    """On 0.13.0 that of fleets had 28, four others 20 to 22. Hidden ones count: whoever reviews it unhides them."""
    assert len(opened(book.path).sheetnames) <= 15


@every_workbook
def test_calculation_and_lists_are_not_printed(book: Shipped) -> None:
    """Of calculation the one cell of the print area is blank, as nobody prints a page of nothing."""
    for sheet in opened(book.path):
        if group_of(sheet) == "Calculation":
            assert (sheet.print_area, sheet["A1"].value) == (f"'{sheet.title}'!$A$1", None)
        else:
            assert bool(sheet.print_area) == (group_of(sheet) != "Lists")


@every_workbook
def test_the_cover_is_one_screen_and_shows_the_figures_of_the_result(book: Shipped) -> None:
    sheets = opened(book.path)
    cover, result = sheets["Cover"], sheets["Result"]
    heights = (cover.row_dimensions[row].height or 15 for row in range(1, cover.max_row + 1))
    assert sum(heights) <= SCREEN
    tiles = {cell.coordinate for row in result.iter_rows() for cell in row if cell.style == "Tile" and cell.value}
    shown = re.findall(
        r"Result!\$([A-Z])\$(\d+)\b", " ".join(str(row[0]) for row in cover.iter_rows(2, 60, 3, 3, True))
    )
    assert {column + row for column, row in shown} == tiles
    assert len(tiles) >= 4


def test_a_serving_workbook_prints_on_twenty_pages() -> None:
    """Counted by docs/pictures.py, which LibreOffice prints for."""
    (pages,) = re.findall(r"(?m)^\| `serving_capacity\.xlsx` \| (\d+) \|$", WORKBOOKS_PAGE.read_text(encoding="utf-8"))
    assert int(pages) <= 20
