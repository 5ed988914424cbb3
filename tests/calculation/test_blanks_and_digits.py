"""A function over every row of a column ends in time, and copies are judged by their own areas."""

import time
from pathlib import Path
from typing import Any

from sizebook.calculation import ErrorCode
from tests.calculation.grids import calculate, worked_out


def test_a_function_over_every_row_of_a_column_is_refused_not_waited_for(tmp_path: Path) -> None:
    start = time.process_time()
    values, _ = worked_out(tmp_path, ["SUM(IFERROR(SUMPRODUCT((EVEN(ROW(A:A))=2)*1),0))"], "blanks")
    assert values == [ErrorCode("#N/IMPL!")]
    assert time.process_time() - start < 60


def test_copies_further_down_are_judged_by_their_own_areas(tmp_path: Path) -> None:
    cells: dict[str, Any] = {f"Data!A{row}": 1 for row in (1, 2, 4, 5, 6)} | {
        f"Data!B{row}": row for row in range(1, 7)
    }
    for row in range(1, 9):
        below = row + 2
        cells[f"A{row}"] = f'=COUNTIFS(Data!A{row}:A{below},"",Data!B{row}:B{below},"<>9")'  # used rows end at 6
        cells[f"B{row}"] = f"=SUMIFS(Data!A$1:A{row + 1},Data!B{row}:B{row + 1},1)"  # of one size in row 1 alone
    found = calculate(tmp_path, cells)
    assert [found["Main", f"A{row}"] for row in range(1, 9)] == [1, 1, 1, 0, 1, 2, 3, 3]
    assert [found["Main", f"B{row}"] for row in range(1, 9)] == [1, *[ErrorCode("#VALUE!")] * 7]
