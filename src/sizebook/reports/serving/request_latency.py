"""What requests see one by one, where a target names a percentile of them: shown in place of the steady load."""

import math

from sizebook.core.texts import text
from sizebook.core.units import duration, grouped, significant
from sizebook.plans.serving.plan import ServingPlan
from sizebook.reports.charts.chart_types import Limit, Line, Lines
from sizebook.reports.document import Column, Row, Section, Table, section
from sizebook.reports.number_columns import fixed
from sizebook.reports.serving.latency_terms import latency_terms
from sizebook.serving.load import SEED, Loaded
from sizebook.serving.traffic_quantities import PERCENTILES, share_of

_LATENCIES = (
    (text("Time to first token"), "ttft"),
    (text("Time per token"), "tpot"),
    (text("Whole request"), "request"),
)


def request_latency(plan: ServingPlan, loaded: Loaded) -> Section:
    """Return the percentiles of requests at the planned rate, and how the one that targets hold for grows with it."""
    held, rate = plan.inputs.requests.held_for, loaded.requests_per_second
    n = grouped(len(loaded.served.request))
    rows = tuple(
        Row((label, *(duration(loaded.served.seconds(latency, share_of(name))) for name in PERCENTILES)))
        for label, latency in _LATENCIES
    )
    table = Table(
        text("Latency of requests at {n} requests/s on one replica", n=significant(rate, 3)),
        (Column(text("Latency")), *(Column(name, figures=True) for name in PERCENTILES)),
        rows,
        note=text(
            "{n} requests, arrivals {arrivals}, seed {SEED}, simulated through continuous "
            "batching with the step times of this page's model; targets are held for {held}.",
            n=n,
            arrivals=plan.arrivals,
            SEED=SEED,
            held=held,
        ),
    )
    return section(
        text("Latency"),
        text(
            "{held} of requests: first token after {first}, then {token} a token",
            held=held,
            first=duration(plan.replica.held("ttft")),
            token=duration(plan.replica.held("tpot")),
        ),
        *(_growth(plan, loaded, latency) for latency in ("ttft", "tpot")),
        table,
        *latency_terms(plan),
    )


def _growth(plan: ServingPlan, loaded: Loaded, latency: str) -> Lines:
    """Return the chart of a percentile of requests against the rate of a replica."""
    held, rate = plan.inputs.requests.held_for, loaded.requests_per_second
    first = latency == "ttft"
    limit = plan.inputs.target.latencies.limits[0 if first else 1]
    factor, unit, decimals = (1.0, "s", 2) if first else (1e3, "ms", 0)
    words = text("Time to the first token") if first else text("Time per token")
    axis = text("Seconds to the first token") if first else text("Milliseconds per token")
    shown = duration(plan.replica.held(latency))
    points = tuple((each, factor * served.seconds(latency, loaded.share)) for each, served in loaded.curve())
    return Lines(
        text("{words}: {held} of requests {shown} at the planned rate", words=words, held=held, shown=shown),
        text("Requests a second on one replica"),
        text("{axis}, {held}", axis=axis, held=held),
        lines=(Line(held, points),),
        limit=Limit(factor * limit, text("Target {n} {unit}", n=fixed(factor * limit, decimals), unit=unit))
        if math.isfinite(limit)
        else None,
        points=((rate, factor * plan.replica.held(latency), text("Plan: {n} a second", n=significant(rate, 3))),),
    )
