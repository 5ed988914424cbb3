"""Ordinary formulas must give what LibreOffice, an independent engine, gives for the same file."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.formula import ArrayFormula

from sizebook.calculation import recalculate

FORMULAS = [
    "=SUM(A1:A5)",
    "=A1+A2*A3^2/A4-5%",
    '=IF(A1>2,"more","less")',
    '=IFERROR(1/0,"none")',
    "=ROUND(A5,2)",
    "=ROUNDUP(A5,0)+CEILING(A5,1)+FLOOR(A5,1)+INT(-A5)",
    "=SUMPRODUCT(A1:A4,A2:A5)",
    "=INDEX(A1:A5,3)+MATCH(8,A1:A5,0)",
    '=VLOOKUP("b",D1:E3,2,FALSE)',
    "=LOOKUP(2,A1:A4)",
    '=SUMIF(D1:D3,"<>b",E1:E3)',
    '=COUNTIF(A1:A5,">3")',
    '=TEXT(A5,"0.00")&" "&UPPER(D1)',
    "=LEN(CONCATENATE(D1,D2,D3))",
    "=MAX(A:A)-MIN(A1:A5)",
    "=AVERAGE(A1:A4)+MEDIAN(A1:A5)+STDEV(A1:A5)",
    "=PMT(0.05/12,36,-1000)",
    "=NPV(0.1,A1:A4)",
    "=MOD(17,5)+QUOTIENT(17,5)+POWER(2,10)+SQRT(2)+EXP(1)+LN(10)+LOG10(7)+LOG(8,2)",
    "=DATE(2026,11,21)",
    "=EOMONTH(DATE(2026,1,31),1)+EDATE(DATE(2026,1,31),1)",
    "=YEAR(46347)*100+MONTH(46347)",
    "=ratio*3+SUM(column)",
    "=column*2",
    "=AND(A1=2,NOT(OR(A2=3,A3<0)))",
    "=A1/0",
    "=NA()",
    '=CHOOSE(2,"x","y","z")',
    "=OFFSET(A1,2,0)+SUM(OFFSET(A1,0,0,3,1))",
    '=INDIRECT("A"&3)',
    "=-2^2",
    "=2^-1",
    "=A6",
    '=A6&"."',
    "=1E+300*10",
    "=0.1+0.2",
    "=SUM(1,TRUE)",
    *(f"={text}" for blank in (
        "A6", "INDEX(A5:A7,2)", "INDEX(A:A,6)", "CHOOSE(2,A5,A6)", "IF(TRUE,A6)", "OFFSET(A5,1,0)", 'INDIRECT("A6")',
        "IFERROR(INDEX(A5:A7,2),1)", "VLOOKUP(8,A5:B6,2)", "LOOKUP(A5,A4:A5,A5:A6)",
    ) for text in (
        f'{blank}&"x"', f'{blank}=""', f"{blank}=0", f"LEN({blank})", f"ISNUMBER({blank})", f'IF({blank}="","none",1)',
        blank,
    )),
    "=SUM(A1:INDEX(A:A,9))+SUM(INDEX(A:E,0,5))+ROWS(INDEX(A:A,0))",
    "=INDEX(5:5,1,99)",
    *(f"=ISBLANK({blank})" for blank in ("INDEX(A5:A7,2)", "OFFSET(A5,1,0)", 'INDIRECT("A6")')),
]  # fmt: skip


def rows() -> list[tuple[int, Any]]:
    return list(enumerate(FORMULAS, 1))


@pytest.fixture(scope="module")
def workbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Main"
    for row, value in enumerate([2, 3, 5, 8, 3.14159], 1):
        sheet.cell(row, 1, value)
    for row, letter in enumerate("abc", 1):
        sheet.cell(row, 4, letter)
        sheet.cell(row, 5, row * 10)
    # Column G holds the formulas; column H an array formula.
    for row, formula in rows():
        sheet.cell(row, 7, formula)
    sheet["H1"] = ArrayFormula("H1:H3", "=A1:A3*10")
    book.defined_names["ratio"] = DefinedName("ratio", attr_text="0.25")
    book.defined_names["column"] = DefinedName("column", attr_text="Main!$A$1:$A$40")
    path = tmp_path_factory.mktemp("ordinary") / "ordinary.xlsx"
    book.save(path)
    return path


@pytest.fixture(scope="module")
def libreoffice(workbook: Path) -> dict[str, Any]:
    """What LibreOffice shows in each cell once it has calculated the file that openpyxl wrote without values."""
    folder = workbook.parent / "calculated"
    profile = f"-env:UserInstallation={(workbook.parent / 'profile').as_uri()}"
    subprocess.run(
        ["soffice", profile, "--headless", "--convert-to", "xlsx", "--outdir", str(folder), str(workbook)],
        check=True,
        capture_output=True,
        timeout=600,
    )
    sheet = load_workbook(folder / workbook.name, data_only=True)["Main"]
    return {cell.coordinate: cell.value for row in sheet.iter_rows() for cell in row}


def test_every_formula_gives_what_libreoffice_gives(workbook: Path, libreoffice: dict[str, Any]) -> None:
    ours = recalculate(workbook)
    for row, formula in rows():
        expected, got = libreoffice[f"G{row}"], ours["Main", f"G{row}"]
        if hasattr(expected, "year"):  # openpyxl turns a number in a date format into a date
            expected = (expected - type(expected)(1899, 12, 30)).days
        if isinstance(expected, float):
            expected = pytest.approx(expected, rel=1e-13)
        assert got == expected, formula
    assert [ours["Main", f"H{row}"] for row in (1, 2, 3)] == [20, 30, 50]
    assert ours.not_calculated == ()
