"""Rows of a table of serving estimates that have no columns of arithmetic: pools, and models with an encoder.

They are answered as those of SERVING_TABLE are, one after the other.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from sizebook.core.coercion import coerce
from sizebook.core.errors import SizebookError
from sizebook.core.tabular import REASON
from sizebook.plans.serving.tables import ARGUMENTS, COLUMNS, POOLS, answer
from sizebook.serving.layouts import DEGREES
from sizebook.sweeps.cases import as_functions_read


def rows_with_pools(frame: pl.DataFrame) -> Any:
    """Return which rows say anything of pools but that there are none."""
    asked = np.zeros(frame.height, bool)
    for name in POOLS:
        if name in frame.columns:
            words = frame[name].cast(pl.String).str.strip_chars().fill_null("")
            silent = [word for word in words.unique() if _is_silent(name, word)]
            asked |= ~words.is_in(silent).to_numpy()
    return asked


def rows_without_degrees(frame: pl.DataFrame) -> Any:
    """Return which rows leave the layout open."""
    stated = np.zeros(frame.height, bool)
    for name in (name for name in DEGREES if name in frame.columns):
        words = frame[name].cast(pl.String).str.strip_chars().fill_null("")
        stated |= (words != "").to_numpy()
    return ~stated


def _is_silent(name: str, word: str) -> bool:
    """Return whether a cell asks for no pools; one that cannot be read is asked about."""
    if name != "separate_prefill" or not word:
        return not word
    try:
        return not coerce(ARGUMENTS[name], word)
    except SizebookError:
        return False


def answers(frame: pl.DataFrame, rows: Any) -> list[Mapping[str, Any]]:
    """Return the results of some rows; of one that cannot be answered its reason alone."""
    heads = [name for name in frame.columns if name in COLUMNS.known]
    answer_row, found = answer(heads), []
    for cells in frame.select(heads)[rows].iter_rows():
        try:
            found.append(answer_row([as_functions_read(name, cell) for name, cell in zip(heads, cells, strict=True)]))
        except SizebookError as error:
            found.append({REASON: str(error)})
    return found
