"""Serving estimates for a table of any length: batches of rows through the same arithmetic as one estimate.

A row that cannot be estimated keeps its place, with empty results and the reason. Names are resolved once for each
combination of model, accelerator, engine and formats; everything after that is NumPy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from sizebook.core.coercion import coerce
from sizebook.core.errors import SizebookError
from sizebook.core.number_text import decimal_sign
from sizebook.core.registry import REQUIRED as MUST_BE_GIVEN
from sizebook.core.registry import Argument
from sizebook.serving.case import layout_meant
from sizebook.serving.estimate import estimate, misfit
from sizebook.serving.quantities import Demand
from sizebook.serving.tables import FIGURES, RESULTS, STATED
from sizebook.sweeps.cases import (
    INPUTS,
    LOADS,
    NAMES,
    NUMBERS,
    REQUIRED,
    SPECULATION,
    Distinct,
    Named,
    distinct,
    named_case,
    of_rows,
    refusals,
    stacked,
)

__all__ = ["FIGURES", "INPUTS", "REQUIRED", "RESULTS", "STATED", "sweep"]


def sweep(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with their result columns."""
    n = frame.height
    keys = frame.select(_words(frame, name) for name in NAMES)
    unique = keys.unique().sort(NAMES).with_row_index("at")
    place = keys.join(unique, on=list(NAMES), how="left", maintain_order="left")["at"].to_numpy()
    named = [named_case(*row) for row in unique.select(NAMES).iter_rows()]
    reasons = np.array([each.reason for each in named], dtype=object)[place] if n else np.empty(0, object)
    given = frame.select(_words(frame, leaf.name) for leaf in (*NUMBERS, *LOADS) if leaf.name in frame.columns)
    numbers = {leaf.name: _numbers(given, leaf, reasons) for leaf in (*NUMBERS, *LOADS)}
    notes = _layouts(numbers, named, place, reasons)
    numbers |= _speculation(numbers, reasons)
    figures = {name: np.full(n, np.nan) for name in FIGURES}
    fits = np.zeros(n, bool)
    cases = distinct((place, *(numbers[leaf.name] for leaf in NUMBERS)))
    said = refusals(named, place[cases.first], {name: values[cases.first] for name, values in numbers.items()})
    reasons = np.where(reasons == "", said[cases.which], reasons)
    good = np.flatnonzero(reasons == "")
    if len(good):
        loads = {leaf.name: numbers[leaf.name][good] for leaf in LOADS}
        there = cases.among(good)
        of_each = [named[at] for at in place[there.first]]
        found, fits[good], (out, misfits) = _estimated(of_each, numbers, there, loads)
        for name, values in found.items():
            figures[name][good] = values
        reasons[good[out]] = misfits
    reasons = np.where((reasons == "") & (notes != ""), notes, reasons)
    answered = ~np.isnan(figures["tpot_seconds"])
    shown: dict[str, Any] = {
        **figures,
        "error_low": np.where(answered, np.array([each.low for each in named])[place], np.nan),
        "error_high": np.where(answered, np.array([each.high for each in named])[place], np.nan),
        "error_basis": pl.Series([each.basis for each in named], dtype=pl.String).gather(place),
        "rates_basis": pl.Series([each.rates for each in named], dtype=pl.String).gather(place),
        "fits": fits,
    }
    columns = [pl.Series(name, values, nan_to_null=True) for name, values in shown.items()]
    # A row without an answer rests on nothing and neither fits nor does not.
    unknown = [pl.when(pl.Series(answered)).then(pl.col(name)).alias(name) for name in ("error_basis", "fits")]
    return frame.with_columns(*columns, pl.Series("reason", reasons.tolist(), dtype=pl.String)).with_columns(unknown)


def _words(frame: pl.DataFrame, name: str) -> pl.Expr:
    """Return a column as text without space around it; what is absent or blank is empty."""
    given = pl.col(name).cast(pl.String).str.strip_chars().fill_null("") if name in frame.columns else pl.lit("")
    return given.alias(name)


