"""Anchors of somebody's template that clash: a figure nobody would see, or over another, or in a header, is said."""

from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.core.errors import InputError
from sizebook.workbooks.filling import fill_from
from tests.refused import message_of
from tests.workbooks.test_own_template import supply

TABLE = "months at Our plan!A4:C10: 6 rows of months, 3 before"


def template(path: Path, change: Callable[[Workbook, Worksheet], None]) -> Path:
    """A table of three months at A4, and what a test adds."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Our plan"
    sheet.append([])
    for at, row in enumerate([("Month", "peak_gpus", "usd"), *(("2026-05", 1, 2),) * 3], 4):
        for column, value in enumerate(row, 1):
            sheet.cell(at, column, value)
    change(book, sheet)
    sheet.add_table(Table(displayName="months", ref="A4:C7"))
    book.save(path)
    return path


def named(name: str, text: str) -> Callable[[Workbook, Worksheet], None]:
    def change(book: Workbook, sheet: Worksheet) -> None:
        book.defined_names[name] = DefinedName(name, attr_text=text)

    return change


def merged(book: Workbook, sheet: Worksheet) -> None:
    sheet.merge_cells("E1:G2")
    named("usd", "'Our plan'!$F$1")(book, sheet)


def twice(book: Workbook, sheet: Worksheet) -> None:
    named("usd", "'Our plan'!$F$1")(book, sheet)
    named("peak_gpus_last", "'Our plan'!$F$1")(book, sheet)


def header_text(book: Workbook, sheet: Worksheet) -> None:
    sheet["C4"] = "usd {{ title }}"


CLASHES: dict[str, tuple[Callable[[Workbook, Worksheet], None], str]] = {
    "hidden by a merge": (
        merged,
        "the name usd means Our plan!F1, which the merged cells E1:G2 hide; give the name to E1: left as it stands",
    ),
    "a cell that is gone": (
        named("usd", "#REF!$A$1"),
        "the name usd means no cell: got #REF!$A$1, want one such as Sheet1!$B$2. Correct it.",
    ),
    "a sheet that is gone": (
        named("usd", "Gone!$A$1"),
        "the name usd means no cell: got Gone!$A$1, want one such as Sheet1!$B$2. Correct it.",
    ),
    "inside a table": (
        named("usd", "'Our plan'!$C$5"),
        "the name usd means Our plan!C5, a cell of the table months, which the plan fills: left as it stands",
    ),
    "a header": (
        named("usd", "'Our plan'!$C$4"),
        "the name usd means Our plan!C4, a header of the table months, by which Excel knows its column: left as it "
        "stands",
    ),
    "one cell twice": (
        twice, "the name peak_gpus_last means Our plan!F1, a cell that the name usd fills: left as it stands",
    ),
    "braces in a header": (
        header_text,
        "Our plan!C4: names in braces stand in a header of the table months, by which Excel knows its column: left as "
        "they stand",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CLASHES)
def test_an_anchor_that_clashes_is_left_and_said(case: str, tmp_path: Path) -> None:
    """0.11.0 filled or passed over each of these without a word; a header that changed makes Excel repair the file."""
    change, said = CLASHES[case]
    path = template(tmp_path / "own.xlsx", change)
    filled = fill_from(path, supply(6), tmp_path / "out.xlsx")
    assert f"own.xlsx: {said}" in filled.notes
    assert TABLE in filled.placed
    sheet = load_workbook(filled.path)["Our plan"]
    assert [cell.value for cell in sheet[4]][:3] == [column.name for column in sheet.tables["months"].tableColumns]
    if case != "braces in a header":
        assert [sheet[f"C{row}"].value for row in range(5, 11)] == [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
    assert sheet["F1"].value in (None, 12_345.5)
    assert said in message_of(InputError, lambda: fill_from(path, supply(6), tmp_path / "strict.xlsx", strict=True))


def test_figures_that_a_validation_refuses_are_said(tmp_path: Path) -> None:
    """A person could not type them there: the template means something else, or the plan is out of its bounds."""

    def change(book: Workbook, sheet: Worksheet) -> None:
        whole = DataValidation(type="whole", operator="between", formula1="0", formula2="100")
        whole.add("F1")
        little = DataValidation(type="decimal", operator="lessThanOrEqual", formula1="45")
        little.add("C5:C10")
        sheet.add_data_validation(whole)
        sheet.add_data_validation(little)
        named("usd", "'Our plan'!$F$1")(book, sheet)

    filled = fill_from(template(tmp_path / "own.xlsx", change), supply(6), tmp_path / "out.xlsx")
    assert filled.notes == (
        "own.xlsx: Our plan!C9 holds 50.0, which its data validation refuses: want a number at most 45",
        "own.xlsx: Our plan!F1 holds 12345.5, which its data validation refuses: want a whole number 0 to 100",
    )
    assert load_workbook(filled.path)["Our plan"]["F1"].value == 12_345.5
