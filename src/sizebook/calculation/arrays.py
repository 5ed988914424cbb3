"""Arguments that are arrays: what Excel takes in a way of its own, and which part of an area INDEX gives."""

from collections.abc import Container, Sequence

from sizebook.calculation.names import NotCalculableError, without_prefixes
from sizebook.calculation.operands import stands_alone
from sizebook.calculation.spreadsheet_functions import (
    ONE,
    PASSED,
    SpreadsheetFunction,
    is_area,
    may_be_many,
    spreadsheet_functions,
)
from sizebook.calculation.tokens import LAST_COLUMN, LAST_ROW, Area, Token, area, called_name

_FIRST_ONLY = ("N", "T")
# Excel works these out for each value of an area in array formulas only, also where an argument is an array.
_CONDITIONS = {"IF": 1, "IFERROR": 2, "IFNA": 2}


def refuse_in_array(
    name: str, function: SpreadsheetFunction, parts: Sequence[list[Token]], variables: Container[str], *, ordinary: bool
) -> None:
    """Raise for a call whose arguments are taken as arrays where Excel does not do that as elsewhere."""
    if name in _FIRST_ONLY and parts and may_be_many(parts[0], variables):
        raise NotCalculableError(f"{name} takes the first of an area, and each value of an array")
    if ordinary and any(may_be_many(part, variables) for part in parts[: _CONDITIONS.get(name, 0)]):
        raise NotCalculableError(f"{name} takes each value of an area in an array formula only (Ctrl+Shift+Enter)")
    if function.lifts == "values" and any(is_area(part) and function.kind(n) == ONE for n, part in enumerate(parts)):
        raise NotCalculableError(f"{name} takes one value, of an array each, but of an area none")


def refuse_whole_rows(tokens: Sequence[Token], variables: Container[str]) -> None:
    """Raise for a formula that may fill whole rows or columns: the engine fills as many cells as are used."""
    depth, spans = 0, False
    for token in tokens:
        depth += (token.kind in ("call", "open")) - (token.kind == "close")
        place = area(token.text, "") if token.kind == "reference" else None
        if place is not None:
            is_row = place.right - place.left + 1 == LAST_COLUMN
            spans = spans or is_row or (depth == 0 and place.bottom - place.top + 1 == LAST_ROW)
    if spans and may_be_many(tokens, variables):
        raise NotCalculableError("it may fill whole rows or columns")


def is_worked_out(part: Sequence[Token]) -> bool:
    """Return whether an argument is a value that is worked out, neither written out nor a reference."""
    if len(part) < 2 or any(token.text == ":" for token in part):
        return False
    if not stands_alone(part):
        return True
    if part[0].kind == "open":
        return is_worked_out(part[1:-1])
    if part[0].kind != "call":
        return False
    function = spreadsheet_functions().get(without_prefixes(called_name(part[0])).upper())
    return function is None or not (function.many or PASSED in function.arguments)


def indexed(parts: Sequence[Sequence[Token]], sheet: str) -> Area | None:
    """Return the row, column or whole of an area that INDEX gives where it is asked for place 0; None if not known."""
    source = area(parts[0][0].text, sheet) if parts and len(parts[0]) == 1 else None
    places = ["".join(token.text for token in part).strip() or "0" for part in parts[1:]]
    if source is None or len(places) != 2 or not all(place.isdecimal() for place in places):
        return None
    row, column = (int(place) for place in places)
    if source.top + row - 1 > source.bottom or source.left + column - 1 > source.right:
        return None
    if row:
        source = source._replace(top=source.top + row - 1, bottom=source.top + row - 1)
    if column:
        source = source._replace(left=source.left + column - 1, right=source.left + column - 1)
    return source


def refuse_unequal(tokens: Sequence[Token], sheet: str) -> None:
    """Raise for operators between arrays of unequal size: Excel shows #N/A beyond the shorter one, the engine none."""
    sizes = [size for token in tokens if (size := _size(token, sheet)) is not None]
    if any(len({size[n] for size in sizes} - {1}) > 1 for n in (0, 1)):
        raise NotCalculableError("it works with arrays of unequal size")


def _size(token: Token, sheet: str) -> tuple[int, int] | None:
    """Return the rows and columns of an area or of an array that is written out, None for others and whole columns."""
    if token.kind == "array" and '"' not in token.text:
        rows = token.text.split(";")
        return len(rows), rows[0].count(",") + 1
    place = area(token.text, sheet) if is_area([token]) else None
    if place is None or place.bottom == LAST_ROW or place.right == LAST_COLUMN:
        return None
    return place.bottom - place.top + 1, place.right - place.left + 1
