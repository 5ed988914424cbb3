"""Figures of samples: MODE, and AGGREGATE, which passes over errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import comb, fsum
from typing import Any

from sizebook.calculation.spreadsheet.coercing import cells, each, fail, number, truth, whole
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


def _hypergeometric(drawn: Any, sample: Any, marked: Any, population: Any, cumulative: Any) -> float:
    """Return the probability of so many marked ones in a sample drawn from a population without putting back."""
    found, n, of, size = (whole(given) for given in (drawn, sample, marked, population))
    least = max(0, n - size + of)
    if not (least <= found <= min(n, of) and 0 < n <= size and 0 < of <= size):
        fail("#NUM!")
    ways = (comb(of, k) * comb(size - of, n - k) for k in range(least if truth(cumulative) else found, found + 1))
    return sum(ways) / comb(size, n)


FUNCTIONS = {"HYPGEOM.DIST": each(_hypergeometric), "MODE": _mode, "MODE.SNGL": _mode, "AGGREGATE": _aggregate}
