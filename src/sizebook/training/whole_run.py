"""What a whole run takes over its steady state: published GPU-hours over those of the plan.

`data/training_programmes.csv` holds programmes whose GPU-hours are published, with the hours that the plan gives them;
calibration/training_programmes.py writes those. The default is one constant, the geometric mean with every family of
models weighing the same: a power law in the number of GPUs predicts a family that it had not seen no better. It holds
whatever the plan does not know of: restarts by hand, ramp, evaluation, warm-up, slow nodes, how far a programme's
software lay behind the runs that the step time was fitted on, and what its card counts besides.
"""

from collections.abc import Sequence
from functools import cache
from math import exp, log, sqrt

from sizebook.core.tables import table
from sizebook.core.texts import Figure, text
from sizebook.training.quantities import Programme

Point = tuple[str, float]  # family, published over planned
TENTH = 1.2816  # standard deviations of a normal spread to its 10th or 90th percentile


def published_programmes() -> tuple[Point, ...]:
    """Return the programmes: their families, and published hours over planned ones."""
    return tuple((row["family"], float(row["ratio"])) for row in table("training_programmes"))


def mean(found: Sequence[Point]) -> float:
    """Return the geometric mean of families' geometric means."""
    of_families: dict[str, list[float]] = {}
    for family, ratio in found:
        of_families.setdefault(family, []).append(log(ratio))
    return exp(sum(sum(logs) / len(logs) for logs in of_families.values()) / len(of_families))


@cache
def default() -> float:
    """Return the factor of the table: a whole run never takes less than its steady state."""
    return max(1.0, mean(published_programmes()))


def error(found: Sequence[Point]) -> float:
    """Return the factor by which programmes of a family that a mean had not seen lie off it, as a root mean square."""
    squares = []
    for family in dict.fromkeys(name for name, _ in found):
        rest = mean([each for each in found if each[0] != family])
        own = [log(ratio / rest) ** 2 for name, ratio in found if name == family]
        squares.append(sum(own) / len(own))
    return exp(sqrt(sum(squares) / len(squares)))


@cache
def programme_spread() -> float:
    """Return the factor by which 10th and 90th percentile of programmes lie off the default: a step's band has the same
    ends. The lower one may lie under 1, for the hours that it is taken times are planned ones."""
    return exp(TENTH * log(error(published_programmes())))


def fewest_gpus() -> int:
    """Return the GPUs of the smallest programme: nothing is known of smaller ones."""
    return min(int(row["gpus"]) for row in table("training_programmes"))


def factor_of(programme: Programme) -> float:
    """Return the factor that was given, or the default."""
    return default() if programme.programme_factor is None else programme.programme_factor


def ends_of(programme: Programme) -> tuple[float, float]:
    """Return what its spread makes of the factor at both ends: nothing of one that was given."""
    return (1.0, 1.0) if programme.programme_factor is not None else (1 / programme_spread(), programme_spread())


def basis_of(programme: Programme) -> str:
    """Return where the factor comes from."""
    if programme.programme_factor is not None:
        return text("factor given in the scenario")
    low, high = (default() * end for end in ends_of(programme))
    return text(
        "data/training_programmes.csv: {n} published programmes, {low} to {high} (10th to 90th percentile)",
        n=len(published_programmes()),
        low=Figure(f"{low:.2f}"),
        high=Figure(f"{high:.2f}"),
    )
