"""How long prompts and answers are: their means, and percentiles or histograms around them."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sizebook.core.errors import InputError, RangeError
from sizebook.core.sections import quantity, section
from sizebook.plans.serving.day import lognormal_p95
from sizebook.serving.arrivals import Lengths, sigma_of
from sizebook.serving.quantities import Demand

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


def counted(tokens: Iterable[float]) -> Histogram:
    """Return the histogram of lengths that were counted one by one."""
    counts = Counter(int(each) for each in tokens)
    n = sum(counts.values())
    return Histogram(tuple((length, count / n) for length, count in sorted(counts.items())))


@section
class RequestLengths:
    """How lengths spread around the means of a demand: a median, a 95th percentile, or a histogram in their place."""

    input_tokens_p50: float | None = quantity(
        "median tokens of a prompt", "tokens", above=0, default=None, label="Prompt, median"
    )
    output_tokens_p50: float | None = quantity(
        "median tokens of an answer", "tokens", above=0, default=None, label="Answer, median"
    )
    input_tokens_p95: int | None = quantity(
        "95th percentile of prompts", "tokens", minimum=1, default=None, label="Prompt, 95th percentile"
    )
    output_tokens_p95: int | None = quantity(
        "95th percentile of answers", "tokens", minimum=1, default=None, label="Answer, 95th percentile"
    )
    input_histogram: Any = quantity(
        "lengths of prompts as [tokens, share] pairs, or a CSV file with columns tokens and share",
        default=None,
        label="Prompts, histogram",
    )
    output_histogram: Any = quantity(
        "lengths of answers as [tokens, share] pairs, or a CSV file with columns tokens and share",
        default=None,
        label="Answers, histogram",
    )
    of_turns: Histogram | None = field(default=None, metadata={"not_a_key": True})  # the prompts of a conversation

    @cached_property
    def prompts(self) -> Histogram | None:
        """Lengths of prompts, where they came as a histogram or are those of a conversation."""
        if self.of_turns is not None:
            return self.of_turns
        return None if self.input_histogram is None else histogram(self.input_histogram, "input_histogram")

    @cached_property
    def answers(self) -> Histogram | None:
        """Lengths of answers, where they came as a histogram."""
        return None if self.output_histogram is None else histogram(self.output_histogram, "output_histogram")

    def mean(self, demand: Demand) -> Demand:
        """Return a demand with the means of the histograms, where there are any, to the nearest token."""
        prompts, answers = self.prompts, self.answers
        return replace(
            demand,
            input_tokens=demand.input_tokens if prompts is None else max(1, round(prompts.mean)),
            output_tokens=demand.output_tokens if answers is None else max(1, round(answers.mean)),
        )

    def drawn(self, mean: Demand) -> tuple[Lengths, Lengths]:
        """Return the lengths of prompts and of answers as they are drawn one by one."""
        return (
            _drawn(mean.input_tokens, self.input_tokens_p50, self.input_tokens_p95, self.prompts),
            _drawn(mean.output_tokens, self.output_tokens_p50, self.output_tokens_p95, self.answers),
        )

    def longest(self, mean: Demand) -> tuple[int, int]:
        """Return the tokens of a prompt and of an answer to reserve cache for: the 95th percentile, else the mean."""
        return (
            _longest(mean.input_tokens, self.input_tokens_p50, self.input_tokens_p95, self.prompts),
            _longest(mean.output_tokens, self.output_tokens_p50, self.output_tokens_p95, self.answers),
        )


def _drawn(mean: int, p50: float | None, p95: int | None, lengths: Histogram | None) -> Lengths:
    """Return lengths to draw: those of a histogram, else log-normal ones of the mean and what percentiles say."""
    if lengths is not None:
        return Lengths(lengths.mean, bins=lengths.bins)
    return Lengths(mean, sigma_of(mean, p50, p95))


def _longest(mean: int, p50: float | None, p95: int | None, lengths: Histogram | None) -> int:
    if lengths is not None:
        return lengths.percentile(0.95)
    if p95 is not None:
        return p95
    return mean if p50 is None else math.ceil(lognormal_p95(mean, p50))
