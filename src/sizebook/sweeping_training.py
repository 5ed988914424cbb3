"""Training plans for a table of any length: rows of layouts, tokens and prices, each with its results beside it.

Columns are the names of `sizebook.plans.training_rows.INPUTS`; those that are absent or blank take their defaults. A
row that cannot be planned keeps its place, with empty results and the reason.
"""

from __future__ import annotations

import polars as pl

from sizebook.plans.training_rows import INPUTS, OUTPUTS, REST, WORK, training_row

REQUIRED = tuple(name for name, default in {**WORK, **REST}.items() if default is None and name not in ("mfu", "watts"))
FIGURE = "step_seconds"
_TYPES = {"fits": pl.Boolean, "reason": pl.String}


def is_training(columns: list[str]) -> bool:
    """Return whether a table holds training runs: it has tokens and gpus, and no requests."""
    return {"tokens", "gpus"} <= set(columns) and "input_tokens" not in columns


def sweep(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a piece of a table with the results of their plans beside them."""
    known = [name for name in frame.columns if name in INPUTS]
    results = [training_row(dict(zip(known, row, strict=True))) for row in frame.select(known).iter_rows()]
    schema = {name: _TYPES.get(name, pl.Float64) for name in OUTPUTS}
    found = pl.DataFrame([tuple(result.values()) for result in results], schema=schema, orient="row")
    return pl.concat([frame, found], how="horizontal")
