"""From what a cell holds to an argument: the one coercion step that every surface shares.

Cells, words of the command line, keys of scenario files and columns of sweeps all become values here: blank means the
default, 4096.0 is 4096, "70B" is 70e9. Whatever stands there is taken or refused, at once and in a short message.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from numbers import Integral, Real
from typing import Any

from sizebook.core.errors import CODES, CellError, InputError, RangeError, SizebookError, UnknownKeyError, shown
from sizebook.core.hints import unknown_key
from sizebook.core.number_text import as_ratio, fix_of, split_number
from sizebook.core.sections import SMALLEST, Argument

Cell = Any  # None, bool, int, float, str, or a SizebookError standing in its place
Range = list[list[Cell]]

_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
# What XML has no way to write, and so no workbook and no page.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
LONGEST_CELL = 32_767  # characters that a cell holds
LONGEST_TEXT = 1000  # of a name, a path or a title; a message that quotes one stays short
LARGEST = 1.7976931348623157e308  # what a cell holds
# Ten million times the parameters of the largest model: arithmetic on counts stays short, whatever a cell holds.
LARGEST_COUNT = 10**18


def as_rows(cell: Cell | Range) -> Range | None:
    """Return a range as a list of rows, or None when the value is a single cell."""
    if not isinstance(cell, (list, tuple)):
        return None
    rows = [list(row) if isinstance(row, (list, tuple)) else [row] for row in cell]
    if cell and not isinstance(cell[0], (list, tuple)):
        rows = [list(cell)]
    width = max((len(row) for row in rows), default=0)
    return [row + [None] * (width - len(row)) for row in rows] if width else [[None]]


def single_cell(cell: Cell | Range) -> Cell | Range:
    """Return what a 1x1 range holds, anything else as it is: some spreadsheets send each cell as a range."""
    if not isinstance(cell, (list, tuple)):
        return cell
    if len(cell) == 1 and isinstance(cell[0], (list, tuple)) and len(cell[0]) == 1:  # as most calls have it
        return cell[0][0]
    rows = as_rows(cell) or [[None]]
    return cell if len(rows) > 1 or len(rows[0]) > 1 else rows[0][0]


def coerce(argument: Argument, cell: Cell | Range) -> Any:
    """Return one argument's value from what a cell holds, or raise with the argument's name in the message."""
    kind = argument.quantity.kind
    if type(cell) is float and kind not in ("range", "list") and abs(cell) <= LARGEST:  # as most cells have it
        return _COERCE[kind](argument, cell)
    if cell is None and kind != "range" and not argument.required:
        return argument.default
    if kind == "range":
        return None if is_blank(cell) and not argument.required else (as_rows(cell) or [[cell]])
    one = single_cell(cell)
    if kind != "list" or not (cell in ([], ()) or isinstance(one, (int, float))):
        cell = one  # a list of one number stays a list, and an empty one is not blank
    _refuse_error(cell)
    _refuse_unholdable(argument, cell)
    if is_blank(cell):
        if argument.required:
            raise InputError(f"{argument.name} is blank: got nothing, want {_wanted(argument)}. Fill it in.")
        return argument.default
    if isinstance(cell, dict) or (isinstance(cell, (list, tuple)) and kind != "list"):
        what = "table" if isinstance(cell, dict) else "list"
        raise InputError(f"{argument.name} is a {what}: got {shown(cell)}, want {_wanted(argument)}. Give one value.")
    return _COERCE[kind](argument, cell)


def _refuse_error(cell: Cell) -> None:
    """Raise the error that a cell holds, as an object or as a spreadsheet writes it."""
    if type(cell) is float:
        return
    if isinstance(cell, SizebookError):
        raise cell
    if isinstance(cell, str) and cell.strip() in CODES:
        raise CellError(cell.strip())


def _refuse_unholdable(argument: Argument, cell: Cell) -> None:
    """Raise for what no cell holds: a text too long, a number that is not finite or beyond a double."""
    if type(cell) is float and abs(cell) <= LARGEST:
        return
    longest = LONGEST_CELL if argument.quantity.kind == "list" else LONGEST_TEXT
    if isinstance(cell, str) and len(cell) > longest:
        raise InputError(
            f"{argument.name} is too long: got {len(cell)} characters, want at most {longest}. Shorten the text."
        )
    if isinstance(cell, str) and (unwritable := _UNWRITABLE.search(cell)):
        raise InputError(
            f"{argument.name} is no text: got the character {unwritable[0]!a}, want characters that a workbook "
            "may hold. Remove it."
        )
    if isinstance(cell, (int, float)) and not abs(cell) <= LARGEST:  # nor not-a-number
        raise RangeError(f"{argument.name} is not finite: got {shown(cell)}, want {_wanted(argument)}. Type a number.")


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
    if type(cell) in (float, int):  # what cells hold; the checks below are for what others hand over
        return _within(argument, cell)
    if isinstance(cell, str):
        return _within(argument, _parsed(argument, cell))
    if isinstance(cell, bool) or not isinstance(cell, Real):
        raise InputError(
            f"{argument.name} is not a number: got {shown(cell)}, want {_wanted(argument)}. Type a number."
        )
    # NumPy's scalars arrive from sweeps.
    return _within(argument, int(cell) if isinstance(cell, Integral) else float(cell))


def _parsed(argument: Argument, text: str) -> int | float:
    parts = split_number(text, argument.name, is_whole=argument.quantity.kind == "integer")
    if parts is None:
        fix = fix_of(text, argument.quantity.unit)
        raise InputError(f"{argument.name} is not a number: got {shown(text)}, want {_wanted(argument)}. {fix}")
    number, scale = parts
    value = float(number) * scale
    _refuse_unholdable(argument, value)
    digits = number.lstrip("+-0")
    if not digits.isdigit():
        return value
    return int(digits) * scale * (-1 if number.startswith("-") else 1)


def _within(argument: Argument, value: int | float) -> int | float:
    q = argument.quantity
    if (
        (q.minimum is None or value >= q.minimum)
        and (q.maximum is None or value <= q.maximum)
        and (q.above is None or (value > q.above and (q.above or value >= SMALLEST)))
        and (q.below is None or value < q.below)
    ):
        return value
    lowest = ("at least", q.lowest) if q.above == 0 < value < SMALLEST else ("above", q.above)
    limits = (("at least", q.minimum), lowest, ("at most", q.maximum), ("below", q.below))
    bounds = " and ".join(f"{word} {bound:g}" for word, bound in limits if bound is not None)
    is_percent = q.unit == "ratio" and q.maximum == 1 and 2 <= value <= 100
    fix = as_ratio(value) if is_percent else "Correct the number."
    raise RangeError(f"{argument.name} is out of range: got {shown(_bare(value))}, want {bounds} ({q.meaning}). {fix}")


def _bare(value: int | float) -> int | float:
    """Return a whole double as an integer: some spreadsheets hand over -1 and some -1.0, the message is one."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _integer(argument: Argument, cell: Cell) -> int:
    value = _number(argument, cell)
    if abs(value) > LARGEST_COUNT:
        raise RangeError(
            f"{argument.name} is too large: got {shown(_bare(value))}, want at most {LARGEST_COUNT:.0e} "
            f"({argument.quantity.meaning}). Correct the number."
        )
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
    raise InputError(f"{argument.name} is not a flag: got {shown(cell)}, want {_wanted(argument)}. Type TRUE or FALSE.")


