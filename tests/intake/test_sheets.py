"""Nothing that stands on a sheet of somebody else's is lost in silence on the way in."""

import zipfile
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from sizebook.sources.worksheets import sheet_rows


def written(folder: Path, rows: list[list[Any]], *changes: tuple[str, str]) -> Path:
    """Write a workbook, its sheet's XML changed as other programs would have written it."""
    book, plain, path = Workbook(), folder / "plain.xlsx", folder / "s.xlsx"
    for row in rows:
        book.worksheets[0].append(row)
    book.save(plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            for before, after in changes if name == "xl/worksheets/sheet1.xml" else ():
                assert before.encode() in text, (before, text)
                text = text.replace(before.encode(), after.encode())
            new.writestr(name, text)
    return path


@pytest.mark.parametrize("empty", ["<v></v>", "<v/>", ""])
def test_a_formula_is_its_stored_value_and_blank_text_is_one(empty: str, tmp_path: Path) -> None:
    """Excel marks a result that is text, so an empty one is told from one that was never worked out."""
    rows = [["model", "title", "n"], ["gpt-2", '=""', "=1+1"]]
    path = written(
        tmp_path, rows, ('<c r="B2"><f>""</f><v></v></c>', f'<c r="B2" t="str"><f>""</f>{empty}</c>'),
        ("<f>1+1</f><v></v>", "<f>1+1</f><v>2</v>"),
    )  # fmt: skip
    heads, row = sheet_rows(path)
    assert (heads, row[0], row[1] or "", row[2]) == (["model", "title", "n"], "gpt-2", "", 2)
