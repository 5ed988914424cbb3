"""From cells to arguments and back: the one coercion step that every surface shares.

Cells, words of the command line, keys of scenario files and columns of sweeps all become values here: blank means the
default, 4096.0 is 4096, "70B" is 70e9. `call` evaluates a registered function: a 1x1 range is a scalar, a larger range
broadcasts, where one bad cell spoils only its own result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sizebook.core.errors import CODES, CellError, InputError, RangeError, SizebookError, UnknownKeyError, suggestion
from sizebook.core.names import current, replaced
from sizebook.core.registry import Argument, Function, find

Cell = Any  # None, bool, int, float, str, or a SizebookError standing in its place
Range = list[list[Cell]]

_NUMBER = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)([A-Za-z]?)")
_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_SUFFIX = {"": 1, "M": 10**6, "B": 10**9, "T": 10**12}
_LARGEST = 1.7976931348623157e308
MOST_DIGITS = 400  # of a number as text: the largest double has 309
MOST_CHARACTERS = 32_767  # of a text: a cell holds no more


def call(name: str, *cells: Cell | Range) -> Cell | Range:
    """Return what the cell ``=NAME(cells...)`` shows: a value, or rows of values where an argument is a range.

    Raises a `SizebookError` for a single bad call. In a broadcast the error stands in the place of the one result.
    """
    return evaluate(find(name), cells)


def evaluate(function: Function, cells: Sequence[Cell | Range]) -> Cell | Range:
    """Evaluate one function over cells; see `call`."""
    arguments = function.arguments
    cells = with_options(function, cells)
    if len(cells) > len(arguments):
        raise InputError(
            f"too many arguments: got {len(cells)}, want at most {len(arguments)} for {function.name}. "
            f"The arguments are {', '.join(a.name for a in arguments)}."
        )
    padded = [*cells, *[None] * (len(arguments) - len(cells))]
    spread = [_broadcastable(a, c) for a, c in zip(arguments, padded, strict=True)]
    shapes = [(len(rows), len(rows[0])) for rows in spread if isinstance(rows, list)]
    if not shapes:
        return _once(function, padded)
    n_rows, n_columns = _common_shape(function, shapes)
    return [[_tried(function, padded, spread, row, col) for col in range(n_columns)] for row in range(n_rows)]


# A function with more arguments than this also takes those after the first few as one text or a two-column range.
MOST_PLACES = 8


def with_options(function: Function, cells: Sequence[Cell | Range]) -> Sequence[Cell | Range]:
    """Return the cells with options put in their places, where the last cell that is not blank holds options.

    Options are one text, ``"tp=8; weight_dtype=fp8"``, or a range of two columns, names and values.
    """
    arguments = function.arguments
    last = max((at for at, cell in enumerate(cells) if not is_blank(_alone(cell))), default=-1)
    if len(arguments) <= MOST_PLACES or last < 0 or _takes_any_cell(function, last):
        return cells
    known = [argument.name for argument in arguments]
    options = _options(_alone(cells[last]), known)
    if options is None:
        return cells
    placed: list[Cell | Range] = [*cells[:last], *[None] * (len(known) - last)]
    for name, value in options:
        at = known.index(name)
        if not is_blank(_alone(placed[at])):
            raise InputError(
                f"argument given twice: got {name} again among the options of {function.name}, want it once. "
                "Remove one."
            )
        placed[at] = value
    return placed


def _takes_any_cell(function: Function, place: int) -> bool:
    """Return whether the argument in a place takes whatever a cell holds, so that it cannot hold options."""
    return place < len(function.arguments) and function.arguments[place].quantity.kind == "range"


def _alone(cell: Cell | Range) -> Cell | Range:
    """Return what a 1x1 range holds, anything else as it is: some spreadsheets send each cell as a range."""
    rows = as_rows(cell)
    return cell if rows is None or len(rows) > 1 or len(rows[0]) > 1 else rows[0][0]


def _options(cell: Cell | Range, known: Sequence[str]) -> list[tuple[str, Cell]] | None:
    """Return the arguments that a cell of options names and their values; None where the cell holds none."""
    if isinstance(cell, str):
        parts = [part.partition("=") for part in cell.split(";") if part.strip()]
        if not parts or not all(separator and name.strip().isidentifier() for name, separator, _ in parts):
            return None
        return [(option_name(name.strip(), known), value.strip()) for name, _, value in parts]
    rows = as_rows(cell)
    if rows is None or len(rows[0]) != 2:
        return None
    named = [(str(row[0]).strip(), row[1]) for row in rows if not is_blank(row[0])]
    if not any(name in known or current(name, known) or replaced(name, known) for name, _ in named):
        return None
    return [(option_name(name, known), value) for name, value in named]


def option_name(name: str, known: Sequence[str]) -> str:
    """Return an argument's name as it is known now, or raise with the nearest."""
    renamed = current(name, known)
    if renamed is not None:
        return renamed.new
    if refused := replaced(name, known):
        raise UnknownKeyError(refused)
    if name not in known:
        raise UnknownKeyError(
            f"unknown argument: got '{name}', want one of {', '.join(known)}.{suggestion(name, known)}"
        )
    return name


