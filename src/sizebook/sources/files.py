"""Reads tables and text that come from outside."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError


def read_text(path: Path, wanted: str) -> str:
    """Return the text of a file in UTF-8, with or without the byte-order mark that editors on Windows write.

    Errors: `InputError` where the file cannot be read or is in another encoding; ``wanted`` says what it should be.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read: got {error.strerror} for {path}, want {wanted}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise not_utf8(path, wanted, error) from error


def not_utf8(path: Path, wanted: str, error: UnicodeDecodeError) -> InputError:
    """Return the refusal of a file in another encoding, with the line where reading stopped."""
    line = error.object[: error.start].count(b"\n") + 1
    return InputError(
        f"not UTF-8: got byte 0x{error.object[error.start]:02x} in line {line} of {path.name}, want {wanted} in UTF-8. "
        "Save it in that encoding."
    )


def sheet_rows(path: Path) -> Iterator[list[Any]]:
    """Yield the cells of a workbook's first sheet, row by row, formulas as the values stored with them."""
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, InvalidFileException, KeyError, ValueError) as error:
        raise InputError(
            f"not a workbook: got {path.name}, want an .xlsx file without a password. "
            "Save it in that format from Excel."
        ) from error
    for row in book.worksheets[0].iter_rows(values_only=True):
        yield list(row)


def refuse_repeated(columns: list[str], path: Path) -> None:
    """Raise where two columns of a table share a name: only one of them could be read."""
    repeated = sorted({name for name in columns if name and columns.count(name) > 1})
    if repeated:
        raise InputError(
            f"column given twice: got {', '.join(repeated)} more than once in {path.name}, want each name once. "
            "Remove or rename one."
        )
