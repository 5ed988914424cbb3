"""Results print on one page at their full size: what the builder refuses, and what the shipped files say."""

from __future__ import annotations

import pytest
from openpyxl import load_workbook

from sizebook.core.errors import InputError
from sizebook.workbooks.building import Book
from sizebook.workbooks.page import result_page
from tests.workbooks.shipped import SHIPPED, Shipped


def test_columns_wider_than_the_page_are_refused() -> None:
    """A width of 100 is 560 points of LibreOffice's 5.6; A4 less its margins holds 595 - 2 x 28.8."""
    page = result_page(Book("Test", "0"), "Result", "Said.", (25,) * 4, chart_rows=10)
    with pytest.raises(InputError) as raised:
        page.finish()
    assert str(raised.value) == (
        "page too small: got 560 x 58 points on sheet Result, want at most 537 x 774. Narrow its columns, lower its "
        "charts or move a table to another sheet."
    )


def test_rows_higher_than_the_page_are_refused() -> None:
    page = result_page(Book("Test", "0"), "Result", "Said.", (20,) * 4, chart_rows=60)
    page.room_for_chart()
    with pytest.raises(InputError, match=r"^page too small: got 448 x 851 points on sheet Result"):
        page.finish()


@pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)
def test_styles_of_results_have_letters_of_nine_points_or_more(book: Shipped) -> None:
    sheet = load_workbook(book.path)["Result"]
    sizes = {cell.font.size for row in sheet.iter_rows() for cell in row if cell.value is not None}
    assert sizes >= {9, 10}
    assert min(sizes) == 9
    assert (sheet.page_setup.orientation, sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight) == (
        "portrait", 1, 1,
    )  # fmt: skip
    assert {part.size for part in (sheet.oddFooter.left, sheet.oddFooter.center, sheet.oddFooter.right)} == {9}
