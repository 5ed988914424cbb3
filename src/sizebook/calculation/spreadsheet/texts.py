"""Texts: TEXT and its formats, parts of texts, capitals, numbers that texts say."""

import re
from collections.abc import Callable
from typing import Any

from sizebook.calculation.spreadsheet.argument_values import (
    LONGEST_TEXT,
    each,
    fail,
    joined,
    number,
    number_of_text,
    text,
    truth,
    whole,
)
from sizebook.calculation.spreadsheet.number_formats import formatted
from sizebook.core.errors import CellError


def _text(from_1904: bool, value: Any, code: Any) -> str:
    for given in (value, code):
        if isinstance(given, CellError):
            raise given
    if isinstance(value, str):
        try:
            value = number_of_text(value)
        except CellError as problem:
            if problem.code != "#VALUE!":
                raise
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
    if places > _MOST_PLACES:
        fail("#VALUE!")
    if places < -_MOST_PLACES:
        fail("#N/IMPL!")
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


_MOST_PLACES = 127
_WILD = re.compile(r"~[?*~]|.", re.DOTALL)


def _in_capitals(value: Any, change: Callable[[str], str]) -> str:
    """Return a text in upper or lower case; refuse one whose length changes (ß, ﬁ), as Excel does not document it."""
    shown = text(value)
    found = change(shown)
    return found if len(found) == len(shown) else fail("#N/IMPL!")


def _rept(value: Any, n: Any) -> str:
    shown, times = text(value), _length(n)
    return shown * times if len(shown) * times <= LONGEST_TEXT else fail("#VALUE!")


def _substitute(value: Any, old: Any, new: Any, which: Any = None) -> str:
    shown, sought, put = text(value), text(old), text(new)
    if which is None:
        return shown.replace(sought, put) if sought else shown
    number_ = whole(which)
    if number_ < 1:
        fail("#VALUE!")
    parts = shown.split(sought) if sought else [shown]
    if number_ >= len(parts):
        return shown
    return sought.join(parts[:number_]) + put + sought.join(parts[number_:])


def _finding(place_of: Callable[[str, str, int], int]) -> Callable[..., int]:
    """Return FIND or SEARCH: the place of a text in another, counted from 1, from a start on; nowhere is #VALUE!."""

    def found(sought: Any, value: Any, start: Any = 1) -> int:
        first, shown = whole(start, 1), text(value)
        if not 1 <= first <= max(1, len(shown)):
            fail("#VALUE!")
        place = place_of(text(sought), shown, first - 1)
        return place + 1 if place >= 0 else fail("#VALUE!")

    return found


def wildcard_place(pattern: str, shown: str, start: int) -> int:
    """Return where a pattern begins in a text, in capitals or not, -1 for nowhere.

    In it ``?`` is one sign, ``*`` any number of them, ``~`` takes both as they are.
    The pattern is split at ``*`` into pieces of fixed length, and each is sought behind the one before it: the work
    grows with the product of both lengths, where a regular expression would try every combination.
    """
    pieces = [""]
    for sign in _WILD.findall(pattern):
        if sign == "*":
            pieces.append("")
        else:
            pieces[-1] += "." if sign == "?" else re.escape(sign[-1])
    begins, end = -1, start
    for piece in pieces:
        found = re.compile(piece, re.IGNORECASE | re.DOTALL).search(shown, end)
        if found is None:
            return -1
        begins, end = found.start() if begins < 0 else begins, found.end()
    return begins


FUNCTIONS = {
    "CONCATENATE": each(joined),
    "UPPER": each(lambda value: _in_capitals(value, str.upper)),
    "LOWER": each(lambda value: _in_capitals(value, str.lower)),
    "REPT": each(_rept),
    "SUBSTITUTE": each(_substitute),
    "FIND": each(_finding(lambda sought, shown, start: shown.find(sought, start))),
    "SEARCH": each(_finding(wildcard_place)),
    "TEXT": each(_text),
    "LEFT": each(_left),
    "RIGHT": each(_right),
    "MID": each(_mid),
    "REPLACE": each(_replace),
    "VALUE": each(_value),
    "DOLLAR": each(_dollar),
    "FIXED": each(_fixed),
}
