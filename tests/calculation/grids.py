"""Cells that formulas of the tests stand beside, and what the formulas give there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.formula import ArrayFormula

from sizebook.calculation import Calculated, recalculate
from sizebook.calculation.tokens import tokenize

ROWS_WANTED = ("MMULT", "TRANSPOSE", "FREQUENCY")
FIRST = 21  # row of the first formula
# Columns of the sheet Main; of "blanks" the formulas stand on a sheet of their own, as whole rows and columns count.
GRIDS: dict[str, dict[str, list[Any]]] = {
    "figures": {
        "A": [1, 2, 3, 4, 5, 7],
        "B": [2, 4, 5, 8, 11, 13],
        "C": ["apple", "pig", "Banana", "cat", "apple", None],
        "D": [1, "x", True, None, -2.5, "7"],
        "F": [-10000, 2750, 4250, 3250, 2750, 500],
        "G": [39448, 39508, 39751, 39859, 39904, 40000],
        "H": [1, 2, "=1/0", 4, "=NA()", 6],
        "J": ["k", "a", "b", "a", "b", "a", "c"],
        "K": ["v", 1, 2, 3, 4, 5, 6],
        "L": ["w", 10, 20, 30, 40, 50, 60],
        "N": ["k", "a"],
        "O": ["v", ">1"],
        "P": [2, 1, 0],
        "Q": [0, 3, 1],
        "R": [1, 1, 4],
    },
    "texts": {
        "A": [2, 3, "$7", None, 0, "7"], "B": ["=0.1+0.2", 0.3, '=""'], "C": ["25%", "1/2", "Total"],
        "D": [1.1, "=D1*3"],
    },
    "blanks": {"A": [2, 3, 5, None, 0], "B": ["a", "b", "a"], "C": [10, 20, 30, 40, 50, 60, 70], "D": ["=-A5", "=-A1"]},
    "ordinary": {"A": [2, 3, 5, 8, 3.14159], "D": ["a", "b", "c"], "E": [10, 20, 30]},
    "registered": {"A": [4, 8, 16]},
}  # fmt: skip
NAMES = {
    "ratio": "0.25", "column": "Main!$A$1:$A$20", "XYZ1": "Main!$A$1", "width": "'It''s'!$A$1",
    "widths": "'It''s'!$A$1:$A$2", "twice": "width*2", "plain": "8",
}  # fmt: skip


def saved(path: Path, cells: Mapping[str, Any], names: Mapping[str, str] | None = None) -> Path:
    """Write a workbook of names and of cells, those without a sheet of their own on ``Main``; return its path."""
    book = Workbook()
    book.worksheets[0].title = "Main"
    for place, value in cells.items():
        sheet, _, at = place.rpartition("!")
        title = sheet or "Main"
        (book[title] if title in book.sheetnames else book.create_sheet(title))[at] = value
    for name, means in (names or {}).items():
        book.defined_names[name] = DefinedName(name, attr_text=means)
    book.save(path)
    return path


def calculate(folder: Path, cells: Mapping[str, Any], names: Mapping[str, str] | None = None) -> Calculated:
    """Return what the formulas of such a workbook give."""
    return recalculate(saved(folder / "book.xlsx", cells, names))


def worked_out(folder: Path, formulas: list[str], grid: str = "figures") -> tuple[list[Any], Calculated]:
    """Return what formulas give, each in a row of its own beside the cells; ``{...}`` are array formulas."""
    cells: dict[str, Any] = {"Other!A2": 1, "It's!A1": 4, "It's!A2": 8}
    for column, values in GRIDS[grid].items():
        cells |= {f"{column}{row}": value for row, value in enumerate(values, 1)}
    sheet = "Apart" if grid == "blanks" else "Main"
    for row, formula in enumerate(formulas, FIRST):
        is_array = formula.startswith(("{", *ROWS_WANTED))
        bare = formula[1:-1] if formula[0] == "{" else formula
        text = f"={_on_main(bare) if grid == 'blanks' else bare}"
        area = f"T{row}:V{row}" if grid == "figures" else f"T{row}"
        cells[f"{sheet}!T{row}"] = ArrayFormula(area, text) if is_array else text
    found = calculate(folder, cells, NAMES)
    return [found[sheet, f"T{row}"] for row in range(FIRST, FIRST + len(formulas))], found


def _on_main(formula: str) -> str:
    """Return a formula whose references name their sheet, so that it means the same from anywhere."""
    return "".join(
        f"Main!{token.text}" if token.kind == "reference" and "!" not in token.text else token.text
        for token in tokenize(formula)
    )
