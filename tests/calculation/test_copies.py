"""Formulas copied over many cells are rewritten once; each must still read as its own cell asks."""

from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName

from sizebook.calculation import ErrorCode, recalculate
from sizebook.calculation.copies import relative, template
from sizebook.calculation.package import Package
from sizebook.calculation.preparation import prepare
from sizebook.calculation.tokens import Area, shifted
from sizebook.functions import load

FORMULAS = [
    "A1+$A1+A$1+$A$1", "SUM(A1:B$3)*rate1", "'Q1'!A1+Q1!B2", 'LOG10(A1)&"A1"', "SUM(A:B)+SUM($C:D)",
    "SUM(1:2)+SUM(3:$4)", "A1#+_xlfn.XLOOKUP(B2,C:C,D:D)", "Table1[[#This Row],[A1]]", "IF(A1>1E+3,TRUE,#N/A)",
    "SUM(Q1:Q2!C4)", 'TEXT(A1,"0.0%d%")&B$2%',
]  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS)
def test_copies_read_the_same_from_their_cells(formula: str) -> None:
    here, there = (Area("S", row, column, bottom=row, right=column) for row, column in ((5, 6), (12, 9)))
    seen = relative(formula, here)
    assert template(seen).written(here.top, here.left) == formula
    assert relative(shifted(formula, 7, 3), there) == seen
    assert template(seen).written(there.top, there.left) == shifted(formula, 7, 3)


def test_copies_of_our_calls_read_the_same_from_their_cells_for_the_engine(tmp_path: Path) -> None:
    """The engine takes a formula apart once for all cells that hold copies of it, and not where numbers differ."""
    book = Workbook()
    for row, number in enumerate((2, 2, 3), start=1):
        book["Sheet"].cell(row, 2, f"=EDATE(A{row},1)+PARAMS_LINEAR(A{row},{number})")
    book.save(tmp_path / "copies.xlsx")
    rewritten = prepare(Package.read(tmp_path / "copies.xlsx"), load()).rewritten
    cells = [Area("Sheet", row, 2, bottom=row, right=2) for row in range(1, 4)]
    first, copy, other = (relative(rewritten[number], at) for number, at in enumerate(cells))
    assert first == copy != other
    assert [text.rpartition(",")[2] for text in rewritten.values()] == ["2))", "2))", "3))"]


# What stands in rows 1 to 3, where A1:A3 are 1, 2, 3, and what each row shows.
COLUMNS = {
    "C": (["=A1*scale", "=A2*scale", "=A3*scale"], [2, 4, 6]),
    "D": (["=Q1!$A$1+scale", "=Q2!$A$1+scale", "=Q2!$A$1+scale"], [12, 22, 22]),
    "E": (['="r1"&scale', '="r2"&scale', '="r3"&scale'], ["r12", "r22", "r32"]),
    "F": (["=rate1*A1", "=rate2*A2", "=rate3*A3"], [5, 14, 27]),
    "G": (["=SUM(Q1:Q2!A1)", "=SUM(Q1:Q2!A2)", "=SUM(Q1:Q2!A3)"], [30, 3, 0]),
    "H": (["=PARAMS_MHA(A1)", "=PARAMS_MHA(A2)", "=PARAMS_MHA(A3)"], [8, 24, 48]),
    "J": (["=A$1:A$2*scale", "=A$1:A$2*scale", "=A$1:A$2*scale"], [2, 4, ErrorCode("#VALUE!")]),
    "K": (["=SUM(Q1!1:1)*scale", "=SUM(Q1!2:2)*scale", "=SUM(Q1!3:3)*scale"], [20, 2, 0]),
    "L": (["=beside+1", "=beside+1", "=beside+1"], [2, 3, 4]),
    "M": (["=DAY(A1*scale)", "=DAY(A2*scale)", "=DAY(A3*scale)"], [2, 4, 6]),
}


def test_each_copy_is_calculated_for_its_own_cell(tmp_path: Path) -> None:
    book = Workbook()
    main = book.worksheets[0]
    main.title = "Main"
    for name, values in (("Q1", (10, 1)), ("Q2", (20, 2))):
        for row, value in enumerate(values, 1):
            (book[name] if name in book.sheetnames else book.create_sheet(name)).cell(row, 1, value)
    names = {"scale": "2", "rate1": "5", "rate2": "7", "rate3": "9", "beside": "Main!$A1"}
    for name, text in names.items():
        book.defined_names[name] = DefinedName(name, attr_text=text)
    for row in (1, 2, 3):
        main.cell(row, 1, row)
        main[f"I{row}"] = f"=PARAMS_MHA(-A{row})"
        for column, (formulas, _) in COLUMNS.items():
            main[f"{column}{row}"] = formulas[row - 1]
    book.save(tmp_path / "copies.xlsx")
    found = recalculate(tmp_path / "copies.xlsx")
    shown = {column: [found["Main", f"{column}{row}"] for row in (1, 2, 3)] for column in COLUMNS}
    assert shown == {column: values for column, (_, values) in COLUMNS.items()}
    for row in (1, 2, 3):  # the message of each call stands at its own cell
        assert f"got -{row}," in found.problems["Main", f"I{row}"]


def test_areas_of_unequal_size_are_refused_below_a_formula_of_equal_ones(tmp_path: Path) -> None:
    """Excel shows #N/A where an operator works on three rows and two; the engine would show another error."""
    book = Workbook()
    main = book.worksheets[0]
    main.title = "Main"
    for row in (1, 2, 3):
        main.cell(row, 1, row)
        main.cell(row, 2, 10 * row)
    main["C1"], main["C2"] = "=SUMPRODUCT($A$1:$A$3*$B$1:$B$3)", "=SUMPRODUCT($A$1:$A$3*$B$1:$B$2)"
    main["D1"], main["D2"] = "=SUMPRODUCT(A1:A3*B1:B3)", "=SUMPRODUCT(A2:A3*B2:B6)"
    book.save(tmp_path / "unequal.xlsx")
    found = recalculate(tmp_path / "unequal.xlsx")
    assert [found["Main", cell] for cell in ("C1", "D1")] == [140, 140]  # 1 x 10 + 2 x 20 + 3 x 30
    for cell in ("C2", "D2"):
        assert ("Main", cell) in found.not_calculated
        assert found.problems["Main", cell].endswith("cannot be calculated: it works with arrays of unequal size")
