"""Figures of whole ranges: the most frequent value, sums of products and of squares, products of matrices."""

from collections import Counter
from collections.abc import Callable
from math import fsum, prod
from operator import mul
from typing import Any

from sizebook.calculation.spreadsheet.argument_values import cells, fail, rows_of
from sizebook.core.errors import CellError


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _values(given: Any) -> list[Any]:
    """Return every value of an argument; an error among them is raised."""
    found = list(cells(given))
    for value in found:
        if isinstance(value, CellError):
            raise value
    return found


def _mode(*given: Any) -> float:
    counted: Counter[float] = Counter()
    for argument in given:
        values = _values(argument)
        if not isinstance(argument, list) and not _is_number(argument):
            fail("#VALUE!")  # a text or truth that is written in the formula itself, or a single blank cell
        counted.update(float(value) for value in values if _is_number(value))
    if not counted or max(counted.values()) < 2:
        fail("#N/A")
    return max(counted, key=lambda value: counted[value])  # the first of those that are as frequent


def _summed(term: Callable[[float, float], float]) -> Callable[[Any, Any], float]:
    """Return the sum of a term over the pairs of numbers; ranges of as many cells in another shape pair in order."""

    def called(first: Any, second: Any) -> float:
        one, two = list(cells(first)), list(cells(second))
        if len(one) != len(two):
            fail("#N/A")
        _values([one, two])
        pairs = [(float(x), float(y)) for x, y in zip(one, two, strict=True) if _is_number(x) and _is_number(y)]
        return fsum(term(x, y) for x, y in pairs) if pairs else fail("#DIV/0!")

    return called


def _sum_of_products(*arrays: Any) -> float:
    """Return the sum of the products of values in the same place; what is no number counts as 0."""
    given = [rows_of(array) for array in arrays]
    if len({(len(rows), len(rows[0])) for rows in given}) > 1:
        fail("#VALUE!")
    if any(len(rows) == len(rows[0]) == 1 and isinstance(rows[0][0], str) for rows in given):
        fail("#VALUE!")
    total = 0.0
    for values in zip(*(cells(rows) for rows in given), strict=True):
        for value in values:
            if isinstance(value, CellError):
                raise value
        total += prod(float(value) if _is_number(value) else 0.0 for value in values)
    return total


def _matrix(given: Any) -> list[list[float]]:
    rows = rows_of(given)
    if not {type(value) for row in rows for value in row} <= {int, float}:
        _values(given)  # an error among them comes first
        fail("#VALUE!")
    return [[float(value) for value in row] for row in rows]


def _product_of_matrices(first: Any, second: Any) -> list[list[float]]:
    one, two = _matrix(first), _matrix(second)
    if len(one[0]) != len(two):
        fail("#VALUE!")
    columns = list(zip(*two, strict=True))
    return [[sum(map(mul, row, column)) for column in columns] for row in one]


FUNCTIONS = {
    "MODE": _mode,
    "SUMPRODUCT": _sum_of_products,
    "SUMX2MY2": _summed(lambda x, y: x * x - y * y),
    "SUMX2PY2": _summed(lambda x, y: x * x + y * y),
    "SUMXMY2": _summed(lambda x, y: (x - y) ** 2),
    "MMULT": _product_of_matrices,
}
