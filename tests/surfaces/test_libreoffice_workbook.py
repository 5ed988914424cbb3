"""How a workbook calls the add-in in Calc: an empty cell is the default there too."""

from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.workbook.defined_name import DefinedName

from sizebook.calculation.spellings import respelled
from sizebook.functions import load
from sizebook.workbooks.filling import fill
from tests.libreoffice.office import Displays
from tests.row_lists import listed


def test_an_empty_cell_is_the_default_in_calc_too(tmp_path: Path, calc_display: Displays) -> None:
    book = Workbook()
    book.active["D2"].style = "Input"
    book.defined_names["with_bias"] = DefinedName("with_bias", attr_text="Sheet!$D$2")
    for row in (1, 2):
        book.active[f"B{row}"] = f"=PARAMS_LN(512,D{row})"
    book.save(tmp_path / "template.xlsx")
    filled = fill(tmp_path / "template.xlsx", {"with_bias": False}, tmp_path / "filled.xlsx", target="libreoffice")
    assert load_workbook(filled.path).active["B1"].value == "=SIZEBOOK.PARAMS_LN(512,D1:D1)"
    shown = calc_display(filled.path)["Sheet"]
    assert (shown["B1"], shown["B2"]) == ("1024", "512")


@pytest.mark.parametrize(*listed("surfaces", "test_only_a_cell_alone_in_an_optional_place_becomes_a_range"))
def test_only_a_cell_alone_in_an_optional_place_becomes_a_range(formula: str, stored: str) -> None:
    assert respelled(formula, "libreoffice", load()) == stored
    assert respelled(formula, "classic", load()) == formula
