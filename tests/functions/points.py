"""Random admissible points of registered functions, drawn from what their quantities declare."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sizebook.core import cells
from sizebook.core.errors import SizebookError
from sizebook.core.registry import Function
from sizebook.core.sections import Argument, Quantity

MOST_DRAWS = 100  # for each point that a function accepts; PARAMS_ATTENTION refuses nine of ten
BLANK = 0.3  # chance that an optional argument is left blank
EDGE = 0.1  # chance of a bound itself
LARGEST = {"integer": 1e9, "number": 1e12}  # where nothing bounds a quantity
SMALLEST = {"integer": 1.0, "number": 1e-3}


@dataclass(frozen=True)
class Point:
    """The cells of one accepted call, its coerced arguments by name, and its result."""

    given: dict[str, Any]
    bound: dict[str, Any]
    result: Any


def points(function: Function, n_points: int) -> Iterator[Point]:
    """Yield so many points that the function accepts, the same ones in every run."""
    rng = random.Random(function.name)
    accepted = 0
    for _ in range(n_points * MOST_DRAWS):
        given = {a.name: drawn(a, rng) for a in function.arguments}
        try:
            result = cells.evaluate(function, list(given.values()))
        except SizebookError:
            continue
        yield Point(given, cells.bind(function, list(given.values())), result)
        accepted += 1
        if accepted == n_points:
            return
    raise AssertionError(f"{function.name} accepted {accepted} of {n_points * MOST_DRAWS} draws")


def drawn(argument: Argument, rng: random.Random) -> Any:
    quantity = argument.quantity
    if not argument.required and rng.random() < BLANK:
        return None
    if quantity.kind == "flag":
        return rng.random() < 0.5
    if quantity.kind == "choice":
        return rng.choice(quantity.allowed)
    assert quantity.kind in LARGEST, f"no way to draw {argument.name}"
    return _number(quantity, rng)


def _number(quantity: Quantity, rng: random.Random) -> int | float:
    edges = [bound for bound in (quantity.minimum, quantity.maximum) if bound is not None]
    if edges and rng.random() < EDGE:
        return rng.choice(edges)
    low = quantity.minimum if quantity.minimum is not None else quantity.above
    high = LARGEST[quantity.kind] if quantity.maximum is None else quantity.maximum
    if low is not None and high <= 100:  # shares, stages
        value = low + (high - low) * (1 - rng.random())
    else:
        value = math.exp(rng.uniform(math.log(max(low or 0, SMALLEST[quantity.kind])), math.log(high)))
    if quantity.kind == "integer":
        return round(value)
    # Cells hold doubles, a command line whole numbers too.
    return round(value) if 1 <= value < 10_000 and rng.random() < 0.25 else value
