"""Least squares on logarithms of predicted over measured, and what it says of runs that it has not seen."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Vector = Any  # a NumPy array of one dimension
Residuals = Callable[[Vector], Vector]

# Beyond this a residual weighs by its size, not its square (Huber): a slip in one row does not turn the fit.
HUBER = 0.15
_STEP = 1e-3
_FURTHEST = 0.3  # most that one step changes a logarithm
_SETTLED = 1e-4  # a step that changes none by more is the last


@dataclass(frozen=True)
class Prior:
    """Where logarithms start, how firmly each is held there, and the most that each may be."""

    starts: Vector
    firmness: Vector
    ceilings: Vector | None = None


def fit(residuals: Residuals, prior: Prior, weights: Vector, first: Vector, steps: int) -> Vector:
    """Return the logarithms that make weighted residuals least: damped Gauss-Newton with Huber weights and a prior.

    ``residuals`` gives log(predicted / measured) of every run; the search begins at ``first``, for at most so many
    steps. No logarithm goes above its ceiling: beyond it residuals would not move, and the prior alone would throw it
    back to its start.
    """
    logs, most = first.copy(), prior.ceilings
    for _ in range(steps):
        at = residuals(logs)
        robust = weights * np.sqrt(np.minimum(1, HUBER / np.maximum(np.abs(at), 1e-9)))
        slopes = slopes_of(residuals, logs, at, _STEP if most is None else -_STEP)
        left = slopes.T @ (robust[:, None] ** 2 * slopes) + np.diag(prior.firmness)
        right = slopes.T @ (robust**2 * at) + prior.firmness * (logs - prior.starts)
        step = np.clip(np.linalg.solve(left, right), -_FURTHEST, _FURTHEST)
        reached = logs - step if most is None else np.minimum(logs - step, most)
        moved, logs = np.max(np.abs(reached - logs)), reached
        if moved < _SETTLED:
            break
    return logs


def slopes_of(residuals: Residuals, logs: Vector, at: Vector, step: float = _STEP) -> Vector:
    """Return the change of every residual with each logarithm, a column each; ``at`` are the residuals there. Below a
    ceiling they are taken downwards."""
    return np.stack([(residuals(logs + step * unit) - at) / step for unit in np.eye(len(logs))], axis=1)


def group_weights(groups: Sequence[str]) -> Vector:
    """Return a weight a run, so that what a group weighs grows with the root of its runs."""
    sizes = Counter(groups)
    return np.array([sizes[group] ** -0.25 for group in groups])


def band(ratios: Vector, groups: Sequence[str]) -> tuple[float, float, float]:
    """Return the 10th, 50th and 90th percentile of measured over predicted, every group weighing the same.

    The ends stand as far out as so few groups ask for (split conformal): a tenth over the number of groups further.
    """
    sizes = Counter(groups)
    margin = min(0.09, 0.1 / len(sizes))
    weights = np.array([1 / sizes[group] for group in groups])
    order = np.argsort(ratios)
    share = np.cumsum(weights[order]) / weights.sum()
    ends = [min(int(np.searchsorted(share, q)), len(order) - 1) for q in (0.1 - margin, 0.5, 0.9 + margin)]
    low, middle, high = (float(ratios[order[end]]) for end in ends)
    return low, middle, high
