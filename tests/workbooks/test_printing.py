"""How sheets print: letters that can be read, results on one page, months a year a page, no rows of nothing."""

from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.core.errors import InputError
from sizebook.workbooks.book import Book
from sizebook.workbooks.filling import fill
from sizebook.workbooks.line_sheet import result_sheet
from sizebook.workbooks.paper import scale_saving_pages
from sizebook.workbooks.print_layout import height_of, keep_readable, set_print_area, years_a_page
from tests.refused import message_of
from tests.row_lists import listed
from tests.workbooks.filled import FilledOnce
from tests.workbooks.shipped import SHIPPED, Shipped, opened
from tests.workbooks.sittings import CEILED


def test_columns_wider_than_the_page_are_refused() -> None:
    """A width of 100 is 560 points of LibreOffice's 5.6; A4 less its margins holds 595 - 2 x 28.8."""
    page = result_sheet(Book("Test", "0"), "Result", "Said.", (25,) * 4, chart_rows=10)
    assert message_of(InputError, page.finish) == (
        "page too small: got 560 x 58 points on sheet Result, want at most 537 x 774. Narrow its columns, lower its "
        "charts or move a table to another sheet."
    )


def test_rows_higher_than_the_page_are_refused() -> None:
    page = result_sheet(Book("Test", "0"), "Result", "Said.", (20,) * 4, chart_rows=60)
    page.room_for_chart()
    with pytest.raises(InputError, match=r"^page too small: got 448 x 851 points on sheet Result"):
        page.finish()


@pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)
def test_styles_of_results_have_letters_of_nine_points_or_more(book: Shipped) -> None:
    sheet = opened(book.path)["Result"]
    sizes = {cell.font.size for row in sheet.iter_rows() for cell in row if cell.value is not None}
    assert sizes >= {9, 10}
    assert min(sizes) == 9
    assert (sheet.page_setup.orientation, sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight) == (
        "portrait", 1, 1,
    )  # fmt: skip
    assert {part.size for part in (sheet.oddFooter.left, sheet.oddFooter.center, sheet.oddFooter.right)} == {9}


def sheet_of(widths: list[float], orientation: str = "portrait") -> Worksheet:
    sheet = Workbook().worksheets[0]
    sheet.page_setup.orientation = orientation
    sheet.page_margins.left = sheet.page_margins.right = 0.3
    for column, width in enumerate(widths, 2):
        sheet.column_dimensions[get_column_letter(column)].width = width
    return sheet


# A letter is 5.6 points. Less 0.3 inches each side A4 holds 551.8 upright and 798.8 turned, A3 turned 1146.8; 0.89 is
# the least scale.
@pytest.mark.parametrize(*listed("workbooks", "test_a_sheet_turns_or_takes_larger_paper_before_letters_get_small"))
def test_a_sheet_turns_or_takes_larger_paper_before_letters_get_small(
    width: float, paper: str, orientation: str, scale: int
) -> None:
    sheet = sheet_of([width])
    keep_readable(sheet, 2)
    setup = sheet.page_setup
    assert (str(setup.paperSize), setup.orientation, setup.scale) == (paper, orientation, scale)
    assert sheet.print_title_cols is None


def test_a_sheet_wider_than_any_paper_takes_pages_side_by_side_with_its_labels() -> None:
    sheet = sheet_of([20] * 12)
    keep_readable(sheet, 13)
    setup = sheet.page_setup
    assert (str(setup.paperSize), setup.scale, setup.pageOrder) == ("8", 89, "overThenDown")
    assert sheet.print_title_cols == "$B:$B"


# 150 letters x 5.6 take 95 % of A4 turned, and of A3 upright, which is as wide. Less 2 inches they hold 474.7 and 1,101
# points of rows down, 15 each: 126 rows are 3.98 pages of A4. The second page of A3 repeats the head.
@pytest.mark.parametrize(("rows", "paper", "orientation", "breaks"), [
    (126, "9", "landscape", [31, 61, 91, 121]),
    (127, "8", "portrait", [73]),
])  # fmt: skip
def test_a_sheet_of_more_than_four_pages_takes_a3_upright(
    rows: int, paper: str, orientation: str, breaks: list[int]
) -> None:
    """On 0.13.0 the inputs of a serving workbook took seven pages of its 24 for 36 months."""
    sheet = sheet_of([150])
    sheet.print_title_rows = "1:1"
    set_print_area(sheet, [1], rows, 2)
    setup = sheet.page_setup
    assert (str(setup.paperSize), setup.orientation, setup.scale) == (paper, orientation, 95)
    assert [each.id for each in sheet.row_breaks.brk] == breaks


