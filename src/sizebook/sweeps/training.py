"""Training plans for a table of any length: rows of layouts, tokens and prices, each with its results beside it.

Columns are the names of `sizebook.plans.training.rows.INPUTS`, old ones taken for the new; those that are absent or
blank take their defaults. A row that cannot be planned keeps its place, with empty results and the reason.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sizebook.core.names import current
from sizebook.plans.training.rows import INPUTS, OUTPUTS, Rows
from sizebook.plans.training.rows import REQUIRED_INPUTS as REQUIRED

FIGURE = "step_seconds"
_TYPES = {
    "fits": pl.Boolean,
    "run_family": pl.String,
    "rates_basis": pl.String,
    "recipe": pl.String,
    "reason": pl.String,
}

__all__ = ["FIGURE", "REQUIRED", "sweep"]


def renamed(columns: Sequence[str]) -> dict[str, str]:
    """Return what columns of old names are called now; one beside the new name is not read."""
    found = {name: current(name, INPUTS) for name in columns}
    return {name: now.new for name, now in found.items() if now is not None and now.new not in columns}


def sweep(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a piece of a table with the results of their plans beside them."""
    old = renamed(frame.columns)
    columns = [name for name in frame.columns if name in INPUTS or name in old]
    rows = Rows([old.get(name, name) for name in columns])
    results = [tuple(rows.result(row).values()) for row in frame.select(columns).iter_rows()]
    schema = {name: _TYPES.get(name, pl.Float64) for name in OUTPUTS}
    found = pl.DataFrame(results, schema=schema, orient="row")
    return pl.concat([frame, found], how="horizontal")
