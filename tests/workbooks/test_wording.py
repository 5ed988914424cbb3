"""Figures in sentences keep their digits, whatever their size."""

import html
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from sizebook.calculation import recalculate
from sizebook.calculation.package import Package
from sizebook.sources.bundled import bundled
from sizebook.workbooks.formula_steps import FormulaSteps
from sizebook.workbooks.held_values import CALLS
from sizebook.workbooks.text_formulas import (
    count_text,
    day_text,
    digits_of_both,
    distinct_texts,
    money_text,
    nearly_equal,
    number_text,
    percent_text,
    range_text,
)
from tests.row_lists import listed


@pytest.mark.parametrize(*listed("workbooks", "test_texts"))
def test_texts(value: float, text: str, money: str, tmp_path: Path) -> None:
    book = Workbook()
    sheet, steps = book["Sheet"], FormulaSteps(book)
    formulas = (number_text("A1"), money_text("A1"), range_text("A1", "A1", " measured"), count_text("A1+1000"))
    sheet["A1"], sheet["B5"] = value, "USD"
    for row, formula in enumerate(formulas, 1):
        sheet[f"B{row}"] = "=" + steps.named(formula, lambda figure: f"Sheet!{figure}", lambda name: "Sheet!$B$5")
    book.save(tmp_path / "texts.xlsx")
    shown = recalculate(tmp_path / "texts.xlsx")
    assert shown["Sheet", "B1"] == text
    assert shown["Sheet", "B2"] == money
    assert shown["Sheet", "B3"] == f"{text} to {text} measured"
    assert shown["Sheet", "B4"].replace(",", "").isdigit()
    assert book[CALLS].max_row == 9  # the range names the figure's text again


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        (1e9, 1e9 + 1e-3, True),
        (1e9, 1e9 + 10, False),
        (0, 0, True),
        ("none", "none", False),
        (None, 0, True),  # a blank cell is 0 to a formula
        ("=NA()", 1, "#N/A"),
        (1, "=1/0", "#DIV/0!"),
    ],
)
def test_figures_are_compared_in_a_row_of_their_own(one: Any, other: Any, shown: Any, tmp_path: Path) -> None:
    book = Workbook()
    sheet, steps = book["Sheet"], FormulaSteps(book)
    sheet["A1"], sheet["A2"], sheet["A3"] = one, other, 1e-9
    formula = steps.named(nearly_equal("A1", "A2"), lambda figure: f"Sheet!{figure}", lambda name: "Sheet!$A$3")
    sheet["B1"], sheet["B2"] = f"={formula}", f"=AND({formula},{formula})"
    book.save(tmp_path / "equal.xlsx")
    found = recalculate(tmp_path / "equal.xlsx")
    assert [found["Sheet", at] for at in ("B1", "B2")] == [shown, shown]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.125, "12.5%"), (1, "100.0%"), (-0.00449, "-0.4%"), (12.3456, "1,234.6%")],
)
def test_a_share_needs_no_format_in_the_readers_language(value: float, shown: str, tmp_path: Path) -> None:
    assert _worked_out(percent_text("A1", 1), value, tmp_path) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(date(2027, 3, 1), "2027-03-01"), (date(2026, 12, 31), "2026-12-31"), ("spring", "spring")],
)
def test_a_day_needs_no_format_in_the_readers_language(value: Any, shown: str, tmp_path: Path) -> None:
    assert _worked_out(day_text("A1"), value, tmp_path) == shown


@pytest.mark.parametrize(
    ("figure", "ceiling", "shown"),
    [(89.04, 89, "89.1 > 89.0"), (89.04, 88.96, "89.1 > 88.9"), (64, 60, "64 > 60"), (1414, 400, "1,414 > 400")],
)
def test_a_figure_and_the_ceiling_that_it_exceeds_differ(
    figure: float, ceiling: float, shown: str, tmp_path: Path
) -> None:
    book = Workbook()
    sheet = book["Sheet"]
    sheet["A1"], sheet["A2"] = figure, ceiling
    sheet["B1"] = '={}&" > "&{}'.format(*distinct_texts("A1", "A2", digits_of_both("A1", "A2")))
    book.save(tmp_path / "texts.xlsx")
    assert recalculate(tmp_path / "texts.xlsx")["Sheet", "B1"] == shown


def test_no_workbook_asks_text_for_separators_or_days() -> None:
    """TEXT(x,"0.0%") reads 100% in German, where a point parts thousands, and "yyyy" is no year there."""
    asked = {
        (path.name, fmt)
        for path in sorted(bundled("workbooks").glob("*.xlsx"))
        for part, data in Package.read(path).entries
        if part.filename.startswith("xl/worksheets/")
        for fmt in re.findall(r'TEXT\([^"]*,"([^"]*)"\)', html.unescape(data.decode()))
    }
    assert {each for each in asked if re.search("[.,ymd]", each[1])} == set()


def _worked_out(formula: str, value: Any, folder: Path) -> Any:
    """Return what a formula gives with a value in A1."""
    book = Workbook()
    book["Sheet"]["A1"], book["Sheet"]["B1"] = value, f"={formula}"
    book.save(folder / "texts.xlsx")
    return recalculate(folder / "texts.xlsx")["Sheet", "B1"]
