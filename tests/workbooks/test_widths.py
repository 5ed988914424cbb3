"""Columns are wide enough for their numbers: a figure that does not fit shows as ###."""

import pytest
from openpyxl.utils import get_column_letter

from sizebook.sources.bundled import bundled
from tests.workbooks.shipped import SHIPPED, opened

WORKBOOKS = [book.file for book in SHIPPED]


@pytest.mark.parametrize("name", WORKBOOKS)
def test_whole_numbers_fit_with_two_characters_to_spare(name: str) -> None:
    book = opened(bundled("workbooks") / name, data_only=True)
    merged = {(sheet.title, cell) for sheet in book for area in sheet.merged_cells.ranges for cell in area.cells}
    numbers = [
        (
            f"{sheet.title}!{cell.coordinate}",
            f"{cell.value:,.0f}",
            sheet.column_dimensions[get_column_letter(column)].width,
        )
        for sheet in book
        for row in sheet.iter_rows()
        for column, cell in enumerate(row, 1)
        if type(cell.value) in (int, float)
        and cell.number_format.startswith("#,##0")
        and (sheet.title, (cell.row, column)) not in merged
    ]
    assert numbers
    assert [(at, shown) for at, shown, width in numbers if len(shown) + 2 > width] == []
