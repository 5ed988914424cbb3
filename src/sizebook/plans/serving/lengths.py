"""Token lengths as a histogram: its mean, and its percentiles as lengths that occur in it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sizebook.core.errors import InputError, RangeError

ROUNDING = 1e-6  # shares written with six decimals add up to 1 within it


@dataclass(frozen=True)
class Histogram:
    """Lengths in tokens with the share of requests that have each, shortest first."""

    bins: tuple[tuple[int, float], ...]

    @property
    def mean(self) -> float:
        """Mean length: the sum of tokens x share."""
        return math.fsum(tokens * share for tokens, share in self.bins)

    def percentile(self, share: float) -> int:
        """Return the shortest length that at least this share of requests does not exceed."""
        below = 0.0
        for tokens, each in self.bins:
            below += each
            if below >= share - ROUNDING:
                return tokens
        return self.bins[-1][0]


def histogram(pairs: Iterable[Any], name: str) -> Histogram:
    """Return the histogram of [tokens, share] pairs; ``name`` is what messages call it.

    Errors: text, no pair, a pair of other than two numbers, tokens that are no whole number of 1 or more, a negative
    share, shares that do not add up to 1.
    """
    if isinstance(pairs, str):
        raise InputError(f"{name} is text: got '{pairs}', want [tokens, share] pairs. Give a range of two columns.")
    bins = sorted(_bin(pair, number, name) for number, pair in enumerate(pairs, start=1))
    total = math.fsum(share for _, share in bins)
    if not abs(total - 1) <= ROUNDING:
        raise RangeError(
            f"{name} is not whole: got {len(bins)} shares that add up to {total:g}, want 1. "
            "Divide each share by their sum."
        )
    return Histogram(tuple(bins))


def _bin(pair: Any, number: int, name: str) -> tuple[int, float]:
    numbers = [each for each in pair if isinstance(each, (int, float))] if isinstance(pair, (list, tuple)) else []
    if len(numbers) != 2 or len(pair) != 2:
        shown = list(pair) if isinstance(pair, (list, tuple)) else pair
        raise RangeError(f"{name}, pair {number}: got {shown!r}, want [tokens, share]. Give two numbers.")
    tokens, share = pair
    if not (math.isfinite(tokens) and tokens >= 1 and tokens == int(tokens)):
        raise RangeError(
            f"{name}, pair {number}: got {tokens:g} tokens, want a whole number of 1 or more. Correct the length."
        )
    if not (math.isfinite(share) and 0 <= share <= 1):
        raise RangeError(
            f"{name}, pair {number}: got a share of {share:g}, want 0 to 1. Give shares, not counts: divide by the sum."
        )
    return int(tokens), float(share)
