"""The back matter of the serving report: what else would do, how sure the figures are, what was taken as given."""

from __future__ import annotations

from sizebook.core.units import duration, grouped, usd
from sizebook.models import catalog
from sizebook.plans.serving.choice import Choice, Choices
from sizebook.plans.serving.lengths import Histogram
from sizebook.plans.serving.nodes import Packing
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.reports.figures import counted, fixed
from sizebook.reports.inputs import input_rows
from sizebook.reports.view import Column, Notes, Row, Section, Table
from sizebook.serving.formats import kv_dtype_of, weight_dtype_of
from sizebook.serving.pools import LEAST_TRANSFER
from sizebook.serving.quantities import Replica

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
                note=f"Setups that cannot meet it, by what stops them: {failed}.",
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
        choice.plan.replica.layout,
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
                band.basis,
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
                "Measured over predicted",
                (
                    Column("Figure"),
                    Column("p10", figures=True),
                    Column("p50", figures=True),
                    Column("p90", figures=True),
                    Column("Measurements", figures=True),
                    Column("Groups", figures=True),
                    Column("Basis"),
                ),
                rows,
                note="A group is one model, system, engine and precision. In the fit: "
                "servers of this model, GPU and engine "
                "were. Otherwise the band is that of groups which a fit had not seen, each counting as one; wider "
                "where no server of the GPU was measured, widest where not even its kernels were, and for models with "
                "an encoder, of which nothing was measured. Separate pools have a band of their own: their time to "
                "first token is the least sure, as measured ones queued under caps that nobody stated.",
            ),
        ),
    )


# Inputs that a row of its own shows, with what was looked up for them.
IN_WORDS = frozenset({
    "weight_dtype", "kv_dtype", "engine", "rates_file", "tp", "pp", "dp", "ep", "draft_tokens", "tokens_per_step",
    "input_tokens",
    "output_tokens", "input_histogram", "output_histogram", "concurrency", "gpus_per_node",
    "on_demand_usd_per_gpu_hour", "reserved_usd_per_gpu_hour", "grid", "grams_per_kwh",
})  # fmt: skip


def assumptions(plan: ServingPlan) -> Section:
    """Return every input of the plan, those looked up with where they come from."""
    evenly = (
        "Requests are taken to arrive evenly within an hour; shorter bursts are what the burst factor and the target "
        "load leave room for."
    )
    by_chance = (
        "Each replica is taken to get its share of the requests by chance; one that balances them by what they wait "
        "for does better. How far the percentile of a real server is from this one was not measured."
    )
    left_out: tuple[str, ...] = (
        evenly if plan.replica.loaded is None else by_chance,
        "Starting and stopping replicas by the hour is taken to be free. Network, storage and staff are left out.",
    )
    if plan.beyond_context:
        left_out = (f"{plan.beyond_context}: what it answers there is untested.", *left_out)
    left_out = (*(f"Count of the model: {note}." for note in plan.notes), *left_out)
    columns = (Column("Input"), Column("Value"), Column("Origin"))
    rows = (*_replica_rows(plan), *_looked_up(plan), *input_rows(plan.inputs, without=IN_WORDS))
    return Section(
        "Assumptions",
        "What the plan takes as given",
        (Table("Inputs", columns, tuple(Row(row) for row in rows)), Notes(left_out, "Left out")),
    )


def _weights_origin(model: str, replica: Replica) -> str:
    if replica.weight_dtype:
        return "scenario"
    return "bytes from the checkpoint's headers" if catalog.is_checkpoint(model) else "as published"


def _replica_rows(plan: ServingPlan) -> list[tuple[str, str, str]]:
    setup, load = plan.replica.setup, plan.replica
    replica, asked, traffic = setup.replica, plan.traffic.asked, plan.traffic
    weights = weight_dtype_of(setup.model, replica.weight_dtype)
    cache = kv_dtype_of(replica.engine, weights, replica.kv_dtype, model=setup.model)
    return [
        ("Model", plan.model, "scenario; counted exactly"),
        ("Accelerator", setup.gpu, "data/hardware.csv"),
        ("Engine", replica.engine, "data/engines.csv"),
        ("Rates", plan.replica.rates_basis, "data/kernels.csv, data/calibration_serving.csv"),
        ("Weights", weights, _weights_origin(setup.model, replica)),
        ("Cache", cache, "scenario" if replica.kv_dtype else "as published, or the engine's default"),
        (
            "Layout of a replica",
            f"{load.layout}: {counted(load.gpus, 'GPU')}",
            "searched" if load.pools else "scenario",
        ),
        *_transfer(load),
        ("Drafted tokens", load.drafts, "scenario, data/calibration_serving.csv"),
        ("In flight on a replica", grouped(load.concurrency), "scenario" if load.binding == "given" else "planned"),
        ("Tokens in, mean", grouped(asked.input_tokens), _lengths(traffic.prompts)),
        ("Tokens out, mean", grouped(asked.output_tokens), _lengths(traffic.answers)),
        ("Arrivals at a replica", plan.arrivals, "simulated" if plan.replica.loaded else "usual value"),
        ("Tokens to reserve cache for", grouped(traffic.longest_tokens), "95th percentiles where given"),
        ("Context of the model", grouped(plan.context_tokens) if plan.context_tokens else "not stated", "as published"),
    ]


def _transfer(load: PlannedReplica) -> list[tuple[str, str, str]]:
    """Return over what and how long the cache of a prompt is sent, where pools are separate."""
    if load.pools is None:
        return []
    rate, most = load.pools.transfer_bytes_per_second, load.transfer_seconds / LEAST_TRANSFER
    return [
        ("Cache sent between pools", f"{rate / 1e9:g} GB/s a GPU", "scenario, or the network of data/hardware.csv"),
        ("Sending a prompt's cache", f"{duration(load.transfer_seconds)} to {duration(most)}",
         "at that rate, and at a quarter of it (assumed); in the time to first token at that rate"),
    ]  # fmt: skip


def _looked_up(plan: ServingPlan) -> list[tuple[str, str, str]]:
    packing, rates = plan.replica.packing, plan.rates
    spare = plan.inputs.target.margins.spare_replicas(packing)
    return [
        ("GPUs of a node", grouped(packing.gpus_per_node), packing.basis),
        ("Instances of a node", *_instances(packing)),
        ("Spare replicas", grouped(spare), "failures covered x replicas lost with each"),
        ("Reserved GPU-hour", f"${rates.reserved_usd:,.2f}", rates.basis),
        ("On-demand GPU-hour", f"${rates.on_demand_usd:,.2f}", rates.basis),
        ("Grid", f"{rates.grams_per_kwh:g} g CO\u2082e/kWh", rates.grid_basis),
    ]


def _lengths(lengths: Histogram | None) -> str:
    if lengths is None:
        return "scenario"
    median, most = (grouped(lengths.percentile(share)) for share in (0.5, 0.95))
    return f"scenario, histogram: p50 {median}, p95 {most}"


def _instances(packing: Packing) -> tuple[str, str]:
    if packing.instances_per_node:
        return grouped(packing.instances_per_node), "whole replicas that fit in a node"
    return "none", f"a replica spans {counted(packing.nodes_per_replica, 'node')}"
