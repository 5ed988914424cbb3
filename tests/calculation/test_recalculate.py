"""Registered functions in workbooks: every value here is worked out by hand from 4 (d^2 + d) and the like."""

from pathlib import Path
from typing import Any

import pytest
from openpyxl.worksheet.formula import ArrayFormula

from sizebook.calculation import ErrorCode, recalculate
from sizebook.core.errors import InputError
from tests.calculation.grids import calculate
from tests.refused import message_of
from tests.row_lists import listed


def test_a_formula_knows_its_row(tmp_path: Path) -> None:
    assert calculate(tmp_path, {"C20": "=PARAMS_MHA(ROW()+1)"})["Main", "C20"] == 4 * (21 * 21 + 21)


@pytest.mark.parametrize(*listed("calculation", "test_error_is_an_error_value_and_keeps_its_message"))
def test_error_is_an_error_value_and_keeps_its_message(tmp_path: Path, formula: str, code: str, problem: str) -> None:
    calculated = calculate(tmp_path, {"B1": formula, "B2": "=ISERROR(B1)", "B3": "=SUM(B1,1)"})
    assert calculated["Main", "B1"] == ErrorCode(code)
    assert isinstance(calculated["Main", "B1"], ErrorCode)
    assert calculated["Main", "B2"] is True
    assert calculated["Main", "B3"] == code
    assert calculated.problems["Main", "B1"] == problem


def test_text_that_reads_like_an_error_is_text(tmp_path: Path) -> None:
    calculated = calculate(tmp_path, {"A1": '="#N/A"', "A2": "=ISERROR(A1)"})
    assert calculated["Main", "A1"] == "#N/A"
    assert not isinstance(calculated["Main", "A1"], ErrorCode)
    assert calculated["Main", "A2"] is False
    assert calculated.problems == {}


def test_rows_fill_an_array_formula_and_one_bad_cell_spoils_only_its_own(tmp_path: Path) -> None:
    cells = {"A1": 4, "A2": "x", "A3": 16, "B1": ArrayFormula("B1:B3", "=PARAMS_MHA(A1:A3)"), "C1": "=SUM(B1,B3)"}
    calculated = calculate(tmp_path, cells)
    assert [calculated["Main", f"B{row}"] for row in (1, 2, 3)] == [80, "#VALUE!", 1088]
    assert calculated["Main", "C1"] == 1168
    assert calculated.problems["Main", "B2"].startswith("d_model is not a number: got 'x'")


def test_an_error_of_a_fixed_array_is_told_once(tmp_path: Path) -> None:
    cells = {"A1": -1, "A2": "=SUM(C1:D3)", "C1": ArrayFormula("C1:D3", "=PARAMS_MHA(A1)")}
    found = calculate(tmp_path, cells)
    assert found.n_errors == 7
    assert list(found.problems) == [("Main", "C1")]


def test_chain_of_calls_settles(tmp_path: Path) -> None:
    cells: dict[str, Any] = {"A1": 1}
    for row in range(2, 42):
        cells[f"A{row}"] = f"=PARAMS_LN(A{row - 1})/IF({row}<0,1,2)+1"
    assert calculate(tmp_path, cells)["Main", "A41"] == 41


@pytest.mark.parametrize(*listed("calculation", "test_circle_is_refused"))
def test_circle_is_refused(tmp_path: Path, cells: dict[str, Any]) -> None:
    assert message_of(InputError, calculate, tmp_path, cells) == (
        "circular formulas: got Main!A1, Main!B1, want formulas that do not depend on their own result. "
        "Break the circle."
    )


