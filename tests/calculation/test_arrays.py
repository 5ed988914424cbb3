"""Functions of one value over arrays, and what an ordinary formula takes of a range."""

from pathlib import Path
from typing import Any

from sizebook.calculation import ErrorCode
from sizebook.calculation.spreadsheet_functions import spreadsheet_functions
from tests.calculation.grids import calculate, worked_out


def test_index_of_a_whole_column_gives_an_ordinary_formula_the_cell_of_its_row(tmp_path: Path) -> None:
    cells: dict[str, Any] = {}
    for row in (1, 2, 3):
        cells |= {
            f"A{row}": row, f"B{row}": 10 * row, f"D{row}": "=INDEX(A1:B3,0,2)", f"E{row}": "=INDEX(A$1:B$3,0,2)",
            f"F{row}": "=INDEX(A$1:B$3,A1,0)",  # which row is known late: the cell is refused
            f"G{row}": "=SUM(INDEX(A$1:B$3,0,2))",
            f"H{row}": "=IFERROR(INDEX(A$1:B$3,A1,0),0)",  # and stays refused where an error is hidden
        }  # fmt: skip
    found = calculate(tmp_path, cells)
    columns = [[found["Main", f"{column}{row}"] for row in (1, 2, 3)] for column in "DEFGH"]
    refused = [ErrorCode("#N/IMPL!")] * 3
    assert columns == [[10, 20, 30], [10, 20, 30], refused, [60, 60, 60], refused]


OF_ONE_NUMBER = (
    "ABS", "SQRT", "LN", "LOG10", "EXP", "INT", "SIGN", "EVEN", "ODD", "FACT", "NORMSDIST", "SINH",
    "DEGREES", "SIN", "COS", "TAN", "ISNUMBER", "LEN", "CHAR", "TRUNC",
)  # fmt: skip


def test_over_two_cells_a_function_gives_what_it_gives_for_each(tmp_path: Path) -> None:
    assert {spreadsheet_functions()[name].by for name in OF_ONE_NUMBER} == {"engine", "own"}
    forms = ("SUMPRODUCT(LEN({}(A5:A6)))", "LEN({}(A5))+LEN({}(A6))")
    both, each = (worked_out(tmp_path, [form.replace("{}", name) for name in OF_ONE_NUMBER])[0] for form in forms)
    assert both == each
