"""Matrices: MMULT, MINVERSE, MDETERM; and lines of least squares: LINEST, TREND and their exponential forms."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from sizebook.calculation.spreadsheet.coercing import fail, rows_of, truth
from sizebook.core.errors import CellError

Matrix = Any  # a NumPy array of two dimensions


def _matrix(given: Any) -> Matrix:
    rows = rows_of(given)
    for row in rows:
        for cell in row:
            if isinstance(cell, CellError):
                raise cell
            if isinstance(cell, bool) or not isinstance(cell, (int, float)):
                fail("#VALUE!")
    return np.array(rows, dtype=float)


def _square(given: Any) -> Matrix:
    matrix = _matrix(given)
    return matrix if matrix.shape[0] == matrix.shape[1] else fail("#VALUE!")


def _mmult(first: Any, second: Any) -> list[list[float]]:
    one, two = _matrix(first), _matrix(second)
    if one.shape[1] != two.shape[0]:
        fail("#VALUE!")
    product: list[list[float]] = (one @ two).tolist()
    return product


def _minverse(given: Any) -> list[list[float]]:
    matrix = _square(given)
    try:
        return np.linalg.inv(matrix).tolist()  # type: ignore[no-any-return]
    except np.linalg.LinAlgError:
        fail("#NUM!")


def _mdeterm(given: Any) -> float:
    matrix = _square(given)
    found = float(np.linalg.det(matrix))
    whole = bool(np.all(matrix == np.round(matrix))) and abs(found) < 1e9
    return float(round(found)) if whole else found


def _fitted(known_y: Any, known_x: Any, *, constant: bool, logarithm: bool) -> tuple[Matrix, Matrix, Matrix]:
    """Return the variables in columns, what they explain, and the coefficients with the constant at the end."""
    y = _matrix(known_y)
    x = _matrix(known_x) if known_x is not None else np.arange(1.0, y.size + 1).reshape(y.shape)
    if x.shape == y.shape:
        x = x.reshape(-1, 1)
    elif y.shape[1] == 1 and x.shape[0] == y.shape[0]:
        pass
    elif y.shape[0] == 1 and x.shape[1] == y.shape[1]:
        x = x.T
    else:
        fail("#REF!")
    flat = y.reshape(-1)
    if logarithm:
        flat = np.log(flat) if np.all(flat > 0) else fail("#NUM!")
    columns = np.hstack([x, np.ones((x.shape[0], 1))]) if constant else x
    found, _, rank, _ = np.linalg.lstsq(columns, flat, rcond=None)
    if rank < columns.shape[1]:
        fail("#N/IMPL!")  # variables that explain each other: Excel leaves some out
    return columns, flat, found if constant else np.append(found, 0.0)


def _line(known_y: Any, known_x: Any, constant: Any, statistics: Any, *, logarithm: bool) -> list[list[Any]]:
    has_constant = truth(constant, default=True)
    columns, y, found = _fitted(known_y, known_x, constant=has_constant, logarithm=logarithm)
    coefficients = [*found[:-1][::-1], found[-1]]
    first = [exp(value) for value in coefficients] if logarithm else [float(value) for value in coefficients]
    if not truth(statistics):
        return [first]
    n_free = len(y) - columns.shape[1]
    own = columns @ (found if has_constant else found[:-1])
    left = float(((y - own) ** 2).sum())
    total = float(((y - (y.mean() if has_constant else 0.0)) ** 2).sum())
    spread = left / n_free if n_free > 0 else fail("#N/IMPL!")
    errors = np.sqrt(np.diag(np.linalg.inv(columns.T @ columns)) * spread)
    ordered = [*errors[:-1][::-1], errors[-1]] if has_constant else [*errors[::-1], CellError("#N/A")]
    explained, n_variables = total - left, columns.shape[1] - has_constant
    blank = [CellError("#N/A")] * (len(first) - 2)
    f = explained / n_variables / spread if spread else CellError("#NUM!")
    return [
        first,
        [value if isinstance(value, CellError) else float(value) for value in ordered],
        [explained / total if total else 1.0, spread**0.5, *blank],
        [f, float(n_free), *blank],
        [explained, left, *blank],
    ]


def _linest(known_y: Any, known_x: Any = None, constant: Any = True, statistics: Any = False) -> list[list[Any]]:
    return _line(known_y, known_x, _given(constant), statistics, logarithm=False)


def _logest(known_y: Any, known_x: Any = None, constant: Any = True, statistics: Any = False) -> list[list[Any]]:
    return _line(known_y, known_x, _given(constant), statistics, logarithm=True)


def _given(constant: Any) -> Any:
    return True if constant is None else constant


def _predicted(known_y: Any, known_x: Any, new_x: Any, constant: Any, *, logarithm: bool) -> list[list[float]]:
    _, _, found = _fitted(known_y, known_x, constant=truth(_given(constant), default=True), logarithm=logarithm)
    known = known_x if known_x is not None else None
    new = new_x if new_x is not None else known
    if new is None:
        y = _matrix(known_y)
        new = np.arange(1.0, y.size + 1).reshape(y.shape).tolist()
    x, y = _matrix(new), _matrix(known_y)
    slopes = found[:-1]
    if len(slopes) == 1:
        result = x * slopes[0] + found[-1]
    else:
        result = (x @ slopes if y.shape[1] == 1 else x.T @ slopes) + found[-1]
        result = result.reshape(-1, 1) if y.shape[1] == 1 else result.reshape(1, -1)
    return np.exp(result).tolist() if logarithm else result.tolist()  # type: ignore[no-any-return]


def _trend(known_y: Any, known_x: Any = None, new_x: Any = None, constant: Any = True) -> list[list[float]]:
    return _predicted(known_y, known_x, new_x, constant, logarithm=False)


def _growth(known_y: Any, known_x: Any = None, new_x: Any = None, constant: Any = True) -> list[list[float]]:
    return _predicted(known_y, known_x, new_x, constant, logarithm=True)


FUNCTIONS = {
    "MMULT": _mmult,
    "MINVERSE": _minverse,
    "MDETERM": _mdeterm,
    "LINEST": _linest,
    "LOGEST": _logest,
    "TREND": _trend,
    "GROWTH": _growth,
}
