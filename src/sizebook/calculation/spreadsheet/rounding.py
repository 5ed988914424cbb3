"""Rounding to multiples: FLOOR and CEILING of the old kind."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from sizebook.calculation.spreadsheet.coercing import each, fail, number


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


FUNCTIONS = {"CEILING": each(_ceiling), "FLOOR": each(_floor)}
