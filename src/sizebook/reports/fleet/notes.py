"""The back matter of the fleet report: the replicas of each service, how sure the figures are, what was given."""

from __future__ import annotations

import math

from sizebook.core.units import duration, grouped, significant, usd
from sizebook.plans.fleet.inputs import MONTHS
from sizebook.plans.fleet.plan import FleetPlan, PlannedService, usd_range, warnings
from sizebook.reports.figures import counted, fixed
from sizebook.reports.inputs import input_rows
from sizebook.reports.view import Block, Column, Notes, Row, Section, Table


def per_service(plan: FleetPlan) -> Section:
    """Return the replica of each service, its load and its place on nodes."""
    rows = tuple(
        Row(
            (
                each.service.name,
                f"{each.replica.setup.gpu}, {each.replica.layout}",
                grouped(each.replica.concurrency),
                grouped(each.replica.capacity),
                duration(each.replica.concurrency / each.replica.requests_per_second),
                significant(each.replica.requests_per_second, 3),
                grouped(each.replica.packing.instances_per_node),
                grouped(plan.terms.margins.spare_replicas(each.replica.packing)),
            )
        )
        for each in plan.services
    )
    whole = plan.terms.margins.whole_nodes
    paid = "GPUs are paid for by whole nodes." if whole else "GPUs are paid for by the replica."
    columns = (
        Column("Service"),
        Column("Replica"),
        Column("In flight", figures=True),
        Column("Cache holds", figures=True),
        Column("Request", figures=True),
        Column("Rate", "requests/s", figures=True),
        Column("On a node", figures=True),
        Column("Spare", figures=True),
    )
    message = "Each service runs on replicas and nodes of its own"
    note = f"On a node and spare: replicas; one larger than a node shows 0. {paid}"
    return Section("Replicas", message, (Table("One replica of each service", columns, rows, note=note),))


def how_sure(plan: FleetPlan) -> Section:
    """Return the bands of throughput and the fleets that they allow."""
    rows = tuple(_band(each) for each in plan.services)
    columns = (
        Column("Service"),
        Column("p10", figures=True),
        Column("p90", figures=True),
        Column("Measurements", figures=True),
        Column("GPUs, last month", figures=True),
        Column(f"Cost, {MONTHS} months", "USD", figures=True),
    )
    low, high = usd_range(plan)
    return Section(
        "How sure",
        f"Measured throughput puts the cost between {usd(low)} and {usd(high)}",
        (
            Table(
                "Measured over predicted throughput, on setups that the calibration had not seen",
                columns,
                rows,
                note="Ranges hold eight of ten measurements. Traffic and growth are taken as given: they are likely to "
                "differ by more.",
            ),
        ),
    )


def _band(each: PlannedService) -> Row:
    band = each.replica.bands["throughput"]
    low, high = usd_range(each)
    gpus = f"{each.fewest[-1].peak_gpus} to {each.most[-1].peak_gpus}"
    cost = f"{grouped(low)} to {grouped(high)}"
    return Row((each.service.name, fixed(band.low, 2), fixed(band.high, 2), grouped(band.rows), gpus, cost))


# Inputs that a row of its own shows, with what was looked up for them.
IN_WORDS = frozenset({
    "name", "model", "gpu", "engine", "weight_dtype", "tp", "pp", "dp", "ep", "draft_tokens", "tokens_per_step",
    "gpus_per_node", "concurrency", "ttft_target_seconds", "tpot_target_seconds", "band_quantile",
    "request_percentile",
    "on_demand_usd_per_gpu_hour", "reserved_usd_per_gpu_hour", "start", "rates_file", "grid", "grams_per_kwh",
})  # fmt: skip


def assumptions(plan: FleetPlan) -> Section:
    """Return every input of the plan, those looked up with where they come from."""
    rates = plan.services[0].rates
    grid = ("Grid", f"{rates.grams_per_kwh:g} g CO\u2082e/kWh", rates.grid_basis)
    columns = (Column("Input"), Column("Value"), Column("Origin"))
    tables = [Table(each.service.name, columns, _service(each)) for each in plan.services]
    left_out = (
        "Prices, accelerators and models stay the same for three years. Network, storage and staff are left out.",
        "Services do not share nodes, and burst GPUs are taken to be there when they are wanted.",
    )
    blocks: tuple[Block, ...] = (
        Table("Fleet", columns, tuple(Row(row) for row in (*input_rows(plan.terms, without=IN_WORDS), grid))),
        *tables,
        Notes(left_out, "Left out"),
    )
    if told := warnings(plan):
        blocks += (Notes(told, "To check"),)
    return Section("Assumptions", "What the plan takes as given", blocks)


def _service(each: PlannedService) -> tuple[Row, ...]:
    service, planned, rates = each.service, each.replica, each.rates
    replica = service.replica
    rows = (
        ("Model", service.model, "scenario; counted exactly"),
        ("Accelerator", f"{planned.setup.gpu}, {rates.tdp_watts:g} W", "data/hardware.csv"),
        ("Engine", replica.engine, "data/engines.csv"),
        ("Rates", planned.rates_basis, "data/kernels.csv, data/calibration_serving.csv"),
        ("Weights", replica.weight_dtype or "as published", "scenario"),
        (
            "Layout of a replica",
            f"{planned.layout}: {counted(planned.gpus, 'GPU')}",
            "searched" if planned.pools else "scenario",
        ),
        ("Drafted tokens", planned.drafts, "data/calibration_serving.csv"),
        ("GPUs of a node", grouped(planned.packing.gpus_per_node), planned.packing.basis),
        ("In flight on a replica", grouped(planned.concurrency), _load(each)),
        ("GPU-hour", f"${rates.reserved_usd:,.2f} reserved, ${rates.on_demand_usd:,.2f} burst", rates.basis),
        *input_rows(service, without=IN_WORDS),
    )
    return tuple(Row(row) for row in rows)


def _load(each: PlannedService) -> str:
    """Return where the load of a replica comes from: given, or the most within the target."""
    latencies = each.service.latencies
    if each.replica.binding == "given":
        return "scenario"
    promised = [
        f"{name} {duration(limit)}"
        for name, limit in zip(("first token", "token"), latencies.limits, strict=True)
        if math.isfinite(limit)
    ]
    held = f"{each.service.requests.held_for} of requests, " if each.service.requests.request_percentile else ""
    return f"the most within the target: {', '.join(promised) or 'none'}, {held}{latencies.band_quantile}"