def _broadcastable(argument: Argument, cell: Cell | Range) -> Range | None:
    """Return the rows to broadcast over, or None for a scalar, a 1x1 range or an argument that takes a whole range."""
    rows = as_rows(cell)
    if rows is None or argument.quantity.kind in ("range", "list") or (len(rows) == 1 and len(rows[0]) == 1):
        return None
    return rows


def as_rows(cell: Cell | Range) -> Range | None:
    """Return a range as a list of rows, or None when the value is a single cell."""
    if not isinstance(cell, (list, tuple)):
        return None
    if not cell:
        return [[None]]
    if not isinstance(cell[0], (list, tuple)):
        return [list(cell)]
    return [list(row) for row in cell]


def _common_shape(function: Function, shapes: list[tuple[int, int]]) -> tuple[int, int]:
    n_rows, n_columns = max(r for r, _ in shapes), max(c for _, c in shapes)
    if any(r not in (1, n_rows) or c not in (1, n_columns) for r, c in shapes):
        shown = ", ".join(f"{r}x{c}" for r, c in shapes)
        raise InputError(
            f"ranges do not match: got {shown} for {function.name}, want the same rows and columns, or single cells. "
            "Make the ranges the same size."
        )
    return n_rows, n_columns


def _tried(function: Function, cells: Sequence[Cell], spread: Sequence[Range | None], row: int, col: int) -> Cell:
    picked = [
        cell if rows is None else rows[row if len(rows) > 1 else 0][col if len(rows[0]) > 1 else 0]
        for cell, rows in zip(cells, spread, strict=True)
    ]
    try:
        return _once(function, picked)
    except SizebookError as error:
        return error


def bind(function: Function, cells: Sequence[Cell]) -> dict[str, Any]:
    """Return the coerced arguments by name, defaults filled in."""
    return {a.name: coerce(a, c) for a, c in zip(function.arguments, cells, strict=True)}


def _once(function: Function, cells: Sequence[Cell]) -> Cell | Range:
    try:
        return _presentable(function, function.call(bind(function, cells)))
    except ZeroDivisionError as error:
        raise RangeError(
            f"division by zero: got 0 where {function.name} divides, want another number. Correct the argument."
        ) from error
    except OverflowError as error:
        raise RangeError(
            f"result out of range: got {error} in {function.name}, want numbers a cell can hold. Use smaller arguments."
        ) from error


def _presentable(function: Function, value: Any) -> Any:
    """Return a result that a cell can hold: finite, and within the range of a double."""
    if isinstance(value, (bool, str)) or value is None or isinstance(value, (list, tuple)):
        return value
    if abs(value) <= _LARGEST:  # False for infinity and for not-a-number too
        return value
    shown = f"a number of {len(str(abs(value)))} digits" if isinstance(value, int) else value
    raise RangeError(
        f"result out of range: got {shown} from {function.name}, want a number that a cell can hold. "
        "Use smaller arguments."
    )


