"""Depreciation by the declining balance over a stretch of time, fractions of periods included: VDB."""

from __future__ import annotations

from typing import Any

from sizebook.calculation.spreadsheet.coercing import each, fail, number, truth


def _vdb(cost: Any, salvage: Any, life: Any, start: Any, end: Any, factor: Any = None, no_switch: Any = None) -> float:
    amount, rest, n_periods = number(cost), number(salvage), number(life)
    first, last, rate = number(start), number(end), number(factor, 2.0)
    if min(amount, rest, first) < 0 or last < first or last > n_periods or n_periods <= 0 or rate <= 0:
        fail("#NUM!")
    if n_periods != int(n_periods):
        fail("#N/IMPL!")
    total, period = 0.0, 0
    value, straight_from = amount, False
    while period < last:
        declined = min(value * rate / n_periods, max(0.0, value - rest))
        straight = max(0.0, value - rest) / (n_periods - period)
        straight_from = straight_from or (not truth(no_switch) and straight > declined)
        taken = straight if straight_from else declined
        total += taken * max(0.0, min(last, period + 1) - max(first, period))
        value -= taken
        period += 1
    return total


FUNCTIONS = {"VDB": each(_vdb)}