@pytest.mark.parametrize(
    ("before", "breaks"),
    [
        ([33, 13, 15], [16, 28]),  # with a year 217 letters, which a page holds; columns B to P, Q to AB, ...
        ([33, 13, *[13] * 5, 15], [9, 21, 33]),  # five more do not fit: the months begin on the next page
    ],
)
def test_a_year_of_months_stands_on_a_page(before: list[float], breaks: list[int]) -> None:
    sheet = sheet_of([*before, *[13] * 36], "landscape")
    first = 2 + len(before)
    years_a_page(sheet, 3, first=first, last=first + 35)
    assert [each.id for each in sheet.col_breaks.brk] == breaks
    assert sheet.print_title_cols == "$B:$C"
    assert sheet.page_setup.scale >= 89


@pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)
def test_no_sheet_is_scaled_below_what_can_be_read(book: Shipped) -> None:
    """On 0.11.0 Buying of the fleet printed at 1.9 points. Letters are 9 points or more; 0.89 of them are 8."""
    for sheet in opened(book.path):
        if sheet.sheet_state == "visible" and sheet.page_setup.fitToHeight != 1:  # those of one page are never scaled
            assert not sheet.sheet_properties.pageSetUpPr.fitToPage, sheet.title
            assert sheet.page_setup.scale >= 89, sheet.title
            sizes = {cell.font.size for row in sheet.iter_rows() for cell in row if cell.value is not None}
            assert min(sizes) >= 9, sheet.title


_BLOCKS = 4 + 2 + 15 + 4  # of rows of services on Buying: replicas, nodes and racks, what is bought, fast and slow


def test_months_and_services_print_as_far_as_the_plan_goes(filled_once: FilledOnce) -> None:
    """Six services over 24 months: E to AB of Months, rows of the other fourteen folded; filled again they unfold."""
    (book,) = [each for each in SHIPPED if each.file == "fleet_plan.xlsx"]
    sheets = opened(book.path)
    assert str(sheets["Months"].print_area).startswith("'Months'!$B$1:$AB$")
    assert str(sheets["Years"].print_area).startswith("'Years'!$B$1:$L$")  # eight quarters from E on
    assert folded(sheets["Buying"]) == _BLOCKS * 14
    assert folded(sheets["Years"]) == 14
    again = opened(filled_once(book.path, CEILED).path)  # one service for sixty months
    assert str(again["Months"].print_area).startswith("'Months'!$B$1:$BL$")
    assert folded(again["Buying"]) == _BLOCKS * 19


def test_columns_of_services_that_there_are_not_are_folded() -> None:
    """On 0.13.0 the inputs of six services stood in 20 columns, fourteen of them empty."""
    shown = {
        book.file: [letter for letter in "CDEFGHIJKLMNOPQRSTUV" if not columns[letter].hidden]
        for book in SHIPPED
        if (columns := opened(book.path)["Inputs"].column_dimensions) and "V" in columns
    }
    assert shown == {"fleet_plan.xlsx": list("CDEFGH")}


def folded(sheet: Worksheet) -> int:
    rows = [row for row in sheet.row_dimensions.values() if row.hidden]
    assert all(row.outlineLevel == 1 for row in rows)
    return len(rows)


def test_a_few_months_take_a4_and_many_a3_again(tmp_path: Path) -> None:
    """B, C, D and months are 33 + 13 + 15 + 13 each, 5.6 points a width: four months 633 of the 784 points of A4 turned
    less its margins, a year 1,215, which asks for A3. At 13 points a row those of A4 take one page unscaled."""
    (book,) = [each for each in SHIPPED if each.file == "fine_tuning.xlsx"]
    assert opened(book.path)["Months"].page_setup.paperSize == 9  # the example runs for four months
    asked = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 8, "batch": 16, "n_examples": 1000, "months": 12}
    year = fill(book.path, asked, tmp_path / "year.xlsx").path
    setup = load_workbook(year)["Months"].page_setup
    assert (setup.paperSize, setup.scale) == (8, 94)
    again = load_workbook(fill(year, {**asked, "months": 2}, tmp_path / "two.xlsx").path)["Months"].page_setup
    assert (again.paperSize, again.scale) == (9, 100)


@pytest.mark.parametrize(*listed("workbooks", "test_a_page_of_a_few_rows_is_saved_by_a_smaller_scale"))
def test_a_page_of_a_few_rows_is_saved_by_a_smaller_scale(scale: int, heights: list[float], kept: int) -> None:
    assert scale_saving_pages(scale, heights, 1.0) == kept


@pytest.mark.parametrize(*listed("workbooks", "test_a_row_is_as_high_as_its_text_wraps"))
def test_a_row_is_as_high_as_its_text_wraps(text: str, width: float, height: float | None) -> None:
    assert height_of(text, width) == height
