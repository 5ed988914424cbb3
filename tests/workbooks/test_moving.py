"""Where references are once the rows of a table have come or gone: worked out by hand, as Excel moves them."""

import pytest

from sizebook.calculation.tokens import Area
from sizebook.workbooks.anchors.row_move import CannotMoveError, RowMove, RowsGoneError
from tests.refused import message_of
from tests.row_lists import listed

# Rows 5 to 7 of A4:E8: headers above, a row of totals below.
TABLE = Area("Plan", 4, 1, bottom=8, right=5)


def moved(by: int, whole: bool) -> RowMove:
    return RowMove(table="months", book="b.xlsx", covered=TABLE, first=5, last=7, by=by, whole=whole)


@pytest.mark.parametrize(*listed("workbooks", "test_ten_rows_more"))
def test_ten_rows_more(formula: str, whole: str, alone: str) -> None:
    assert moved(10, whole=True).formula(formula, "Plan") == whole
    assert moved(10, whole=False).formula(formula, "Plan") == alone


@pytest.mark.parametrize(*listed("workbooks", "test_two_rows_fewer"))
def test_two_rows_fewer(formula: str, whole: str, alone: str) -> None:
    assert moved(-2, whole=True).formula(formula, "Plan") == whole
    assert moved(-2, whole=False).formula(formula, "Plan") == alone


@pytest.mark.parametrize("formula", ["C7", "SUM(C6:C7)", "Plan!$C$6"])
def test_what_only_means_rows_that_go_is_refused(formula: str) -> None:
    with pytest.raises(RowsGoneError):
        moved(-2, whole=True).formula(formula, "Plan")


def test_a_running_sum_keeps_to_its_own_row() -> None:
    move = moved(10, whole=True)
    assert move.formula("SUM(C$5:C7)/SUM(C$5:C$7)", "Plan", inside=True) == "SUM(C$5:C7)/SUM(C$5:C$17)"


def test_one_row_of_data_is_all_of_a_chart_and_one_cell_of_a_formula() -> None:
    one = RowMove(table="t", book="b", covered=Area("Plan", 4, 1, bottom=5, right=5), first=5, last=5, by=2, whole=True)
    assert one.formula("Plan!$C$5", "", one_cell=True) == "Plan!$C$5:$C$7"
    assert one.formula("C5+SUM(C5:C5)", "Plan") == "C5+SUM(C5:C7)"


@pytest.mark.parametrize(*listed("workbooks", "test_what_cannot_be_said_anew_is_refused"))
def test_what_cannot_be_said_anew_is_refused(formula: str, reason: str) -> None:
    assert message_of(CannotMoveError, lambda: moved(10, whole=False).formula(formula, "Plan")) == reason
