"""What filling refuses, each before anything is written."""

from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from sizebook.core.errors import InputError
from sizebook.workbooks.filling import fill
from tests.refused import message_of
from tests.row_lists import listed


def test_unreadable_default(template: Path, tmp_path: Path) -> None:
    book = load_workbook(template)
    book.defined_names["dtype"].comment = "default: fp32"
    book.save(template)
    assert message_of(InputError, fill, template, {"d_model": 8}, tmp_path / "out.xlsx") == (
        "unreadable default: got 'default: fp32' for the name dtype, want 'default: ' and a number, a text in "
        "quotation marks or null. Correct the comment in the Name Manager."
    )


@pytest.mark.parametrize(*listed("workbooks", "test_refused_before_anything_is_written"))
def test_refused_before_anything_is_written(
    template: Path, tmp_path: Path, inputs: dict[str, Any], message: str
) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    assert message_of(InputError, fill, template, inputs, tmp_path / "out.xlsx") == message
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_formula_beyond_us_keeps_its_value_or_is_refused(template: Path, tmp_path: Path) -> None:
    book = load_workbook(template)
    book["Plan"]["B9"] = "=PARAMS_MHAA(A2)"
    book.save(template)
    filled = fill(template, {"d_model": 8}, tmp_path / "out.xlsx")
    assert "Plan!B9: =PARAMS_MHAA(A2) gives #NAME?; not calculated, it keeps the value stored before" in filled.problems
    # openpyxl stored none: a reader sees that there is no value, not an empty cell.
    assert load_workbook(tmp_path / "out.xlsx", data_only=True)["Plan"]["B9"].value == "#N/A"
    assert message_of(InputError, fill, template, {"d_model": 8}, tmp_path / "strict.xlsx", strict=True) == (
        "cannot calculate: got 1 formulas beyond what is calculated here, want none. "
        "Correct these cells, or fill without --strict:\ntemplate.xlsx: Plan!B9: =PARAMS_MHAA(A2) gives #NAME?"
    )
    assert not (tmp_path / "strict.xlsx").exists()


def test_workbook_without_inputs(tmp_path: Path) -> None:
    Workbook().save(tmp_path / "empty.xlsx")
    assert message_of(InputError, fill, tmp_path / "empty.xlsx", {}, tmp_path / "out.xlsx") == (
        "no inputs: got empty.xlsx, want a defined name on a cell with the style 'Input' or 'Optional input'. "
        "Name the input cells and give them that style."
    )


def test_output_must_be_of_the_templates_kind(template: Path, tmp_path: Path) -> None:
    assert message_of(InputError, fill, template, {"d_model": 8}, tmp_path / "out.xlsm") == (
        "another kind of file: got '.xlsm' for the output, want '.xlsx' as the template. "
        "Rename the output: Excel refuses a file whose name and content differ."
    )


def test_folder_that_cannot_be_made(template: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert message_of(InputError, fill, template, {"d_model": 8}, tmp_path / "file" / "out.xlsx") == (
        f"cannot write: got File exists for {tmp_path / 'file' / 'out.xlsx'}, "
        "want a file in a folder that can be written. Check the path."
    )
