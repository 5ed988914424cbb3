"""The back matter of the fleet report: the replicas of each service, how sure the figures are, what was given."""

import math

from sizebook.core.texts import joined, range_text, text
from sizebook.core.units import NOT_LISTED, duration, grouped, significant, usd
from sizebook.plans.fleet.plan import FleetPlan, PlannedService
from sizebook.plans.fleet.remarks import warnings
from sizebook.plans.ledgers import usd_range
from sizebook.reports.document import Block, Notes, Row, Section, Table, figure_columns, headings, section
from sizebook.reports.input_rows import LOOKED_UP, InputRow, input_rows, inputs_table
from sizebook.reports.number_columns import dollars, fixed, plain_number
from sizebook.reports.phrases import NO_COST, months
from sizebook.reports.replica_rows import engine_rows, grid_row, layout_row, node_row
from sizebook.tables.hardware import accelerator, sheet_of


def per_service(plan: FleetPlan) -> Section:
    """Return the replica of each service, its load and its place on nodes."""
    rows = tuple(
        Row(
            (
                each.service.name,
                text("{gpu}, {layout}", gpu=accelerator(each.replica.setup.gpu).name, layout=each.replica.layout),
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
    paid = text("GPUs are paid for by whole nodes.") if whole else text("GPUs are paid for by the replica.")
    columns = headings(
        text("Service"),
        text("Replica"),
        figure_columns(text("In flight"), text("Cache holds"), text("Request")),
        figure_columns(text("Rate"), unit="requests/s"),
        figure_columns(text("On a node"), text("Spare")),
    )
    message = (
        text("Services on the same hardware share nodes")
        if plan.terms.racks.share_nodes
        else text("Each service runs on replicas and nodes of its own")
    )
    note = text("On a node and spare: replicas; one larger than a node shows 0. {paid}", paid=paid)
    return section(text("Replicas"), message, Table(text("One replica of each service"), columns, rows, note=note))


def error_bands(plan: FleetPlan) -> Section:
    """Return the bands of throughput and the fleets that they allow."""
    rows = tuple(_band(each) for each in plan.services)
    columns = headings(
        text("Service"),
        figure_columns("p10", "p90", text("Measurements"), text("GPUs, last month")),
        figure_columns(text("Cost, {months}", months=months(len(plan.months))), unit="USD"),
    )
    cost = usd_range(plan)
    return section(
        text("How sure"),
        NO_COST
        if math.isnan(cost.low)
        else text("Throughput and prices put the cost at {range}", range=range_text(usd(cost.low), usd(cost.high))),
        Table(
            text("Measured over predicted throughput, on setups that the calibration had not seen"),
            columns,
            rows,
            note=text(
                "Ranges hold eight of ten measurements, those of cost eight of ten providers too. Traffic and "
                "growth are taken as given: they are likely to differ by more."
            ),
        ),
    )


def _band(each: PlannedService) -> Row:
    band = each.replica.bands["throughput"]
    found = usd_range(each)
    gpus_needed = range_text(grouped(each.fewest[-1].peak_gpus), grouped(each.most[-1].peak_gpus))
    cost = range_text(grouped(found.low), grouped(found.high))
    return Row((each.service.name, fixed(band.low, 2), fixed(band.high, 2), grouped(band.rows), gpus_needed, cost))


# Inputs that a row of its own shows, with what was looked up for them.
OWN_ROWS = LOOKED_UP | {"ttft_target_seconds", "tpot_target_seconds", "band_quantile", "request_percentile"}


def assumptions(plan: FleetPlan) -> Section:
    """Return every input of the plan, those looked up with where they come from."""
    tables = [inputs_table(each.service.name, _service(each)) for each in plan.services]
    left_out = (
        text(
            "Accelerators and models stay the same for all months. The cost of GPUs leaves out network, storage and "
            "staff."
        ),
        text("Burst GPUs are taken to be there when they are wanted. Racks hold nodes of one kind, and no switches."),
    )
    blocks: tuple[Block, ...] = (
        inputs_table(text("Fleet"), (*input_rows(plan.terms, without=OWN_ROWS), grid_row(plan.services[0].rates))),
        *tables,
        Notes(left_out, text("Left out")),
    )
    if told := warnings(plan):
        blocks += (Notes(told, text("To check")),)
    return section(text("Assumptions"), text("What the plan takes as given"), *blocks)


def _service(each: PlannedService) -> tuple[InputRow, ...]:
    service, planned, rates = each.service, each.replica, each.rates
    replica, gpu = service.replica, planned.setup.gpu
    return (
        (text("Model"), service.model, text("scenario; counted exactly")),
        (
            text("Accelerator"),
            text("{gpu}, {tdp_watts}\u00a0W", gpu=accelerator(gpu).name, tdp_watts=plain_number(rates.tdp_watts))
            if rates.tdp_watts == rates.tdp_watts
            else text("{gpu}, TDP not listed", gpu=accelerator(gpu).name),
            sheet_of(gpu),
        ),
        *engine_rows(planned),
        (text("Weights"), replica.weight_dtype or text("as published"), text("scenario")),
        layout_row(planned),
        (text("Drafted tokens"), planned.drafts, "data/calibration_serving.csv"),
        node_row(planned),
        (text("In flight on a replica"), grouped(planned.concurrency), _load(each)),
        (
            text("GPU-hour"),
            NOT_LISTED
            if math.isnan(rates.reserved_usd) and math.isnan(rates.on_demand_usd)
            else text(
                "{reserved} reserved, {burst} burst",
                reserved=dollars(rates.reserved_usd),
                burst=dollars(rates.on_demand_usd),
            ),
            rates.basis,
        ),
        *input_rows(service, without=OWN_ROWS),
    )


def _load(each: PlannedService) -> str:
    """Return where the load of a replica comes from: given, or the most within the target."""
    latencies = each.service.latencies
    if each.replica.binding == "given":
        return text("scenario")
    promised = joined(
        (
            text("{latency} {limit}", latency=name, limit=duration(limit))
            for name, limit in zip((text("first token"), text("token")), latencies.limits, strict=True)
            if math.isfinite(limit)
        ),
        ", ",
    )
    targets = promised or text("none")
    held, band = each.service.requests.held_for, latencies.band_quantile
    if not each.service.requests.request_percentile:
        return text("the most within the target: {targets}, {band}", targets=targets, band=band)
    return text(
        "the most within the target: {targets}, {held} of requests, {band}", targets=targets, held=held, band=band
    )
