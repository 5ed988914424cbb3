"""The serving report: GPUs, latency and money for a traffic, with the band that measurements give."""

from __future__ import annotations

import math
from datetime import date

from sizebook.formulas.serving_estimate import Band
from sizebook.plans.serving import ServingPlan, latency_curve
from sizebook.plans.serving_sensitivity import sensitivities
from sizebook.reports.charts.kinds import Bar, Bars, Columns, Limit, Line, Lines, Series, Span, Spans
from sizebook.reports.figures import aligned, fixed
from sizebook.reports.view import Column, Notes, Report, Row, Section, Table, Tile
from sizebook.tables import table
from sizebook.units import duration, energy, gibibytes, grouped, mass, percent, significant, usd

GIB = 2.0**30
BINDS = {
    "ttft": "the target on time to first token binds",
    "tpot": "the target on time per token binds",
    "cache": "the cache is full there",
    "batch": "the engine's batch is full there",
}


def report(plan: ServingPlan, as_of: date, title: str = "") -> Report:
    """Return the report of one serving plan."""
    setup, traffic = plan.replica.setup, plan.traffic
    return Report(
        kind="Serving plan",
        title=title or f"{plan.model} on {setup.gpu}",
        subtitle=(
            f"{grouped(traffic.requests_per_day)} requests a day, {grouped(traffic.input_tokens)} tokens in and "
            f"{grouped(traffic.output_tokens)} out; {setup.engine}, "
            f"{setup.weight_dtype or 'the format of the checkpoint'}, {setup.layout}"
        ),
        as_of=as_of,
        summary=_summary(plan),
        tiles=_tiles(plan),
        sections=(_latency(plan), _memory(plan), _hours(plan), _months(plan), _sensitivity(plan), _assumptions(plan)),
        data_dates=f"hardware of {_latest('hardware')}, prices of {_latest('prices')}, "
        f"calibration of {_latest('calibration_serving')}",
    )


def _latest(name: str) -> str:
    return max(row["retrieved"] for row in table(name))


def _banded(value: float, band: Band) -> str:
    return f"p10 {duration(value * band.low)}, p90 {duration(value * band.high)}"


def _summary(plan: ServingPlan) -> str:
    first, last, replica = plan.months[0], plan.months[-1], plan.replica
    band = replica.bands["tpot"]
    growth = "" if len(plan.months) == 1 else f", {usd(last.usd)} in month {last.month + 1}"
    return (
        f"{grouped(first.peak_gpus)} {replica.setup.gpu} serve the busiest hour, the spare counted, for "
        f"{usd(first.usd)} a month{growth}. One replica takes {significant(replica.requests_per_second, 3)} requests a "
        f"second with {grouped(replica.concurrency)} in flight; {BINDS[replica.binding]}. Bands are the 10th to 90th "
        f"percentile of {grouped(band.rows)} measurements over predictions that had seen none of their kind."
    )


def _tiles(plan: ServingPlan) -> tuple[Tile, ...]:
    first, last, knee, bands = plan.months[0], plan.months[-1], plan.replica.at_knee, plan.replica.bands
    rate = bands["throughput"]
    low, high = (plan.months[0].usd_per_mtok_output / share for share in (rate.high, rate.low))
    return (
        Tile("GPUs at peak", grouped(first.peak_gpus), f"{grouped(last.peak_gpus)} in month {last.month + 1}"),
        Tile("Cost a month", usd(first.usd), f"{usd(last.usd)} in month {last.month + 1}"),
        Tile("Million output tokens", usd(first.usd_per_mtok_output), f"p10 {usd(low)}, p90 {usd(high)}"),
        Tile(
            "Time to first token", duration(float(knee.ttft_seconds)), _banded(float(knee.ttft_seconds), bands["ttft"])
        ),
        Tile("Time per token", duration(float(knee.tpot_seconds)), _banded(float(knee.tpot_seconds), bands["tpot"])),
    )


def _latency(plan: ServingPlan) -> Section:
    curve = latency_curve(plan.replica, plan.traffic)
    band, knee = plan.replica.bands["tpot"], plan.replica.concurrency
    points = tuple((float(c), float(at.tpot_seconds) * 1e3) for c, at in curve)
    area = tuple((x, y * band.low, y * band.high) for x, y in points)
    target = plan.target.tpot_seconds
    limit = Limit(target * 1e3, f"Target {duration(target)}") if math.isfinite(target) else None
    chart = Lines(
        f"Time per token stays within {duration(float(plan.replica.at_knee.tpot_seconds))} "
        f"up to {grouped(knee)} requests",
        "Requests in flight on one replica",
        "Time per token, ms",
        (Line("Time per token, p10 to p90", points, area),),
        limit,
        log_x=True,
    )
    rows = [
        (grouped(c), fixed(float(at.ttft_seconds), 3), fixed(1e3 * float(at.tpot_seconds), 2),
         grouped(round(float(at.tokens_per_second)))) for c, at in curve
    ]  # fmt: skip
    columns = (
        Column("Requests in flight"), Column("Time to first token", "s", figures=True),
        Column("Time per token", "ms", figures=True), Column("Output", "tokens/s", figures=True),
    )  # fmt: skip
    cells = tuple(Row(row) for row in rows)
    return Section("Latency", "What one replica does as load grows", (chart, Table("One replica", columns, cells)))


