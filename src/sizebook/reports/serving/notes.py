"""The back matter of the serving report: what else would do, how sure the figures are, what was taken as given."""

from sizebook.core.texts import joined, plural, range_text, span, text
from sizebook.core.units import duration, grouped, usd
from sizebook.models import catalog
from sizebook.plans.ledgers import total_usd
from sizebook.plans.serving.choice import Choice, Choices
from sizebook.plans.serving.lengths import Histogram
from sizebook.plans.serving.nodes import Packing
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.reports.document import Notes, Row, Section, Table, figure_columns, headings, section
from sizebook.reports.input_rows import LOOKED_UP, InputRow, input_rows, inputs_table
from sizebook.reports.number_columns import dollars, fixed, plain_number
from sizebook.reports.phrases import months
from sizebook.reports.replica_rows import engine_rows, grid_row, layout_row, node_row
from sizebook.reports.serving.money import gpu_hours
from sizebook.serving.formats import kv_dtype_of, weight_dtype_of
from sizebook.serving.pools import LEAST_TRANSFER
from sizebook.serving.quantities import ENGINE_NAMES, Replica
from sizebook.tables.hardware import accelerator, sheet_of

_MOST_CHOICES = 10
_FIGURES = {"ttft": text("Time to first token"), "tpot": text("Time per token"), "throughput": text("Throughput")}


def alternatives(plan: ServingPlan, choices: Choices) -> Section:
    """Return the cheapest setups that meet the target, those on the front of cost and latency marked."""
    cheapest = choices.ranked[0]
    stopped = (text("{reason} ({n})", reason=text(reason), n=grouped(times)) for reason, times in choices.failed)
    failed = joined(stopped, "; ") or text("none")
    return section(
        text("Alternatives"),
        text(
            "The cheapest setup on target: {usd} in {months}",
            usd=usd(total_usd(cheapest.plan.months)),
            months=months(len(plan.months)),
        ),
        Table(
            text(
                "Setups that meet the target, cheapest in the last month first; bold: none is both cheaper and faster"
            ),
            headings(
                text("Accelerator"),
                text("Engine"),
                text("Weights"),
                text("Layout"),
                figure_columns(text("GPUs at peak")),
                figure_columns(text("Cost, {months}", months=months(len(plan.months))), unit="USD"),
                figure_columns(text("Per token"), unit="ms"),
            ),
            tuple(_choice(choice) for choice in choices.ranked[:_MOST_CHOICES]),
            note=text("Setups that cannot meet it, by what stops them: {failed}.", failed=failed),
        ),
    )


def _choice(choice: Choice) -> Row:
    setup, month = choice.plan.replica.setup, choice.plan.months[-1]
    replica = setup.replica
    cells = (
        accelerator(setup.gpu).name,
        ENGINE_NAMES[replica.engine],
        replica.weight_dtype or text("published"),
        choice.plan.replica.layout,
        grouped(month.peak_gpus),
        grouped(total_usd(choice.plan.months)),
        fixed(1e3 * choice.tpot_seconds, 1),
    )
    return Row(cells, "marked" if choice.on_front else "plain")


def error_bands(plan: ServingPlan) -> Section:
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
                text(band.basis),
            )
        )
        for name, band in bands.items()
    )
    low, high = bands["throughput"].low, bands["throughput"].high
    return section(
        text("How sure"),
        text("Throughput measured: {range} of the prediction", range=span(fixed(low, 2), fixed(high, 2))),
        Table(
            text("Measured over predicted"),
            headings(
                text("Figure"), figure_columns("p10", "p50", "p90", text("Measurements"), text("Groups")), text("Basis")
            ),
            rows,
            note=text(
                "A group is one model, system, engine and precision. In the fit: servers of this "
                "model, GPU and engine were. Otherwise the band is that of groups which a fit had "
                "not seen, each counting as one; wider where no server of the GPU was measured, "
                "widest where not even its kernels were, and for models with an encoder, of which "
                "nothing was measured. Separate pools have a band of their own: their time to first "
                "token is the least sure, as measured ones queued under caps that nobody stated."
            ),
        ),
    )


# Inputs that a row of its own shows, with what was looked up for them.
OWN_ROWS = LOOKED_UP | {"input_tokens", "output_tokens", "input_histogram", "output_histogram", "kv_dtype"}


