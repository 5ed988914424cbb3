"""Serving estimates for a table of any length: batches of rows through the same arithmetic as one estimate.

A row that cannot be estimated keeps its place, with empty results and the reason. Names are resolved once for each
combination of model, accelerator, engine and formats; everything after that is NumPy, but for rows of two pools or of
models with an encoder, which are answered one by one.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from sizebook.core.coercion import coerce
from sizebook.core.errors import SizebookError
from sizebook.core.number_text import GROUPED_BY_POINT, decimal_sign
from sizebook.core.sections import REQUIRED as MUST_BE_GIVEN
from sizebook.core.sections import Argument
from sizebook.plans.serving.tables import COLUMNS, FIGURES, POOL_RESULTS, RELEASE_RESULTS, STATED
from sizebook.serving.case import beyond_drafts, layout_meant, undivided_ranks
from sizebook.serving.estimate import estimate, misfit
from sizebook.serving.quantities import Demand, Replica
from sizebook.sweeps.cases import (
    LOADS,
    NAMES,
    NUMBERS,
    SPECULATION,
    ZERO_IS_NONE,
    Distinct,
    NamedCase,
    bands_at,
    columns_of_rows,
    distinct,
    named_case,
    refusals,
    release_text,
    stacked_costs,
)
from sizebook.sweeps.one_by_one import answers, rows_with_pools, rows_without_degrees


def sweep(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with their result columns."""
    n = frame.height
    names, place = _names(frame)
    named = [named_case(*row) for row in names]
    alone = rows_with_pools(frame) | np.array([each.encodes for each in named], bool)[place]
    words = frame.select(_words(name, dtype) for name, dtype in frame.schema.items() if _is_text_of_number(name, dtype))
    reasons = np.array([each.reason for each in named], dtype=object)[place]
    numbers = {leaf.name: _numbers(frame, words, leaf, reasons) for leaf in (*NUMBERS, *LOADS)}
    notes = _layouts(numbers, named, place, reasons)
    numbers |= _speculation(numbers, reasons)
    figures = {name: np.full(n, np.nan) for name in FIGURES}
    fits = np.zeros(n, bool)
    cases = distinct((place, *(numbers[leaf.name] for leaf in NUMBERS)))
    said = refusals(named, place[cases.first], {name: values[cases.first] for name, values in numbers.items()})
    if (said != "").any():
        reasons = np.where(reasons == "", said[cases.which], reasons)
    good = np.flatnonzero((reasons == "") & ~alone)
    if len(good):
        loads = {leaf.name: numbers[leaf.name][good] for leaf in LOADS}
        there = cases.among(good)
        of_each = [named[at] for at in place[there.first]]
        found, fits[good], (out, misfits) = _estimated(of_each, numbers, there, loads)
        for name, values in found.items():
            figures[name][good] = values
        reasons[good[out]] = misfits
        no_room = good[np.isnan(figures["tpot_seconds"][good])]
        alone[no_room] = rows_without_degrees(frame[no_room])
    for at, note in notes.items():
        reasons[at] = reasons[at] or note
    results = _results(figures, fits, named, place, numbers=numbers)
    if "separate_prefill" in frame.columns:
        results |= _one_pool(numbers, cases, ~np.isnan(figures["tpot_seconds"]))
    if "release" in frame.columns:
        results |= _releases(numbers, cases, [names[at] for at in place[cases.first]])
        results |= _only(~np.isnan(figures["tpot_seconds"]), results, RELEASE_RESULTS)
    results["reason"] = pl.Series(reasons.tolist(), dtype=pl.String)
    if alone.any():
        rows = np.flatnonzero(alone)
        _put(results, rows, answers(frame, rows))
    return frame.hstack([results[name].alias(name) for name in COLUMNS.results_of(frame.columns)])


def _results(
    figures: dict[str, Any], fits: Any, named: list[NamedCase], place: Any, numbers: dict[str, Any]
) -> dict[str, pl.Series]:
    """Return the columns of results; a row without an answer rests on nothing and neither fits nor does not."""
    answered = ~np.isnan(figures["tpot_seconds"])
    bands, which = bands_at(named, place, numbers)
    for name, ends in (
        ("error_low", [b.low if b else 1 for b in bands]),
        ("error_high", [b.high if b else 1 for b in bands]),
    ):
        figures[name] = np.where(answered, np.array(ends)[which] - 1, np.nan)
    columns = {name: pl.Series(values, nan_to_null=True) for name, values in figures.items()}
    columns |= _of_rows({"error_basis": [b.basis if b else None for b in bands]}, which)
    columns |= _of_rows({"rates_basis": [each.rates for each in named]}, place)
    columns["fits"] = pl.Series(fits)
    return columns if answered.all() else columns | _only(answered, columns, ("error_basis", "fits"))


