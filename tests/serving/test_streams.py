"""How requests come: arrivals of a given dispersion, traces that repeat, and lengths of given percentiles."""

import math
import random

import pytest

from sizebook.core.errors import RangeError
from sizebook.serving.arrivals import Lengths, arrivals, repeated, sigma_of
from sizebook.serving.load import Stream
from sizebook.serving.simulation import percentile
from tests.refused import message_of
from tests.row_lists import listed


@pytest.mark.parametrize("dispersion", [0.25, 1.0, 4.0])
def test_counts_have_the_dispersion(dispersion: float) -> None:
    """Variance over mean of the arrivals in windows of 200 mean gaps, of a thousand windows."""
    window, n = 200, 200_000
    counts = [0] * (n // window - 50)
    for second in arrivals(n, dispersion, random.Random(2)):
        if second < len(counts) * window:
            counts[int(second // window)] += 1
    mean = math.fsum(counts) / len(counts)
    variance = math.fsum((count - mean) ** 2 for count in counts) / (len(counts) - 1)
    assert mean == pytest.approx(window, rel=0.02)
    assert variance / mean == pytest.approx(dispersion, rel=0.12)


def test_a_trace_repeats_at_one_a_second() -> None:
    """Gaps of 1 and 3 seconds, 2 on average, which is also what lies between two rounds."""
    assert repeated([10.0, 11.0, 14.0], 7) == [0.0, 0.5, 2.0, 3.0, 3.5, 5.0, 6.0]


def test_lengths_of_a_trace_stay_with_their_arrivals() -> None:
    stream = Stream(Lengths(9), Lengths(9), trace=((0.0, 100.0, 5.0), (1.0, 200.0, 6.0)))
    asked = stream.requests()
    assert (asked.prompts[:3], asked.answers[:3]) == ([100, 200, 100], [5, 6, 5])
    assert asked.arrivals[:3] == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("p50", "p95"),
    [
        (1000 / math.exp(0.5), None),
        (None, 1000 * math.exp(1.6448536269514722 - 0.5)),
        (500.0, 500 * math.exp(1.6448536)),
    ],
)
def test_two_of_three_give_the_spread(p50: float | None, p95: float | None) -> None:
    """A log-normal of mean 1,000 whose logarithm deviates by 1: median 1,000 / sqrt(e)."""
    assert sigma_of(1000, p50, p95) == pytest.approx(1.0, rel=1e-6)


def test_drawn_lengths_have_mean_and_percentiles() -> None:
    drawn = sorted(Lengths(1000, sigma=1.0).draw(100_000, random.Random(4)))
    assert math.fsum(drawn) / len(drawn) == pytest.approx(1000, rel=0.02)
    assert percentile(drawn, 0.5) == pytest.approx(1000 / math.exp(0.5), rel=0.02)
    assert percentile(drawn, 0.95) == pytest.approx(1000 * math.exp(1.6449 - 0.5), rel=0.02)
    bins = Lengths(0, bins=((100, 0.6), (900, 0.4))).draw(10_000, random.Random(4))
    assert set(bins) == {100, 900} and bins.count(100) / 10_000 == pytest.approx(0.6, abs=0.02)
    assert Lengths(7.4).draw(3, random.Random(4)) == [7, 7, 7]


@pytest.mark.parametrize(*listed("serving", "test_lengths_that_no_log_normal_has_are_refused"))
def test_lengths_that_no_log_normal_has_are_refused(lengths: list[float], message: str) -> None:
    assert message_of(RangeError, sigma_of, *lengths) == message
