"""Own rates of every setup that was measured: fitted to its runs, and judged on runs that the fit had not seen.

A setup is an accelerator with a framework or an engine. Each has a few factors on the seconds of the shipped rates,
held near 1 so that few runs move them little. Runs are left out by group, a model unless the table names one, and
predicted by a fit to the others: what own rates are worth is the error on those, beside that of the shipped rates.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sizebook import __version__
from sizebook.calibrating.fitting import Prior, Residuals, Vector, band, fit, group_weights, slopes_of
from sizebook.calibrating.runs import Run
from sizebook.core.errors import InputError
from sizebook.core.units import number_of
from sizebook.sources.writing import csv_text, write_whole
from sizebook.tables.own_rates import COLUMNS, FACTORS, FIGURES, LEAST, MOST, QUANTILES, Fitted, Setup, Spread

FEWEST_RUNS = 4
FEWEST_GROUPS = 3
FEWEST_OF_BAND = 10
MOST_FOLDS = 10
# A logarithm that is 0.3 off weighs as much as one run that is 0.1 off: about what runs repeat to.
FIRMNESS = (0.1 / 0.3) ** 2
# Time to first token scatters twice as much as what follows it.
_WEIGHTS = {"ttft": 0.5}
_STEPS = 12


@dataclass(frozen=True)
class SetupCalibration:
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


def calibrate(runs: Sequence[Run]) -> tuple[list[SetupCalibration], list[str]]:
    """Return what was fitted for every setup, and the setups that have too few runs, in words; errors: none has
    enough."""
    setups = sorted({run.setup for run in runs}, key=lambda setup: setup.words)
    found, few = [], []
    for setup in setups:
        mine = [run for run in runs if run.setup == setup]
        if len(mine) < FEWEST_RUNS:
            few.append(
                f"{setup.words}: {number_of(len(mine), 'run')}, want at least {FEWEST_RUNS}; the shipped rates hold"
            )
        else:
            found.append(_calibrated(setup, mine))
    if not found:
        raise InputError(f"too few runs: got {'; '.join(few)}. Measure more.")
    return found, few


def _calibrated(setup: Setup, runs: list[Run]) -> SetupCalibration:
    points = _Points(setup, runs)
    whole = points.fitted()
    folds, by = _folds(runs)
    unseen = points.unseen(whole, folds[points.run])
    before = points.residuals(np.zeros(len(points.names)))
    shipped, own = points.errors(before), points.errors(unseen)
    spreads = points.spreads(unseen) if by == "group" else {}
    kept = float(np.mean(np.abs(unseen))) < float(np.mean(np.abs(before)))
    fitted = Fitted(points.factors(whole), spreads, len(runs))
    return SetupCalibration(setup, fitted, len({run.group for run in runs}), shipped, own, by, kept)


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
        every = [
            (index, figure)
            for index, run in enumerate(runs)
            for figure in FIGURES[setup.plan]
            if figure in run.measured
        ]
        self.run = np.array([index for index, _ in every])
        self.figures = [figure for _, figure in every]
        self.measured = np.log([runs[index].measured[figure] for index, figure in every])
        self.groups = [runs[index].group for index, _ in every]
        self.weights = group_weights(self.groups) * np.array([_WEIGHTS.get(figure, 1.0) for figure in self.figures])

    def __len__(self) -> int:
        return len(self.figures)

    def factors(self, logs: Vector) -> dict[str, float]:
        return {name: float(np.clip(np.exp(log), LEAST, MOST)) for name, log in zip(self.names, logs, strict=True)}

    def residuals(self, logs: Vector, at: Vector | None = None) -> Vector:
        """Return log(predicted / measured) of every point, or of those ``at`` which it is asked for."""
        factors = self.factors(logs)
        chosen = range(len(self)) if at is None else np.flatnonzero(at)
        predicted = {index: self.runs[index].predicted(factors) for index in {int(self.run[i]) for i in chosen}}
        return np.log([predicted[self.run[i]][self.figures[i]] for i in chosen]) - self.measured[chosen]

    def fitted(self) -> Vector:
        """Return the logarithms of the factors that fit the points best, held near 0."""
        return self._fit(self.residuals, self.weights, np.zeros(len(self.names)))

    def unseen(self, whole: Vector, fold: Vector) -> Vector:
        """Return the residual of each point under a fit without its fold.

        A fit without some of the runs lies near the fit to all, so that residuals are taken as straight lines there:
        folds then cost no predictions but those of the runs that they leave out.
        """
        at = self.residuals(whole)
        slopes = slopes_of(self.residuals, whole, at)
        unseen = np.zeros(len(self))
        for each in np.unique(fold):
            rest, held = fold != each, fold == each
            unseen[held] = self.residuals(self._fit_lines(at[rest], slopes[rest], whole, self.weights[rest]), held)
        return unseen

    def _fit_lines(self, at: Vector, slopes: Vector, whole: Vector, weights: Vector) -> Vector:
        return self._fit(lambda logs: at + slopes @ (logs - whole), weights, whole)

    def _fit(self, residuals: Residuals, weights: Vector, first: Vector) -> Vector:
        prior = Prior(np.zeros(len(self.names)), np.full(len(self.names), FIRMNESS))
        return fit(residuals, prior, weights, first=first, steps=_STEPS)

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
                    # The middle case is what is predicted, which no band may leave out.
                    ends = min(low, 1.0), middle, max(high, 1.0)
                    found[str(kind), figure] = Spread(*ends, runs=len(at), groups=len(set(groups)))
        return found


def write_rates(found: Sequence[SetupCalibration], tables: Sequence[Path], output: Path) -> None:
    """Write the factors and spreads of the setups that are kept, in the file that `tables.own_rates` reads.

    It appears whole or not at all.
    """
    named = ", ".join(table.name for table in tables)
    head = f"# Own rates: factors on seconds of the rates that sizebook {__version__} ships, fitted to {named}.\n"
    rows = (row for each in found if each.kept for row in _rate_rows(each))
    write_whole(output, (head + csv_text(COLUMNS, rows)).encode())


def _rate_rows(each: SetupCalibration) -> Iterator[tuple[object, ...]]:
    setup, fitted = each.setup, each.fitted
    head = (setup.plan, setup.gpu, setup.software)
    for name, value in fitted.factors.items():
        yield (*head, "", name, f"{value:.4g}", fitted.runs, each.groups, FACTORS[setup.plan][name])
    for (kind, figure), spread in fitted.spreads.items():
        for quantile, value in zip(QUANTILES, (spread.low, spread.middle, spread.high), strict=True):
            meaning = f"measured over predicted {figure} of runs left out"
            yield (*head, kind, f"{figure}_{quantile}", f"{value:.4g}", spread.runs, spread.groups, meaning)