def _numbers(frame: pl.DataFrame, leaf: Argument, reasons: Any) -> Any:
    """Return a column of words as numbers; what a cell would refuse gets its message. Blanks: the default, or nan."""
    default = np.nan if leaf.default is None or leaf.name in STATED else float(leaf.default)
    if leaf.name not in frame.columns:
        return np.full(frame.height, default)
    given = frame[leaf.name]
    values = given.cast(pl.Float64, strict=False).to_numpy().copy()
    if decimal_sign() == ",":
        values[:] = np.nan  # polars reads a point before decimals, `coerce` what is declared
    blank = (given == "").to_numpy()
    if leaf.name in _ZERO_IS_NONE:
        values[values == 0] = 1
    asked = replace(leaf, default=MUST_BE_GIVEN) if leaf.name in STATED else leaf
    values[blank] = default
    for at in np.flatnonzero(~_admissible(values, leaf) & ~(blank & (not asked.required))):
        try:
            values[at] = coerce(asked, given[int(at)])
        except SizebookError as error:
            reasons[at] = reasons[at] or str(error)
            values[at] = 1
    return values


_ZERO_IS_NONE = ("dp", "ep")  # benchmark tables write 0 where there is no such parallelism


def _admissible(values: Any, leaf: Argument) -> Any:
    """Return where numbers are within what a quantity allows."""
    q = leaf.quantity
    fine = np.isfinite(values)
    if q.kind == "integer":
        fine &= values == np.floor(values)
    for bound, holds in ((q.minimum, np.greater_equal), (q.above, np.greater), (q.maximum, np.less_equal),
                         (q.below, np.less)):  # fmt: skip
        if bound is not None:
            fine &= holds(values, bound)
    return fine


def _speculation(numbers: dict[str, Any], reasons: Any) -> dict[str, Any]:
    """Return drafted and yielded tokens of the rows that state one of them, not a number where neither is stated."""
    drafts, yielded = (numbers[name] for name in SPECULATION)
    given = np.isfinite(drafts) | np.isfinite(yielded)
    drafts = np.where(np.isfinite(drafts), drafts, np.ceil(yielded - 1))
    for at in np.flatnonzero((yielded > drafts + 1) & (reasons == "")):
        reasons[at] = (
            f"tokens_per_step is out of range: got {yielded[at]:g} of {drafts[at]:.0f} drafted, want at most "
            f"{drafts[at] + 1:.0f}. Raise draft_tokens or lower tokens_per_step."
        )
    return {"draft_tokens": drafts, "tokens_per_step": np.where(given & np.isnan(yielded), 0.0, yielded)}


def _layouts(numbers: dict[str, Any], named: list[Named], place: Any, reasons: Any) -> Any:
    """Read layouts that tables write in another way, and refuse those that do not divide; return what was read so."""
    node = np.array([float(each.case.node_gpus) if each.case else 1.0 for each in named])[place]
    tp, dp, ep = (numbers[name] for name in ("tp", "dp", "ep"))
    notes = np.full(len(place), "", dtype=object)
    odd = (ep > 1) & (tp * dp == ep * ep) & (tp * dp > node) & ((tp == 1) | (dp == 1))
    for at in np.flatnonzero(odd):
        *layout, notes[at] = layout_meant(int(tp[at]), int(dp[at]), int(ep[at]), node_gpus=int(node[at]))
        tp[at], dp[at], ep[at] = layout
    for at in np.flatnonzero(((ep > tp * dp) | (tp * dp % ep != 0)) & (reasons == "")):
        reasons[at] = (
            f"layout does not divide: got ep {ep[at]:.0f} over tp x dp = {tp[at] * dp[at]:.0f} GPUs, want a divisor. "
            "Change ep, tp or dp."
        )
    return notes


def _estimated(
    named: list[Named], numbers: dict[str, Any], cases: Distinct, loads: dict[str, Any]
) -> tuple[dict[str, Any], Any, tuple[Any, list[str]]]:
    """Return the results of rows that nothing speaks against, whether each fits, and the rows that do not and why.

    What a model costs on a machine in a layout is worked out once for all rows that share it.
    """
    shared = stacked(named, {name: values[cases.first] for name, values in numbers.items()})
    costs, memory = of_rows(shared, cases.which)
    found = estimate(costs, memory, Demand(**loads))
    held, out = found.capacity > 0, np.flatnonzero(~found.fits)
    free = np.broadcast_to(memory.cache_bytes, len(cases.which))
    tokens = loads["input_tokens"] + loads["output_tokens"]
    said = (values[out].tolist() for values in (loads["concurrency"], tokens, found.capacity, free))
    misfits = [misfit(n, each, capacity=most, free_bytes=left) for n, each, most, left in zip(*said, strict=True)]
    figures = {name: np.where(held, getattr(found, name), np.nan) for name in FIGURES}
    return figures, found.fits, (out, misfits)
