"""Functions of spreadsheets that are worked out in Python: those that the engine lacks or gets wrong.

`data/spreadsheet_functions.csv` names them ``own``. Each takes values as a formula gives them (None for a blank, rows
for a range, a `CellError` for an error value) and raises a `CellError` for an error of its own; ``#N/IMPL!`` says that
what it was asked is not calculated here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sizebook.calculation.spreadsheet import (
    calendar,
    complexes,
    counts,
    distributions,
    lookups,
    matrices,
    money,
    pairs,
    powers,
    rounding,
    samples,
    texts,
    units,
    workdays,
)

FUNCTIONS: dict[str, Callable[..., Any]] = {}
_TOPICS = (
    calendar, complexes, counts, distributions, lookups, matrices, money, pairs, powers, rounding, samples, texts,
    units, workdays,
)  # fmt: skip
for _topic in _TOPICS:
    FUNCTIONS |= _topic.FUNCTIONS