def coerce(argument: Argument, cell: Cell | Range) -> Any:
    """Return one argument's value from what a cell holds, or raise with the argument's name in the message."""
    if argument.quantity.kind == "range":
        return None if is_blank(cell) and not argument.required else (as_rows(cell) or [[cell]])
    alone = _alone(cell)
    if argument.quantity.kind != "list" or not (cell in ([], ()) or isinstance(alone, (int, float))):
        cell = alone  # a list of one number stays a list, and an empty one is not blank
    _refuse_error(cell)
    if is_blank(cell):
        if argument.required:
            raise InputError(f"{argument.name} is blank: got nothing, want {_wanted(argument)}. Fill the cell.")
        return argument.default
    if isinstance(cell, dict) or (isinstance(cell, (list, tuple)) and argument.quantity.kind != "list"):
        what = "table" if isinstance(cell, dict) else "list"
        raise InputError(f"{argument.name} is a {what}: got {cell!r}, want {_wanted(argument)}. Give one value.")
    return _COERCE[argument.quantity.kind](argument, cell)


def _refuse_error(cell: Cell) -> None:
    """Raise the error that a cell holds, as an object or as a spreadsheet writes it."""
    if isinstance(cell, SizebookError):
        raise cell
    if isinstance(cell, str) and cell.strip() in CODES:
        raise CellError(cell.strip())


def is_blank(cell: Cell | Range) -> bool:
    """Return whether a cell holds nothing: empty, or only spaces."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _wanted(argument: Argument) -> str:
    kinds = {
        "integer": "a whole number",
        "number": "a number",
        "flag": "TRUE or FALSE",
        "text": "text",
        "date": "a day such as 2026-12-31",
        "list": "text or a list",
    }
    wanted = kinds.get(argument.quantity.kind) or f"one of {', '.join(argument.quantity.allowed)}"
    return f"{wanted} ({argument.quantity.meaning})"


def _number(argument: Argument, cell: Cell) -> int | float:
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        # NumPy's scalars arrive from sweeps; anything that says it is a real number is one.
        if not isinstance(cell, bool) and hasattr(cell, "item"):
            return _number(argument, cell.item())
        raise InputError(f"{argument.name} is not a number: got {cell!r}, want {_wanted(argument)}. Type a number.")
    value = _parsed(argument, cell) if isinstance(cell, str) else cell
    if isinstance(value, float) and not math.isfinite(value):
        raise RangeError(f"{argument.name} is not finite: got {value}, want {_wanted(argument)}. Type a number.")
    return _within(argument, value)


def _parsed(argument: Argument, text: str) -> int | float:
    if len(text) > MOST_DIGITS:
        raise InputError(
            f"{argument.name} is too long: got {len(text)} characters, want {_wanted(argument)}. "
            f"Write at most {MOST_DIGITS}."
        )
    match = _NUMBER.fullmatch(text.strip())
    suffix = match[2].upper() if match else ""
    if match and suffix == "K":
        raise InputError(
            f"{argument.name} is ambiguous: got '{text}', want plain digits. "
            f"Write {match[1]}000 or {match[1]} x 1024 in full."
        )
    if match is None or suffix not in _SUFFIX:
        raise InputError(
            f"{argument.name} is not a number: got '{text}', want {_wanted(argument)}. "
            "Type digits, or a number with M, B or T for 10^6, 10^9 or 10^12."
        )
    value = float(match[1]) * _SUFFIX[suffix]
    return int(match[1]) * _SUFFIX[suffix] if match[1].lstrip("+-").isdigit() else value


def _within(argument: Argument, value: int | float) -> int | float:
    q = argument.quantity
    limits: tuple[tuple[float | None, str, Any], ...] = (
        (q.minimum, "at least", lambda bound: value >= bound),
        (q.above, "above", lambda bound: value > bound),
        (q.maximum, "at most", lambda bound: value <= bound),
        (q.below, "below", lambda bound: value < bound),
    )
    stated = [(bound, word, holds) for bound, word, holds in limits if bound is not None]
    if not all(holds(bound) for bound, _, holds in stated):
        bounds = " and ".join(f"{word} {bound:g}" for bound, word, _ in stated)
        raise RangeError(
            f"{argument.name} is out of range: got {_bare(value)}, want {bounds} ({q.meaning}). Correct the number."
        )
    return value


def _bare(value: int | float) -> int | float:
    """Return a whole double as an integer: some spreadsheets hand over -1 and some -1.0, the message is one."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _integer(argument: Argument, cell: Cell) -> int:
    value = _number(argument, cell)
    if value != int(value):
        raise RangeError(
            f"{argument.name} is not whole: got {value}, want {_wanted(argument)}. Round it to a whole number."
        )
    return int(value)


