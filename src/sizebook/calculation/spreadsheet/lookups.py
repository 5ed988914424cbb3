"""Look-ups in sorted ranges, by the bisection that Excel does, so that unsorted ones too give what it gives."""

import re
from typing import Any

from sizebook.calculation.spreadsheet.argument_values import cells, each, fail, rows_of, text, truth, whole
from sizebook.calculation.tokens import LAST_COLUMN, LAST_ROW, column_letters, quoted
from sizebook.core.errors import CellError

_PLAIN_SHEET = re.compile(r"(?![A-Za-z]{1,3}\d{1,7}$|[RrCc][\dRrCc]*$)(?:\[[\w.]+\])?[^\W\d][\w.]*|")  # needs no quotes


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "truth"
    return "number" if isinstance(value, (int, float)) else "text" if isinstance(value, str) else "other"


def _key(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def nearest(wanted: Any, given: list[Any]) -> int:
    """Return the place of the largest value up to the one wanted, -1 for none: bisection over its kind of values."""
    if isinstance(wanted, CellError):
        raise wanted
    wanted = 0.0 if wanted is None else wanted
    kind, key = _kind(wanted), _key(wanted)
    low, high = 0, len(given) - 1
    while low <= high:
        middle = (low + high) // 2
        probe = middle
        while probe <= high and _kind(given[probe]) != kind:
            probe += 1
        if probe > high:
            high = middle - 1
            continue
        if _key(given[probe]) <= key:
            low = probe + 1
            if _key(given[probe]) == key:
                return _last_equal(given, probe, key, kind)
        else:
            high = middle - 1
    place = high
    while place >= 0 and _kind(given[place]) != kind:
        place -= 1
    return place


def _last_equal(given: list[Any], place: int, key: Any, kind: str) -> int:
    while place + 1 < len(given) and _kind(given[place + 1]) == kind and _key(given[place + 1]) == key:
        place += 1
    return place


def _exact(wanted: Any, given: list[Any]) -> int:
    kind, key = _kind(wanted), _key(wanted)
    return next((n for n, cell in enumerate(given) if _kind(cell) == kind and _key(cell) == key), -1)


def _found(value: Any) -> Any:
    if isinstance(value, CellError):
        raise value
    return value


def _looked_up(wanted: Any, lines: list[list[Any]], index: Any, approximate: Any) -> Any:
    """Return the value of that number in the line whose first value is the one wanted."""
    number = whole(index)
    if number < 1:
        fail("#VALUE!")
    if number > len(lines[0]):
        fail("#REF!")
    if isinstance(wanted, CellError):
        raise wanted
    heads = [line[0] for line in lines]
    if not truth(approximate, default=True):
        # The engine works out what is known to be exact from the formula; here it came from a cell.
        place = fail("#N/IMPL!") if isinstance(wanted, str) and set(wanted) & set("*?~") else _exact(wanted, heads)
    else:
        place = nearest(wanted, heads)
    return _found(lines[place][number - 1]) if place >= 0 else fail("#N/A")


def _vlookup(wanted: Any, table: Any, index: Any, approximate: Any = True) -> Any:
    return _over(wanted, index, approximate, rows_of(table))


def _hlookup(wanted: Any, table: Any, index: Any, approximate: Any = True) -> Any:
    return _over(wanted, index, approximate, [list(column) for column in zip(*rows_of(table), strict=True)])


def _over(wanted: Any, index: Any, approximate: Any, lines: list[list[Any]]) -> Any:
    approximate = False if approximate is None else approximate  # a comma with nothing behind it says FALSE
    return each(lambda one, number: _looked_up(one, lines, number, approximate))(wanted, index)


def _lookup(wanted: Any, given: Any, *results: Any) -> Any:
    rows = rows_of(given)
    if not results and len(rows) > 1 and len(rows[0]) > 1:
        lines = [list(column) for column in zip(*rows, strict=True)] if len(rows[0]) > len(rows) else rows
        heads, found = [line[0] for line in lines], [line[-1] for line in lines]
    else:
        heads = list(cells(given))
        found = list(cells(*results)) if results else heads

    def one(value: Any) -> Any:
        place = nearest(value, heads)
        if place < 0 or place >= len(found):
            fail("#N/A")
        return _found(found[place])

    return each(one)(wanted)


def _match(wanted: Any, given: Any, kind: Any = 1) -> Any:
    heads, order = list(cells(given)), whole(kind, 0)
    if order < 0:
        return each(lambda one: _descending(one, heads))(wanted)
    if order == 0:
        fail("#N/IMPL!")

    def one(value: Any) -> int:
        place = nearest(value, heads)
        return place + 1 if place >= 0 else fail("#N/A")

    return each(one)(wanted)


def _descending(wanted: Any, given: list[Any]) -> int:
    """Return the number of the last value down to the one wanted, of values that fall."""
    if isinstance(wanted, CellError):
        raise wanted
    kind, key, place = _kind(wanted), _key(wanted), 0
    for number, cell in enumerate(given, 1):
        if _kind(cell) != kind:
            continue
        if _key(cell) < key:
            break
        place = number
        if _key(cell) == key:
            break
    return place or fail("#N/A")


def _address(row: Any, column: Any, kind: Any = 1, a1: Any = True, *sheet: Any) -> str:
    """Return the address of a cell; ``kind`` 1 fixes row and column, 2 the row, 3 the column, 4 neither."""
    down, across, fixed = whole(row), whole(column), whole(kind, 1)
    if not (1 <= down <= LAST_ROW and 1 <= across <= LAST_COLUMN and 1 <= fixed <= 4):
        fail("#VALUE!")
    if not truth(a1, default=True):
        fail("#N/IMPL!")  # the style R1C1
    at = f"{'$' * (fixed in (1, 3))}{column_letters(across)}{'$' * (fixed in (1, 2))}{down}"
    if not sheet:
        return at
    if sheet[0] is None:
        fail("#N/IMPL!")  # a blank name
    name = text(sheet[0])
    return f"{name if _PLAIN_SHEET.fullmatch(name) else quoted(name)}!{at}"


FUNCTIONS = {"ADDRESS": each(_address), "VLOOKUP": _vlookup, "HLOOKUP": _hlookup, "LOOKUP": _lookup, "MATCH": _match}
