"""How long the formulas of shipped workbooks are: a reviewer reads each, so none may grow beyond what stands here.

The figures are ceilings on the way to 300: lower them when a formula is cut into rows, never raise one.
"""

import pytest
from openpyxl import load_workbook

from tests.workbooks.shipped import SHIPPED, Shipped

READABLE = 300
# Letters of the longest formula, and how many of a hundred formulas are longer than 300.
CEILINGS = {
    "model_sizing.xlsx": (875, 1),
    "model_comparison.xlsx": (370, 1),
    "fine_tuning.xlsx": (655, 1),
    "training_budget.xlsx": (1_070, 2),
    "training_programme.xlsx": (815, 4),
    "serving_capacity.xlsx": (1_140, 1),
    "fleet_plan.xlsx": (550, 5),
}
CHECKS = {"fine_tuning.xlsx": 655, "model_comparison.xlsx": 300, "serving_capacity.xlsx": 390, "fleet_plan.xlsx": 390}
# How many are longer than 300.
MOST_LONG = {
    "model_sizing.xlsx": 1,
    "model_comparison.xlsx": 13,
    "fine_tuning.xlsx": 23,
    "training_budget.xlsx": 38,
    "training_programme.xlsx": 252,
    "serving_capacity.xlsx": 10,
    "fleet_plan.xlsx": 2_164,
}


def lengths(book: Shipped, sheet: str = "") -> list[int]:
    """Return the letters of every formula of a workbook, or of one sheet."""
    read = load_workbook(book.path)
    cells = (
        getattr(cell, "text", cell)
        for each in read.worksheets
        if sheet in ("", each.title)
        for row in each.iter_rows(values_only=True)
        for cell in row
    )
    return [len(cell) for cell in cells if isinstance(cell, str) and cell.startswith("=")]


@pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)
def test_formulas_stay_within_what_they_are(book: Shipped) -> None:
    found = lengths(book)
    longest, most = CEILINGS[book.file]
    assert max(found) <= longest
    n_long = sum(length > READABLE for length in found)
    assert 100 * n_long <= most * len(found)
    assert n_long <= MOST_LONG[book.file]


@pytest.mark.parametrize("book", [each for each in SHIPPED if each.file in CHECKS], ids=lambda book: book.file)
def test_a_check_is_one_comparison(book: Shipped) -> None:
    """On 0.13.0 the plan's months were one formula of 3,618 letters, a run's figures one of 3,399."""
    assert max(lengths(book, "Checks")) <= CHECKS[book.file]
