"""Training plans for a table of any length: rows of layouts, tokens and prices, each with its results beside it.

Columns are the names of `sizebook.plans.training.rows.INPUTS`; absent and blank ones take their defaults. A row that
cannot be planned keeps its place, with empty results and the reason.
"""

from collections.abc import Sequence

import polars as pl

from sizebook.plans.training.rows import INPUTS, OUTPUTS, Rows
from sizebook.sweeps.amounts import with_amounts
from sizebook.sweeps.published_recipes import with_normalised_recipes

FIGURE = "step_seconds"
_TYPES = {
    "fits": pl.Boolean,
    "run_family": pl.String,
    "rates_basis": pl.String,
    "recipe": pl.String,
    "reason": pl.String,
}

# The name of the format of matrix products in tables of published runs.
PUBLISHED_NAMES = {"dtype": "compute_dtype"}


def inputs_of(columns: Sequence[str]) -> dict[str, str]:
    """Return the columns that a plan reads, with the input that each one states."""
    names = {name: PUBLISHED_NAMES.get(name, name) for name in columns}
    return {name: known for name, known in names.items() if known in INPUTS and (name == known or known not in columns)}


def stated_inputs(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the columns that a plan reads, named as its inputs, with recipes in the grammar."""
    inputs = inputs_of(frame.columns)
    return with_normalised_recipes(frame.select(list(inputs)).rename(inputs))


def sweep(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a piece of a table with the results of their plans beside them."""
    stated = stated_inputs(frame)
    rows = Rows(stated.columns)
    results = [tuple(rows.result(row).values()) for row in stated.iter_rows()]
    schema = {name: _TYPES.get(name, pl.Float64) for name in OUTPUTS}
    found = with_amounts(frame, pl.DataFrame(results, schema=schema, orient="row"))
    return pl.concat([frame, found], how="horizontal")