def _flag(argument: Argument, cell: Cell) -> bool:
    folded = cell.strip().upper() if isinstance(cell, str) else cell
    if folded in (True, 1, "TRUE", "YES", "1"):
        return True
    if folded in (False, 0, "FALSE", "NO", "0"):
        return False
    raise InputError(f"{argument.name} is not a flag: got {cell!r}, want {_wanted(argument)}. Type TRUE or FALSE.")


def _text(argument: Argument, cell: Cell) -> str:
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = str(cell).strip()
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"{argument.name} is too long: got {len(text)} characters, want at most {MOST_CHARACTERS}, what a cell "
            "holds. Shorten it."
        )
    return text


def _choice(argument: Argument, cell: Cell) -> str:
    word = _text(argument, cell)
    allowed = argument.quantity.allowed
    for candidate in allowed:
        if candidate.casefold() == word.casefold():
            return candidate
    raise UnknownKeyError(
        f"unknown {argument.name}: got '{word}', want one of {', '.join(allowed)}.{suggestion(word, allowed)}"
    )


def _date(argument: Argument, cell: Cell) -> date:
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    if isinstance(cell, (int, float)) and not isinstance(cell, bool) and 60 < cell < 2_958_466:
        return date.fromordinal(date(1899, 12, 30).toordinal() + int(cell))  # a spreadsheet's number of the day
    try:
        return date.fromisoformat(str(cell).strip())
    except ValueError:
        raise InputError(
            f"{argument.name} is not a day: got {cell!r}, want {_wanted(argument)}. Write it so."
        ) from None


def _list(argument: Argument, cell: Cell | Range) -> Any:
    """Return text as it is; a list, or a range of one line, as a tuple; a range of several as a tuple of rows.

    Blanks are left out: a range may be longer than what it holds. A row of two stays a row: ``[[128, 1]]`` is a
    histogram of one length, not two numbers. One cell may hold a list of numbers, ``1, 1, 2``, or of pairs of them,
    ``100:0.5, 200:0.5``, or threes. Whoever takes the list says what stands in it.
    """
    if not isinstance(cell, (list, tuple)):
        numbers = _numbers(argument, cell) if isinstance(cell, str) else None
        if numbers is not None:
            return numbers
        return _choice(argument, cell) if argument.quantity.allowed else _text(argument, cell)
    rows = [row if isinstance(row, (list, tuple)) else [row] for row in cell]
    for each in (each for row in rows for each in row):
        _refuse_error(each)
    filled = [tuple(row) for row in rows if not all(is_blank(each) for each in row)]
    if all(len(row) == 1 for row in filled):
        return tuple(row[0] for row in filled)
    if len(filled) == 1 and len(filled[0]) > 2:
        return tuple(each for each in filled[0] if not is_blank(each))
    return tuple(filled)


def _numbers(argument: Argument, text: str) -> tuple[Any, ...] | None:
    """Return the numbers or pairs that a text lists; None for a text without numbers, such as a name."""
    parts = [part.strip() for part in text.strip().rstrip(",").split(",")]
    items = [[word.strip() for word in part.split(":")] for part in parts]
    numeric = [all(_PLAIN.fullmatch(word) for word in item) for item in items]
    if not any(numeric):
        return None
    width = len(items[numeric.index(True)])
    wrong = [part for part, item, is_numeric in zip(parts, items, numeric, strict=True)
             if not is_numeric or len(item) != width or width > 3]  # fmt: skip
    if wrong:
        raise InputError(
            f"{argument.name} is not a list: got '{wrong[0]}' among '{text}', want numbers such as 1, 1, 2, or pairs "
            "such as 100:0.5, 200:0.5. Correct it."
        )
    return tuple(float(item[0]) if width == 1 else tuple(map(float, item)) for item in items)


def listed(values: Sequence[Any]) -> str:
    """Return a list of numbers, texts or pairs as one cell holds it: what `coerce` takes apart again."""
    return ", ".join(":".join(map(_word, each)) if isinstance(each, (list, tuple)) else _word(each) for each in values)


def _word(value: Any) -> str:
    return repr(_bare(value)) if isinstance(value, (int, float)) else str(value)


_COERCE: Mapping[str, Any] = {
    "integer": _integer,
    "number": _number,
    "flag": _flag,
    "text": _text,
    "choice": _choice,
    "date": _date,
    "list": _list,
}