def _only(rows: Any, columns: dict[str, pl.Series], names: tuple[str, ...]) -> dict[str, pl.Series]:
    """Return columns with nothing in all but some rows."""
    mask = pl.Series(rows)
    return {name: columns[name].zip_with(mask, pl.Series([None], dtype=columns[name].dtype)) for name in names}


def _one_pool(numbers: dict[str, Any], cases: Distinct, answered: Any) -> dict[str, pl.Series]:
    """Return what stands beside the figures of rows of one pool in a table that knows of two."""
    degrees = zip(*(numbers[name][cases.first].astype(int).tolist() for name in ("tp", "pp", "dp", "ep")), strict=True)
    columns = {
        **_of_rows(
            {"workers": [Replica(tp=tp, pp=pp, dp=dp, ep=ep).layout for tp, pp, dp, ep in degrees]}, cases.which
        ),
        "gpus_per_replica": pl.Series((numbers["tp"] * numbers["pp"] * numbers["dp"]).astype(int)),
        "transfer_seconds": pl.Series(np.zeros(len(answered))),
    }
    return _only(answered, columns, POOL_RESULTS)


def _releases(numbers: dict[str, Any], cases: Distinct, names: list[tuple[str, ...]]) -> dict[str, pl.Series]:
    """Return what the release of each row decides, in words."""
    columns = (numbers[name][cases.first].tolist() for name in ("max_running", "dp", "draft_tokens"))
    words: list[str | None] = [
        release_text(row, max_running=int(cap), dp=int(dp), drafting=drafts > 0)
        for row, cap, dp, drafts in zip(names, *columns, strict=True)
    ]
    return _of_rows(dict.fromkeys(RELEASE_RESULTS, words), cases.which)


def _put(results: dict[str, pl.Series], rows: Any, found: list[Mapping[str, Any]]) -> None:
    """Put what was answered one by one into its rows."""
    for name, column in results.items():
        values = [each.get(name) if name != "reason" else each.get(name, "") for each in found]
        results[name] = column.scatter(rows, pl.Series(values, dtype=column.dtype))


def _of_rows(texts: dict[str, list[str | None]], which: Any) -> dict[str, pl.Series]:
    """Return the texts of each row's combination of names, or of its case."""
    columns: dict[str, pl.Series] = pl.DataFrame(texts, schema=dict.fromkeys(texts, pl.String))[which].to_dict()
    return columns


_COUNTED = frozenset(leaf.name for leaf in (*NUMBERS, *LOADS))


def _is_text_of_number(name: str, dtype: pl.DataType) -> bool:
    """Return whether a column of numbers is read as text, which whole ones need not be."""
    return name in _COUNTED and not dtype.is_integer()


def _words(name: str, dtype: pl.DataType) -> pl.Expr:
    """Return a column as text without space around it; what is blank is empty."""
    given = pl.col(name) if dtype == pl.String else pl.col(name).cast(pl.String)
    return given.str.strip_chars().fill_null("")


def _names(frame: pl.DataFrame) -> tuple[list[tuple[str, ...]], Any]:
    """Return the distinct combinations of `NAMES` in order, and of every row which one it has.

    Texts lose the space around them; what is absent or blank is empty. Most rows repeat a few combinations, so they are
    told apart as they stand and only then read.
    """
    there = [name for name in NAMES if name in frame.columns]
    each = distinct(frame.select(pl.col(there).cast(pl.String).cast(pl.Categorical).to_physical()).to_numpy().T)
    words = frame[there][each.first].cast(pl.String).rows()
    read = [dict(zip(there, ((word or "").strip() for word in row), strict=True)) for row in words]
    rows = [tuple(words.get(name, "") for name in NAMES) for words in read]
    names = sorted(set(rows))
    rank = np.array([names.index(row) for row in rows], int)
    return names, rank[each.which]


