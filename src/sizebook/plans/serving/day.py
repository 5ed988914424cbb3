"""Shapes of a day of traffic, and percentiles of token lengths."""

import math
from typing import Any

from sizebook.core.errors import InputError, RangeError
from sizebook.core.hints import unknown_key

HOURS = 24
# Relative arrivals by hour of the day. Shapes to start from: replace them with your own hours where you have them.
SHAPES: dict[str, tuple[float, ...]] = {
    "flat": (1.0,) * HOURS,
    "office": (1, 1, 1, 1, 1, 1, 2, 4, 8, 11, 12, 11, 9, 10, 12, 12, 10, 8, 5, 3, 2, 2, 1, 1),
    "consumer": (5, 3, 2, 2, 2, 2, 3, 4, 5, 6, 7, 7, 8, 8, 8, 8, 8, 9, 10, 11, 12, 12, 10, 7),
}


def hours_of(shape: str | tuple[Any, ...]) -> tuple[float, ...]:
    """Return the 24 relative arrivals of a named shape, or check those given."""
    if isinstance(shape, str):
        if shape not in SHAPES:
            raise unknown_key("shape", shape, SHAPES, also=", or 24 numbers")
        return SHAPES[shape]
    for hour in shape:
        if isinstance(hour, bool) or not isinstance(hour, (int, float)):
            raise InputError(f"not a day: got {hour!r} among the hours, want 24 numbers. Correct that one.")
    if len(shape) != HOURS or min(shape) < 0 or not sum(shape) > 0:
        raise RangeError(
            f"not a day: got {len(shape)} hours that sum to {sum(shape):g}, want 24 numbers of 0 or more, not all 0. "
            "Give one number an hour, from midnight."
        )
    return tuple(float(hour) for hour in shape)


def lognormal_p95(mean: float, p50: float) -> float:
    """Return the 95th percentile of a log-normal length with that mean and median: p50 exp(1.645 s).

    s^2 = 2 ln(mean / p50); a mean below the median is no log-normal and is refused.
    """
    if mean < p50:
        raise RangeError(
            f"not a log-normal length: got mean {mean:g} under median {p50:g}, want the mean at or above it. "
            "Give the 95th percentile itself."
        )
    return p50 * math.exp(1.6448536269514722 * math.sqrt(2 * math.log(mean / p50)))
