"""The serving report: GPUs and money for a traffic, the latency it gets, and how sure each figure is."""

from __future__ import annotations

import math
from datetime import date

from sizebook.core.tables import table
from sizebook.core.texts import text
from sizebook.core.units import duration, gibibytes, grouped, parameters, percent
from sizebook.plans.serving.choice import Choices
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.replica import latency_curve
from sizebook.plans.serving.steps import derivations
from sizebook.reports.charts.kinds import Limit, Line, Lines, Series, Stacks
from sizebook.reports.figures import fixed
from sizebook.reports.serving.executive import sentences, tiles, warnings
from sizebook.reports.serving.fleet import fleet
from sizebook.reports.serving.money import carbon, cost, cost_chart, sensitivity
from sizebook.reports.serving.notes import alternatives, assumptions, errors
from sizebook.reports.serving.requests import requests_seen
from sizebook.reports.view import Column, Derivation, Report, Row, Section, Table

GIB = 2.0**30


def report(plan: ServingPlan, as_of: date, title: str = "", choices: Choices | None = None) -> Report:
    """Return the report of one serving plan; with ``choices`` it lists what else would serve the traffic."""
    setup, traffic, asked = plan.replica.setup, plan.traffic, plan.traffic.asked
    others = () if choices is None else (alternatives(plan, choices),)
    return Report(
        kind="Serving plan",
        title=title or f"Serving {plan.model}",
        subtitle=(
            f"{plan.model} on {setup.gpu} with {setup.replica.engine}, {plan.replica.layout}, "
            f"weights {setup.replica.weight_dtype or 'as published'}; "
            f"{parameters(traffic.requests_per_day)} requests a day of {grouped(asked.input_tokens)} tokens in"
            f"{f' and {grouped(asked.output_tokens)} out' if plan.replica.decodes else ', answered in one pass'}"
        ),
        as_of=as_of,
        sentences=sentences(plan),
        tiles=tiles(plan),
        chart=cost_chart(plan),
        warnings=warnings(plan),
        sections=(
            fleet(plan),
            _latency(plan) if plan.replica.loaded is None else requests_seen(plan, plan.replica.loaded),
            _memory(plan),
            cost(plan),
            sensitivity(plan),
            carbon(plan),
            *others,
            errors(plan),
            Section("Derivation", "How each figure was computed", (Derivation(derivations(plan)),)),
            assumptions(plan),
        ),
        data_dates=f"hardware of {_latest('hardware')}, calibration of {_latest('calibration_serving')}",
    )


def _latest(name: str) -> str:
    return max(row["retrieved"] for row in table(name))


def _latency(plan: ServingPlan) -> Section:
    """Return latency against load, with the load that the plan runs at and the targets."""
    replica, limits = plan.replica, plan.inputs.target.latencies.limits
    curve = latency_curve(replica)
    points = [(float(c), at) for c, at in curve if c < replica.concurrency]
    points += [(float(replica.concurrency), replica.at_knee)]
    points += [(float(c), at) for c, at in curve if c > replica.concurrency]
    token = [(c, 1e3 * float(at.tpot_seconds)) for c, at in points]
    first = [(c, float(at.ttft_seconds)) for c, at in points]
    planned = f"Plan: {grouped(replica.concurrency)} in flight"
    knee = float(replica.concurrency)
    charts = tuple(
        Lines(
            title,
            "Requests in flight on one replica",
            axis,
            lines=(Line(name, tuple(line), tuple((x, y * band.low, y * band.high) for x, y in line)),),
            limit=Limit(limit, f"Target {fixed(limit, decimals)} {unit}") if math.isfinite(limit) else None,
            points=((knee, next(y for x, y in line if x == knee), planned),),
            log_x=True,
        )
        for title, axis, name, line, band, limit, decimals, unit in (
            (
                f"Time per token: {fixed(1e3 * float(replica.at_knee.tpot_seconds), 1)} ms at the planned load",
                "Milliseconds per token",
                "TPOT",
                token,
                replica.bands["tpot"],
                1e3 * limits[1],
                0,
                "ms",
            ),
            (
                f"Time to the first token: {duration(float(replica.at_knee.ttft_seconds))} at the planned load",
                "Seconds to the first token",
                "TTFT",
                first,
                replica.bands["ttft"],
                limits[0],
                2,
                "s",
            ),
        )
        if name == "TTFT" or replica.decodes
    )
    return Section(
        "Latency",
        f"One replica carries {grouped(replica.concurrency)} requests at once",
        (*charts,),
        new_page=True,
    )


def _memory(plan: ServingPlan) -> Section:
    memory, replica = plan.replica.memory, plan.replica
    parts = (
        ("Weights", float(memory.weight_bytes)),
        ("Activation peak", float(memory.activation_bytes)),
        ("Driver and communication", float(memory.non_torch_bytes)),
        ("Cache", float(memory.cache_bytes)),
        ("Left free by the engine", float(memory.physical_bytes - memory.allowed_bytes)),
    )
    series = tuple(Series(name, (size / GIB,), (fixed(size / GIB, 1),)) for name, size in parts)
    rows = [Row((name, fixed(size / GIB, 2), fixed(100 * size / memory.physical_bytes, 1))) for name, size in parts]
    physical, allowed = float(memory.physical_bytes), float(memory.allowed_bytes) / GIB
    rows.append(Row(("Physical memory", fixed(physical / GIB, 2), fixed(100, 1)), "total"))
    longest = grouped(plan.traffic.longest_tokens)
    return Section(
        "Memory",
        f"The cache has {gibibytes(float(memory.cache_bytes))} a GPU: room for {grouped(replica.capacity)} requests",
        (
            Stacks(
                f"Memory of one {replica.setup.gpu}: weights take {percent(float(memory.weight_bytes) / physical)}",
                "GiB",
                ("One GPU",),
                series=series,
                totals=(gibibytes(physical),),
                limit=Limit(allowed, text("The engine may use {memory}", memory=gibibytes(allowed * GIB))),
            ),
            Table(
                "Memory of one GPU",
                (Column("Component"), Column("Memory", "GiB", figures=True), Column("Share", "%", figures=True)),
                tuple(rows),
                note=f"Room is counted for whole sequences of {longest} tokens, input and "
                "output, on all GPUs of a replica.",
            ),
        ),
    )
