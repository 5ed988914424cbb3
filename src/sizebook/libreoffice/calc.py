"""One call as Calc makes it: from the add-in's arguments to the value that the cell shows.

Standard library only: this runs inside the office's own Python.
"""

import struct
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from sizebook.core import cells, coercion
from sizebook.core.errors import SizebookError
from sizebook.core.registry import Function, find
from sizebook.core.sections import Argument
from sizebook.functions.error_messages import PLACES
from sizebook.intake.allowed_files import asked_by_a_cell

Rows = tuple[tuple[float | str, ...], ...]

# Calc's numbers for the error values; #N/A is the largest 16-bit signed integer.
_ERROR_NUMBERS = {
    "#VALUE!": 519,
    "#NUM!": 503,
    "#N/A": 0x7FFF,
    "#NAME?": 525,
    "#DIV/0!": 532,
    "#REF!": 524,
    "#NULL!": 521,
}
_QUIET_NAN = 0x7FF8_0000_0000_0000
# A name, a key and a day are never 0, so that 0 in their place is an empty cell; a number or a flag may well be 0.
NEVER_ZERO = ("text", "choice", "date")


def evaluate(function: Function, given: Sequence[Any]) -> Rows:
    """Return what the add-in hands back: rows of numbers and texts, where an error is a NaN that carries it.

    Always rows, of one cell for a single result: a Python component cannot return now a number and now rows.

    An argument left out arrives as None, an empty cell of a range as "", TRUE as 1.0, an empty single cell as 0.0, as
    0 and FALSE do: of no type that Calc lets an add-in declare does it tell them apart, where an argument may also be
    left out. A cell that holds an error never gets here: Calc passes it on by itself.
    """
    try:
        with asked_by_a_cell():
            value = cells.evaluate(function, _with_blanks(function, given) if 0.0 in given else given)
    except SizebookError as error:
        return ((error_number(error),),)
    return tuple(tuple(_shown(cell) for cell in row) for row in coercion.as_rows(value) or [[value]])


def _with_blanks(function: Function, given: Sequence[Any]) -> list[Any]:
    """Return the arguments with nothing in place of a 0 that can only be an empty cell."""
    places = _places(function, given)
    pairs = zip(places, given, strict=False)  # a call that is asked about may have too many
    read = [None if cell == 0.0 and a.quantity.kind in NEVER_ZERO else cell for a, cell in pairs]
    return [*read, *given[len(read) :]]


def _places(function: Function, given: Sequence[Any]) -> tuple[Argument, ...]:
    """Return the arguments in order; of a function that asks about a call (SIZEBOOK_WHY) those of that call."""
    own = function.arguments
    if PLACES[0] in (argument.name for argument in own):
        with suppress(SizebookError):  # the function says it itself
            return (own[0], *find(coercion.as_text(coercion.single_cell(given[0]))).arguments)
    return own


def error_number(error: SizebookError) -> float:
    """Return the number that Calc shows as the error's code: its error number in the low bits of a NaN."""
    number = _ERROR_NUMBERS.get(error.code, _ERROR_NUMBERS["#VALUE!"])
    nan: float = struct.unpack("<d", struct.pack("<Q", _QUIET_NAN | number))[0]
    return nan


def _shown(cell: Any) -> float | str:
    if isinstance(cell, SizebookError):
        return error_number(cell)
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else float(cell)
