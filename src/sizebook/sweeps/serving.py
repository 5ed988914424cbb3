"""Serving estimates for a table of any length: batches of rows through the same arithmetic as one estimate.

A row that cannot be estimated keeps its place, with empty results and the reason. Names are resolved once for each
combination of model, accelerator, engine and formats; everything after that is NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from sizebook.core.coercion import coerce
from sizebook.core.errors import SizebookError
from sizebook.core.number_text import decimal_sign
from sizebook.core.registry import REQUIRED as MUST_BE_GIVEN
from sizebook.core.registry import Argument, leaves
from sizebook.serving.band import replica_band
from sizebook.serving.case import Case, beyond_experts, case_of, counted_twice, layout_meant, undivided_heads
from sizebook.serving.encoding import halves
from sizebook.serving.estimate import estimate, misfit
from sizebook.serving.memory import Engine, engine_constants, engine_memory, physical_bytes
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.rates import setup_of
from sizebook.serving.shape import side_by_side
from sizebook.serving.tables import FIGURES, RESULTS, STATED
from sizebook.tables.hardware import accelerator
from sizebook.tables.own_rates import basis_of

__all__ = ["FIGURES", "INPUTS", "REQUIRED", "RESULTS", "STATED", "sweep"]

_TEXT = ("text", "choice")
MODEL_AND_GPU = ("model", "gpu")
# What stands in the columns of a table: the fields of a demand and of a replica, as they are declared.
LOADS = leaves(Demand)
NUMBERS = tuple(leaf for leaf in leaves(Replica) if leaf.quantity.kind not in _TEXT)
DEGREES = tuple(leaf.name for leaf in NUMBERS if leaf.default is not None)
SPECULATION = tuple(leaf.name for leaf in NUMBERS if leaf.default is None)
NAMES = (*MODEL_AND_GPU, *(leaf.name for leaf in leaves(Replica) if leaf.quantity.kind in _TEXT))
REQUIRED = (*MODEL_AND_GPU, *STATED)
INPUTS = (*NAMES, *(leaf.name for leaf in (*NUMBERS, *LOADS)))
ENGINE = Replica().engine  # where the column is absent or blank


@dataclass(frozen=True)
class _Named:
    """What one combination of names resolves to: a case with 1 GPU, physical memory, the band, or the reason not."""

    case: Case | None
    engine: Engine | None = None
    physical: float = 0.0
    low: float = 0.0
    high: float = 0.0
    basis: str | None = None
    rates: str | None = None
    reason: str = ""


_SPELT_BY_TABLES = {"trtllm": "tensorrt-llm"}


_ENCODES = "not in a sweep: got {model}, which has an encoder, want a model that only decodes. Plan it by itself."


@cache
def _named(model: str, gpu: str, *words: str) -> _Named:
    given = {name: word for name, word in zip(NAMES[2:], words, strict=True) if word}
    engine = _SPELT_BY_TABLES.get(given.get("engine", ""), given.get("engine", ENGINE))
    try:
        if halves(model) is not None:
            return _Named(None, reason=_ENCODES.format(model=model))
        replica = Replica(**given | {"engine": engine})  # type: ignore[arg-type]
        case = case_of(model, gpu, replica)
    except SizebookError as error:
        return _Named(None, reason=str(error))
    chip = accelerator(gpu)
    band = replica_band("tpot", chip.key, replica, shape=case.shape)
    rates = basis_of(replica.rates_file, setup_of(chip.key, engine))
    return _Named(case, engine_constants(engine), physical_bytes(chip), band.low - 1, band.high - 1, band.basis, rates)


def sweep(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with their result columns."""
    n = frame.height
    keys = frame.select(
        (pl.col(c).cast(pl.String).fill_null("").str.strip_chars() if c in frame.columns else pl.lit("")).alias(c)
        for c in NAMES
    )
    unique = keys.unique(maintain_order=True).with_row_index("at")
    place = keys.join(unique, on=list(NAMES), how="left", maintain_order="left")["at"].to_numpy()
    named = [_named(*row) for row in unique.select(NAMES).iter_rows()]
    reasons = np.array([each.reason for each in named], dtype=object)[place] if n else np.empty(0, object)
    numbers = {leaf.name: _numbers(frame, leaf, reasons) for leaf in (*NUMBERS, *LOADS)}
    notes = _layouts(numbers, named, place, reasons)
    numbers |= _speculation(numbers, reasons)
    results: dict[str, Any] = {name: np.full(n, np.nan) for name in RESULTS[:5]}
    fits = np.zeros(n, bool)
    good = np.flatnonzero(reasons == "")
    if len(good):
        loads = {name: values[good] for name, values in numbers.items()}
        found, fits[good], misfits = _estimated(named, place[good], loads)
        for name, values in found.items():
            results[name][good] = values
        for i, misfit in misfits.items():
            reasons[good[i]] = misfit
    reasons = np.where((reasons == "") & (notes != ""), notes, reasons)
    columns = [pl.Series(name, values).fill_nan(None) for name, values in results.items()]
    answered = ~np.isnan(results["tpot_seconds"])
    bases = [named[at].basis if a else None for at, a in zip(place, answered, strict=True)]
    columns.append(pl.Series("error_basis", bases, dtype=pl.String))
    columns.append(pl.Series("rates_basis", [each.rates for each in named], dtype=pl.String).gather(place))
    shown = pl.Series("fits", [bool(f) if a else None for f, a in zip(fits, answered, strict=True)], dtype=pl.Boolean)
    return frame.with_columns(*columns, shown, pl.Series("reason", reasons.tolist(), dtype=pl.String))


