"""Figures in sentences keep their digits, whatever their size."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook

from sizebook.calculation import recalculate
from sizebook.workbooks.wording import between, counted, usd, worded


@pytest.mark.parametrize(
    ("value", "text", "money"),
    [
        (0, "0", "$0"),
        (0.0000123, "1.2E-05", "$1.2E-05"),
        (0.0042, "0.004", "$0.004"),
        (0.4155, "0.416", "$0.416"),
        (0.5, "0.500", "$0.500"),
        (1.185, "1.19", "$1.19"),
        (42.35, "42.4", "$42.4"),
        (1234.5, "1,235", "$1,235"),
        (10_468_167.88, "10,468,168", "$10.47 M"),
    ],
)
def test_texts(value: float, text: str, money: str, tmp_path: Path) -> None:
    book = Workbook()
    sheet = book["Sheet"]
    sheet["A1"], sheet["B1"], sheet["B2"] = value, f"={worded('A1')}", f"={usd('A1')}"
    sheet["B3"], sheet["B4"] = between("A1", "A1", " measured"), f"={counted('A1+1000')}"
    book.save(tmp_path / "texts.xlsx")
    shown = recalculate(tmp_path / "texts.xlsx")
    assert shown["Sheet", "B1"] == text
    assert shown["Sheet", "B2"] == money
    assert shown["Sheet", "B3"] == f"{text} to {text} measured"
    assert shown["Sheet", "B4"].replace(",", "").isdigit()
