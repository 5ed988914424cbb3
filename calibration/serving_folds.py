"""What the fit shows on what it never saw: predictions by fold, and the conformal bands that follow from them.

A fold leaves out an architecture, an engine on a GPU, a GPU with all its servers, or a GPU with its kernels as well; or
all rows with long contexts, or with large loads. Published servers of other sources are groups beside them.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from serving_fit import ROUNDS_LEFT_OUT, Pair, Rows, fit, left_out, part, predict, with_typical_kernels
from serving_nested import Nested
from serving_sources import Published

from sizebook.serving.band import (
    BUSY,
    CONTEXT,
    FEW_OF_RANK,
    FITTED,
    KERNELS,
    LOADED,
    NOTHING,
    UNSEEN,
    Band,
    joined,
    widest,
)
from sizebook.serving.quantities import Demand
from sizebook.serving.rates import TYPICAL, Formats, kernel_rates
from sizebook.serving.time import Latency, tokens_per_second

LOWEST, MIDDLE, HIGHEST = 0.1, 0.5, 0.9
OUTSIDE = 0.2  # share of rows that a band leaves outside
FEWEST_ROWS = 10  # of a combination that gets a band of its own
ARCHITECTURE, PAIR, GPU, NEW_GPU = "architecture", "engine x GPU", "GPU", "GPU with its kernels"
LONG = "contexts over 4,096 tokens"
MANY = "more than 32 requests of a rank"
MANY_OF_RANK = 64  # requests of a rank that predictions by a fit to few are judged beyond


@dataclass(frozen=True)
class Fold:
    """Predictions of all rows by fits that saw none of their unit: as they ran, and by their columns alone.

    Not a number where a row was not left out.
    """

    name: str
    units: Any
    ran: Pair
    told: Pair


@dataclass(frozen=True)
class Folds:
    """All folds, the predictions of the fit to all rows, of those whose format the table calls by another name than
    their checkpoint, those of nested folds, and published servers.
    """

    every: tuple[Fold, ...]
    fitted: Fold
    renamed: Fold
    nested: Nested
    published: list[Published]

    def named(self, name: str) -> Fold:
        """Return one fold."""
        return next(fold for fold in self.every if fold.name == name)


def typical_kernels(rows: Rows) -> dict[str, Any]:
    """Return the kernels of every row as the median accelerator has them, in the formats of the row."""
    # The formats follow from the bytes of weights, experts and cache; a four-bit format is the one its peak says.
    found: dict[tuple[float, ...], dict[str, float]] = {}
    columns: dict[str, list[float]] = {name: [] for name in rows.kernels}
    latent = rows.case.shape.n_latent_layers > 0
    for i, kind in enumerate(
        zip(rows.case.attention_bytes, rows.case.expert_bytes, rows.case.kv_bytes, latent, strict=True)
    ):
        if kind not in found:
            names = [_form(bytes_) for bytes_ in kind[:3]]
            found[kind] = kernel_rates(TYPICAL, Formats(*names, latent=bool(kind[3])))
        for name in columns:
            columns[name].append(found[kind].get(name, float(rows.kernels[name][i])))
    return {name: np.array(values) for name, values in columns.items()}


def _form(bytes_: float) -> str:
    return "bf16" if bytes_ == 2 else "fp8" if bytes_ == 1 else "mxfp4" if bytes_ < 0.54 else "fp4"


def folds_of(rows: Rows, bare: Rows, theta: Any, own: Rows, *, nested: Nested, published: list[Published]) -> Folds:
    """Return the folds; the one that takes a GPU's kernels away has those of the median accelerator.

    ``own`` are the rows in the formats of their checkpoints.
    """
    typical, told = (with_typical_kernels(each, typical_kernels(each)) for each in (rows, bare))
    every = [
        Fold(ARCHITECTURE, rows.architecture, *left_out(rows, bare, theta, rows.architecture)),
        Fold(PAIR, rows.pair, *left_out(rows, bare, theta, rows.pair)),
        Fold(GPU, rows.gpu, *left_out(rows, bare, theta, rows.gpu)),
        Fold(NEW_GPU, rows.gpu, *left_out(typical, told, theta, rows.gpu)),
    ]
    of_rank = rows.concurrency / rows.case.dp
    long = rows.tokens_in + rows.tokens_out / 2 > 4096
    every.append(_beyond(LONG, (rows, bare), theta, out=long, judged=long))
    every.append(_beyond(MANY, (rows, bare), theta, out=of_rank > FEW_OF_RANK, judged=of_rank > MANY_OF_RANK))
    seen = Fold("none", rows.group, predict(theta, rows), predict(theta, bare))
    is_renamed = (own.combination != rows.combination) & (whole_bits(own) == whole_bits(rows))
    renamed = Fold("", np.where(is_renamed, own.combination, ""), predict(theta, own), predict(theta, own))
    return Folds(tuple(every), seen, renamed, nested, published)


def whole_bits(rows: Rows) -> Any:
    """Return the bits of a weight of the experts, or else of all, without those of its scales."""
    return np.floor(8 * rows.case.expert_bytes)


def _beyond(name: str, both: tuple[Rows, Rows], theta: Any, *, out: Any, judged: Any) -> Fold:
    """Return rows of long contexts, or of large loads, as a fit without them predicts them."""
    rows, bare = both
    near = fit(part(rows, ~out), theta, rounds=ROUNDS_LEFT_OUT)
    found = np.full((4, len(out)), np.nan)
    found[:2, judged], found[2:, judged] = predict(near, part(rows, judged)), predict(near, part(bare, judged))
    return Fold(name, rows.pair, (found[0], found[1]), (found[2], found[3]))


def demand_of(rows: Rows) -> Demand:
    """Return the loads of the rows."""
    return Demand(input_tokens=rows.tokens_in, output_tokens=rows.tokens_out, concurrency=rows.concurrency)


def throughput(rows: Rows, ttft: Any, tpot: Any) -> Any:
    """Return output tokens a second of every row."""
    return tokens_per_second(Latency(ttft, tpot), demand_of(rows))


def ratios(rows: Rows, found: Pair) -> dict[str, Any]:
    """Return measured over predicted of each figure."""
    measured = throughput(rows, rows.ttft, rows.tpot)
    return {
        "ttft": rows.ttft / found[0],
        "tpot": rows.tpot / found[1],
        "throughput": measured / throughput(rows, *found),
    }


def quantiles(ratio: Any, group: Any, basis: str) -> Band:
    """Return conformal quantiles over groups, each counting as one however many rows it has.

    With G groups the next one lies below the ceil(0.9 (G + 1))-th of them nine times in ten. A single group is taken by
    its rows. The band holds the prediction itself, which is what is printed.
    """
    names, member, counts = np.unique(group, return_inverse=True, return_counts=True)
    n = len(names) if len(names) > 1 else len(ratio)
    high = min(1.0, HIGHEST * (n + 1) / n)
    order = np.argsort(ratio)
    weight = (1 / counts[member])[order]
    at = (np.cumsum(weight) - weight / 2) / weight.sum()
    low, middle, top = np.interp([1 - high, MIDDLE, high], at, ratio[order])
    return Band(min(float(low), 0.97), float(middle), max(float(top), 1.03), len(ratio), len(names), basis)


# The folds that a band is made of beside published servers, and the band of what is nearer, which is never the wider
# one. Published servers alone make that of accelerators nobody measured: those of the other sources hold 85 % of
# TPOT by source, with a score of 1.16; beside folds of GPUs without their kernels, all of one maker, 81 % with 1.20.
FARTHER = {
    UNSEEN: ((ARCHITECTURE, PAIR), ""),
    BUSY: ((ARCHITECTURE, PAIR), UNSEEN),
    CONTEXT: ((LONG,), UNSEEN),
    LOADED: ((MANY,), CONTEXT),
    KERNELS: ((GPU,), CONTEXT),
    NOTHING: ((), KERNELS),
}


def is_busy(rows: Rows) -> Any:
    """Return whether a rank has more than few requests."""
    return rows.concurrency / rows.case.dp > FEW_OF_RANK


def unseen_bands(rows: Rows, folds: Folds, at: Any = None, without: str = "") -> dict[str, dict[str, Band]]:
    """Return the bands of what was not in the fit, by figure and basis; what is farther away is never narrower.

    They are made of some rows, and of published servers but one source.
    """
    at = np.ones(len(rows.tpot), bool) if at is None else at
    bands: dict[str, dict[str, Band]] = {}
    for figure in ("ttft", "tpot", "throughput"):
        found: dict[str, Band] = {}
        for basis, (names, nearest) in FARTHER.items():
            inside = at & (True if basis == LOADED else is_busy(rows) == (basis == BUSY))
            ratio = np.array([stated_ratios(rows, folds.named(name))[figure][inside] for name in names]).ravel()
            known, group = np.isfinite(ratio), np.tile(rows.group[inside], len(names))
            others = [p for p in folds.published if (p.figure, p.basis) == (figure, basis) and p.source != without]
            ratio = np.concatenate([ratio[known], [p.ratio for p in others]])
            band = quantiles(ratio, np.concatenate([group[known], [p.group for p in others]]), basis)
            band = replace(band, rows=int(known.sum()) // max(1, len(names)) + len(others))
            if nearer := found.get(nearest):
                band = replace(band, low=min(band.low, nearer.low), high=max(band.high, nearer.high))
            found[basis] = band
        bands[figure] = found
    return bands


def stated_ratios(rows: Rows, fold: Fold) -> dict[str, Any]:
    """Return measured over predicted by columns alone, but for drafts, as they ran: one that states none has none."""
    ran, told = ratios(rows, fold.ran), ratios(rows, fold.told)
    return {figure: np.where(rows.case.draft_tokens > 0, ran[figure], told[figure]) for figure in ran}


def fitted_bands(rows: Rows, folds: Folds) -> dict[str, dict[str, Band]]:
    """Return the quantiles of each measured combination, by figure, under both names of its format."""
    found: dict[str, dict[str, Band]] = {}
    renamed = ratios(rows, folds.renamed.told)
    for figure, ratio in stated_ratios(rows, folds.fitted).items():
        found[figure] = {}
        for of, named in ((ratio, rows.combination), (renamed[figure], folds.renamed.units)):
            for combination in np.unique(named[named != ""]):
                at = named == combination
                if at.sum() >= FEWEST_ROWS:
                    found[figure][combination] = quantiles(of[at], named[at], FITTED)
    return found


@dataclass(frozen=True)
class Coverage:
    """Share of rows inside a band that was made without them, the mean over groups, the band's width, and its interval
    score (Gneiting and Raftery 2007) in logs, the mean over groups: the width, and ten times how far rows lie outside.
    """

    rows: float
    groups: float
    width: float
    score: float


def covered_unseen(rows: Rows, folds: Folds, fold: str, basis: str, figure: str) -> Coverage:
    """Return how many rows of each unit lie in the band that the other units give."""
    units, ratio = folds.named(fold).units, ratios(rows, folds.named(fold).told)[figure]
    low, high, busy = np.ones(len(ratio)), np.ones(len(ratio)), is_busy(rows)
    for unit in np.unique(units):
        bands = unseen_bands(rows, folds, units != unit)[figure]
        for at, strained in ((units == unit) & ~busy, ()), ((units == unit) & busy, (BUSY,)):
            band = widest(bands[each] for each in (basis, *strained))
            low[at], high[at] = band.low, band.high
    judged = np.isfinite(ratio)
    return _coverage(ratio[judged], low[judged], high[judged], rows.group[judged])


def covered_sources(rows: Rows, folds: Folds, figure: str) -> Coverage:
    """Return how many published figures lie in the band that all other sources give, each source counting as one."""
    judged = [p for p in folds.published if p.figure == figure]
    without = {p.source: unseen_bands(rows, folds, without=p.source)[figure] for p in judged}
    bands = [widest(without[p.source][basis] for basis in p.bases) for p in judged]
    low, high = np.array([band.low for band in bands]), np.array([band.high for band in bands])
    return _coverage(np.array([p.ratio for p in judged]), low, high, np.array([p.source for p in judged]))


def covered_fitted(rows: Rows, folds: Folds, figure: str) -> Coverage:
    """Return how many rows lie in the band that the other releases of their combination give."""
    ratio = stated_ratios(rows, folds.fitted)[figure]
    (low, high), judged = np.ones((2, len(ratio))), np.zeros(len(ratio), bool)
    for combination in np.unique(rows.combination):
        unseen = unseen_bands(rows, folds, rows.combination != combination)[figure][UNSEEN]
        for release in np.unique(rows.release[rows.combination == combination]):
            others = (rows.combination == combination) & (rows.release != release)
            if others.sum() < FEWEST_ROWS:
                continue
            band = joined(quantiles(ratio[others], rows.combination[others], FITTED), unseen)
            at = (rows.combination == combination) & (rows.release == release)
            low[at], high[at] = band.low, band.high
            judged |= at
    return _coverage(ratio[judged], low[judged], high[judged], rows.group[judged])


def _coverage(ratio: Any, low: Any, high: Any, group: Any) -> Coverage:
    inside = (ratio >= low) & (ratio <= high)
    beyond = np.maximum(np.maximum(np.log(low / ratio), np.log(ratio / high)), 0)
    score = np.log(high / low) + 2 / OUTSIDE * beyond
    return Coverage(
        float(inside.mean()), _by_group(inside, group), float(np.median(high / low)), _by_group(score, group)
    )


def _by_group(inside: Any, group: Any) -> float:
    return float(np.mean([inside[group == name].mean() for name in np.unique(group)]))
