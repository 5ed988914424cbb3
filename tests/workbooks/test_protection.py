"""`sizebook fill --protect`: sheets are protected without a password, and inputs stay open."""

from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.styles import NamedStyle, Protection
from openpyxl.workbook.defined_name import DefinedName

from sizebook.core.errors import InputError
from sizebook.workbooks.filling import SaveOptions, fill, read_inputs
from sizebook.workbooks.input_cells import OPTIONAL, REQUIRED
from tests.commands import run
from tests.refused import message_of
from tests.workbooks.shipped import SHIPPED, Shipped, opened


def test_sheets_are_protected_and_inputs_take_values(tmp_path: Path) -> None:
    scenario, out, again = tmp_path / "s.toml", tmp_path / "out.xlsx", tmp_path / "again.xlsx"
    scenario.write_text('model = "llama-3.1-8b"\n', encoding="utf-8")
    done = run("fill", "model_sizing.xlsx", scenario, "-o", out, "--protect")
    assert (done.exit_code, done.stderr) == (0, "")
    book = load_workbook(out)
    assert all(sheet.protection.sheet and sheet.protection.password is None for sheet in book)
    assert not any(sheet.protection.formatColumns for sheet in book)  # hidden columns can be shown
    assert book["Result"]["B5"].protection.locked
    for name, entry in read_inputs(out).items():
        assert not book[entry.at.sheet].cell(entry.at.top, entry.at.left).protection.locked, name
    fill(out, {"model": "qwen3-8b"}, again)  # what was protected is filled as before
    assert load_workbook(again, data_only=True)["Result"]["B5"].value == 8_190_735_360


@pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)
def test_every_input_of_a_shipped_workbook_is_unlocked_and_no_figure_is(book: Shipped) -> None:
    cells = [cell for sheet in opened(book.path) for row in sheet.iter_rows() for cell in row]
    inputs = [cell for cell in cells if cell.style in (REQUIRED, OPTIONAL)]
    figures = [cell for cell in cells if cell.style not in (REQUIRED, OPTIONAL) and str(cell.value).startswith("=")]
    assert not [cell.coordinate for cell in inputs if cell.protection.locked]
    assert not [cell.coordinate for cell in figures if not cell.protection.locked]


def test_a_locked_input_of_somebodys_workbook_is_named(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    sheet.title = "Plan"
    book.add_named_style(NamedStyle("Input", protection=Protection(locked=True)))
    sheet["B2"], sheet["B2"].style = 1, "Input"
    book.defined_names["users"] = DefinedName("users", attr_text="Plan!$B$2")
    book.save(tmp_path / "own.xlsx")
    out = tmp_path / "out.xlsx"
    assert message_of(
        InputError, fill, tmp_path / "own.xlsx", {"users": 2}, out, options=SaveOptions(protected=True)
    ) == (
        "locked inputs: got Plan!B2 in own.xlsx, want inputs that stay open. Clear 'Locked' in their cell style "
        "(Format, Protection)."
    )
    assert not out.exists()
