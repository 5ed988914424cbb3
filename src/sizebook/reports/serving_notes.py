"""The back matter of the serving report: what else would do, how sure the figures are, what was taken as given."""

from __future__ import annotations

import math

from sizebook.formulas.serving_case import kv_dtype_of, weight_dtype_of
from sizebook.plans.lengths import Histogram
from sizebook.plans.nodes import Packing
from sizebook.plans.serving import ServingPlan
from sizebook.plans.serving_choice import Choice, Choices
from sizebook.reports.figures import counted, fixed
from sizebook.reports.view import Column, Notes, Row, Section, Table
from sizebook.units import duration, grouped, percent, usd

_MOST_CHOICES = 10
_FIGURES = {"ttft": "Time to first token", "tpot": "Time per token", "throughput": "Throughput"}


def alternatives(plan: ServingPlan, choices: Choices) -> Section:
    """Return the cheapest setups that meet the target, those on the front of cost and latency marked."""
    cheapest = choices.ranked[0]
    failed = "; ".join(f"{reason} ({times})" for reason, times in choices.failed) or "none"
    return Section(
        "Alternatives",
        f"The cheapest setup on target: {usd(cheapest.usd_per_month)} in month {len(plan.months)}",
        (
            Table(
                "Setups that meet the target, cheapest first; bold: none is both cheaper and faster",
                (
                    Column("Accelerator"),
                    Column("Engine"),
                    Column("Weights"),
                    Column("Layout"),
                    Column("GPUs at peak", figures=True),
                    Column("Cost", "USD a month", figures=True),
                    Column("Per token", "ms", figures=True),
                ),
                tuple(_choice(choice) for choice in choices.ranked[:_MOST_CHOICES]),
                f"Setups that cannot meet it, by what stops them: {failed}.",
            ),
        ),
    )


def _choice(choice: Choice) -> Row:
    setup, month = choice.plan.replica.setup, choice.plan.months[-1]
    replica = setup.replica
    cells = (
        setup.gpu,
        replica.engine,
        replica.weight_dtype or "published",
        replica.layout,
        grouped(month.peak_gpus),
        grouped(choice.usd_per_month),
        fixed(1e3 * choice.tpot_seconds, 1),
    )
    return Row(cells, "marked" if choice.on_front else "plain")


def errors(plan: ServingPlan) -> Section:
    """Return the error bands of latency and throughput with the measurements behind them."""
    bands = plan.replica.bands
    rows = tuple(
        Row(
            (
                _FIGURES[name],
                fixed(band.low, 2),
                fixed(band.middle, 2),
                fixed(band.high, 2),
                grouped(band.rows),
                grouped(band.groups),
            )
        )
        for name, band in bands.items()
    )
    low, high = bands["throughput"].low, bands["throughput"].high
    return Section(
        "How sure",
        f"Throughput measured: {fixed(low, 2)} to {fixed(high, 2)} of the prediction",
        (
            Table(
                "Measured over predicted, on setups that the calibration had not seen",
                (
                    Column("Figure"),
                    Column("p10", figures=True),
                    Column("p50", figures=True),
                    Column("p90", figures=True),
                    Column("Measurements", figures=True),
                    Column("Groups", figures=True),
                ),
                rows,
                "A group is one model, system, engine and precision; no group was both fitted and judged. Setups "
                "without measurements take the band of all, widened by half.",
            ),
        ),
    )


def assumptions(plan: ServingPlan) -> Section:
    """Return every input of the plan."""
    setup, traffic, rates = plan.replica.setup.replica, plan.traffic, plan.rates
    latencies, margins, asked = plan.inputs.target.latencies, plan.inputs.target.margins, plan.traffic.asked
    packing, weights = plan.replica.packing, weight_dtype_of(plan.replica.setup.model, setup.weight_dtype)
    rows = [
        ("Model", plan.model, "scenario; counted exactly"),
        ("Accelerator", plan.replica.setup.gpu, "data/hardware.csv"),
        ("Engine", setup.engine, "data/engines.csv, data/calibration_serving.csv"),
        ("Weights", weights, "scenario" if setup.weight_dtype else "as published"),
        (
            "Cache",
            kv_dtype_of(setup.engine, weights, setup.kv_dtype),
            "scenario" if setup.kv_dtype else "the engine's default",
        ),
        ("Layout of a replica", f"{setup.layout}: {counted(setup.gpus, 'GPU')}", "scenario"),
        ("Drafted tokens", plan.replica.drafts, "scenario, data/calibration_serving.csv"),
        ("Requests a day", grouped(traffic.requests_per_day), "scenario"),
        ("Growth a month", percent(traffic.growth_per_month) if traffic.growth_per_month else "none", "scenario"),
        ("Bursts over the hourly mean", f"{traffic.burst_factor:g}", "scenario"),
        ("Tokens in, mean", grouped(asked.input_tokens), _lengths(traffic.prompts)),
        ("Tokens out, mean", grouped(asked.output_tokens), _lengths(traffic.answers)),
        ("Tokens to reserve cache for", grouped(traffic.longest_tokens), "95th percentiles where given"),
        ("Context of the model", grouped(plan.context_tokens) if plan.context_tokens else "not stated", "as published"),
        ("Target, first token", _seconds(latencies.limits[0]), f"scenario, must hold at {latencies.at}"),
        ("Target, each further token", _seconds(latencies.limits[1]), f"scenario, must hold at {latencies.at}"),
        ("Target load", percent(margins.target_load), "scenario"),
        ("GPUs of a node", grouped(packing.gpus_per_node), packing.basis),
        ("Instances of a node", *_instances(packing)),
        ("Failures covered", counted(margins.spare, margins.failure_domain), "scenario"),
        ("Spare replicas", grouped(margins.spare_replicas(packing)), "failures covered x replicas lost with each"),
        ("GPUs are paid for", "by whole nodes" if margins.whole_nodes else "by the replica", "scenario"),
        ("Reserved GPU-hour", f"${rates.reserved_usd:,.2f}", rates.basis),
        ("On-demand GPU-hour", f"${rates.on_demand_usd:,.2f}", rates.basis),
    ]
    left_out: tuple[str, ...] = (
        "Requests are taken to arrive evenly within an hour; shorter bursts are what the burst factor and the target "
        "load leave room for.",
        "Starting and stopping replicas by the hour is taken to be free. Network, storage and staff are left out.",
    )
    if plan.beyond_context:
        left_out = (f"{plan.beyond_context}: what it answers there is untested.", *left_out)
    columns = (Column("Input"), Column("Value"), Column("Origin"))
    return Section(
        "Assumptions",
        "What the plan takes as given",
        (Table("Inputs", columns, tuple(Row(row) for row in rows)), Notes(left_out, "Left out")),
    )


def _lengths(lengths: Histogram | None) -> str:
    if lengths is None:
        return "scenario"
    median, most = (grouped(lengths.percentile(share)) for share in (0.5, 0.95))
    return f"scenario, histogram: p50 {median}, p95 {most}"


def _instances(packing: Packing) -> tuple[str, str]:
    if packing.instances_per_node:
        return grouped(packing.instances_per_node), "whole replicas that fit in a node"
    return "none", f"a replica spans {counted(packing.nodes_per_replica, 'node')}"


def _seconds(seconds: float) -> str:
    return duration(seconds) if math.isfinite(seconds) else "none"
