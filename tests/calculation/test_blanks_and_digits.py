"""Blank cells of whole columns count in arrays, a blank that is handed on stays one, and texts hold 15 digits."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.formula import ArrayFormula

from sizebook.calculation import ErrorCode, recalculate

LAST = 1_048_576
# Column A: 2, 3, 5, a blank, 0. Column B: a, b, a. Column C: 10 to 70 in seven rows. Column E, with formulas, is apart.
CELLS = {"A": [2, 3, 5, None, 0], "B": ["a", "b", "a"], "C": [10, 20, 30, 40, 50, 60, 70]}

WHOLE_COLUMNS = {
    'SUMPRODUCT((A:A="")*1)': LAST - 4,
    "SUMPRODUCT((A:A=0)*1)": LAST - 3,
    "SUMPRODUCT(--(A:A<1),--(C:C>40))": 3,
    "SUMPRODUCT(--(A2:A1048576<1))": LAST - 3,
    "SUMPRODUCT((LEN(B:B)=0)*1)": LAST - 3,
    'SUMPRODUCT((A:A&B:B="")*1)': LAST - 4,
    'SUMPRODUCT((B:B="a")*C:C)': 40,  # columns of another number of used rows
    'SUMPRODUCT((B:B="a")*1,C:C)': 40,
    "SUMPRODUCT((Other!A:A=1)*C:C)": 20,
    "SUMPRODUCT((A:A+1))": 10 + LAST,
    "{SUM((A:A=\"\")*1)}": LAST - 4,
    "{SUM(A:A,(B:B=\"a\")*C:C)}": 50,
    "{COUNT(1/A:A)}": 3,
    "{COUNT(A:A*1)}": LAST,
    "{MIN(A:A*1+1)}": 1,
    "{MAX(IF(B:B<>\"a\",C:C))}": 70,
    "{MEDIAN(IF(B:B=\"a\",C:C))}": 20,
    "{AVERAGE(IF(B:B=\"a\",C:C))}": 20,
    "{AVERAGE(A:A*1)}": 10 / LAST,
    "{LARGE(IF(B:B=\"a\",C:C),2)}": 10,
    "{MATCH(1,(B:B=\"b\")*(C:C=20),0)}": 2,
    "{MATCH(TRUE,A:A=\"\",0)}": 4,
    "MATCH(TRUE,INDEX(A:A=\"\",0),0)": 4,
    "INDEX(C:C,MATCH(1,INDEX((B:B=\"b\")*(C:C>0),0),0))": 20,
    "LOOKUP(2,1/(A:A<>\"\"),C:C)": 50,
    "{TEXTJOIN(\",\",TRUE,IF(B:B=\"a\",C:C,\"\"))}": "10,30",
    "{SUM(FILTER(C:C,B:B=\"a\"))}": 40,
    "{MAX((A:A<>\"\")*ROW(A:A))}": 5,
    "COUNTIFS(A:A,\"\")": LAST - 4,
    "COUNTIFS(A:A,\"\",B:B,\"\")": LAST - 4,
    "COUNTIFS(B:B,\"<>a\",C:C,\"<>20\")": LAST - 3,
    "COUNTIFS(A1:A20,\"\",B1:B20,\"\")": 16,
    "COUNTIFS(A50:A60,\"\",B50:B60,\"<>a\")": 11,
    "COUNTIFS(B:B,\"a\",C:C,\">10\")": 1,
    "COUNTIFS(Other!A:A,\"\",B:B,\"\")": ErrorCode("#N/IMPL!"),  # refused: their used rows differ
}  # fmt: skip

# Rows 1 and 2: 2, a, 10, 0 and 3, b, 20, -2.
WHOLE_ROWS = {
    'SUMPRODUCT((1:1="")*1)': 16_384 - 4,
    'SUMPRODUCT((1:2="")*1)': 2 * 16_384 - 8,
    "SUMPRODUCT((1:1=10)*(2:2=20))": 1,
    "SUMPRODUCT((7:7=70)*(2:2=20))": 1,  # rows of another number of used columns
    "SUMPRODUCT(1:1,7:7)": 700,
    'MATCH(TRUE,INDEX(1:1="",0),0)': 5,
    '{SUM(IF(2:2="",1,0))}': 16_384 - 4,
    "{COUNT(1:1*1)}": 16_384 - 1,
    '{MAX(COLUMN(1:1)*(1:1<>""))}': 4,
    'COUNTIF(1:1,"")': 16_384 - 4,
    'COUNTIFS(1:1,"a")': 1,
    'COUNTIFS(1:1,"")': ErrorCode("#N/IMPL!"),
    '{SUM(COUNTIFS(A1:A100,{"",2}))}': 96 + 1,  # worked out for each criterion
    '{SUM(COUNTIFS(A1:A6,{"","<>2"}))}': 2 + 5,
}

BLANKS = {
    'LOOKUP(3,A3,A4)&"x"': ErrorCode("#N/A"),
    'LOOKUP(5,A3,A4)&"x"': "x",
    'CHOOSE({1,2},A4,A3)&"x"': "x",
    'INDEX(CHOOSE({1,2},C3:C5,A3:A5),2,2)&"x"': "x",
    'SUMPRODUCT((VLOOKUP({30,40},CHOOSE({1,2},C1:C5,A1:A5),2,FALSE)="")*1)': 1,
    "AVERAGE(CHOOSE({1,2},A4,A3))": 5,
    "CHOOSE({1,2},A4,A3)": 0,
    'A4&"x"': "x",
    '+A4&"x"': "x",
    '+B1&"x"': "ax",
}

IN_TEXTS = {
    **{f'{zero}&""': "0" for zero in (
        "ROUND(-0.4,0)", "-A5", "A5*-1", "(A5*-1)", "-0", "TRUNC(-0.3)", "QUOTIENT(-1,3)", "PRODUCT(-1,A5)", "D1",
        "+D1", "IF(TRUE,-A5)", "INDEX(D1:D2,1)", "VALUE(\"-0\")", "-A5*A1", "CHOOSE({1,2},-A5,1)",
    )},
    '-A5&"|"&-A1&"|"&D1': "0|-2|0",
    '"1"&-A5="10"': True,
    "LEN(-A5)": 1,
    '1/A2&""': "0.333333333333333",
    '0.1+0.2&"|"&A1/3': "0.3|0.666666666666667",
    "LEN(1/3)": 17,
    "CONCATENATE(1/3,TRUE)": "0.333333333333333TRUE",
    "SUMPRODUCT(LEN(A1:A3/3))": 17 + 1 + 16,
    'A1&"|"&1.5&"|"&TRUE&"|"&A4': "2|1.5|TRUE|",
    'SUMIFS(C1:C5,B1:B4,"a")': ErrorCode("#VALUE!"),
    'COUNTIFS(A:A,">0",B1:B5,"a")': ErrorCode("#VALUE!"),
    'SUMIFS(C1:C5,B1:B5,"a",A1:A5,">2")': 30,
    'LEN("a"&-A5)': 2,
    'CONCATENATE(A1=2,B1&"x")': "TRUEax",
    'COUNTIF(A:A,">"&A1)': 2,
    "CONCAT(A1:INDEX(A1:A3,2))": "23",
    "LEN(D1)": 1,
    "CONCATENATE(-A5,D1)": "00",
    'TEXTJOIN("|",TRUE,-A5,D1:D2)': "0|0|-2",
    "EXACT(D1,0)": True,
    "SUMPRODUCT(LEN(D1:D2))": 3,
    "LEFT(-A5,2)": "0",
    'COUNTIF(A:A,D1)': 1,
    'COUNTIFS(A:A,"="&-A5)': 1,
    'REPT("x",3)&-A1': "xxx-2",
}  # fmt: skip


TABLES = {"whole columns": WHOLE_COLUMNS, "whole rows": WHOLE_ROWS, "blanks": BLANKS, "in texts": IN_TEXTS}


def worked_out(folder: Path, formulas: list[str]) -> list[Any]:
    """Return what formulas on a sheet of their own give; ``{...}`` are array formulas."""
    book = Workbook()
    sheet, other, apart = book.worksheets[0], book.create_sheet("Other"), book.create_sheet("Apart")
    sheet.title = "Main"
    for column, values in CELLS.items():
        for row, value in enumerate(values, 1):
            sheet[f"{column}{row}"] = value
    sheet["D1"], sheet["D2"], other["A2"] = "=-A5", "=-A1", 1
    for row, formula in enumerate(formulas, 1):
        text = f"={_on_main(formula.strip('{}') if formula[0] == '{' else formula)}"
        apart[f"A{row}"] = ArrayFormula(f"A{row}", text) if formula[0] == "{" else text
    book.save(folder / "blanks.xlsx")
    found = recalculate(folder / "blanks.xlsx")
    return [found["Apart", f"A{row}"] for row in range(1, len(formulas) + 1)]


def _on_main(formula: str) -> str:
    """Return a formula whose references name their sheet, so that it means the same from anywhere."""
    from sizebook.calculation.tokens import tokenize

    def named(text: str) -> str:
        return text if "!" in text else f"Main!{text}"

    return "".join(named(token.text) if token.kind == "reference" else token.text for token in tokenize(formula))


@pytest.mark.parametrize("wanted", TABLES.values(), ids=TABLES)
def test_formulas_give_what_excel_gives(tmp_path: Path, wanted: dict[str, Any]) -> None:
    found = dict(zip(wanted, worked_out(tmp_path, list(wanted)), strict=True))
    assert found == {formula: pytest.approx(value) if isinstance(value, float) else value for formula, value in
                     wanted.items()}  # fmt: skip


def test_a_function_over_every_row_of_a_column_is_refused_not_waited_for(tmp_path: Path) -> None:
    start = time.process_time()
    assert worked_out(tmp_path, ["SUM(IFERROR(SUMPRODUCT((EVEN(ROW(A:A))=2)*1),0))"]) == [ErrorCode("#N/IMPL!")]
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
