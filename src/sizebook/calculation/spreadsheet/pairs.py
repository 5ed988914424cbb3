"""Functions of two ranges or more, value by value: SUMPRODUCT, SUMX2MY2 and the like."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum, prod
from typing import Any

from sizebook.calculation.spreadsheet.coercing import cells, fail, rows_of
from sizebook.core.errors import CellError


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _pairs(first: Any, second: Any) -> list[tuple[float, float]]:
    """Return the pairs of which both are numbers; ranges of as many cells in another shape are paired in order."""
    one, two = list(cells(first)), list(cells(second))
    if len(one) != len(two):
        fail("#N/A")
    for value in (*one, *two):
        if isinstance(value, CellError):
            raise value
    found = [(float(x), float(y)) for x, y in zip(one, two, strict=True) if _is_number(x) and _is_number(y)]
    return found or fail("#DIV/0!")


def _summed(term: Callable[[float, float], float]) -> Callable[[Any, Any], float]:
    return lambda first, second: fsum(term(x, y) for x, y in _pairs(first, second))


def _sum_of_products(*arrays: Any) -> float:
    """Return the sum of the products of values in the same place; what is no number counts as 0."""
    given = [rows_of(array) for array in arrays]
    if len({(len(rows), len(rows[0])) for rows in given}) > 1:
        fail("#VALUE!")
    total = 0.0
    for values in zip(*(cells(rows) for rows in given), strict=True):
        for value in values:
            if isinstance(value, CellError):
                raise value
        total += prod(float(value) if _is_number(value) else 0.0 for value in values)
    return total


FUNCTIONS = {
    "SUMPRODUCT": _sum_of_products,
    "SUMX2MY2": _summed(lambda x, y: x * x - y * y),
    "SUMX2PY2": _summed(lambda x, y: x * x + y * y),
    "SUMXMY2": _summed(lambda x, y: (x - y) ** 2),
}
