"""Requests as they come, from what a scenario says of them: lengths to draw, and the rows of a trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from sizebook.core.errors import InputError, RangeError
from sizebook.plans.serving.lengths import Histogram
from sizebook.serving.arrivals import Lengths, sigma_of
from sizebook.serving.load import MOST_REQUESTS


def drawn(mean: int, p50: float | None, p95: int | None, lengths: Histogram | None) -> Lengths:
    """Return lengths to draw: those of a histogram, else log-normal ones of the mean and what percentiles say."""
    if lengths is not None:
        return Lengths(lengths.mean, bins=lengths.bins)
    return Lengths(mean, sigma_of(mean, p50, p95))


def counted(tokens: Iterable[float]) -> Histogram:
    """Return the histogram of lengths that were counted one by one."""
    counts = Counter(int(each) for each in tokens)
    n = sum(counts.values())
    return Histogram(tuple((length, count / n) for length, count in sorted(counts.items())))


def trace_rows(given: Any) -> tuple[tuple[float, ...], ...]:
    """Return the rows of a trace: seconds alone, or each with the tokens of prompt and answer.

    Errors: text, fewer than two rows, rows of other than one or three numbers, seconds that go back or stand still,
    lengths that are no whole number of 1 or more.
    """
    if isinstance(given, str):
        raise InputError(f"trace is text: got '{given}', want seconds, or rows of three numbers. Give a range.")
    rows = tuple(tuple(each) if isinstance(each, (list, tuple)) else (each,) for each in given)
    if not 2 <= len(rows) <= MOST_REQUESTS:
        raise RangeError(
            f"trace is out of range: got {len(rows)} arrivals, want 2 to {MOST_REQUESTS}. Give another stretch of it."
        )
    for number, row in enumerate(rows, start=1):
        numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in row)
        if not numbers or len(row) != len(rows[0]) or len(row) not in (1, 3):
            raise RangeError(
                f"trace, row {number}: got {list(row)!r}, want a second, or a second and the tokens of prompt and "
                "answer. Give the same numbers in every row."
            )
        if not all(each >= 1 and each == int(each) for each in row[1:]):
            raise RangeError(
                f"trace, row {number}: got {list(row)!r}, want whole tokens of 1 or more. Correct the lengths."
            )
    if any(later[0] < row[0] for row, later in pairwise(rows)) or not rows[-1][0] > rows[0][0]:
        raise RangeError(
            f"trace does not go on: got seconds from {rows[0][0]:g} to {rows[-1][0]:g} that fall or stand still, want "
            "each at or after the one before. Sort them."
        )
    return rows
