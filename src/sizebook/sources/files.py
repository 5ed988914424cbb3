"""Reads worksheets that come from outside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.extras import need
from sizebook.intake.archives import check_workbook


def sheet_rows(path: Path) -> Iterator[list[Any]]:
    """Yield the cells of a workbook's first sheet, row by row, formulas as the values stored with them.

    Every row is as wide as the first. Errors: `InputError` for a file that is no workbook, for one over the limits of
    the intake, and for a cell to the right of the heads, which would be lost.
    """
    check_workbook(path, "a workbook")
    width = None
    try:
        for number, row in enumerate(_first_sheet(path), start=1):
            cells = list(row)
            while cells and cells[-1] is None:
                cells.pop()
            width = len(cells) if width is None else width
            if len(cells) > width:
                raise InputError(
                    f"too many cells: got {len(cells)} in row {number} of {path.name}, want at most {width}, one for "
                    "each head. Give the column a head, or empty the cell."
                )
            yield cells + [None] * (width - len(cells))
    except InputError:
        raise
    except Exception as error:  # openpyxl raises whatever a damaged part makes it stumble over
        raise InputError(
            f"not a workbook: got {path.name}, want an .xlsx or .xlsm file without a password. "
            "Save it in that format from Excel."
        ) from error


def _first_sheet(path: Path) -> Iterator[tuple[Any, ...]]:
    need("workbooks", instead="give a .csv file")
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True, data_only=True)
    sheet = book.worksheets[0]
    sheet.reset_dimensions()  # what a file says of its own size is not believed: rows would be padded to it
    yield from sheet.iter_rows(values_only=True)
