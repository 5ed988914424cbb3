"""Frames: ``sb.sweep``, a serving estimate or a training plan a row, and ``sb.catalog``, what is known by name."""

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from sizebook.api.columns import is_of
from sizebook.core.errors import InputError, shown
from sizebook.core.extras import need
from sizebook.core.hints import unknown_key
from sizebook.core.tables import table
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

    rows, from_pandas = _as_polars(pl, frame), is_of(frame, "pandas", "DataFrame")
    kind = kind_of(rows.columns)
    if unread := kind.unread(rows.columns):
        warnings.warn(f"columns kept but not read: {joined(unread)}", stacklevel=2)
    found = kind.sweep(rows)
    if from_pandas:  # column by column: polars' own way needs pyarrow
        return sys.modules["pandas"].DataFrame(found.to_dict(as_series=False), index=frame.index)
    return found


CATALOG = ("models", "hardware", "prices")


def catalog(name: str, frame: str = "") -> Any:
    """Return what arguments may name as a frame of polars, or of ``pandas``: models, hardware or prices.

    The column ``key`` of models and hardware is what ``model`` and ``gpu`` take.
    """
    if name not in CATALOG:
        raise unknown_key("catalog", name, CATALOG)
    rows = table(name)
    kinds = {column: _kind(row[column] for row in rows) for column in rows[0]}
    return as_frame([{head: kinds[head](cell) if cell else None for head, cell in row.items()} for row in rows], frame)


def _kind(cells: Iterable[str]) -> Callable[[str], Any]:
    """Return what makes values of a column's cells: numbers where all are."""
    try:
        return float if [float(cell) for cell in cells if cell] else str
    except ValueError:
        return str


def as_frame(rows: Sequence[Mapping[str, Any]], frame: str) -> Any:
    """Return rows as a frame of polars, or of ``pandas`` where that is asked for."""
    if frame not in ("", "polars", "pandas"):
        raise InputError(f"unknown frame: got '{frame}', want 'polars' or 'pandas'. Choose one of them.")
    if frame == "pandas":
        return _pandas().DataFrame(rows)
    need("sweep")
    import polars

    return polars.DataFrame(rows, infer_schema_length=None)


def _pandas() -> Any:
    """Return pandas, which is no extra of ours: whoever asks for its frames has it."""
    try:
        return import_module("pandas")
    except ImportError as error:
        raise InputError("not installed: got no pandas, want it for its frames. Run: pip install pandas.") from error


def _as_polars(pl: Any, frame: Any) -> Any:
    if isinstance(frame, pl.DataFrame):
        return frame
    if is_of(frame, "pandas", "DataFrame"):
        return pl.DataFrame({str(name): frame[name].tolist() for name in frame.columns})
    if isinstance(frame, (dict, list)):
        return pl.DataFrame(frame)
    raise InputError(f"no table: got {shown(frame)}, want a DataFrame, a dict of columns or a list of dicts. Give one.")
