"""``sb.sweep``: a serving estimate or a training plan for every row of a data frame."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from sizebook.api.columns import is_of
from sizebook.core.errors import InputError, shown
from sizebook.core.extras import need
from sizebook.core.texts import joined


def sweep(frame: Any) -> Any:
    """Return a frame with its rows answered: the columns of results that ``sizebook sweep`` writes beside its own.

    ``frame`` is a DataFrame of polars or pandas, and so is the result; or a dict of columns, or a list of dicts, which
    give one of polars. A row that cannot be answered says why in ``reason``; a column that nothing reads is warned of.
    Errors: a table that lacks a column, or has one where a result goes.
    """
    need("sweep")
    import polars as pl

    from sizebook.sweeps.kinds import kind_of

    table, from_pandas = _as_polars(pl, frame), is_of(frame, "pandas", "DataFrame")
    kind = kind_of(table.columns)
    if unread := kind.unread(table.columns):
        warnings.warn(f"columns kept but not read: {joined(unread)}", stacklevel=2)
    found = kind.sweep(table)
    if from_pandas:  # column by column: polars' own way needs pyarrow
        return sys.modules["pandas"].DataFrame(found.to_dict(as_series=False), index=frame.index)
    return found


def _as_polars(pl: Any, frame: Any) -> Any:
    if isinstance(frame, pl.DataFrame):
        return frame
    if is_of(frame, "pandas", "DataFrame"):
        return pl.DataFrame({str(name): frame[name].tolist() for name in frame.columns})
    if isinstance(frame, (dict, list)):
        return pl.DataFrame(frame)
    raise InputError(f"no table: got {shown(frame)}, want a DataFrame, a dict of columns or a list of dicts. Give one.")