def _memory(plan: ServingPlan) -> Section:
    memory, replica = plan.replica.memory, plan.replica
    unused = float(memory.physical_bytes) - float(memory.allowed_bytes)
    parts = [
        ("Weights", memory.weight_bytes), ("Activation peak", memory.activation_bytes),
        ("Outside torch", memory.non_torch_bytes), ("Cache", memory.cache_bytes), ("Kept free", unused),
    ]  # fmt: skip
    bars = tuple(
        Bar(name, float(n) / GIB, text, name == "Cache")
        for (name, n), text in zip(parts, aligned([float(n) / GIB for _, n in parts]), strict=True)
    )
    title = (
        f"{gibibytes(float(memory.cache_bytes))} are left for the cache of {gibibytes(float(memory.physical_bytes))}"
    )
    tokens = grouped(plan.traffic.longest_tokens)
    held = f"A replica holds {grouped(replica.capacity)} requests of {tokens} tokens at once."
    return Section("Memory", "Where the memory of one GPU goes", (Bars(title, "GiB", bars), Notes((held,))))


def _hours(plan: ServingPlan) -> Section:
    month = plan.months[0]
    hours = tuple(f"{hour:02d}" for hour in range(24))
    busiest = max(month.utilization_by_hour)
    chart = Columns(
        f"Replicas are {percent(month.utilization)} busy on average, {percent(busiest)} at most",
        "Hour of the day", "Share of the replicas' rate, %", hours,
        (Series("Busy", tuple(100 * u for u in month.utilization_by_hour)),),
    )  # fmt: skip
    fleet = Columns(
        f"{min(month.replicas_by_hour)} replicas run always, {max(month.replicas_by_hour)} at peak",
        "Hour of the day", "Replicas", hours, (Series("Replicas", tuple(map(float, month.replicas_by_hour))),),
    )  # fmt: skip
    return Section("Hours", "How the fleet follows the day in month 1", (chart, fleet), new_page=True)


def _months(plan: ServingPlan) -> Section:
    months = plan.months
    columns = (
        Column("Month"), Column("Reserved", "GPUs", figures=True), Column("Peak", "GPUs", figures=True),
        Column("Busy", "%", figures=True), Column("Cost", "USD", figures=True),
        Column("Output", "USD/Mtok", figures=True), Column("Energy", "kWh", figures=True),
        Column("CO\u2082e", "kg", figures=True),
    )  # fmt: skip
    rows = tuple(
        Row((str(m.month + 1), grouped(m.reserved_gpus), grouped(m.peak_gpus), fixed(100 * m.utilization, 1),
             grouped(round(m.usd)), fixed(m.usd_per_mtok_output, 3), grouped(round(m.energy_kwh)),
             grouped(round(m.co2e_kg)))) for m in months
    )  # fmt: skip
    chart = Columns(
        f"From {usd(months[0].usd)} to {usd(months[-1].usd)} a month", "Month", "Cost, USD",
        tuple(str(m.month + 1) for m in months), (Series("Cost", tuple(m.usd for m in months)),),
    )  # fmt: skip
    power = (
        f"At full load a million output tokens would cost {usd(plan.usd_per_mtok_saturated)}: the rest is idle time. "
        f"{energy(months[0].energy_kwh)} and {mass(months[0].co2e_kg)} in month 1 ({plan.prices.grid_basis})."
    )
    message = f"The fleet costs {usd(sum(m.usd for m in months))} over {len(months)} months"
    return Section("Cost", message, (chart, Table("Month by month", columns, rows, power)), new_page=True)


def _sensitivity(plan: ServingPlan) -> Section:
    swings, base = sensitivities(plan), plan.months[-1].usd
    spans = tuple(
        Span(s.label, min(s.low_usd, s.high_usd) / 1e3, max(s.low_usd, s.high_usd) / 1e3,
             f"{usd(s.low_usd)} to {usd(s.high_usd)}", at == 0) for at, s in enumerate(swings)
    )  # fmt: skip
    title = f"{swings[0].label.partition(',')[0]}: {usd(swings[0].width_usd)} between its ends"
    chart = Spans(title, "Cost of the last month, USD, thousands", spans, Limit(base / 1e3, f"Plan {usd(base)}"))
    return Section("Sensitivity", "What the cost hangs on, one input at a time", (chart,))


def _assumptions(plan: ServingPlan) -> Section:
    traffic, target, prices = plan.traffic, plan.target, plan.prices
    items = (
        f"Prices: {usd(prices.reserved_usd)} reserved and {usd(prices.on_demand_usd)} on demand a GPU-hour: "
        f"{prices.basis}.",
        f"Replicas are planned for {percent(target.target_load)} of their rate, with {target.spare} spare.",
        f"Every hour is planned for {traffic.peak_factor:g} times its mean; traffic grows "
        f"{percent(traffic.growth_per_month)} a month.",
        f"The latency target holds at {target.at}"
        f"{' of the error band' if target.at == 'p90' else ', the estimate itself'}; requests are of mean length.",
        f"Power at the wall is 1.30 of the TDP ({prices.tdp_watts:g} W) when busy and 0.30 when idle, "
        f"PUE {prices.pue:g}.",
        "Left out: shared prefixes, network egress, storage, staff, and the time that new replicas take to start.",
    )
    return Section("Assumptions", "What the plan takes as given", (Notes(items),))
