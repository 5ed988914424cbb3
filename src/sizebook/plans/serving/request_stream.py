"""Requests one by one: how they arrive at a replica, and the percentile of them that targets hold for."""

from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from sizebook.core.errors import InputError, RangeError
from sizebook.core.sections import DEFAULT, quantity, section
from sizebook.plans.serving.lengths import RequestLengths, counted
from sizebook.serving.arrivals import Lengths
from sizebook.serving.encoding import as_answered, no_answers, one_pass, positions_heard
from sizebook.serving.load import MOST_REQUESTS, Stream
from sizebook.serving.quantities import Demand
from sizebook.serving.traffic_quantities import RequestPercentile, share_of


@section
class RequestStream:
    """Requests one by one: the percentile of them that targets hold for, how they arrive, and how long sound is.

    It stands last among the arguments, so that those before it keep their places.
    """

    request_percentile: RequestPercentile = DEFAULT
    dispersion: float = quantity(
        "index of dispersion of arrivals at a replica: variance over mean of their counts; 1 is Poisson, more bursty",
        "ratio",
        above=0,
        maximum=1000,
        default=1,
        label="Dispersion of arrivals",
        source="neutral: Poisson arrivals",
    )
    trace: Any = quantity(
        "arrivals at a replica to repeat at every rate: seconds, or rows of second, prompt and answer tokens, or a CSV "
        "file with columns seconds, input_tokens and output_tokens",
        default=None,
        label="Trace of arrivals",
    )
    input_seconds: float | None = quantity(
        "seconds of sound in a request, for a model that hears: in place of the tokens of a prompt",
        "seconds",
        above=0,
        maximum=86_400,
        default=None,
        label="Sound of a request",
    )

    @cached_property
    def rows(self) -> tuple[tuple[float, ...], ...]:
        """Rows of the trace, none where there is none."""
        return () if self.trace is None else trace_rows(self.trace)

    @property
    def has_lengths(self) -> bool:
        """Whether the trace says how long each request is."""
        return bool(self.rows) and len(self.rows[0]) > 1

    @property
    def share(self) -> float | None:
        """The share of requests that targets hold for, None for the mean."""
        return None if self.request_percentile is None else share_of(self.request_percentile)

    @property
    def held_for(self) -> str:
        """What of requests the targets are held for: the mean, or a percentile."""
        return self.request_percentile or "mean"

    def read(self, model: str, demand: Demand, lengths: RequestLengths) -> tuple[Demand, RequestLengths]:
        """Return demand and lengths as the model reads them: a trace's lengths, sound as positions, one answer a pass.

        What is known replaces what was stated otherwise.
        """
        if self.has_lengths:
            prompts, answers = (counted(row[place] for row in self.rows).bins for place in (1, 2))
            lengths = RequestLengths(input_histogram=prompts, output_histogram=answers)
        if self.input_seconds is not None:
            lengths = replace(lengths, input_histogram=None, input_tokens_p50=None, input_tokens_p95=None)
        if one_pass(model):
            if lengths.output_histogram is not None:
                raise InputError(no_answers(lengths.mean(demand).output_tokens))
            lengths = replace(lengths, output_tokens_p50=None, output_tokens_p95=None)
        return self.heard(model, demand), lengths

    def heard(self, model: str, demand: Demand) -> Demand:
        """Return a demand with sound as positions of the model, and with one answer where one pass gives it."""
        if self.input_seconds is not None:
            demand = replace(demand, input_tokens=positions_heard(model, self.input_seconds))
        return as_answered(model, demand)

    def stream(self, prompts: Lengths, answers: Lengths) -> Stream:
        """Return the requests of a replica as they come, of these lengths where no trace has its own."""
        return Stream(prompts, answers, self.dispersion, trace=self.rows)


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
            f"trace is not in order: got seconds from {rows[0][0]:g} to {rows[-1][0]:g} that fall or stand still, want "
            "each at or after the one before. Sort them."
        )
    return rows
