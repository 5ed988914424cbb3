"""Own rates of every setup that was measured: fitted to its runs, and judged on runs that the fit had not seen.

A setup is an accelerator with a framework or an engine. Each has a few factors on the seconds of the shipped rates,
held near 1 so that few runs move them little. Runs are left out by group, a model unless the table names one, and
predicted by a fit to the others: what own rates are worth is the error on those, beside that of the shipped rates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sizebook.calibrating.fitting import Vector, band, fit, group_weights
from sizebook.calibrating.runs import Run
from sizebook.core.errors import InputError
from sizebook.tables.own_rates import FACTORS, FIGURES, LEAST, MOST, Fitted, Setup, Spread

FEWEST_RUNS = 4
FEWEST_GROUPS = 3
FEWEST_OF_BAND = 10
MOST_FOLDS = 10
# A logarithm that is 0.3 off weighs as much as one run that is 0.1 off: about what runs repeat to.
FIRMNESS = (0.1 / 0.3) ** 2
# Time to first token scatters twice as much as what follows it.
_WEIGHTS = {"ttft": 0.5}
_STEPS, _STEPS_OF_FOLD = 12, 5


@dataclass(frozen=True)
class Calibrated:
    """What became of one setup: its factors and spreads, and mean errors by figure on runs left out.

    ``by`` says what was left out; ``kept`` is False where the shipped rates did as well, so that nothing is written.
    """

    setup: Setup
    fitted: Fitted
    groups: int
    shipped: Mapping[str, float]
    own: Mapping[str, float]
    by: str
    kept: bool


def calibrated(runs: Sequence[Run]) -> tuple[list[Calibrated], list[str]]:
    """Return what was fitted for every setup, and the setups that have too few runs, in words; errors: none has
    enough."""
    setups = sorted({run.setup for run in runs}, key=lambda setup: setup.words)
    found, few = [], []
    for setup in setups:
        mine = [run for run in runs if run.setup == setup]
        if len(mine) < FEWEST_RUNS:
            few.append(f"{setup.words}: {len(mine)} runs, want at least {FEWEST_RUNS}; the shipped rates hold")
        else:
            found.append(_calibrated(setup, mine))
    if not found:
        raise InputError(f"too few runs: got {'; '.join(few)}. Measure more.")
    return found, few


def _calibrated(setup: Setup, runs: list[Run]) -> Calibrated:
    points = _Points(setup, runs)
    whole = points.fitted(np.ones(len(points), bool), np.zeros(len(points.names)), _STEPS)
    folds, by = _folds(runs)
    fold = folds[points.run]
    unseen = np.zeros(len(points))
    for each in np.unique(folds):
        logs = points.fitted(fold != each, whole, _STEPS_OF_FOLD)
        unseen[fold == each] = points.residuals(logs)[fold == each]
    before = points.residuals(np.zeros(len(points.names)))
    shipped, own = points.errors(before), points.errors(unseen)
    spreads = points.spreads(unseen) if by == "group" else {}
    kept = float(np.mean(np.abs(unseen))) < float(np.mean(np.abs(before)))
    fitted = Fitted(points.factors(whole), spreads, len(runs))
    return Calibrated(setup, fitted, len({run.group for run in runs}), shipped, own, by, kept)


def _folds(runs: Sequence[Run]) -> tuple[Vector, str]:
    """Return the fold of every run and what is left out: groups, or single runs where there are too few groups."""
    groups = sorted({run.group for run in runs})
    if len(groups) >= FEWEST_GROUPS:
        at = {group: index % MOST_FOLDS for index, group in enumerate(groups)}
        return np.array([at[run.group] for run in runs]), "group"
    return np.arange(len(runs)) % MOST_FOLDS, "run"


class _Points:
    """The measured figures of the runs of one setup, a point each."""

    def __init__(self, setup: Setup, runs: list[Run]) -> None:
        self.runs, self.names = runs, tuple(FACTORS[setup.plan])
        every = [(index, figure) for index, run in enumerate(runs) for figure in FIGURES[setup.plan]
                 if figure in run.measured]  # fmt: skip
        self.run = np.array([index for index, _ in every])
        self.figures = [figure for _, figure in every]
        self.measured = np.log([runs[index].measured[figure] for index, figure in every])
        self.groups = [runs[index].group for index, _ in every]
        self.weights = group_weights(self.groups) * np.array([_WEIGHTS.get(figure, 1.0) for figure in self.figures])

    def __len__(self) -> int:
        return len(self.figures)

    def factors(self, logs: Vector) -> dict[str, float]:
        return {name: float(np.clip(np.exp(log), LEAST, MOST)) for name, log in zip(self.names, logs, strict=True)}

    def residuals(self, logs: Vector) -> Vector:
        """Return log(predicted / measured) of every point."""
        factors = self.factors(logs)
        predicted = [run.predicted(factors) for run in self.runs]
        found = [predicted[index][figure] for index, figure in zip(self.run, self.figures, strict=True)]
        return np.log(found) - self.measured

    def fitted(self, at: Vector, first: Vector, steps: int) -> Vector:
        """Return the logarithms of the factors that fit some of the points best, held near 0."""
        starts = np.zeros(len(self.names))
        firmness = np.full(len(self.names), FIRMNESS)
        return fit(lambda logs: self.residuals(logs)[at], starts, self.weights[at],
                   firmness=firmness, first=first, steps=steps)  # fmt: skip

    def errors(self, residuals: Vector) -> dict[str, float]:
        """Return the mean absolute error of each figure."""
        every = np.abs(np.expm1(residuals))
        return {name: float(np.mean(every[self._of(name)])) for name in dict.fromkeys(self.figures)}

    def _of(self, figure: str) -> Vector:
        return np.array([each == figure for each in self.figures])

    def spreads(self, unseen: Vector) -> dict[tuple[str, str], Spread]:
        """Return the spread around predictions of runs left out, for each kind of model that has enough of them."""
        found = {}
        kinds = np.array([self.runs[index].kind for index in self.run])
        for kind in sorted(set(kinds)):
            for figure in dict.fromkeys(self.figures):
                at = np.flatnonzero((kinds == kind) & self._of(figure))
                groups = [self.groups[i] for i in at]
                if len(at) >= FEWEST_OF_BAND and len(set(groups)) >= FEWEST_GROUPS:
                    low, middle, high = band(np.exp(-unseen[at]), groups)
                    found[str(kind), figure] = Spread(low, middle, high, runs=len(at), groups=len(set(groups)))
        return found
