"""Traffic over a day and over months: arrivals by hour from a total and a shape, growth, token lengths."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sizebook.errors import RangeError, require, unknown_key
from sizebook.plans.lengths import Histogram

HOURS = 24
# Relative arrivals by hour of the day. Shapes to start from: replace them with your own hours where you have them.
SHAPES: dict[str, tuple[float, ...]] = {
    "flat": (1.0,) * HOURS,
    "office": (1, 1, 1, 1, 1, 1, 2, 4, 8, 11, 12, 11, 9, 10, 12, 12, 10, 8, 5, 3, 2, 2, 1, 1),
    "consumer": (5, 3, 2, 2, 2, 2, 3, 4, 5, 6, 7, 7, 8, 8, 8, 8, 8, 9, 10, 11, 12, 12, 10, 7),
}


@dataclass(frozen=True)
class Traffic:
    """Requests a day, spread over hours, growing by month; token lengths as means and 95th percentiles.

    Histograms say where those came from, where they came from one.
    """

    requests_per_day: float
    hours: tuple[float, ...] = SHAPES["flat"]
    peak_factor: float = 1.0
    growth_per_month: float = 0.0
    months: int = 1
    input_tokens: int = 1024
    output_tokens: int = 256
    input_tokens_p95: int | None = None
    output_tokens_p95: int | None = None
    input_histogram: Histogram | None = None
    output_histogram: Histogram | None = None

    @property
    def longest_tokens(self) -> int:
        """Tokens of a sequence to reserve cache for: 95th percentiles where given, else means."""
        return (self.input_tokens_p95 or self.input_tokens) + (self.output_tokens_p95 or self.output_tokens)


def hours_of(shape: str | tuple[float, ...]) -> tuple[float, ...]:
    """Return the 24 relative arrivals of a named shape, or check those given."""
    if isinstance(shape, str):
        if shape not in SHAPES:
            raise unknown_key("shape", shape, SHAPES, f"one of {', '.join(SHAPES)}, or 24 numbers")
        return SHAPES[shape]
    if len(shape) != HOURS or min(shape) < 0 or not sum(shape) > 0:
        raise RangeError(
            f"not a day: got {len(shape)} hours that sum to {sum(shape):g}, want 24 numbers of 0 or more, not all 0. "
            "Give one number an hour, from midnight."
        )
    return tuple(float(hour) for hour in shape)


def arrivals_by_hour(traffic: Traffic, month: int = 0) -> tuple[float, ...]:
    """Return requests a second in each hour of a month's mean day; the peak factor raises every hour's planning rate.

    Bursts shorter than an hour are what the peak factor stands for.
    """
    require(
        traffic.requests_per_day > 0, f"no traffic: got {traffic.requests_per_day} requests a day, want more than 0."
    )
    day = traffic.requests_per_day * (1 + traffic.growth_per_month) ** month
    total = math.fsum(traffic.hours)
    return tuple(day * hour / total / 3600 * traffic.peak_factor for hour in traffic.hours)


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
