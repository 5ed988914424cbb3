"""Texts: TEXT and its formats, LEFT, RIGHT, MID and REPLACE with numbers given as texts, VALUE, DOLLAR and FIXED."""

from __future__ import annotations

from typing import Any

from sizebook.calculation.spreadsheet.coercing import each, fail, number, number_of_text, text, truth, whole
from sizebook.calculation.spreadsheet.number_formats import formatted
from sizebook.core.errors import CellError


def _text(from_1904: bool, value: Any, code: Any) -> str:
    for given in (value, code):
        if isinstance(given, CellError):
            raise given
    if isinstance(value, str):
        try:
            value = number_of_text(value)
        except CellError:
            return formatted(value, text(code), from_1904=from_1904)
    return formatted(value, text(code), from_1904=from_1904)


def _length(value: Any, default: float | None = None) -> int:
    found = whole(value, default)
    return found if found >= 0 else fail("#VALUE!")


def _left(value: Any, n: Any = 1) -> str:
    return text(value)[: _length(n)]


def _right(value: Any, n: Any = 1) -> str:
    shown, length = text(value), _length(n)
    return shown[len(shown) - length :] if length < len(shown) else shown


def _mid(value: Any, start: Any, n: Any) -> str:
    first = _length(start)
    return text(value)[first - 1 : first - 1 + _length(n)] if first else fail("#VALUE!")


def _replace(value: Any, start: Any, n: Any, new: Any) -> str:
    shown, first, length = text(value), _length(start), _length(n)
    return shown[: first - 1] + text(new) + shown[first - 1 + length :] if first else fail("#VALUE!")


def _value(given: Any) -> float:
    return fail("#VALUE!") if isinstance(given, bool) else number(given)


def _shown(size: float, places: int, code: str) -> str:
    """Return an amount in so many places; fewer than none round to tens and hundreds."""
    if places < 0:
        unit = 10**-places
        size, places = float(int(size / unit + 0.5) * unit), 0
    return formatted(size, code + ("." + "0" * places if places else ""))


def _dollar(amount: Any, places: Any = 2) -> str:
    value = number(amount)
    shown = "$" + _shown(abs(value), whole(places), "#,##0")
    return f"({shown})" if value < 0 else shown


def _fixed(amount: Any, places: Any = 2, plain: Any = False) -> str:
    value = number(amount)
    shown = _shown(abs(value), whole(places), "0" if truth(plain) else "#,##0")
    return "-" + shown if value < 0 and any(sign in shown for sign in "123456789") else shown


FUNCTIONS = {
    "TEXT": each(_text),
    "LEFT": each(_left),
    "RIGHT": each(_right),
    "MID": each(_mid),
    "REPLACE": each(_replace),
    "VALUE": each(_value),
    "DOLLAR": each(_dollar),
    "FIXED": each(_fixed),
}
