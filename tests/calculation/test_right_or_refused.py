"""What only Excel reads as a number, and cells beyond a sheet, are refused in words."""

from pathlib import Path

import pytest

from sizebook.calculation import ErrorCode
from tests.calculation.grids import FIRST, worked_out

REFUSED = ErrorCode("#N/IMPL!")
BEYOND = ("XFE1", "$XFE$1", "A1048577", "A9999999", "A1:A1048577", "A:ZZZ", "1:1048577", "Main!A1:XFE1", "XFE1#")
FORMS = ("{}", "SUM({})", "ROWS({})", 'IF(FALSE,{},3)&"x"', "SUMPRODUCT(({}=1)*1)", "INDEX({},1)", "OFFSET({},0,0)",
         "PARAMS_MHA({})", "LET(a,{},1)")  # fmt: skip


def test_what_only_excel_reads_is_said(tmp_path: Path) -> None:
    _, found = worked_out(
        tmp_path,
        ["A3+1", '"1/2"+1', 'COUNTIF(A1:A6,"$7")', "XFE1+1", 'INDIRECT("R2C1",)', "_xlfn.XLOOKUP(2,A1:A2,A1:A2,,,2)"],
        "texts",
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
        tmp_path, [*formulas, "1+1", "XYZ1*2", "SUM(A1:A1048576)", "A1048576", "A1048577", "ROWS(XFD:XFD)"], "texts"
    )
    assert dict.fromkeys(formulas, REFUSED) == dict(zip(formulas, values, strict=False))
    assert values[-6:] == [2, 4, 5, 0, REFUSED, 1_048_576]


@pytest.mark.parametrize("depth", [64, 150])
def test_a_formula_nested_too_deeply_ends_nothing_else(tmp_path: Path, depth: int) -> None:
    inner = ("A1", '"a"&({})', "1=({})", "LEN(1&({}))", "PARAMS_MHA({})", "SUMPRODUCT((A:A={})*1)")
    formulas = [form.partition("{}")[0] * depth + "1" + form.partition("{}")[2] * depth for form in inner[1:]]
    values, found = worked_out(tmp_path, [*formulas, "1+1"], "texts")
    assert values[-1] == 2
    refused = [formula for formula, value in zip(formulas, values, strict=False) if value in ("#ERROR!", REFUSED)]
    assert depth == 64 or refused == formulas
    assert all(("Main", f"T{FIRST + formulas.index(formula)}") in found.not_calculated for formula in refused)
