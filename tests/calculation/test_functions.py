"""Functions of spreadsheets: against LibreOffice's values, figures worked out by hand, and Excel's documentation."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.formula import ArrayFormula

from sizebook.calculation import Calculated, ErrorCode, recalculate
from sizebook.calculation.spreadsheet import FUNCTIONS
from sizebook.calculation.spreadsheet_functions import spreadsheet_functions
from sizebook.core.tables import table

# What LibreOffice 7.4 gave for these formulas over the cells below, where it does as Excel does: it differs in the
# codes of errors, takes TRUE for a number, and knows no day before 1 March 1900. Measured on 22 November 2026.
VALUES = Path(__file__).with_name("libreoffice_values.csv")
ROWS_WANTED = ("MMULT", "TRANSPOSE", "FREQUENCY")
CELLS: dict[str, list[Any]] = {
    "A": [1, 2, 3, 4, 5, 7],
    "B": [2, 4, 5, 8, 11, 13],
    "C": ["apple", "pig", "Banana", "cat", "apple", None],
    "D": [1, "x", True, None, -2.5, "7"],
    "F": [-10000, 2750, 4250, 3250, 2750, 500],
    "G": [39448, 39508, 39751, 39859, 39904, 40000],
    "H": [1, 2, "=1/0", 4, "=NA()", 6],
    "J": ["k", "a", "b", "a", "b", "a", "c"],
    "K": ["v", 1, 2, 3, 4, 5, 6],
    "L": ["w", 10, 20, 30, 40, 50, 60],
    "N": ["k", "a"],
    "O": ["v", ">1"],
    "P": [2, 1, 0],
    "Q": [0, 3, 1],
    "R": [1, 1, 4],
}


def worked_out(folder: Path, formulas: list[str]) -> list[Any]:
    """Return what the formulas give, each in a row of its own beside the cells above; ``{...}`` are array formulas."""
    book = Workbook()
    sheet = book.worksheets[0]
    for column, values in CELLS.items():
        for row, value in enumerate(values, 1):
            sheet[f"{column}{row}"] = value
    for row, formula in enumerate(formulas, 1):
        at = f"T{row + 20}"
        is_array = formula.startswith(("{", *ROWS_WANTED))
        text = f"={formula.removeprefix('{').removesuffix('}')}" if is_array else f"={formula}"
        sheet[at] = ArrayFormula(f"T{row + 20}:V{row + 20}", text) if is_array else text
    book.save(folder / "functions.xlsx")
    found: Calculated = recalculate(folder / "functions.xlsx")
    return [found["Sheet", f"T{row + 20}"] for row in range(1, len(formulas) + 1)]


def test_every_function_gives_what_libreoffice_gives(tmp_path: Path) -> None:
    with VALUES.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) > 1_700
    wrong = []
    for row, got in zip(rows, worked_out(tmp_path, [row["formula"] for row in rows]), strict=True):
        want: Any = row["value"]
        if row["kind"] == "number":
            number = isinstance(got, (int, float)) and not isinstance(got, bool)
            right = number and math.isclose(
                got, float(want), rel_tol=3e-9, abs_tol=1e-9 if abs(float(want)) < 1e-3 else 0
            )
        elif row["kind"] == "error":
            right = isinstance(got, ErrorCode) and got == want
        else:
            right = type(got) is (bool if row["kind"] == "truth" else str) and str(got) == want
        wrong += [] if right else [(row["formula"], want, got)]
    assert wrong == []


@pytest.mark.parametrize(
    ("formula", "want"),
    [
        # Excel's documentation of the function gives these.
        ("WORKDAY(DATE(2008,10,1),151)", 39933),
        ("TEXT(254222.5,\"#,##0\")", "254,223"),
        ("TEXT(0.285,\"0.0%\")", "28.5%"),
        ("TEXT(1234.567,\"$#,##0.00\")", "$1,234.57"),
        ("TEXT(12200000,\"0.00E+00\")", "1.22E+07"),
        ("TEXT(4.34,\"# ?/?\")", "4 1/3"),
        # By hand.
        ("XLOOKUP(3.5,A1:A6,C1:C6,\"none\",-1)", "Banana"),
        ("SUM(XLOOKUP(\"b\",J1:J7,K1:L7))", 22),  # a row of two values
        ("XMATCH(3.5,A1:A6,1)", 4),
        ("SUM(_xlfn._xlws.FILTER(A1:A6,B1:B6>4))", 3 + 4 + 5 + 7),
        ("INDEX(_xlfn._xlws.SORT(A1:A6,,-1),1)", 7),
        ("INDEX(_xlfn.SORTBY(A1:A6,F1:F6,1),2)", 7),  # after -10 000 comes 500, that of the last row
        ("COUNTA(_xlfn.UNIQUE(C1:C5))", 4),
        ("SUM(_xlfn.SEQUENCE(3,2,10,5))", 10 + 15 + 20 + 25 + 30 + 35),
        ("SUM(_xlfn.TAKE(A1:A6,-2))", 12),
        ("SUM(_xlfn.DROP(A1:A6,4))", 12),
        ("SUM(_xlfn.CHOOSECOLS(A1:B6,2))", 43),
        ("SUM(_xlfn.CHOOSEROWS(A1:B6,1,6))", 1 + 2 + 7 + 13),
        ("ROWS(_xlfn.VSTACK(A1:A6,B1:B2))", 8),
        ("COLUMNS(_xlfn.HSTACK(A1:B2,P1:R2))", 5),
        ("ROWS(_xlfn.TOCOL(A1:B6))", 12),
        ("COLUMNS(_xlfn.TOROW(A1:B6))", 12),
        ("_xlfn.TEXTBEFORE(\"a-b-c\",\"-\",2)", "a-b"),
        ("_xlfn.TEXTAFTER(\"a-b-c\",\"-\")", "b-c"),
        ("_xlfn.LET(_xlpm.x,2,_xlpm.y,_xlpm.x*3,_xlpm.x+_xlpm.y)", 8),
        ("_xlfn.LET(_xlpm.v0,2,_xlpm.v1,_xlpm.v0*3,_xlpm.v1+1)", 7),  # variables that read like cells
        ("_xlfn.LET(_xlpm.f,_xlfn.LAMBDA(_xlpm.x,_xlpm.x*2),_xlpm.f(4))", 8),
        ("_xlfn.LAMBDA(_xlpm.a,_xlpm.b,_xlpm.a*_xlpm.b)(6,7)", 42),
        # What an engine got wrong in silence.
        ('"its "&(2<3)&" blue"', "its TRUE blue"),
        ('COUNT({1;2;4;"Text";TRUE})', 3),
        ("SUM(A1:A4 A3:B6)", 7),
        ("A1:A2 B1:B2", "#NULL!"),
        ("WORKDAY(DATE(2024,1,1),1,DATE(2024,1,2))", 45294),
        ("DATE(1900,2,29)", 60),
        ("YEAR(0)", 1900),
        ("TEXT(60,\"d mmm\")", "29 Feb"),
        ('LEFT("abc","2")', "ab"),
        ("SUMX2MY2({2;3;9},{6;5;11})", 4 - 36 + 9 - 25 + 81 - 121),
        ("SUMIF(A1,1,B1)", 2),
        ("SUM(B1:INDEX(B1:B6,3))", 11),
        ("-2^2", 4),
        ('AVERAGE(1,"x")', "#VALUE!"),
        ("COUNT(1,#REF!)", 1),
        ('PMT("0.1","5","1000")', -263.797480794745),
        ("REPT(TRUE,2)", "TRUETRUE"),
        ("VLOOKUP(\"Ap\",{\"Ap\",50;\"Or\",20;\"Ba\",60},2,TRUE)", 50),  # not sorted, and bisected
    ],
)  # fmt: skip
def test_function(tmp_path: Path, formula: str, want: Any) -> None:
    (got,) = worked_out(tmp_path, [formula])
    assert type(got) is ErrorCode if str(want).startswith("#") else not isinstance(got, ErrorCode)
    assert got == (pytest.approx(want, rel=1e-12) if isinstance(want, float) else want)


def test_rows_in_one_cell_and_several_cells_in_an_operand(tmp_path: Path) -> None:
    """An ordinary formula takes of a range the cell in its row; rows that a function gives, by the first."""
    book = Workbook()
    sheet = book.worksheets[0]
    for row in (1, 2, 3):
        sheet.cell(row, 1, row)
    sheet["B2"], sheet["B5"], sheet["C2"] = "=A1:A3*10", "=A1:A3*10", "=ABS(A1:A3)"
    sheet["D1"] = "=SUM(A1:A3*10)"
    sheet["E1"] = ArrayFormula("E1", "=SUM(A1:A3*10)")
    sheet["F1"] = ArrayFormula("F1:F4", "=A1:A3*10")
    sheet["G1"] = "=MMULT(A1:A2,{1,2})"
    book.save(tmp_path / "ranges.xlsx")
    found = recalculate(tmp_path / "ranges.xlsx")
    assert [found["Sheet", at] for at in ("B2", "B5", "C2", "D1", "E1", "G1")] == [20, "#VALUE!", 2, 10, 60, 1]
    assert [found["Sheet", f"F{row}"] for row in (1, 2, 3, 4)] == [10, 20, 30, "#N/A"]
    assert found["Sheet", "H1"] is None


def test_areas_over_several_sheets_and_a_first_sheet_in_small_letters(tmp_path: Path) -> None:
    book = Workbook()
    book.worksheets[0].title = "sheet1"
    for number, name in enumerate(("sheet1", "Two", "Three"), 1):
        sheet = book.worksheets[0] if number == 1 else book.create_sheet(name)
        sheet["A1"] = number
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
    with VALUES.open(encoding="utf-8", newline="") as lines:
        measured = {row["formula"].partition("(")[0] for row in csv.DictReader(lines)}
    claimed = {row["name"] for row in table("spreadsheet_functions") if "LibreOffice" in row["source"]}
    assert claimed <= measured


REFUSED = ("MAP", "WEBSERVICE", "PRICE", "CUBEVALUE", "MODE.MULT", "BESSELI", "VDB", "WEEKDAY", "CONVERT", "DSUM")


@pytest.mark.parametrize("name", REFUSED)
def test_a_function_that_nobody_checked_is_refused_by_name(tmp_path: Path, name: str) -> None:
    book = Workbook()
    book.worksheets[0]["A1"] = f"=IFERROR(_xlfn.{name}(1),0)"
    book.save(tmp_path / "refused.xlsx")
    found = recalculate(tmp_path / "refused.xlsx")
    assert found.problems == {
        ("Sheet", "A1"): f"=IFERROR(_xlfn.{name}(1),0) cannot be calculated: {name} is not calculated here"
    }
