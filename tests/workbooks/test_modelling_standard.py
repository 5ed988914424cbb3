"""Native workbooks keep to the FAST standard: one formula a row, no constants within, nothing volatile or long."""

import re
from functools import lru_cache
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.utils import column_index_from_string
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.calculation.tokens import tokenize
from sizebook.plans.ledgers import LONGEST_PLAN
from sizebook.sources.bundled import bundled
from sizebook.workbooks.formula_calls import calls_sizebook
from tests.workbooks.shipped import SHIPPED, Shipped, opened

# Sheets with a column a month, sheets with a column a case (and its head), and other sheets of formulas, by workbook.
THROUGH_TIME = {
    "serving_capacity.xlsx": ("Months", "Hours", "Cases"),
    "training_programme.xlsx": ("Months",),
    "fleet_plan.xlsx": ("Months", "Buying", "What-if"),
    "training_budget.xlsx": ("Months",),
    "fine_tuning.xlsx": ("Months",),
}
BY_CASE = {"fine_tuning.xlsx": ("Money",)}
OF_FORMULAS = {
    "model_sizing.xlsx": ("Calculation",),
    "serving_capacity.xlsx": ("Basis", "Years", "Sensitivity"),
    "fine_tuning.xlsx": ("Ways", "Years", "What-if", "Sensitivity"),
    "model_comparison.xlsx": ("Facts", "Comparison"),
    "training_programme.xlsx": ("Phases", "Budget", "Years", "What-if", "Sensitivity"),
    "fleet_plan.xlsx": ("Services", "Years", "Sensitivity"),
    "training_budget.xlsx": ("Plan", "Cases", "Years", "What-if", "Sensitivity"),
}


def of_book(name: str) -> Workbook:
    return opened(bundled("workbooks") / name)


def sheets(*groups: dict[str, tuple[str, ...]]) -> pytest.MarkDecorator:
    named = [(book, sheet) for group in groups for book, names in group.items() for sheet in names]
    return pytest.mark.parametrize(("book", "name"), named)


READABLE = 300  # letters: a reviewer reads every formula; on 0.13.0 one that compared months had 3,618
_CELL = re.compile(r"(?<![\w.$])(\$?)([A-Z]{1,3})(\$?)(\d+)(?![\w.(])")
_VOLATILE = re.compile(r"\b(?:OFFSET|INDIRECT|NOW|TODAY|RAND)\(")
_LARGE = re.compile(r"(?<![\w.$])(?:[2-9]|\d[\d.])")  # what may be a number but 0 and 1


@lru_cache(maxsize=200)
def formulas(sheet: Worksheet) -> dict[str, str]:
    """Return the formulas of a sheet by cell, read once."""
    texts = {cell.coordinate: getattr(cell.value, "text", cell.value) for row in sheet.iter_rows() for cell in row}
    return {at: text for at, text in texts.items() if isinstance(text, str) and text.startswith("=")}


def relative(formula: str, row: int, column: int) -> str:
    """Return a formula in R1C1 form."""

    def written(match: re.Match[str]) -> str:
        at_column, at_row = column_index_from_string(match[2]), int(match[4])
        r = f"R{at_row}" if match[3] else f"R[{at_row - row}]"
        return r + (f"C{at_column}" if match[1] else f"C[{at_column - column}]")

    return _CELL.sub(written, formula)


def first_month(sheet: Worksheet) -> int:
    return next(cell.column for cell in sheet[4] if cell.value == "Total") + 1


def constants(formula: str) -> list[str]:
    tokens = tokenize(formula) if _LARGE.search(formula) else []
    return [token.text for token in tokens if token.kind == "number" and token.text not in ("0", "1")]


@sheets(THROUGH_TIME)
def test_a_row_has_one_formula(book: str, name: str) -> None:
    sheet = of_book(book)[name]
    first = first_month(sheet)
    assert rows_of_one_formula(sheet, first, LONGEST_PLAN) > 20
    assert all(
        cell.value is None for (cell,) in sheet.iter_rows(min_col=first + LONGEST_PLAN, max_col=first + LONGEST_PLAN)
    )


@sheets(BY_CASE)
def test_a_row_has_one_formula_in_every_case(book: str, name: str) -> None:
    sheet = of_book(book)[name]
    n_cases = [cell.value for cell in sheet[4]].index("Unit") - 2
    assert rows_of_one_formula(sheet, 3, n_cases) > 20


def rows_of_one_formula(sheet: Worksheet, first: int, n_columns: int) -> int:
    """Return how many rows hold formulas, each the same in R1C1 form in all of its columns."""
    n_rows = 0
    for row in range(5, sheet.max_row + 1):
        cells = [sheet.cell(row, column) for column in range(first, first + n_columns)]
        if cells[0].value is None or cells[-1].value is None:  # a statement, or a table below the months
            continue
        forms = {relative(str(cell.value), row, cell.column) for cell in cells}
        assert len(forms) == 1, (sheet.cell(row, 2).value, sorted(forms)[:2])
        n_rows += 1
    return n_rows


@sheets(THROUGH_TIME, BY_CASE, OF_FORMULAS)
def test_formulas_hold_no_constants(book: str, name: str) -> None:
    """A literal 730 stood in every monthly sheet of 0.3.0; the constants stand on Inputs, each with its source.

    A square, by which spreads are combined, is no constant.
    """
    found = {
        at: numbers
        for at, text in formulas(of_book(book)[name]).items()
        if (numbers := constants(text.replace("^2", "")))
        and "FIXED" not in text and "2^30" not in text
    }  # fmt: skip
    assert found == {}


@pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)
def test_formulas_are_short_and_not_volatile_and_call_a_function_on_hidden_sheets_alone(book: Shipped) -> None:
    seen = 0
    for sheet in opened(book.path):
        for at, text in formulas(sheet).items():
            assert not _VOLATILE.search(text), (sheet.title, at)
            assert sheet.sheet_state == "hidden" or not calls_sizebook(text), (sheet.title, at)
            assert len(text) <= READABLE, (sheet.title, at)
            seen += 1
    assert seen > 150


@pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)
def test_no_lookup_falls_back_to_zero(book: Shipped) -> None:
    """A call inside IFERROR is tried on the sheet of calls: ...=5,call,0),tried)."""
    tried = "ERROR.TYPE(N("
    found = {
        f"{sheet.title}!{at}": text
        for sheet in opened(book.path)
        for at, text in formulas(sheet).items()
        if (",0)" in text and "IFERROR(" in text) or (sheet.title == "Calls" and ",0)," in text.partition(tried)[2])
    }
    assert found == {}


@pytest.mark.parametrize("book", OF_FORMULAS)
def test_the_same_call_stands_once(book: str) -> None:
    calls: list[Any] = [cell.value for (cell,) in of_book(book)["Calls"]["B8:B900"] if cell.value]
    assert len(calls) == len(set(calls))
    assert len(calls) > 5 or book == "fleet_plan.xlsx"  # all that it asks stands in two staged tables


@sheets(THROUGH_TIME, BY_CASE, OF_FORMULAS)
def test_cells_have_named_styles(book: str, name: str) -> None:
    plain = [
        cell.coordinate
        for row in of_book(book)[name].iter_rows()
        for cell in row
        if cell.value is not None and cell.style == "Normal"
    ]
    assert plain == []
