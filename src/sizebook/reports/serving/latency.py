"""Latency of a steady load: against requests in flight, and of two pools against what one would yield."""

import math
from dataclasses import replace

from sizebook.core.texts import plural, text
from sizebook.core.units import duration, grouped, significant
from sizebook.plans.serving.curves import CurvePoint, latency_curve, point
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.reports.charts.chart_types import Limit, Line, Lines
from sizebook.reports.document import Section, section
from sizebook.reports.number_columns import fixed
from sizebook.reports.serving.latency_terms import latency_terms


def latency(plan: ServingPlan) -> Section:
    """Return latency against load, with the load that the plan runs at and the targets."""
    replica, limits = plan.replica, plan.inputs.target.latencies.limits
    points = _through_the_plan(replica)
    token = [(float(at.concurrency), 1e3 * at.tpot_seconds) for at in points]
    first = [(float(at.concurrency), at.ttft_seconds) for at in points]
    planned = text("Plan: {n} in flight", n=grouped(replica.concurrency))
    knee = float(replica.concurrency)
    charts = tuple(
        Lines(
            title,
            text("Requests in flight on one replica"),
            axis,
            lines=(Line(name, tuple(line), tuple((x, y * band.low, y * band.high) for x, y in line)),),
            limit=Limit(limit, text("Target {n} {unit}", n=fixed(limit, decimals), unit=unit))
            if math.isfinite(limit)
            else None,
            points=((knee, next(y for x, y in line if x == knee), planned),),
            log_x=True,
        )
        for title, axis, name, line, band, limit, decimals, unit in (
            (
                text(
                    "Time per token: {n} ms at the planned load", n=fixed(1e3 * float(replica.at_knee.tpot_seconds), 1)
                ),
                text("Milliseconds per token"),
                text("TPOT"),
                token,
                replica.bands["tpot"],
                1e3 * limits[1],
                0,
                "ms",
            ),
            (
                text(
                    "Time to the first token: {duration} at the planned load",
                    duration=duration(float(replica.at_knee.ttft_seconds)),
                ),
                text("Seconds to the first token"),
                text("TTFT"),
                first,
                replica.bands["ttft"],
                limits[0],
                2,
                "s",
            ),
        )
        if name == "TTFT" or replica.decodes
    )
    return section(
        text("Latency"),
        plural(
            replica.concurrency, "One replica carries {n} request at once", "One replica carries {n} requests at once"
        ),
        *charts,
        *_against_one_pool(replica),
        *latency_terms(plan),
    )


def _through_the_plan(replica: PlannedReplica) -> list[CurvePoint]:
    """Return the curve with the planned load among its points."""
    planned = point(replica, replica.concurrency)
    others = (each for each in latency_curve(replica) if each.concurrency != planned.concurrency)
    return sorted((planned, *others), key=lambda each: each.concurrency)


def _against_one_pool(replica: PlannedReplica) -> tuple[Lines, ...]:
    """Return throughput of a GPU against the time per token, of both pools and of a decode worker that does all."""
    pools = replica.pools
    if pools is None:
        return ()
    packing = replace(replica.packing, gpus_per_replica=replica.setup.replica.gpus)
    alone = replace(replica, pools=None, packing=packing, capacity=pools.capacity // pools.decode.workers)
    two, one = (
        tuple((1e3 * at.tpot_seconds, at.gpu_tokens_per_second) for at in points)
        for points in (_through_the_plan(replica), latency_curve(alone))
    )
    planned = point(replica, replica.concurrency)
    shown = (1e3 * planned.tpot_seconds, planned.gpu_tokens_per_second)
    return (
        Lines(
            text("Throughput against latency: {n} output tokens/s a GPU as planned", n=significant(shown[1], 3)),
            text("Milliseconds per token"),
            text("Output tokens/s a GPU"),
            lines=(
                Line(text("Two pools"), two),
                Line(text("One pool, {layout}", layout=replica.setup.replica.layout), one),
            ),
            points=((*shown, text("Plan: {n} in flight", n=grouped(replica.concurrency))),),
        ),
    )