def test_a_formula_beyond_us_is_named_with_all_that_rests_on_it(tmp_path: Path) -> None:
    cells = {
        "B1": "=NO_SUCH(1)",
        "B2": "=IFERROR(B1,0)",  # would hide it
        "B3": "=SUM(B2,1)",
        "B4": '=_xlfn.WEBSERVICE("https://example.org")',
        "B5": "=COUNT(B3:B4)",
        "C1": "=1+1",
    }
    calculated = calculate(tmp_path, cells)
    assert sorted(calculated.not_calculated) == [("Main", f"B{row}") for row in range(1, 6)]
    assert [calculated["Main", f"B{row}"] for row in (1, 2, 3, 4, 5)] == ["#NAME?", *["#N/IMPL!"] * 4]
    assert calculated["Main", "C1"] == 2
    assert calculated.problems == {
        ("Main", "B1"): "=NO_SUCH(1) gives #NAME?",
        ("Main", "B4"): '=_xlfn.WEBSERVICE("https://example.org") cannot be calculated: '
        "WEBSERVICE is not calculated here",
    }


def test_a_random_number_is_drawn_once(tmp_path: Path) -> None:
    cells = {"A1": "=INT(RAND()*1000000)", "A2": "=PARAMS_LN(A1+1)", "A3": "=A2-2*(A1+1)"}
    assert calculate(tmp_path, cells)["Main", "A3"] == 0


@pytest.mark.parametrize(
    "formula",
    ['=INDIRECT("B3")+1', "=OFFSET(A1,2,1)+1", "=SUM(OFFSET($A$1,0,0,5,5))", '=SUM(INDIRECT("Main!A1:C9"))'],
)
def test_a_reference_that_is_worked_out_and_leads_to_its_own_cell_is_a_circle(tmp_path: Path, formula: str) -> None:
    with pytest.raises(InputError, match=r"^circular formulas: got Main!B3, want formulas"):
        calculate(tmp_path, {"B3": formula})


def test_a_reference_that_leads_elsewhere_is_no_circle(tmp_path: Path) -> None:
    cells = {
        "A1": 5, "B1": "=OFFSET(A1,0,0)", "B2": "=SUM(OFFSET(B2,-1,0))", "B3": '=ROWS(INDIRECT("A1:C9"))',
        "B4": "=OFFSET(A1,IF(ROW()=4,0,3),0)+1", "B5": '=IF(TRUE,1,INDIRECT("B5"))',
        "B6": "=SUM(OFFSET(B9,-1,-1,-2,1))",
    }  # fmt: skip
    calculated = calculate(tmp_path, cells)
    assert [calculated["Main", f"B{row}"] for row in range(1, 7)] == [5, 5, 9, 6, 1, "#N/IMPL!"]


def test_a_far_cell_costs_sums_nothing(tmp_path: Path) -> None:
    cells: dict[str, Any] = {"XFD1048576": 1, "D5": 2, "E1048576": 3}
    cells |= {f"B{row}": f"=SUM(C{row}:XFD1048576)+COUNT(C:XFD)" for row in range(1, 9)}
    calculated = calculate(tmp_path, cells)
    assert [calculated["Main", f"B{row}"] for row in range(1, 9)] == [9] * 5 + [7] * 3


def test_a_text_that_doubles_stops_where_a_cell_is_full(tmp_path: Path) -> None:
    cells: dict[str, Any] = {"A1": "x", **{f"A{row}": f"=A{row - 1}&A{row - 1}" for row in range(2, 41)}}
    calculated = calculate(tmp_path, {**cells, "B1": "=LEN(A15)"})
    assert calculated["Main", "B1"] == 16_384
    assert {calculated["Main", f"A{row}"] for row in range(17, 41)} == {ErrorCode("#VALUE!")}
    assert len(calculated["Main", "A15"]) == 2**14


def test_untaken_branch_is_no_circle(tmp_path: Path) -> None:
    assert calculate(tmp_path, {"A1": "=IF(TRUE,PARAMS_LN(4),A1)"})["Main", "A1"] == 8


def test_file_that_is_no_workbook(tmp_path: Path) -> None:
    path = tmp_path / "notes.xlsx"
    path.write_text("hello")
    assert message_of(InputError, recalculate, path) == (
        "not a workbook: got notes.xlsx, want an .xlsx or .xlsm file without a password. "
        "Save it in that format from Excel."
    )