def _numbers(frame: pl.DataFrame, words: pl.DataFrame, leaf: Argument, reasons: Any) -> Any:
    """Return a column as numbers; what a cell would refuse gets its message. Blanks: the default, or nan."""
    default = np.nan if leaf.default is None or leaf.name in STATED else float(leaf.default)
    if leaf.name not in frame.columns:
        return np.full(frame.height, default)
    given = words[leaf.name] if leaf.name in words.columns else frame[leaf.name]
    values = given.cast(pl.Float64, strict=False).to_numpy().copy()
    if given.dtype == pl.String:
        blank = (given == "").to_numpy()
        # Polars reads every point before decimals, `coerce` what is declared, and in a whole number what it may mean.
        if decimal_sign() == ",":
            values[:] = np.nan
        elif leaf.quantity.kind == "integer":
            values[given.str.contains(rf"^\s*{GROUPED_BY_POINT}\s*$").fill_null(False).to_numpy()] = np.nan
    else:
        blank = given.is_null().to_numpy()
    if leaf.name in ZERO_IS_NONE:
        values[values == 0] = 1
    asked = replace(leaf, default=MUST_BE_GIVEN) if leaf.name in STATED else leaf
    values[blank] = default
    for at in np.flatnonzero(~_admissible(values, leaf) & ~(blank & (not asked.required))):
        try:
            said = given[int(at)]
            values[at] = coerce(asked, "" if said is None else str(said))
        except SizebookError as error:
            reasons[at] = reasons[at] or str(error)
            values[at] = 1
    return values


def _admissible(values: Any, leaf: Argument) -> Any:
    """Return where numbers are within what a quantity allows."""
    q = leaf.quantity
    fine = np.isfinite(values)
    if q.kind == "integer":
        fine &= values == np.floor(values)
    for bound, holds in (
        (q.lowest, np.greater_equal),
        (q.above, np.greater),
        (q.maximum, np.less_equal),
        (q.below, np.less),
    ):
        if bound is not None:
            fine &= holds(values, bound)
    return fine


def _speculation(numbers: dict[str, Any], reasons: Any) -> dict[str, Any]:
    """Return drafted and yielded tokens of the rows that state one of them, not a number where neither is stated."""
    drafts, yielded = (numbers[name] for name in SPECULATION)
    given = np.isfinite(drafts) | np.isfinite(yielded)
    drafts = np.where(np.isfinite(drafts), drafts, np.ceil(yielded - 1))
    for at in np.flatnonzero((yielded > drafts + 1) & (reasons == "")):
        reasons[at] = beyond_drafts(float(yielded[at]), int(drafts[at]))
    return {"draft_tokens": drafts, "tokens_per_step": np.where(given & np.isnan(yielded), 0.0, yielded)}


def _layouts(numbers: dict[str, Any], named: list[NamedCase], place: Any, reasons: Any) -> dict[int, str]:
    """Read layouts that tables write in another way, and refuse those that do not divide; return what was read so.

    By row.
    """
    node = np.array([float(each.case.node_gpus) if each.case else 1.0 for each in named])[place]
    tp, dp, ep = (numbers[name] for name in ("tp", "dp", "ep"))
    notes: dict[int, str] = {}
    odd = (ep > 1) & (tp * dp == ep * ep) & (tp * dp > node) & ((tp == 1) | (dp == 1))
    for at in np.flatnonzero(odd):
        *layout, notes[int(at)] = layout_meant(int(tp[at]), int(dp[at]), int(ep[at]), node_gpus=int(node[at]))
        tp[at], dp[at], ep[at] = layout
    for at in np.flatnonzero(((ep > tp * dp) | (tp * dp % ep != 0)) & (reasons == "")):
        reasons[at] = undivided_ranks(int(tp[at]), int(dp[at]), int(ep[at]))
    return notes


def _estimated(
    named: list[NamedCase], numbers: dict[str, Any], cases: Distinct, loads: dict[str, Any]
) -> tuple[dict[str, Any], Any, tuple[Any, list[str]]]:
    """Return the results of rows that nothing speaks against, whether each fits, and the rows that do not and why.

    What a model costs on a machine in a layout is worked out once for all rows that share it.
    """
    shared = stacked_costs(named, {name: values[cases.first] for name, values in numbers.items()})
    costs, memory = columns_of_rows(shared, cases.which)
    found = estimate(costs, memory, Demand(**loads))
    held, out = found.capacity > 0, np.flatnonzero(~found.fits)
    free = np.broadcast_to(memory.cache_bytes, len(cases.which))
    tokens = loads["input_tokens"] + loads["output_tokens"]
    said = (values[out].tolist() for values in (loads["concurrency"], tokens, found.capacity, free))
    misfits = [misfit(n, each, capacity=most, free_bytes=left) for n, each, most, left in zip(*said, strict=True)]
    figures = {name: np.where(held, getattr(found, name), np.nan) for name in FIGURES}
    return figures, found.fits, (out, misfits)
