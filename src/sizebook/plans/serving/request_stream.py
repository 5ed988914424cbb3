"""Requests one by one: how they arrive at a replica, and the percentile of them that targets hold for."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any

from sizebook.core.sections import DEFAULT, Quantity, section
from sizebook.plans.serving.streams import trace_rows
from sizebook.serving.arrivals import Lengths
from sizebook.serving.load import Stream
from sizebook.serving.quantities import RequestPercentile, share_of

Dispersion = Annotated[
    float,
    Quantity(
        "index of dispersion of arrivals at a replica: variance over mean of their counts; 1 is Poisson, more bursty",
        unit="ratio",
        above=0,
        maximum=1000,
        default=1,
        label="Dispersion of arrivals",
        source="neutral: Poisson arrivals",
    ),
]
Trace = Annotated[
    Any,
    Quantity(
        "arrivals at a replica to repeat at every rate: seconds, or rows of second, prompt and answer tokens, or a CSV "
        "file with columns seconds, input_tokens and output_tokens",
        kind="list",
        default=None,
        label="Trace of arrivals",
    ),
]


InputSeconds = Annotated[
    float | None,
    Quantity(
        "seconds of sound in a request, for a model that hears: in place of the tokens of a prompt",
        unit="seconds",
        above=0,
        maximum=86_400,
        default=None,
        label="Sound of a request",
    ),
]


@section
class RequestStream:
    """Requests one by one: the percentile of them that targets hold for, how they arrive, and how long sound is.

    It stands last among the arguments, so that those before it keep their places.
    """

    request_percentile: RequestPercentile = DEFAULT
    dispersion: Dispersion = DEFAULT
    trace: Trace = DEFAULT
    input_seconds: InputSeconds = DEFAULT

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

    def stream(self, prompts: Lengths, answers: Lengths) -> Stream:
        """Return the requests of a replica as they come, of these lengths where no trace has its own."""
        return Stream(prompts, answers, self.dispersion, trace=self.rows)
