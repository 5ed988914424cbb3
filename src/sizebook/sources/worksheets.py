"""Reads worksheets that come from outside."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.extras import need
from sizebook.intake.archives import check_workbook, no_workbook

_FORMULA = re.compile(rb"<(?:\w+:)?f[ />]")


def sheet_rows(path: Path) -> Iterator[list[Any]]:
    """Yield the cells of a workbook's first sheet, row by row, formulas as the values stored with them.

    Every row is as wide as the first. Errors: `InputError` for a file that is no workbook, for one over the limits of
    the intake, and for what would be lost: a cell without a head above it, a formula without a value.
    """
    check_workbook(path)
    heads: list[Any] | None = None
    try:
        for number, row in enumerate(_first_sheet(path), start=1):
            cells = list(row)
            while cells and cells[-1] is None:
                cells.pop()
            heads = cells if heads is None else heads
            _refuse_headless(cells, heads, f"row {number} of {path.name}")
            yield cells + [None] * (len(heads) - len(cells))
    except InputError:
        raise
    except Exception as error:  # openpyxl raises whatever a damaged part makes it stumble over
        raise no_workbook(path) from error


def _refuse_headless(cells: list[Any], heads: list[Any], where: str) -> None:
    if len(cells) > len(heads):
        raise InputError(
            f"too many cells: got {len(cells)} in {where}, want at most {len(heads)}, one for each head. "
            "Give the column a head, or empty the cell."
        )
    for cell, head in zip(cells, heads, strict=False):
        if cell is not None and head is None:
            raise InputError(
                f"cell without a head: got {cell!r} in {where}, want a head in the first row of its column. "
                "Write one, or empty the cell."
            )


def _first_sheet(path: Path) -> Iterator[tuple[Any, ...]]:
    if not _has_formulas(path):
        yield from _sheet(path, data_only=True).iter_rows(values_only=True)
        return
    found, written = (_sheet(path, data_only=stored).iter_rows() for stored in (True, False))
    for number, (row, formulas) in enumerate(zip(found, written, strict=True), start=1):
        for cell, formula in zip(row, formulas, strict=True):
            # A result that is text is marked as one, an empty one too.
            if cell.value is None and formula.data_type == "f" and cell.data_type == "n":
                raise InputError(
                    f"formula without a value: got '{formula.value}' in row {number} of {path.name}, want a value "
                    "stored with it. Open the workbook in a spreadsheet and save it."
                )
        yield tuple(cell.value for cell in row)


def _sheet(path: Path, *, data_only: bool) -> Any:
    need("workbooks", instead="give a .csv file")
    from openpyxl import load_workbook

    sheet = load_workbook(path, read_only=True, data_only=data_only).worksheets[0]
    sheet.reset_dimensions()  # what a file says of its own size is not believed: rows would be padded to it
    return sheet


def _has_formulas(path: Path) -> bool:
    """Return whether any sheet may hold a formula: reading it a second time for them takes as long as the first."""
    with zipfile.ZipFile(path) as package:
        sheets = (name for name in package.namelist() if name.startswith("xl/worksheets/"))
        return any(_FORMULA.search(package.read(name)) for name in sheets)