def _text(argument: Argument, cell: Cell) -> str:
    text = as_text(cell)
    if text and argument.quantity.check:
        argument.quantity.check(text)
    return text


def as_text(cell: Cell) -> str:
    """Return the text that a cell shows: of a whole number its digits, of one that no cell holds how many there are."""
    if isinstance(cell, (int, float)) and abs(cell) > LARGEST:
        return shown(cell)
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return str(cell).strip()


def _choice(argument: Argument, cell: Cell) -> str:
    word, allowed = _text(argument, cell), argument.quantity.allowed
    word = dict(argument.quantity.means).get(word.casefold(), word)
    for candidate in allowed:
        if candidate.casefold() == word.casefold():
            return candidate
    meant = argument.quantity.other_words.get(word.casefold())
    if meant:
        raise UnknownKeyError(
            f"unknown {argument.name}: got {shown(word)}, want '{meant}', which stands for it. Correct it."
        )
    raise unknown_key(argument.name, word, allowed)


# 1990-01-01: what is planned lies later, and a number below it is a year or a month that somebody typed as such.
_FIRST_SERIAL = 32_874


def _date(argument: Argument, cell: Cell) -> date:
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    if isinstance(cell, (int, float)) and not isinstance(cell, bool) and _FIRST_SERIAL <= cell < 2_958_466:
        return date.fromordinal(date(1899, 12, 30).toordinal() + int(cell))  # a spreadsheet's number of the day
    try:
        return date.fromisoformat(str(cell).strip())
    except ValueError:
        raise InputError(
            f"{argument.name} is not a day: got {shown(cell)}, want {_wanted(argument)}. Write it so."
        ) from None


