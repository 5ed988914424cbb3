"""Rounding to multiples, of the old kind and of the new ones; divisors and multiples in common."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from sizebook.calculation.spreadsheet.coercing import each, fail, number, numbers


def _multiple(value: float, step: float, rounded: Callable[[float], int]) -> float:
    ratio = value / step
    nearest = round(ratio)
    # A multiple that binary fractions miss by a little counts as met.
    return (nearest if math.isclose(ratio, nearest, rel_tol=1e-14) else rounded(ratio)) * step


def _ceiling(value: Any, step: Any) -> float:
    given, multiple = number(value), number(step)
    if given == 0 or multiple == 0:
        return 0.0
    return fail("#NUM!") if given > 0 > multiple else _multiple(given, multiple, math.ceil)


def _floor(value: Any, step: Any) -> float:
    given, multiple = number(value), number(step)
    if given == 0:
        return 0.0
    if multiple == 0:
        fail("#DIV/0!")
    return fail("#NUM!") if given > 0 > multiple else _multiple(given, multiple, math.floor)


def _toward(rounded: Callable[[float], int], away: Callable[[float], int]) -> Callable[..., float]:
    """Return a rounding whose mode, where given and not 0, turns it round below zero."""

    def called(value: Any, step: Any = 1, mode: Any = 0) -> float:
        given, multiple = number(value), abs(number(step, 1.0))
        if given == 0 or multiple == 0:
            return 0.0
        return _multiple(given, multiple, away if given < 0 and number(mode) else rounded)

    return called


def _in_common(found: Callable[..., int]) -> Callable[..., float]:
    """Return a function of whole numbers, none below 0, of all that ranges and single arguments hold."""

    def called(*given: Any) -> float:
        whole = [int(value) for value in numbers(*given)]
        return fail("#NUM!") if min(whole, default=0) < 0 else float(found(*whole))

    return called


FUNCTIONS = {
    "GCD": _in_common(math.gcd),
    "LCM": _in_common(math.lcm),
    "CEILING": each(_ceiling),
    "FLOOR": each(_floor),
    "CEILING.MATH": each(_toward(math.ceil, math.floor)),
    "FLOOR.MATH": each(_toward(math.floor, math.ceil)),
    "CEILING.PRECISE": each(_toward(math.ceil, math.ceil)),
    "FLOOR.PRECISE": each(_toward(math.floor, math.floor)),
    "ISO.CEILING": each(_toward(math.ceil, math.ceil)),
}
