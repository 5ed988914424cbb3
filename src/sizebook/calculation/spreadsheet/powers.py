"""Remainders, bits moved, numbers of other bases and sums of powers, each with the limits that Excel sets."""

from __future__ import annotations

import math
from typing import Any

from sizebook.calculation.spreadsheet.coercing import each, fail, number, numbers, text, whole

_UNKNOWN = "#N/IMPL!"
# From about this quotient MOD is #NUM! in Excel (134 217 728 before 2010); where exactly is not documented.
_SURELY_DIVIDED, _SURELY_NOT = 1.12e12, 1.13e12
_MOST_BITS, _FARTHEST = 2**48 - 1, 53
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _remainder(value: Any, divisor: Any) -> float:
    given, by = number(value), number(divisor)
    if by == 0:
        fail("#DIV/0!")
    if abs(given / by) > _SURELY_DIVIDED:
        fail("#NUM!" if abs(given / by) > _SURELY_NOT else _UNKNOWN)
    found = math.fmod(given, by)
    return found + by if found and (found < 0) != (by < 0) else found


def _moved(value: Any, by: Any, direction: int) -> float:
    given, places = number(value), number(by)
    if given != int(given) or not 0 <= given <= _MOST_BITS or abs(places) > _FARTHEST:
        fail("#NUM!")
    if places != int(places):
        fail(_UNKNOWN)
    shift = int(places) * direction
    found = int(given) << shift if shift > 0 else int(given) >> -shift
    return float(found) if found <= _MOST_BITS else fail("#NUM!")


def _decimal(value: Any, radix: Any) -> float:
    given, base = text(value).strip().upper(), whole(radix)
    if not given or given[0] in "+-":
        fail(_UNKNOWN)
    if not 2 <= base <= 36 or len(given) > 255 or set(given) - set(_DIGITS[:base]):
        fail("#NUM!")
    return float(int(given, base))


def _series(value: Any, first: Any, step: Any, coefficients: Any) -> float:
    x, power, more = number(value), number(first), number(step)
    factors = numbers(coefficients)
    powers = [power + place * more for place in range(len(factors))]
    if x == 0 and min(powers, default=1) <= 0:
        fail(_UNKNOWN)  # 0^0 is 1 in LibreOffice's series and #NUM! elsewhere in Excel
    if x < 0 and any(place != int(place) for place in powers):
        fail("#NUM!")
    return math.fsum(factor * x**place for factor, place in zip(factors, powers, strict=True))


FUNCTIONS = {
    "MOD": each(_remainder),
    "BITLSHIFT": each(lambda value, by: _moved(value, by, 1)),
    "BITRSHIFT": each(lambda value, by: _moved(value, by, -1)),
    "DECIMAL": each(_decimal),
    "SERIESSUM": _series,
}
