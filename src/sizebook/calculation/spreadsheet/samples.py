"""Figures of samples: MODE, quartiles, ranks, the test of a mean, and AGGREGATE, which passes over errors."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from math import fsum
from typing import Any

from sizebook.calculation.spreadsheet.coercing import cells, each, fail, number, numbers, whole
from sizebook.core.errors import CellError


def _given(value: Any) -> list[float]:
    """Return the numbers of one argument; a text or truth that is written in the formula itself is an error."""
    found = []
    for cell in cells(value):
        if isinstance(cell, CellError):
            raise cell
        if isinstance(cell, (int, float)) and not isinstance(cell, bool):
            found.append(float(cell))
        elif not isinstance(value, list) and cell is not None:
            fail("#VALUE!")
    return found


def _mode(*given: Any) -> float:
    counted = Counter(value for argument in given for value in _given(argument))
    if not counted or max(counted.values()) < 2:
        fail("#N/A")
    return max(counted, key=lambda value: counted[value])  # the first of those that are as frequent


def _variance(values: list[float], less: int) -> float:
    if len(values) <= less:
        fail("#DIV/0!")
    mean = fsum(values) / len(values)
    return fsum((value - mean) ** 2 for value in values) / (len(values) - less)


def _median(values: list[float]) -> float:
    ordered, half = sorted(values), len(values) // 2
    if not ordered:
        fail("#NUM!")
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _ranked(values: list[float], rank: float) -> float:
    place = int(rank)
    return sorted(values)[place - 1] if 1 <= place <= len(values) else fail("#NUM!")


def _quantile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    if not ordered or not 0 <= part <= 1:
        fail("#NUM!")
    place = part * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


_OF_VALUES: dict[int, Callable[[list[float]], float]] = {
    1: lambda v: fsum(v) / len(v) if v else fail("#DIV/0!"),
    4: lambda v: max(v, default=0.0),
    5: lambda v: min(v, default=0.0),
    7: lambda v: _variance(v, 1) ** 0.5,
    8: lambda v: _variance(v, 0) ** 0.5,
    9: fsum,
    10: lambda v: _variance(v, 1),
    11: lambda v: _variance(v, 0),
    12: _median,
}
_OF_VALUES_AND_ONE: dict[int, Callable[[list[float], float], float]] = {
    14: lambda v, k: _ranked([-x for x in v], k) * -1,
    15: _ranked,
    16: _quantile,
    17: lambda v, k: _quantile(v, int(k) / 4),
}


def _aggregate(kind: Any, options: Any, *given: Any) -> float:
    """Return a figure of the numbers without errors; what hides rows or leaves out other subtotals is not known."""
    which, option = whole(kind), whole(options)
    if option not in (4, 6):
        fail("#N/IMPL!")
    last = number(given[1]) if which in _OF_VALUES_AND_ONE and len(given) == 2 else 0.0
    given = given[:1] if which in _OF_VALUES_AND_ONE else given
    found = [cell for cell in cells(*given) if not (option == 6 and isinstance(cell, CellError))]
    for cell in found:
        if isinstance(cell, CellError):
            raise cell
    values = [float(cell) for cell in found if isinstance(cell, (int, float)) and not isinstance(cell, bool)]
    if which in _OF_VALUES_AND_ONE:
        return _OF_VALUES_AND_ONE[which](values, last)
    if which in (2, 3):
        return float(len(values) if which == 2 else sum(cell is not None for cell in found))
    return _OF_VALUES[which](values) if which in _OF_VALUES else fail("#N/IMPL!")


def _quartile(values: Any, quart: Any) -> float:
    place = number(quart)
    if -1 < place < 0:
        fail("#N/IMPL!")  # 0 once it is cut off, and negative
    return _quantile(numbers(values), int(place) / 4) if 0 <= place < 5 else fail("#NUM!")


def _rank(ends: int) -> Callable[..., float]:
    """Return PERCENTRANK where the ends are 0 and 1 (1), or as far from them as values are from each other (0)."""

    def called(values: Any, value: Any, digits: Any = 3) -> float:
        ordered, x, places = sorted(numbers(values)), number(value), whole(digits, 3.0)
        if not ordered or places < 1:
            fail("#NUM!")
        if not ordered[0] <= x <= ordered[-1]:
            fail("#N/A")
        if len(ordered) == 1:
            fail("#N/IMPL!")  # 1 in LibreOffice; no document says it
        below = bisect_left(ordered, x)
        if ordered[below] != x:
            low, high = ordered[below - 1], ordered[below]
            found = below - 1 + (x - low) / (high - low)
        else:
            found = below
        part = (found + 1 - ends) / (len(ordered) + 1 - 2 * ends)
        shift = 10.0 ** min(places, 15)
        return math.floor(round(part * shift, 15 - min(places, 15))) / shift  # cut off, not what rounding left

    return called


def _test_of_mean(values: Any, mean: Any, deviation: Any = None) -> float:
    """Return the probability of a mean above that of the sample."""
    found, expected = numbers(values), number(mean)
    if not found:
        fail("#N/A")
    if deviation is not None and len(found) == 1:
        fail("#N/IMPL!")  # an error in LibreOffice, no document says it
    spread = math.sqrt(_variance(found, 1)) if deviation is None else number(deviation)
    if deviation is not None and spread <= 0:
        fail("#NUM!")
    away = (math.fsum(found) / len(found) - expected) / (spread / math.sqrt(len(found)))
    return math.erfc(away / math.sqrt(2)) / 2


def _of_sample(function: Callable[..., float]) -> Callable[..., Any]:
    """Return a function of a sample as one that gives rows where what is asked of it are rows."""

    def called(values: Any, *given: Any) -> Any:
        return each(lambda *picked: function(values, *picked))(*given)

    return called


FUNCTIONS = {
    "MODE": _mode,
    "MODE.SNGL": _mode,
    "AGGREGATE": _aggregate,
    **dict.fromkeys(("QUARTILE", "QUARTILE.INC"), _of_sample(_quartile)),
    **dict.fromkeys(("PERCENTRANK", "PERCENTRANK.INC"), _of_sample(_rank(1))),
    "PERCENTRANK.EXC": _of_sample(_rank(0)),
    **dict.fromkeys(("Z.TEST", "ZTEST"), _of_sample(_test_of_mean)),
}
