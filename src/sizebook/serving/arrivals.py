"""Streams of requests: when they arrive, and how long prompts and answers are, drawn from a seed.

Gaps between arrivals are gamma-distributed (a renewal process): the counts of a long window have an index of dispersion
of gap variance / mean^2, so that one number says how bursty they are. 1 is Poisson, more comes in bursts, less is more
regular than chance. Measured arrivals of LLM services follow such gaps (BurstGPT, arXiv:2401.17644).
"""

import math
import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from sizebook.core.errors import RangeError

Z95 = 1.6448536269514722  # the 95th percentile of a standard normal


@dataclass(frozen=True)
class Lengths:
    """How long prompts or answers are: log-normal around a mean, or by bins of (tokens, share) where there are any."""

    mean: float
    sigma: float = 0.0
    bins: tuple[tuple[int, float], ...] = ()

    def draw(self, n: int, chance: random.Random) -> list[int]:
        """Return so many lengths, one token at least."""
        if self.bins:
            sums = list(accumulate(share for _, share in self.bins))
            last = len(self.bins) - 1
            return [self.bins[min(bisect_left(sums, chance.random() * sums[-1]), last)][0] for _ in range(n)]
        if not self.sigma:
            return [max(1, round(self.mean))] * n
        centre = math.log(self.mean) - self.sigma**2 / 2
        return [max(1, round(math.exp(chance.gauss(centre, self.sigma)))) for _ in range(n)]

    @property
    def longest(self) -> float:
        """A length that next to none exceeds: the last bin, or four deviations of the log-normal."""
        if self.bins:
            return float(self.bins[-1][0])
        return self.mean * math.exp(4 * self.sigma - self.sigma**2 / 2)


def sigma_of(mean: float, p50: float | None, p95: float | None) -> float:
    """Return the deviation of the logarithm of a log-normal length from two of mean, median and 95th percentile.

    Median and percentile where both are known: ln(p95 / p50) / 1.645. Mean and median: s^2 = 2 ln(mean / p50). Mean and
    percentile: the smaller root of s^2 / 2 - 1.645 s + ln(p95 / mean) = 0. The mean alone: 0, all alike.

    Errors: a 95th percentile below the mean, or more than 3.87 times the mean, which no log-normal has.
    """
    if p50 is not None and p95 is not None:
        if p95 < p50:
            raise RangeError(
                f"not a length: got a 95th percentile of {p95:g} under the median {p50:g}, want it at or above. "
                "Correct one of them."
            )
        return math.log(p95 / p50) / Z95
    if p50 is not None:
        if mean < p50:
            raise RangeError(
                f"not a log-normal length: got mean {mean:g} under median {p50:g}, want the mean at or above it. "
                "Give a histogram."
            )
        return math.sqrt(2 * math.log(mean / p50))
    if p95 is None:
        return 0.0
    rest = Z95**2 - 2 * math.log(p95 / mean)
    if p95 < mean or rest < 0:
        raise RangeError(
            f"not a log-normal length: got mean {mean:g} with a 95th percentile of {p95:g}, want 1 to "
            f"{math.exp(Z95**2 / 2):.2f} times the mean. Give a histogram."
        )
    return Z95 - math.sqrt(rest)


def arrivals(n: int, dispersion: float, chance: random.Random) -> list[float]:
    """Return so many arrivals of one a second: gamma gaps of mean 1 and variance ``dispersion``."""
    if dispersion == 1:
        gaps = (chance.expovariate(1.0) for _ in range(n))
    else:
        gaps = (chance.gammavariate(1 / dispersion, dispersion) for _ in range(n))
    return list(accumulate(gaps))


def repeated(trace: Sequence[float], n: int) -> list[float]:
    """Return so many arrivals of a trace, from its beginning again where it is shorter, at one a second on average.

    Between the last arrival and the first of the next round lies the mean gap.
    """
    begin, span = trace[0], trace[-1] - trace[0]
    gap = span / (len(trace) - 1)
    whole = span + gap
    return [(trace[i % len(trace)] - begin + whole * (i // len(trace))) / gap for i in range(n)]
