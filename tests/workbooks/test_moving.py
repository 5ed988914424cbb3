"""Where references are once the rows of a table have come or gone: worked out by hand, as Excel moves them."""

import pytest

from sizebook.calculation.tokens import Area
from sizebook.workbooks.anchors.row_move import CannotMoveError, RowMove, RowsGoneError

# Rows 5 to 7 of A4:E8: headers above, a row of totals below.
TABLE = Area("Plan", 4, 1, bottom=8, right=5)


def moved(by: int, whole: bool) -> RowMove:
    return RowMove(table="months", book="b.xlsx", covered=TABLE, first=5, last=7, by=by, whole=whole)


@pytest.mark.parametrize(
    ("formula", "whole", "alone"),
    [
        ("SUM(C5:C7)", "SUM(C5:C17)", "SUM(C5:C17)"),
        ("SUM($C$5:$C$7)/C8", "SUM($C$5:$C$17)/C18", "SUM($C$5:$C$17)/C18"),
        ("SUM(C4:C8)", "SUM(C4:C18)", "SUM(C4:C18)"),
        ("SUM(C7:C5)", "SUM(C17:C5)", "SUM(C17:C5)"),
        ("C7-C6", "C7-C6", "C7-C6"),  # single rows stay
        ("SUM(C6:C7)", "SUM(C6:C7)", "SUM(C6:C7)"),  # the last two, not all
        ("C20+SUM(C9:C12)", "C30+SUM(C19:C22)", "C20+SUM(C9:C12)"),
        ("G20+SUM(G5:G7)", "G30+SUM(G5:G7)", "G20+SUM(G5:G7)"),  # beside the table
        ("SUM(C:C)+SUM(C1:C100)", "SUM(C:C)+SUM(C1:C110)", "SUM(C:C)+SUM(C1:C100)"),
        ("Plan!C9+'plan'!$C$8+Other!C9", "Plan!C19+'plan'!$C$18+Other!C9", "Plan!C9+'plan'!$C$18+Other!C9"),
        ('"C9"&months[usd]&C9', '"C9"&months[usd]&C19', '"C9"&months[usd]&C9'),
        ("SUM(9:9)", "SUM(19:19)", "SUM(9:9)"),
        ("C8#", "C18#", "C18#"),
    ],
)
def test_ten_rows_more(formula: str, whole: str, alone: str) -> None:
    assert moved(10, whole=True).formula(formula, "Plan") == whole
    assert moved(10, whole=False).formula(formula, "Plan") == alone


@pytest.mark.parametrize(
    ("formula", "whole", "alone"),
    [
        ("SUM(C5:C7)", "SUM(C5:C5)", "SUM(C5:C5)"),
        ("SUM(C4:C8)+C8", "SUM(C4:C6)+C6", "SUM(C4:C6)+C6"),
        ("SUM(C5:C6)", "SUM(C5:C5)", "SUM(C5:C5)"),  # cut to what is left
        ("C9+G9+G8", "C7+G7+G6", "C9+G9+G8"),
        ("C5", "C5", "C5"),
    ],
)
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


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("SUM(Plan:Other!C5:C7)", "Plan:Other!C5:C7 goes through several sheets"),
        ("SUM(A5:G7)", "it covers columns of the table and others"),
        ("SUM(C6:C9)", "it ends below the table, where nothing moves"),
    ],
)
def test_what_cannot_be_said_anew_is_refused(formula: str, reason: str) -> None:
    with pytest.raises(CannotMoveError) as caught:
        moved(10, whole=False).formula(formula, "Plan")
    assert str(caught.value) == reason
