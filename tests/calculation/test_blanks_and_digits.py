"""A function over every row of a column ends in time, and copies are judged by their own areas."""

import time
from pathlib import Path

from openpyxl import Workbook

from sizebook.calculation import ErrorCode, recalculate
from tests.calculation.grids import worked_out


def test_a_function_over_every_row_of_a_column_is_refused_not_waited_for(tmp_path: Path) -> None:
    start = time.process_time()
    values, _ = worked_out(tmp_path, ["SUM(IFERROR(SUMPRODUCT((EVEN(ROW(A:A))=2)*1),0))"], "blanks")
    assert values == [ErrorCode("#N/IMPL!")]
    assert time.process_time() - start < 60


def test_copies_further_down_are_judged_by_their_own_areas(tmp_path: Path) -> None:
    book = Workbook()
    data, sheet = book.worksheets[0], book.create_sheet("Copies")
    for row in (1, 2, 3, 4, 5, 6):
        data[f"A{row}"], data[f"B{row}"] = (None if row == 3 else 1), row
    data.title = "Data"
    for row in range(1, 9):
        below = row + 2
        sheet[f"A{row}"] = f'=COUNTIFS(Data!A{row}:A{below},"",Data!B{row}:B{below},"<>9")'  # used rows end at 6
        sheet[f"B{row}"] = f"=SUMIFS(Data!A$1:A{row + 1},Data!B{row}:B{row + 1},1)"  # of one size in row 1 alone
    book.save(tmp_path / "copies.xlsx")
    found = recalculate(tmp_path / "copies.xlsx")
    assert [found["Copies", f"A{row}"] for row in range(1, 9)] == [1, 1, 1, 0, 1, 2, 3, 3]
    assert [found["Copies", f"B{row}"] for row in range(1, 9)] == [1, *[ErrorCode("#VALUE!")] * 7]