def _list(argument: Argument, cell: Cell | Range) -> Any:
    """Return text as it is; a list, or a range of one line, as a tuple; a range of several as a tuple of rows.

    Blanks are left out: a range may be longer than what it holds. A row of two stays a row: ``[[128, 1]]`` is a
    histogram of one length, not two numbers. One cell may hold a list of numbers, ``1, 1, 2``, or of pairs of them,
    ``100:0.5, 200:0.5``, or rows of up to four. Whoever takes the list says what stands in it.
    """
    if not isinstance(cell, (list, tuple)):
        numbers = _numbers(argument, as_text(cell))  # of a cell that holds one number its text
        if numbers is not None:
            return numbers
        return _choice(argument, cell) if argument.quantity.allowed else _text(argument, cell)
    rows = [row if isinstance(row, (list, tuple)) else [row] for row in cell]
    for each in (each for row in rows for each in row):
        _refuse_error(each)
        _refuse_unholdable(argument, each)
    filled = [tuple(row) for row in rows if not all(is_blank(each) for each in row)]
    if all(len(row) <= 1 for row in rows):
        return _line([row[0] if row else None for row in rows])
    if len(filled) == 1 and len(filled[0]) > 2:
        return _line(filled[0])
    return tuple(filled)


def _line(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return a line of cells without blanks; before a number one keeps its place, as None, for there a place is a month
    or an hour."""
    line = [None if is_blank(each) else each for each in cells]
    while line and line[-1] is None:
        line.pop()
    keep = any(isinstance(each, (int, float)) for each in line)
    return tuple(each for each in line if keep or each is not None)


_WIDEST = 4  # numbers of a row in a list of rows


def _numbers(argument: Argument, text: str) -> tuple[Any, ...] | None:
    """Return the numbers or pairs that a text lists; None for a text without numbers, such as a name."""
    parts = [part.strip() for part in text.strip().rstrip(",").split(",")]
    items = [[word.strip() for word in part.split(":")] for part in parts]
    numeric = [all(_PLAIN.fullmatch(word) for word in item) for item in items]
    if not any(numeric):
        return None
    width = len(items[numeric.index(True)])
    wrong = [
        part
        for part, item, is_numeric in zip(parts, items, numeric, strict=True)
        if not is_numeric or len(item) != width or width > _WIDEST
    ]
    if wrong:
        raise InputError(
            f"{argument.name} is not a list: got {shown(wrong[0])} among {shown(text)}, want numbers such as "
            "1, 1, 2, or pairs such as 100:0.5, 200:0.5. Correct it."
        )
    for word in (word for item in items for word in item):
        _refuse_unholdable(argument, float(word))
    return tuple(float(item[0]) if width == 1 else tuple(map(float, item)) for item in items)


def list_text(values: Sequence[Any]) -> str:
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
