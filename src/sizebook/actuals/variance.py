"""Why money differs from plan: one product of factors against another, shared out over the factors without a rest.

The cost of GPUs in a month is

    requests x GPU-seconds a request / 3600 x efficiency x idle x price x rate

where GPU-seconds a request are what the plan's own estimate takes for these lengths at full load, efficiency is how
many times longer real GPUs took for the same work, idle is hours paid over hours busy, price is what an hour costs in
the currency of the bill, and rate is what one unit of that currency costs in the plan's.
"""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from itertools import combinations

from sizebook.core.texts import Text, text


@dataclass(frozen=True)
class CostFactors:
    """The factors of a month's cost, in the order in which readers see them."""

    volume: float
    lengths: float
    efficiency: float
    idle: float
    price: float
    currency: float

    @property
    def cost(self) -> float:
        """The product."""
        return float(math.prod(astuple(self)))


CAUSES = tuple(field.name for field in fields(CostFactors))
# What readers call the causes, and the lines of a bill that no plan holds.
LABELS: dict[str, Text] = {
    "volume": text("Number of requests"),
    "lengths": text("Length of requests"),
    "efficiency": text("Speed of GPUs"),
    "idle": text("GPU-hours without work"),
    "price": text("Price of a GPU-hour"),
    "currency": text("Exchange rate"),
    "unused_cost": text("Unused commitments"),
    "untagged_cost": text("Cost without a tag"),
    "no_gpu_cost": text("Cost without GPUs"),
}


@dataclass(frozen=True)
class MonthCost:
    """What a month cost, and its factors; None where no request came, so that the cost is of no work."""

    cost: float
    factors: CostFactors | None = None


def shares(planned: MonthCost, actual: MonthCost) -> dict[str, float]:
    """Return what each cause adds from plan to actual, as its Shapley value; they add up to the whole difference.

    Where one of the two has no requests, the cost of the other is volume, and its own is idle.
    """
    if planned.factors is None or actual.factors is None:
        sides = ((-1, planned), (1, actual))
        alone = {
            "volume": sum(sign * side.cost for sign, side in sides if side.factors),
            "idle": sum(sign * side.cost for sign, side in sides if not side.factors),
        }
        return dict.fromkeys(CAUSES, 0.0) | alone
    before, after = astuple(planned.factors), astuple(actual.factors)
    return {cause: shapley(at, before, after) for at, cause in enumerate(CAUSES)}


def shapley(at: int, before: Sequence[float], after: Sequence[float]) -> float:
    """Return the Shapley value of one factor: the mean of what its change adds over every order of all changes.

    Of n factors a change finds k others made before it in k! (n - k - 1)! of n! orders.
    """
    others = [each for each in range(len(before)) if each != at]
    n, total = len(before), []
    for k in range(n):
        weight = math.factorial(k) * math.factorial(n - k - 1) / math.factorial(n)
        for made in combinations(others, k):
            rest = math.prod(after[each] if each in made else before[each] for each in others)
            total.append(weight * rest * (after[at] - before[at]))
    return math.fsum(total)
