"""What the fit shows on what it never saw: predictions by fold, and the conformal bands that follow from them.

A fold leaves out an architecture, an engine on a GPU, a GPU with all its servers, or a GPU with its kernels as well; or
all rows with long contexts, or with large loads.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from serving_fit import ROUNDS_LEFT_OUT, Pair, Rows, fit, left_out, part, predict, with_typical_kernels
from serving_nested import Nested

from sizebook.serving.band import CONTEXT, FITTED, KERNELS, LOADED, NOTHING, UNSEEN
from sizebook.serving.quantities import Demand
from sizebook.serving.rates import TYPICAL, Formats, kernel_rates
from sizebook.serving.time import Latency, tokens_per_second

LOWEST, MIDDLE, HIGHEST = 0.1, 0.5, 0.9
OUTSIDE = 0.2  # share of rows that a band leaves outside
FEWEST_ROWS = 10  # of a combination that gets a band of its own
# How far, in logs, the band of a combination is drawn to that of unseen ones. Of parts of combinations that ran under
# one release, bands of the others hold 74 % of TPOT by groups half-way and 83 at 0.7, with the least score (0.73).
TO_UNSEEN = 0.7
ARCHITECTURE, PAIR, GPU, NEW_GPU = "architecture", "engine x GPU", "GPU", "GPU with its kernels"
LONG = "contexts over 4,096 tokens"
MANY = "more than 32 requests of a rank"
FEW_OF_RANK, MANY_OF_RANK = 32, 64  # requests of a rank in a fit, and that its predictions are judged beyond


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
class Quantiles:
    """A band: measured over predicted, and the rows and groups behind it."""

    basis: str
    low: float
    middle: float
    high: float
    rows: int
    groups: int


@dataclass(frozen=True)
class Folds:
    """All folds, the predictions of the fit to all rows, and those of nested folds."""

    every: tuple[Fold, ...]
    fitted: Fold
    nested: Nested

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


def folds_of(rows: Rows, bare: Rows, theta: Any, nested: Nested) -> Folds:
    """Return the folds; the one that takes a GPU's kernels away has those of the median accelerator."""
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
    return Folds(tuple(every), seen, nested)


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


def quantiles(ratio: Any, group: Any, basis: str) -> Quantiles:
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
    return Quantiles(basis, min(float(low), 0.97), float(middle), max(float(top), 1.03), len(ratio), len(names))


# The folds that a band is made of, and the band of what is nearer, which is never the wider one.
FARTHER = {
    UNSEEN: ((ARCHITECTURE, PAIR), ""),
    CONTEXT: ((LONG,), UNSEEN),
    LOADED: ((MANY,), CONTEXT),
    KERNELS: ((GPU,), CONTEXT),
    NOTHING: ((NEW_GPU,), KERNELS),
}


def unseen_bands(rows: Rows, folds: Folds, at: Any = None) -> dict[str, dict[str, Quantiles]]:
    """Return the bands of what was not in the fit, by figure and basis; what is farther away is never narrower."""
    at = np.ones(len(rows.tpot), bool) if at is None else at
    bands: dict[str, dict[str, Quantiles]] = {}
    for figure in ("ttft", "tpot", "throughput"):
        found: dict[str, Quantiles] = {}
        for basis, (names, nearest) in FARTHER.items():
            ratio = np.concatenate([ratios(rows, folds.named(name).told)[figure][at] for name in names])
            known, group = np.isfinite(ratio), np.tile(rows.group[at], len(names))
            band = quantiles(ratio[known], group[known], basis)
            band = Quantiles(basis, band.low, band.middle, band.high, int(known.sum()) // len(names), band.groups)
            if nearer := found.get(nearest):
                low, high = min(band.low, nearer.low), max(band.high, nearer.high)
                band = Quantiles(basis, low, band.middle, high, band.rows, band.groups)
            found[basis] = band
        bands[figure] = found
    return bands


def fitted_ratios(rows: Rows, folds: Folds) -> dict[str, Any]:
    """Return measured over predicted where nothing was left out: by columns alone, but for drafts, as they ran."""
    ran, told = ratios(rows, folds.fitted.ran), ratios(rows, folds.fitted.told)
    return {figure: np.where(rows.case.draft_tokens > 0, ran[figure], told[figure]) for figure in ran}


def drawn(band: Quantiles, unseen: Quantiles) -> Quantiles:
    """Return the band of a combination drawn towards that of unseen ones, in logs.

    Its next server is of another release or day than those that made the band.
    """
    ends = ((band.low, unseen.low), (band.high, unseen.high))
    low, high = (own ** (1 - TO_UNSEEN) * other**TO_UNSEEN for own, other in ends)
    return Quantiles(band.basis, low, band.middle, high, band.rows, band.groups)


def fitted_bands(rows: Rows, folds: Folds) -> dict[str, dict[str, Quantiles]]:
    """Return the band of each measured combination, by figure."""
    found: dict[str, dict[str, Quantiles]] = {}
    unseen = unseen_bands(rows, folds)
    for figure, ratio in fitted_ratios(rows, folds).items():
        found[figure] = {}
        for combination in np.unique(rows.combination):
            at = rows.combination == combination
            if at.sum() >= FEWEST_ROWS:
                own = quantiles(ratio[at], rows.combination[at], FITTED)
                found[figure][combination] = drawn(own, unseen[figure][UNSEEN])
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
    low, high = np.ones(len(ratio)), np.ones(len(ratio))
    for unit in np.unique(units):
        at = units == unit
        band = unseen_bands(rows, folds, ~at)[figure][basis]
        low[at], high[at] = band.low, band.high
    judged = np.isfinite(ratio)
    return _coverage(ratio[judged], low[judged], high[judged], rows.group[judged])


def covered_fitted(rows: Rows, folds: Folds, figure: str) -> Coverage:
    """Return how many rows lie in the band that the other releases of their combination give."""
    ratio, unseen = fitted_ratios(rows, folds)[figure], unseen_bands(rows, folds)[figure][UNSEEN]
    (low, high), judged = np.ones((2, len(ratio))), np.zeros(len(ratio), bool)
    for combination in np.unique(rows.combination):
        for release in np.unique(rows.release[rows.combination == combination]):
            at = (rows.combination == combination) & (rows.release == release)
            others = (rows.combination == combination) & (rows.release != release)
            if others.sum() >= FEWEST_ROWS:
                band = drawn(quantiles(ratio[others], rows.combination[others], FITTED), unseen)
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
