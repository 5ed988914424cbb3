"""Comparisons hold 15 digits; texts that only Excel reads as numbers, and cells beyond a sheet, are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.formula import ArrayFormula

from sizebook.calculation import Calculated, ErrorCode, recalculate

REFUSED = ErrorCode("#N/IMPL!")
CELLS: dict[str, Any] = {
    "A1": 2, "A2": 3, "A3": "$7", "A5": 0, "A6": "7", "B1": "=0.1+0.2", "B2": 0.3, "B3": '=""', "C1": "25%",
    "C2": "1/2", "C3": "Total", "D1": 1.1, "D2": "=D1*3",
}  # fmt: skip

# Excel compares 15 digits of numbers (Microsoft, Floating-point arithmetic may give inaccurate results in Excel).
COMPARED = {
    "0.1+0.2=0.3": True, "B1=B2": True, "B1>B2": False, "B1<=B2": True, "B1<>B2": False, "B2<B1": False,
    'IF(D1*3=3.3,"y","n")': "y", "D2>3.3": False, "D2=B2*11": True, "B1=B2=TRUE": False, "(B1=B2)=TRUE": True,
    'IF(AND(B1>=B2,B1<=B2),"same","")': "same", "LET(x,0.1+0.2,x=0.3)": True, "IFERROR(1/(B1-B2>0),5)": 1,
    "{SUM((B1:B2=0.3)*1)}": 2, "SUMPRODUCT((B1:B2=B2)*1)": 2, "SUMPRODUCT(--(B:B=B2))": 2,
    "MATCH(TRUE,INDEX(B1:B2*10=3,0),0)": 1,
    "123456789012345=123456789012344": False, "1.00000000000001=1": False, "2^53+1=2^53": True,
    'A4=""': True, "A4=0": True, "A4=B3": True, "B3=A4": True, "A4=A5": True, "A5=A4": True, "A4=FALSE": True,
    "A6=7": False, "A6=A1+5": False, '"a"="A"': True, 'B1&""=B2&""': True, 'A1&"x"="2x"': True, "A1=-A1": False,
    "B1>C3": False, "B1<C3": True, "B1<TRUE": True, "1/0=B1": ErrorCode("#DIV/0!"), "B1=NA()": ErrorCode("#N/A"),
    "B1=B1:B2": ErrorCode("#VALUE!"),
}  # fmt: skip

TEXTS = {
    '"$5"+1': 6, '-"($5)"': 5, '2*("1,000")': 2000, '"5%"+1': 1.05, '"1/2"&1': "1/21", '"a"+1': ErrorCode("#VALUE!"),
    '"1/2"+1': REFUSED, '"3 Jan"*1': REFUSED, '"1 1/2"+1': REFUSED,
    "A3+1": REFUSED, "-A3": REFUSED, "2*(A3)": REFUSED, "ROUND(A3,0)": REFUSED, "IFERROR(A3*1,0)": REFUSED,
    "SUMPRODUCT(A1:A6*1)": REFUSED, "C2*2": REFUSED, "C3+1": ErrorCode("#VALUE!"), "A6+1": 8, "C1*2": 0.5,
    "VALUE(A3)": 7,
    'A3&"!"': "$7!", "LEN(A3)+A1": 4, "SUM(A1:A6)": 5, "IF(A3=\"\",0,A1)*2": 4,
    'COUNTIF(A1:A6,"$7")': REFUSED, 'COUNTIF(A1:A6,">$1")': REFUSED, 'COUNTIF(A1:A6,"200%")': REFUSED,
    'SUMIFS(A1:A6,A1:A6,"1,000")': REFUSED, "COUNTIF(A1:A6,A3)": REFUSED, "COUNTIF(A1:A6,C1)": REFUSED,
    'COUNTIF(A1:A6,"7")': 1, 'COUNTIF(A1:A6,">1")': 2, 'COUNTIF(A1:C3,"Total")': 1,
    'UPPER("straße")': REFUSED, 'LOWER("İ")': REFUSED,
    'UPPER("é")': "É",
    'INDIRECT("R2C1",FALSE)': REFUSED, 'SUM(INDIRECT("R1C1:R2C1",0))': REFUSED, 'INDIRECT("A2",TRUE)': 3,
    'INDIRECT("A2",1)': 3,
    "ADDRESS(1,1,1,0)": REFUSED, "ADDRESS(2,3,4,FALSE)": REFUSED, "ADDRESS(2,3,4,TRUE)": "C2",
    'ADDRESS(2,3,3,1,"a b")': "'a b'!$C2", "ADDRESS(1,2,,)": "$B$1", 'ADDRESS(1,1,1,1,"A1")': "'A1'!$A$1",
    'ADDRESS(2,3,3,TRUE,"[Book1]Sheet1")': "[Book1]Sheet1!$C2",
    "ADDRESS(0,1)": ErrorCode("#VALUE!"), "ADDRESS(1,16385)": ErrorCode("#VALUE!"),
}  # fmt: skip

# Eight hours are a third of a day; SEARCH of nothing finds it where it begins; arrays of unequal size show #N/A in
# Excel; a text longer than a cell holds is #VALUE!.
FIGURES = {
    'TEXT(1/3,"[h]:mm")': "8:00", 'TEXT(2/3,"h:mm AM/PM")': "4:00 PM", 'TEXT(0.9999,"h:mm")': "23:59",
    'TEXT(A1+1/3,"h:mm")': "8:00", 'TEXT(0.9999,"h:mm:ss")': "23:59:51",
    'SEARCH("","abc",3)': 3, 'SEARCH("","",3)': ErrorCode("#VALUE!"), 'SEARCH("a*E","xApple")': 2,
    'SEARCH("~*","a*b")': 2,
    'SEARCH("?c","abc",2)': 2, 'SEARCH(".","abc")': ErrorCode("#VALUE!"), 'SEARCH("?","")': ErrorCode("#VALUE!"),
    'SEARCH("*a*a*a*a*ab",REPT("a",3000))': ErrorCode("#VALUE!"), 'SEARCH("a?*c","xabxc")': 2, 'SEARCH("*b","xxb")': 1,
    'LEN(REPT("a",32767)&"")': 32_767, 'REPT("a",32767)&"b"': ErrorCode("#VALUE!"),
    'SUBSTITUTE(REPT("a",20000),"a","bb")': ErrorCode("#VALUE!"), '_xlfn.CONCAT(REPT("a",20000),REPT("b",20000))':
    ErrorCode("#VALUE!"), 'CONCATENATE(REPT("a",20000),REPT("b",20000))': ErrorCode("#VALUE!"),
    'YEAR("12/31/29")': 2029, 'YEAR("1/1/30")': 1930, 'YEAR("1/1/1850")': REFUSED, 'YEAR("3 Jan")': REFUSED,
    'YEAR("year")': ErrorCode("#VALUE!"), 'VALUE("1/2")': REFUSED, 'TEXT("1/2","0.0")': REFUSED,
    'TEXT(0.75,"h am/pm")': REFUSED, 'TEXT(1E5,"0e+0")': REFUSED, 'TEXT(1,"yyy")': REFUSED,
    "{SUM(IFERROR(B1:B3+B1:B2,0))}": REFUSED, "{SUM({1,2,3}+{1,2})}": REFUSED, "{SUM({1,2,3}*{1;2})}": 18,
    "SUMPRODUCT((A1:A2>0)*(B1:D1>0))": 6, "SUM(A1:A3)+SUM(A1:A2)": 10,
}  # fmt: skip

BEYOND = ("XFE1", "$XFE$1", "A1048577", "A9999999", "A1:A1048577", "A:ZZZ", "1:1048577", "Main!A1:XFE1", "XFE1#")
FORMS = ("{}", "SUM({})", "ROWS({})", 'IF(FALSE,{},3)&"x"', "SUMPRODUCT(({}=1)*1)", "INDEX({},1)", "OFFSET({},0,0)",
         "PARAMS_MHA({})", "LET(a,{},1)")  # fmt: skip


def worked_out(folder: Path, formulas: list[str]) -> tuple[list[Any], Calculated]:
    """Return what formulas give in a sheet beside that of the cells; ``{...}`` are array formulas."""
    book = Workbook()
    main, apart = book.worksheets[0], book.create_sheet("Apart")
    main.title = "Main"
    for place, value in CELLS.items():
        main[place] = value
    for row, formula in enumerate(formulas, 1):
        at = f"H{row}"
        main[at] = ArrayFormula(at, f"={formula[1:-1]}") if formula[0] == "{" else f"={formula}"
        apart[f"A{row}"] = f"=Main!{at}"
    book.defined_names["XYZ1"] = DefinedName("XYZ1", attr_text="Main!$A$1")
    book.save(folder / "cells.xlsx")
    found = recalculate(folder / "cells.xlsx")
    return [found["Main", f"H{row}"] for row in range(1, len(formulas) + 1)], found


@pytest.mark.parametrize("wanted", [COMPARED, TEXTS, FIGURES], ids=["compared", "texts", "figures"])
def test_formulas_give_what_excel_gives_or_are_refused(tmp_path: Path, wanted: dict[str, Any]) -> None:
    values, found = worked_out(tmp_path, list(wanted))
    assert dict(zip(wanted, values, strict=True)) == {
        formula: pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
        for formula, value in wanted.items()
    }
    rows = [row for row, value in enumerate(wanted.values(), 1) if value == REFUSED]
    assert {("Main", f"H{row}") for row in rows} <= set(found.not_calculated)


def test_what_only_excel_reads_is_said(tmp_path: Path) -> None:
    _, found = worked_out(
        tmp_path,
        ["A3+1", '"1/2"+1', 'COUNTIF(A1:A6,"$7")', "XFE1+1", 'INDIRECT("R2C1",)', "_xlfn.XLOOKUP(2,A1:A2,A1:A2,,,2)"],
    )
    assert list(found.problems.values()) == [
        "=A3+1 cannot be calculated: it may read the text of Main!A3 as a number",
        '="1/2"+1 cannot be calculated: "1/2" is a number or a day of a year that only Excel knows',
        '=COUNTIF(A1:A6,"$7") cannot be calculated: Excel may read the criterion "$7" as a number',
        "=XFE1+1 cannot be calculated: XFE1 lies beyond the sheet",
        '=INDIRECT("R2C1",) cannot be calculated: INDIRECT of a text in the style R1C1 is not calculated here',
        "=_xlfn.XLOOKUP(2,A1:A2,A1:A2,,,2) cannot be calculated: XLOOKUP by binary search is not calculated here",
    ]


def test_what_lies_beyond_the_sheet_ends_nothing_else(tmp_path: Path) -> None:
    formulas = [form.format(place) for place in BEYOND for form in FORMS]
    formulas += [f"{{{formula}}}" for formula in formulas]
    values, _ = worked_out(
        tmp_path, [*formulas, "1+1", "XYZ1*2", "SUM(A1:A1048576)", "A1048576", "A1048577", "ROWS(XFD:XFD)"]
    )
    assert dict.fromkeys(formulas, REFUSED) == dict(zip(formulas, values, strict=False))
    assert values[-6:] == [2, 4, 5, 0, REFUSED, 1_048_576]


@pytest.mark.parametrize("depth", [64, 150])
def test_a_formula_nested_too_deeply_ends_nothing_else(tmp_path: Path, depth: int) -> None:
    inner = ("A1", '"a"&({})', "1=({})", "LEN(1&({}))", "PARAMS_MHA({})", "SUMPRODUCT((A:A={})*1)")
    formulas = [form.partition("{}")[0] * depth + "1" + form.partition("{}")[2] * depth for form in inner[1:]]
    values, found = worked_out(tmp_path, [*formulas, "1+1"])
    assert values[-1] == 2
    refused = [formula for formula, value in zip(formulas, values, strict=False) if value in ("#ERROR!", REFUSED)]
    assert depth == 64 or refused == formulas
    assert all(("Main", f"H{formulas.index(formula) + 1}") in found.not_calculated for formula in refused)
