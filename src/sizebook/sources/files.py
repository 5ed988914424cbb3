"""Reads worksheets that come from outside; writes files whole or not at all: beside the target, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
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
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True, data_only=True)
    sheet = book.worksheets[0]
    sheet.reset_dimensions()  # what a file says of its own size is not believed: rows would be padded to it
    yield from sheet.iter_rows(values_only=True)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it where they are missing. Errors: `InputError` where the system refuses."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot write: got {error.strerror} for {folder}, want a folder that can be written. Check the path."
        ) from error


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Give a path to write to; it takes the target's name when the block ends well and is gone when it does not.

    A reader, a crash or a full disk never leaves half a file under the target's name. The folder is made where it is
    missing. Errors: `InputError` where the system refuses to write.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise InputError(
            f"cannot write: got {error.strerror or error} for {path}, want a file in a folder that can be written. "
            "Check the path."
        ) from error
    finally:
        if temporary.parent.is_dir():
            temporary.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> Path:
    """Write a file's content and return its path."""
    with unfinished(path) as temporary:
        temporary.write_bytes(content)
    return path