def _numbers(frame: pl.DataFrame, leaf: Argument, reasons: Any) -> Any:
    """Return a column as numbers; what a cell would refuse gets its message. Blanks take the default, none is nan."""
    default = np.nan if leaf.default is None or leaf.name in STATED else float(leaf.default)
    if leaf.name not in frame.columns:
        return np.full(frame.height, default)
    given = frame[leaf.name].cast(pl.String).str.strip_chars().fill_null("")
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


def _layouts(numbers: dict[str, Any], named: list[_Named], place: Any, reasons: Any) -> Any:
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
    _unstartable(numbers, named, place, reasons)
    return notes


def _unstartable(numbers: dict[str, Any], named: list[_Named], place: Any, reasons: Any) -> None:
    """Give the reason to rows whose layout no engine starts; each model's layouts are looked at once."""
    layouts = pl.DataFrame({"at": place, **{name: numbers[name].astype(int) for name in ("tp", "dp", "ep")}})
    for at, tp, dp, ep in layouts.unique().iter_rows():
        case = named[at].case
        if case is None:
            continue
        refusal = (
            undivided_heads(case.shape, tp)
            or beyond_experts(case.shape, ep)
            or counted_twice(tp, dp, ep, node_gpus=int(case.node_gpus))
        )
        if refusal:
            same = (place == at) & (numbers["tp"] == tp) & (numbers["dp"] == dp) & (numbers["ep"] == ep)
            reasons[same & (reasons == "")] = refusal


def _stacked(named: list[_Named], place: Any, numbers: dict[str, Any]) -> Case:
    """Return the rows as one case of arrays; what is the same for all names stays a number."""
    cases = [each.case for each in named]
    some = next(c for c in cases if c is not None)
    whole = [c or some for c in cases]

    def column(values: Iterable[Any]) -> Any:
        listed = np.array([float(value) for value in values])
        return listed[0] if (listed == listed[0]).all() else listed.take(place)

    shape = side_by_side([c.shape for c in whole], column)
    rates = {name: column(c.rates[name] for c in whole) for name in some.rates}
    plain = {f.name: column(getattr(c, f.name) for c in whole) for f in fields(Case)[2:] if f.name not in DEGREES}
    stated = np.isfinite(numbers["draft_tokens"])
    for name, values in {**{name: numbers[name] for name in SPECULATION}, "unstated": 1.0}.items():
        plain[name] = np.where(stated, values, plain[name])
    return Case(shape=shape, rates=rates, **plain, **{name: numbers[name] for name in DEGREES})


def _estimated(named: list[_Named], place: Any, loads: dict[str, Any]) -> tuple[dict[str, Any], Any, dict[int, str]]:
    """Return the results of rows that nothing speaks against, whether each fits, and why where it does not."""
    case = _stacked(named, place, loads)
    physical = np.array([each.physical for each in named])[place]
    engines = [each.engine or engine_constants(ENGINE) for each in named]
    constants = (np.array([getattr(e, f.name) for e in engines])[place] for f in fields(Engine))
    memory = engine_memory(case, physical, Engine(*constants))
    found = estimate(case, memory, Demand(**{leaf.name: loads[leaf.name] for leaf in LOADS}))
    values = {name: getattr(found, name) for name in FIGURES}
    values["error_low"] = np.array([each.low for each in named])[place]
    values["error_high"] = np.array([each.high for each in named])[place]
    held = found.capacity > 0
    misfits = {
        int(i): misfit(
            Demand(**{leaf.name: loads[leaf.name][i] for leaf in LOADS}),
            capacity=float(found.capacity[i]),
            free_bytes=float(memory.cache_bytes[i]),
        )
        for i in np.flatnonzero(~found.fits)
    }
    return {name: np.where(held, value, np.nan) for name, value in values.items()}, found.fits, misfits
