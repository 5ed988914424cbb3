"""What a whole run takes over its steady state: published GPU-hours over those of the plan, by number of GPUs.

`data/training_programmes.csv` holds programmes whose GPU-hours and GPUs are published, with the hours that the plan
gives them; calibration/training_programmes.py writes those. The default is a power law in the number of GPUs, every
family of models weighing the same. It holds whatever the plan does not know of: restarts by hand, ramp, evaluation,
warm-up, slow nodes, and how far a programme's software lay behind the runs that the step time was fitted on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log, sqrt

from sizebook.core.tables import table
from sizebook.training.quantities import Programme

Point = tuple[str, float, float]  # family, GPUs, published over planned


@dataclass(frozen=True)
class Law:
    """``factor = exp(intercept + slope * ln GPUs)``, held at its ends outside the GPUs that were seen; at least 1."""

    intercept: float
    slope: float
    fewest: float
    most: float

    def factor(self, gpus: float) -> float:
        """Return the whole run over steady state on so many GPUs."""
        return max(1.0, exp(self.intercept + self.slope * log(min(max(gpus, self.fewest), self.most))))


def points() -> tuple[Point, ...]:
    """Return the programmes whose number of GPUs is published; the others are held against the law only."""
    rows = (row for row in table("training_programmes") if row["gpus_published"] == "yes")
    return tuple((row["family"], float(row["gpus"]), float(row["ratio"])) for row in rows)


def fitted(found: Sequence[Point]) -> Law:
    """Return the least-squares law of logarithms, every family weighing the same."""
    sizes = Counter(family for family, _, _ in found)
    rows = [(1 / sizes[family], log(gpus), log(ratio)) for family, gpus, ratio in found]
    total = sum(weight for weight, _, _ in rows)
    x_mean, y_mean = (sum(row[0] * row[i] for row in rows) / total for i in (1, 2))
    spread = sum(weight * (x - x_mean) ** 2 for weight, x, _ in rows)
    slope = sum(weight * (x - x_mean) * (y - y_mean) for weight, x, y in rows) / spread
    gpus = [each[1] for each in found]
    return Law(y_mean - slope * x_mean, slope, min(gpus), max(gpus))


@cache
def law() -> Law:
    """Return the law of the table."""
    return fitted(points())


@cache
def error() -> float:
    """Return the factor by which programmes of a family that the law had not seen lie off it, as a root mean square."""
    found = points()
    squares = []
    for family in dict.fromkeys(each[0] for each in found):
        rest = fitted([each for each in found if each[0] != family])
        own = [log(ratio / rest.factor(gpus)) ** 2 for name, gpus, ratio in found if name == family]
        squares.append(sum(own) / len(own))
    return exp(sqrt(sum(squares) / len(squares)))


def factor_of(programme: Programme, gpus: int) -> float:
    """Return the factor that was given, or the law's for so many GPUs."""
    return law().factor(gpus) if programme.programme_factor is None else programme.programme_factor


def basis_of(programme: Programme, gpus: int) -> str:
    """Return where the factor comes from."""
    if programme.programme_factor is not None:
        return "factor given in the scenario"
    n, low, high = len(points()), (law().factor(gpus) / error()), law().factor(gpus) * error()
    return f"data/training_programmes.csv: {n} published programmes, {max(1, low):.2f} to {high:.2f} at {gpus} GPUs"
