"""Text of users in new workbooks and CSV tables: shown as it stands, never calculated, whatever it begins with."""

import re
from collections.abc import Iterable
from typing import Any

from sizebook.core.coercion import LONGEST_CELL
from sizebook.core.errors import InputError, shown

# What Excel, LibreOffice and Google Sheets take for a formula, also in a CSV file; a tab or line break before it too.
# Written as both Python and polars read them, which looks through columns of a table at once.
BEGINS_FORMULA = r"^[\t\r\n]*[=+\-@]"
IS_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\z"
_CALCULATED = re.compile(BEGINS_FORMULA)
_NUMBER = re.compile(IS_NUMBER.replace(r"\z", r"\Z"))
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # control characters that XML has no way to write
_UNLIKE_TEXT = re.compile(r"[=#]")  # openpyxl makes a formula or an error value of it


def is_calculated(text: str) -> bool:
    """Return whether a spreadsheet that opens a CSV file would calculate a text; a number it would only read."""
    return _CALCULATED.match(text) is not None and _NUMBER.match(text) is None


def neutralised(text: str) -> str:
    """Return a text with an apostrophe before it where a spreadsheet would calculate it."""
    return f"'{text}" if is_calculated(text) else text


def neutral_cells(row: Iterable[Any]) -> list[Any]:
    """Return the cells of a line of CSV with its texts neutralised."""
    return [neutralised(cell) if isinstance(cell, str) else cell for cell in row]


def put_text(cell: Any, text: str) -> Any:
    """Show a text in a cell of openpyxl and return the cell. Errors: `InputError` for more than a cell holds.

    Characters that no workbook may hold, such as a null, become the sign for an unreadable one. The cell is marked as
    text (quotePrefix), so that editing it does not make a formula of it either.
    """
    if len(text) > LONGEST_CELL:
        raise InputError(
            f"text too long for a cell: got {shown(text)}, want at most {LONGEST_CELL} characters. "
            "Shorten it, or write a .csv or .parquet table."
        )
    cell.value = _UNWRITABLE.sub("\ufffd", text)
    cell.data_type = "s"
    if is_calculated(text):
        cell.quotePrefix = True
    return cell


def is_stored_as_is(value: Any) -> bool:
    """Return whether openpyxl stores a value as what it is by itself."""
    return not isinstance(value, str) or not (
        len(value) > LONGEST_CELL or _UNLIKE_TEXT.match(value) or is_calculated(value) or _UNWRITABLE.search(value)
    )
