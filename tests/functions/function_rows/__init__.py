"""Test rows of every spreadsheet function, a module a concern: figures worked out by other means than the code."""

from __future__ import annotations

from tests.functions.function_rows import (
    compute,
    lookups,
    money,
    params,
    plans,
    serving,
    tables,
    traffic,
    training,
    training_plans,
    why,
)
from tests.functions.function_rows.row import Row

ROWS: tuple[Row, ...] = (
    *params.ROWS,
    *compute.ROWS,
    *training.ROWS,
    *training_plans.ROWS,
    *money.ROWS,
    *traffic.ROWS,
    *serving.ROWS,
    *plans.ROWS,
    *tables.ROWS,
    *lookups.ROWS,
    *why.ROWS,
)
