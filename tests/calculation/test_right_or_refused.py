"""What only Excel reads as a number, and cells beyond a sheet, are refused in words."""

from pathlib import Path

import pytest

from sizebook.calculation import ErrorCode, doubtful_texts
from sizebook.calculation.engine import read_model, work_out
from sizebook.calculation.package import Package
from sizebook.calculation.tokens import tokenize
from tests.calculation.grids import FIRST, saved, worked_out

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


def test_an_area_whose_corners_are_of_two_kinds_is_refused(tmp_path: Path) -> None:
    """Excel says #REF! of each; the engine filled in what it missed, so that a sum showed 0 or 10."""
    texts = ("Q:1", "1:Q", "A1:Q", "A:Q2", "A1:2", "2:A1", "A:1", "A1:A2:A3")
    formulas = [form.format(text) for text in texts for form in ('SUM(INDIRECT("{}"))', 'COUNTA(INDIRECT("{}"))')]
    values, _ = worked_out(tmp_path, [*formulas, 'SUM(INDIRECT("A2:A1"))'], "texts")
    assert dict(zip(formulas, values, strict=False)) == dict.fromkeys(formulas, REFUSED)
    assert isinstance(values[-1], (int, float))


@pytest.mark.parametrize("depth", [64, 150])
def test_a_formula_nested_too_deeply_ends_nothing_else(tmp_path: Path, depth: int) -> None:
    inner = ("A1", '"a"&({})', "1=({})", "LEN(1&({}))", "PARAMS_MHA({})", "SUMPRODUCT((A:A={})*1)")
    formulas = [form.partition("{}")[0] * depth + "1" + form.partition("{}")[2] * depth for form in inner[1:]]
    values, found = worked_out(tmp_path, [*formulas, "1+1"], "texts")
    assert values[-1] == 2
    refused = [formula for formula, value in zip(formulas, values, strict=False) if value in ("#ERROR!", REFUSED)]
    assert depth == 64 or refused == formulas
    assert all(("Main", f"T{FIRST + formulas.index(formula)}") in found.not_calculated for formula in refused)


def test_formulas_that_cannot_reach_a_doubtful_text_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three texts of the fleet plan had all its 48,000 formulas taken apart, 5 s of a processor of 9."""
    cells = {"It's texts!A1": "$5", "It's texts!A2": "=a1+1", "It's texts!A3": "=1+1"}
    cells |= {"A1": "='IT''S TEXTS'!A1:A1*1", "A2": "=SUM(B1:B9)", "A3": "=A2*2"}
    package, read = Package.read(saved(tmp_path / "book.xlsx", cells)), []
    monkeypatch.setattr(doubtful_texts, "tokenize", lambda formula: read.append(formula) or tokenize(formula))
    found = work_out(read_model(package, {}), lambda _: None)
    assert sorted(read) == ["'IT''S TEXTS'!A1:A1*1", "1+1", "a1+1"]
    assert sorted(found.not_calculated) == [("It's texts", "A2"), ("Main", "A1")]
