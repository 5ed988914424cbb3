"""Operands of formulas: where they stand, and which of their cells a formula takes."""

from collections.abc import Sequence

from sizebook.calculation.names import NotCalculableError
from sizebook.calculation.tokens import Area, Token, absolute, address, area, closing, quoted

_OPERAND_ENDS = ("reference", "name", "close", "number", "text", "array", "bracket", "error")
_OPERAND_BEGINS = ("reference", "name", "call", "open", "bracket", "number", "text", "array", "error")


def intersection(first: Token, second: Token, sheet: str) -> Token:
    """Return the cells that two areas have in common, #NULL! for none."""
    one, two = (area(token.text, sheet) for token in (first, second))
    if one is None or two is None or ":" in one.sheet + two.sheet:
        raise NotCalculableError("it intersects what are not plain areas")
    top, left = max(one.top, two.top), max(one.left, two.left)
    bottom, right = min(one.bottom, two.bottom), min(one.right, two.right)
    if one.sheet.casefold() != two.sheet.casefold() or top > bottom or left > right:
        return Token("error", "#NULL!")
    return Token("reference", absolute(Area(one.sheet, top, left, bottom=bottom, right=right)))


def operands_meet(before: Token, after: Token) -> bool:
    return before.kind in _OPERAND_ENDS and after.kind in _OPERAND_BEGINS


def stands_alone(tokens: Sequence[Token]) -> bool:
    """Return whether an expression is one operand: a reference, a value, a call or a group in parentheses."""
    if not tokens:
        return True
    if tokens[0].kind in ("call", "open"):
        return closing(tokens, 0) == len(tokens) - 1
    return len(tokens) == 1 or (len(tokens) == 2 and tokens[0].text == "@")


def is_end_of_range(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Return whether an operand is an end of a range, as in ``A1:INDEX(A:A,3)``."""
    return (first > 0 and tokens[first - 1].text == ":") or (last + 1 < len(tokens) and tokens[last + 1].text == ":")


def intersecting_cell(place: Area, at: Area) -> str:
    """Return the one cell of an area in the row or column of a formula's cell, ``#VALUE!`` where there is none."""
    row = place.top if place.top == place.bottom else at.top
    column = place.left if place.left == place.right else at.left
    inside = place.top <= row <= place.bottom and place.left <= column <= place.right
    return f"{quoted(place.sheet)}!{address(row, column)}" if inside else "#VALUE!"
