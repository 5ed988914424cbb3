"""What a whole run takes over its steady state: published GPU-hours over those of the plan.

`data/training_programmes.csv` holds programmes whose GPU-hours and GPUs are published, with the hours that the plan
gives them; calibration/training_programmes.py writes those. The default is one constant, the geometric mean with every
family of models weighing the same: a power law in the number of GPUs predicts a family that it had not seen no better.
It holds whatever the plan does not know of: restarts by hand, ramp, evaluation, warm-up, slow nodes, and how far a
programme's software lay behind the runs that the step time was fitted on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import exp, log, sqrt

from sizebook.core.tables import table
from sizebook.core.texts import Figure, text
from sizebook.training.quantities import Programme

Point = tuple[str, float]  # family, published over planned


def points() -> tuple[Point, ...]:
    """Return the programmes whose number of GPUs is published; the others are held against the default only."""
    rows = (row for row in table("training_programmes") if row["gpus_published"] == "yes")
    return tuple((row["family"], float(row["ratio"])) for row in rows)


def mean(found: Sequence[Point]) -> float:
    """Return the geometric mean of families' geometric means."""
    of_families: dict[str, list[float]] = {}
    for family, ratio in found:
        of_families.setdefault(family, []).append(log(ratio))
    return exp(sum(sum(logs) / len(logs) for logs in of_families.values()) / len(of_families))


@cache
def default() -> float:
    """Return the factor of the table: a whole run never takes less than its steady state."""
    return max(1.0, mean(points()))


@cache
def error() -> float:
    """Return the factor by which programmes of a family that the default had not seen lie off it, as a root mean
    square."""
    found = points()
    squares = []
    for family in dict.fromkeys(name for name, _ in found):
        rest = mean([each for each in found if each[0] != family])
        own = [log(ratio / rest) ** 2 for name, ratio in found if name == family]
        squares.append(sum(own) / len(own))
    return exp(sqrt(sum(squares) / len(squares)))


def fewest_gpus() -> int:
    """Return the GPUs of the smallest programme of the mean: nothing is known of smaller ones."""
    return min(int(row["gpus"]) for row in table("training_programmes") if row["gpus_published"] == "yes")


def factor_of(programme: Programme) -> float:
    """Return the factor that was given, or the default."""
    return default() if programme.programme_factor is None else programme.programme_factor


def basis_of(programme: Programme) -> str:
    """Return where the factor comes from."""
    if programme.programme_factor is not None:
        return text("factor given in the scenario")
    low, high = max(1, default() / error()), default() * error()
    return text(
        "data/training_programmes.csv: {n} published programmes, {low} to {high}",
        n=len(points()),
        low=Figure(f"{low:.2f}"),
        high=Figure(f"{high:.2f}"),
    )
