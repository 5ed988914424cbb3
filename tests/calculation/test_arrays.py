"""Functions of one value over arrays: inside SUMPRODUCT and in array formulas each value counts."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from openpyxl import Workbook

from sizebook.calculation import ErrorCode, recalculate
from sizebook.calculation.spreadsheet_functions import spreadsheet_functions
from tests.calculation.test_functions import worked_out

# What LibreOffice 7.4 gives for SUMPRODUCT(1*(...)) of these over the cells of `test_functions`, on 22 November 2026.
VALUES = Path(__file__).with_name("array_values.csv")
BY_HAND = {
    "ISNUMBER(D1:D6)": 2,  # 1 and -2.5; LibreOffice takes TRUE for a number
    "ISLOGICAL(D1:D6)": 1,
    "MAXIFS(B1:B6,A1:A6,A1:A3)": 2 + 4 + 5,
    "SWITCH(A1:A3,1,10,2,20,30)": 10 + 20 + 30,
    "XLOOKUP(A1:A3,A1:A6,B1:B6)": 2 + 4 + 5,
    "CHOOSE({1,2},A1:A3,B1:B3)": 1 + 2 + 3 + 2 + 4 + 5,
    'ROW(INDIRECT("1:4"))': 1 + 2 + 3 + 4,
}

# Ordinary formulas, where an area is one value but an array written out is not, nor what LOOKUP and INDEX look into.
ORDINARY = {
    "SUM(LARGE(B1:B6,{1,2,3}))": 13 + 11 + 8,
    'SUM(COUNTIF(C1:C5,{"apple","cat"}))': 3,
    'SUM(COUNTIFS(C1:C5,{"apple","cat"},A1:A5,">2"))': 2,
    'SUM(SUMIF(C1:C5,{"apple","cat"},A1:A5))': 1 + 5 + 4,
    "SUM(VLOOKUP(3,A1:B6,{1,2},FALSE))": 3 + 5,
    'VLOOKUP("pig",CHOOSE({1,2},C1:C5,A1:A5),2,FALSE)': 2,
    'MAX(LEN({"a","bb"}))': 2,
    'OR(C2={"pig","dog"})': True,
    'ISNUMBER(SEARCH({"pp","x"},C1))': True,
    'COUNT(SEARCH({"pp","x"},C1))': 1,
    'LOOKUP(2,1/(C1:C5="apple"),A1:A5)': 5,
    'INDEX(A1:A6,MATCH(1,INDEX((C1:C5="cat")*1,0),0))': 4,
    'INDEX(A1:A6,MATCH(TRUE,INDEX(ISNUMBER(SEARCH("ana",C1:C5)),0),0))': 3,
    "MIN(IF({1,0,1},{5,1,7}))": 5,
    "SUM(ABS({-1,2}))": 3,
}


def test_each_value_of_an_array_counts_as_in_libreoffice(tmp_path: Path) -> None:
    with VALUES.open(encoding="utf-8", newline="") as lines:
        wanted = {row["formula"]: float(row["value"]) for row in csv.DictReader(lines)}
    found = worked_out(tmp_path, [f"{{SUMPRODUCT(1*({formula}))}}" for formula in wanted])
    assert dict(zip(wanted, found, strict=True)) == pytest.approx(wanted, rel=1e-9)
    # Excel needs an array formula for conditions only; for the others SUMPRODUCT is enough.
    plain = {formula: value for formula, value in wanted.items() if not formula.startswith(("IF(", "IFERROR("))}
    found = worked_out(tmp_path, [f"SUMPRODUCT(1*({formula}))" for formula in plain])
    assert len(plain) > 80
    assert dict(zip(plain, found, strict=True)) == pytest.approx(plain, rel=1e-9)


def test_each_value_of_an_array_counts_by_hand(tmp_path: Path) -> None:
    found = worked_out(tmp_path, [f"SUMPRODUCT(1*({formula}))" for formula in BY_HAND])
    assert dict(zip(BY_HAND, found, strict=True)) == BY_HAND


def test_an_array_written_out_is_one_in_an_ordinary_formula_too(tmp_path: Path) -> None:
    assert dict(zip(ORDINARY, worked_out(tmp_path, list(ORDINARY)), strict=True)) == ORDINARY


def test_what_excel_takes_in_a_way_of_its_own_is_refused(tmp_path: Path) -> None:
    formulas = [
        "N(A1:A3)", "T(C1:C2)", "SUBTOTAL(9,OFFSET(A1,ROW(A1:A3)-1,0))",
        "IF(A1:A6>2,1,0)", "IFERROR(H1:H6,0)", "IFNA(A1:A6,0)",  # each value in array formulas only
        "ISODD(A1:A6)", "EDATE(G1:G3,1)", "QUOTIENT(A1:A6,2)",  # #VALUE! in Excel, but not of +A1:A6
    ]  # fmt: skip
    found = worked_out(tmp_path, [f"SUMPRODUCT(1*({formula}))" for formula in formulas])
    assert found == [ErrorCode("#N/IMPL!")] * len(formulas)
    assert worked_out(tmp_path, ["{SUM(1*ISODD(A1:A3))}", "{SUM(1*QUOTIENT(+A1:A6,2))}"]) == [
        ErrorCode("#N/IMPL!"), 0 + 1 + 1 + 2 + 2 + 3,
    ]  # fmt: skip


SUMS_OF_PRODUCTS = {
    "SUMPRODUCT(A1:A6,B1:B6)": 2 + 8 + 15 + 32 + 55 + 91,
    "SUMPRODUCT((A1:A6>2)*1,B1:B6)": 5 + 8 + 11 + 13,
    "SUMPRODUCT((A:A>2)*1,B:B)": 5 + 8 + 11 + 13,
    "SUMPRODUCT(--(A1:A6>2),D1:D6)": -2.5,  # texts and truths count as 0
    "SUMPRODUCT(IF(SUM(A1:A6)>2,1,0)*B1:B6)": 43,  # the condition is one value
    # Excel: arrays of one size, or #VALUE!; the engine would repeat the shorter one.
    "SUMPRODUCT(2,A1:A6)": ErrorCode("#VALUE!"),
    "SUMPRODUCT(A1:A6,B1:B5)": ErrorCode("#VALUE!"),
    "SUMPRODUCT(A1:A6,{1,2})": ErrorCode("#VALUE!"),
    "SUMPRODUCT(A1:A3*1,A1:C1)": ErrorCode("#VALUE!"),
    "SUMPRODUCT(A1:A6*1,H1:H6)": ErrorCode("#DIV/0!"),
}


def test_sums_of_products_want_arrays_of_one_size(tmp_path: Path) -> None:
    assert dict(zip(SUMS_OF_PRODUCTS, worked_out(tmp_path, list(SUMS_OF_PRODUCTS)), strict=True)) == SUMS_OF_PRODUCTS


COUNTS = {
    "COUNT(1/0)": 0,
    'COUNT(SEARCH("x",C1))': 0,
    'COUNT(SEARCH("a",C1))': 1,
    "COUNT(A1/0,A1*2,NA())": 1,
    "COUNT(A1=1)": 1,  # a truth that is given counts, one in a cell does not
    "COUNT(INDEX(D1:D6,6),INDEX(D1:D6,3))": 0,
    "COUNT(H1:H6)": 4,
    "{COUNT(1/(A1:A6-1))}": 5,
}


def test_errors_count_for_nothing_whatever_they_come_from(tmp_path: Path) -> None:
    assert dict(zip(COUNTS, worked_out(tmp_path, list(COUNTS)), strict=True)) == COUNTS


# H4:H6 are 4, #N/A and 6; H1:H6 hold #DIV/0! as well.
ERRORS_SOUGHT = {
    'COUNTIF(H1:H6,"#N/A")': 1,
    "COUNTIF(H1:H6,#DIV/0!)": 1,
    'COUNTIF(H1:H6,"<>#n/a")': 5,
    'COUNTIFS(H4:H6,"<>#N/A",A4:A6,">4")': 1,
    'SUMIF(H4:H6,"<>#N/A")': 4 + 6,
    'SUMIF(H1:H6,"=#N/A",A1:A6)': 5,
    'SUMIFS(A4:A6,H4:H6,"<>#N/A")': 4 + 7,
    'AVERAGEIF(H4:H6,"<>#N/A")': 5,
    'MAXIFS(A1:A6,H1:H6,"#DIV/0!")': 3,
    'COUNTIF(H:H,"#N/A")': ErrorCode("#N/IMPL!"),
}


def test_criteria_find_errors(tmp_path: Path) -> None:
    assert dict(zip(ERRORS_SOUGHT, worked_out(tmp_path, list(ERRORS_SOUGHT)), strict=True)) == ERRORS_SOUGHT


def test_index_of_a_whole_column_gives_an_ordinary_formula_the_cell_of_its_row(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    for row in (1, 2, 3):
        sheet.cell(row, 1, row), sheet.cell(row, 2, 10 * row)
        sheet.cell(row, 4, "=INDEX(A1:B3,0,2)")
        sheet.cell(row, 5, "=INDEX(A$1:B$3,0,2)")
        sheet.cell(row, 6, "=INDEX(A$1:B$3,A1,0)")  # which row is known late: the cell is refused
        sheet.cell(row, 7, "=SUM(INDEX(A$1:B$3,0,2))")
        sheet.cell(row, 8, "=IFERROR(INDEX(A$1:B$3,A1,0),0)")  # and stays refused where an error is hidden
    book.save(tmp_path / "index.xlsx")
    found = recalculate(tmp_path / "index.xlsx")
    columns = [[found["Sheet", f"{column}{row}"] for row in (1, 2, 3)] for column in "DEFGH"]
    refused = [ErrorCode("#N/IMPL!")] * 3
    assert columns == [[10, 20, 30], [10, 20, 30], refused, [60, 60, 60], refused]


OF_ONE_NUMBER = (
    "ABS", "SQRT", "LN", "LOG10", "EXP", "INT", "SIGN", "EVEN", "ODD", "FACT", "NORMSDIST", "SINH",
    "DEGREES", "SIN", "COS", "TAN", "ISNUMBER", "LEN", "CHAR", "TRUNC",
)  # fmt: skip


@pytest.mark.parametrize("name", OF_ONE_NUMBER)
def test_over_two_cells_a_function_gives_what_it_gives_for_each(name: str, tmp_path: Path) -> None:
    assert spreadsheet_functions()[name].by in ("engine", "own")
    both, one, other = worked_out(tmp_path, [f"SUMPRODUCT(LEN({name}(A5:A6)))", f"LEN({name}(A5))", f"LEN({name}(A6))"])
    assert both == one + other