def assumptions(plan: ServingPlan) -> Section:
    """Return every input of the plan, those looked up with where they come from."""
    evenly = text(
        "Requests are taken to arrive evenly within an hour; shorter bursts are what the "
        "burst factor and the target load leave room for."
    )
    by_chance = text(
        "Each replica is taken to get its share of the requests by chance; one that balances "
        "them by what they wait for does better. How far the percentile of a real server is "
        "from this one was not measured."
    )
    left_out: tuple[str, ...] = (
        evenly if plan.replica.loaded is None else by_chance,
        text(
            "Starting and stopping replicas by the hour is taken to be free. The cost of GPUs leaves out network, "
            "storage and staff."
        ),
    )
    if plan.beyond_context:
        left_out = (
            text("{beyond_context}: what it answers there is untested.", beyond_context=plan.beyond_context),
            *left_out,
        )
    left_out = (*(text("Count of the model: {note}.", note=note) for note in plan.notes), *left_out)
    rows = (*_replica_rows(plan), *_looked_up(plan), *input_rows(plan.inputs, without=OWN_ROWS))
    return section(
        text("Assumptions"),
        text("What the plan takes as given"),
        inputs_table(text("Inputs"), rows),
        Notes(left_out, text("Left out")),
    )


def _weights_origin(model: str, replica: Replica) -> str:
    if replica.weight_dtype:
        return text("scenario")
    return text("bytes from the checkpoint's headers") if catalog.is_checkpoint(model) else text("as published")


def _replica_rows(plan: ServingPlan) -> list[InputRow]:
    setup, load = plan.replica.setup, plan.replica
    replica, asked, traffic = setup.replica, plan.traffic.mean_demand, plan.traffic
    weights = weight_dtype_of(setup.model, replica.weight_dtype)
    cache = kv_dtype_of(replica.engine, weights, replica.kv_dtype, model=setup.model)
    return [
        (text("Model"), plan.model, text("scenario; counted exactly")),
        (text("Accelerator"), accelerator(setup.gpu).name, sheet_of(setup.gpu)),
        *engine_rows(load),
        (text("Weights"), weights, _weights_origin(setup.model, replica)),
        (text("Cache"), cache, text("scenario") if replica.kv_dtype else text("the engine's default")),
        layout_row(load),
        *_transfer(load),
        (text("Drafted tokens"), load.drafts, text("scenario, data/calibration_serving.csv")),
        (
            text("In flight on a replica"),
            grouped(load.concurrency),
            text("scenario") if load.binding == "given" else text("planned"),
        ),
        (text("Tokens in, mean"), grouped(asked.input_tokens), _lengths(traffic.lengths.prompts)),
        (text("Tokens out, mean"), grouped(asked.output_tokens), _lengths(traffic.lengths.answers)),
        (
            text("Arrivals at a replica"),
            plan.arrivals,
            text("simulated") if plan.replica.loaded else text("usual value"),
        ),
        (text("Tokens to reserve cache for"), grouped(plan.replica.held_tokens), text("95th percentiles where given")),
        (
            text("Context of the model"),
            grouped(plan.context_tokens) if plan.context_tokens else text("not stated"),
            text("as published"),
        ),
    ]


def _transfer(load: PlannedReplica) -> list[InputRow]:
    """Return over what and how long the cache of a prompt is sent, where pools are separate."""
    if load.pools is None:
        return []
    rate, most = load.pools.transfer_bytes_per_second, load.transfer_seconds / LEAST_TRANSFER
    return [
        (
            text("Cache sent between pools"),
            text("{rate} GB/s a GPU", rate=plain_number(rate / 1e9)),
            text("scenario, or the network of data/hardware.csv"),
        ),
        (
            text("Sending a prompt's cache"),
            range_text(duration(load.transfer_seconds), duration(most)),
            text("at that rate, and at a quarter of it (assumed); in the time to first token at that rate"),
        ),
    ]


def _looked_up(plan: ServingPlan) -> list[InputRow]:
    packing, rates = plan.replica.packing, plan.rates
    spare = plan.inputs.target.margins.spare_replicas(packing)
    return [
        node_row(plan.replica),
        (text("Instances of a node"), *_instances(packing)),
        (text("Spare replicas"), grouped(spare), text("failures covered x replicas lost with each")),
        *((label, dollars(usd_hour), basis) for label, usd_hour, basis in gpu_hours(rates)),
        grid_row(rates),
    ]


def _lengths(lengths: Histogram | None) -> str:
    if lengths is None:
        return text("scenario")
    median, most = (grouped(lengths.percentile(share)) for share in (0.5, 0.95))
    return text("scenario, histogram: p50 {median}, p95 {most}", median=median, most=most)


def _instances(packing: Packing) -> tuple[str, str]:
    if packing.instances_per_node:
        return grouped(packing.instances_per_node), text("whole replicas that fit in a node")
    return text("none"), plural(packing.nodes_per_replica, "a replica spans {n} node", "a replica spans {n} nodes")
