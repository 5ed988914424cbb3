"""Columns of numbers from NumPy, pandas and polars, told by what they are, so that none of them need be installed."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Column:
    """The values of a column as Python holds them, and what makes a column of the same kind of others."""

    values: Sequence[Any]
    like: Callable[[list[Any]], Any]


def is_of(value: Any, library: str, kind: str) -> bool:
    """Return whether a value is of a library's class; a library that nobody imported made no value."""
    module = sys.modules.get(library)
    return module is not None and isinstance(value, getattr(module, kind))


def column_of(value: Any) -> Column | None:
    """Return a value as a column, None for a single one."""
    if isinstance(value, (list, tuple, range)):
        return Column(value, list)
    if is_of(value, "polars", "Series"):
        return Column(value.to_list(), lambda found: sys.modules["polars"].Series(value.name, found))
    if is_of(value, "pandas", "Series"):
        return Column(
            value.tolist(), lambda found: sys.modules["pandas"].Series(found, index=value.index, name=value.name)
        )
    if is_of(value, "numpy", "ndarray") and value.ndim:
        numpy = sys.modules["numpy"]
        return Column(value.ravel().tolist(), lambda found: numpy.array(found).reshape(value.shape))
    return None


def as_range(value: Any) -> Any:
    """Return a table as rows with its heads first, a column as a row, anything else as it is."""
    if is_of(value, "polars", "DataFrame"):
        return [value.columns, *map(list, value.rows())]
    if is_of(value, "pandas", "DataFrame"):
        return [list(value.columns), *value.values.tolist()]
    column = None if isinstance(value, (list, tuple)) else column_of(value)
    return value if column is None else list(column.values)
