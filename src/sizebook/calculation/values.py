"""Values of cells as Python, as the engine hands them over, and as a formula writes them."""

import math
from typing import Any

from sizebook.calculation.spreadsheet.argument_values import LONGEST_TEXT
from sizebook.core.coercion import Cell
from sizebook.core.errors import CellError, SizebookError

# How the engine names the kinds of error, and the codes that cells show for them.
_CODES = {
    "Div": "#DIV/0!",
    "Ref": "#REF!",
    "Name": "#NAME?",
    "Value": "#VALUE!",
    "Num": "#NUM!",
    "Null": "#NULL!",
    "Na": "#N/A",
    "Spill": "#SPILL!",
    "Calc": "#CALC!",
    "Circ": "#CIRC!",
    "NImpl": "#N/IMPL!",
}
_KINDS = {code: kind for kind, code in _CODES.items()}
NOT_CALCULABLE = "#N/IMPL!"
CIRCULAR = "#CIRC!"


class ErrorCode(str):
    """An error value of a cell, such as ``#N/A``; a text that merely reads so is a plain `str`."""

    __slots__ = ()


def shown(value: Any) -> Any:
    """Return what a cell shows: None, bool, int, float, str or an `ErrorCode`; whole numbers are integers."""
    if isinstance(value, float):
        if value.is_integer():
            return int(value) if -(2**53) <= value <= 2**53 else value
        return value if math.isfinite(value) else ErrorCode("#NUM!")
    if isinstance(value, dict):
        return ErrorCode(_CODES.get(value.get("kind", ""), "#ERROR!"))
    if isinstance(value, list):
        return shown(value[0][0]) if value and value[0] else None
    return value


def argument(value: Any) -> Any:
    """Return what a function sees of an argument: a value, rows of values, or an exception for an error value."""
    if isinstance(value, list):
        return [[argument(cell) if type(cell) is dict else cell for cell in row] for row in value]
    return CellError(_CODES.get(value.get("kind", ""), "#VALUE!")) if isinstance(value, dict) else value


def result(value: Any, blank: str | None = "") -> Any:
    """Return a function's result as the engine takes it: an exception as an error value, nothing as empty text."""
    if isinstance(value, (list, tuple)):
        rows = [list(row) if isinstance(row, (list, tuple)) else [row] for row in value] or [[None]]
        width = max(1, *(len(row) for row in rows))
        return [
            [cell if type(cell) is float else result(cell, blank) for cell in row] + [""] * (width - len(row))
            for row in rows
        ]
    if isinstance(value, SizebookError):
        return error(value.code)
    if value is None:
        return blank
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return error("#VALUE!")
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def error(code: str) -> Cell:
    """Return an error value as the engine takes it; one that it does not know is #VALUE!."""
    return {"type": "Error", "kind": _KINDS.get(code, "Value")}


def placed(rows: list[list[Any]], row: int, column: int) -> Any:
    """Return the value in a place of rows, of a single row or column the one that it repeats; #N/A beyond them."""
    row, column = (0 if len(rows) == 1 else row), (0 if len(rows[0]) == 1 else column)
    return rows[row][column] if row < len(rows) and column < len(rows[0]) else error("#N/A")
