"""Functions of spreadsheets: ranges and sheets, which functions there are, and which are refused."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.formula import ArrayFormula

from sizebook.calculation import recalculate
from sizebook.calculation.spreadsheet import FUNCTIONS
from sizebook.calculation.spreadsheet_functions import spreadsheet_functions
from sizebook.core.tables import table
from tests.calculation.grids import calculate, saved
from tests.csv_files import rows_of

VALUES = Path(__file__).with_name("libreoffice_values.csv")


def test_rows_in_one_cell_and_several_cells_in_an_operand(tmp_path: Path) -> None:
    """An ordinary formula takes of a range the cell in its row; rows that a function gives, by the first."""
    cells: dict[str, Any] = {"A1": 1, "A2": 2, "A3": 3, "B2": "=A1:A3*10", "B5": "=A1:A3*10", "C2": "=ABS(A1:A3)"}
    cells |= {"D1": "=SUM(A1:A3*10)", "E1": ArrayFormula("E1", "=SUM(A1:A3*10)")}
    cells |= {"F1": ArrayFormula("F1:F4", "=A1:A3*10"), "G1": "=MMULT(A1:A2,{1,2})"}
    found = calculate(tmp_path, cells)
    assert [found["Main", at] for at in ("B2", "B5", "C2", "D1", "E1", "G1")] == [20, "#VALUE!", 2, 10, 60, 1]
    assert [found["Main", f"F{row}"] for row in (1, 2, 3, 4)] == [10, 20, 30, "#N/A"]
    assert found["Main", "H1"] is None


def test_areas_over_several_sheets_and_a_first_sheet_in_small_letters(tmp_path: Path) -> None:
    book = load_workbook(saved(tmp_path / "sheets.xlsx", {"A1": 1, "Two!A1": 2, "Three!A1": 3}))
    book["Main"].title = "sheet1"
    book["Two"]["B1"] = "=SUM(sheet1:Three!A1)*100+COUNTA(sheet1:Three!A1:A2)"
    book.save(tmp_path / "sheets.xlsx")
    assert recalculate(tmp_path / "sheets.xlsx")["Two", "B1"] == 603


def test_every_own_function_is_in_the_table_and_every_function_says_how_it_was_checked() -> None:
    own = {name for name, known in spreadsheet_functions().items() if known.by in ("own", "exact", "alike")}
    assert own == set(FUNCTIONS)
    proofs = {row["name"]: row["source"] for row in table("spreadsheet_functions") if row["name"] in own}
    # `python -m tests.calculation.witnesses` counts them; a function without any is refused.
    counted = re.compile(r"[1-9]\d* formulas (stored by Excel|of the shipped workbooks)")
    assert [name for name, proof in proofs.items() if counted.fullmatch(proof) is None] == []
    by = Counter(row["by"] for row in table("spreadsheet_functions"))
    assert by.keys() == {"engine", "own", "exact", "alike", "refused"}
    measured = {row["formula"].partition("(")[0] for row in rows_of(VALUES)}
    claimed = {row["name"] for row in table("spreadsheet_functions") if "LibreOffice" in row["source"]}
    assert claimed <= measured


REFUSED = ("MAP", "WEBSERVICE", "PRICE", "CUBEVALUE", "MODE.MULT", "BESSELI", "VDB", "WEEKDAY", "CONVERT", "DSUM")


@pytest.mark.parametrize("name", REFUSED)
def test_a_function_that_nobody_checked_is_refused_by_name(tmp_path: Path, name: str) -> None:
    assert calculate(tmp_path, {"A1": f"=IFERROR(_xlfn.{name}(1),0)"}).problems == {
        ("Main", "A1"): f"=IFERROR(_xlfn.{name}(1),0) cannot be calculated: {name} is not calculated here"
    }
