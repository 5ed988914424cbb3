"""Rounding to multiples, remainders, factorials and choices."""

import math
from collections.abc import Callable
from typing import Any

from sizebook.calculation.spreadsheet.argument_values import each, fail, number

# From about this quotient MOD is #NUM! in Excel (134 217 728 before 2010); the exact limit is not documented.
_SURELY_DIVIDED, _SURELY_NOT = 1.12e12, 1.13e12


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


def _remainder(value: Any, divisor: Any) -> float:
    given, by = number(value), number(divisor)
    if by == 0:
        fail("#DIV/0!")
    if abs(given / by) > _SURELY_DIVIDED:
        fail("#NUM!" if abs(given / by) > _SURELY_NOT else "#N/IMPL!")
    found = math.fmod(given, by)
    return found + by if found and (found < 0) != (by < 0) else found


def _count(value: Any) -> int:
    """Return a count, cut off to a whole number; whether -0.5 counts as 0 or as negative, no stored value tells."""
    found = number(value)
    if -1 < found < 0:
        fail("#N/IMPL!")
    return int(found) if 0 <= found < 1e15 else fail("#NUM!")


def _factorial(value: Any) -> float:
    n = _count(value)
    return float(math.factorial(n)) if n <= 170 else fail("#NUM!")


def _choices(of: Any, chosen: Any) -> float:
    n, k = _count(of), _count(chosen)
    if k > n or min(k, n - k) > 2_000:  # 2000 of 4000 are more than 1e308 already
        fail("#NUM!")
    return float(math.comb(n, k))


FUNCTIONS = {
    "CEILING": each(_ceiling),
    "FLOOR": each(_floor),
    "MOD": each(_remainder),
    "FACT": each(_factorial),
    "COMBIN": each(_choices),
}
