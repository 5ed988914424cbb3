"""A serving plan as lines of text: what it costs, what a replica does, what to sign, what was compared."""

import math

from sizebook.cli.purchase_lines import alternative_lines, contract_lines
from sizebook.cli.text_tables import text_table
from sizebook.core.texts import range_text
from sizebook.core.units import (
    NOT_LISTED,
    duration,
    gibibytes,
    grouped,
    number_of,
    percent,
    significant,
    thousands,
    usd,
)
from sizebook.plans.ledgers import headline_months, month_label, total_usd, usd_range
from sizebook.plans.serving.choice import Choices
from sizebook.plans.serving.engine_command import command, unsaid, written_for
from sizebook.plans.serving.figures import contracts
from sizebook.plans.serving.internal_price import internal_price
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.remarks import warnings
from sizebook.plans.serving.scaling import Scaling
from sizebook.plans.serving.starts import cold_start
from sizebook.plans.serving.tenants import in_cents
from sizebook.scenarios.serving import ServingResult
from sizebook.serving.band import CONTEXT, FITTED, KERNELS, LOADED, NOTHING, OWN, UNSEEN
from sizebook.serving.pools import LEAST_TRANSFER
from sizebook.serving.simulation import Served
from sizebook.serving.traffic_quantities import PERCENTILES, share_of

LIMITS = {
    "ttft": "the TTFT target",
    "tpot": "the TPOT target",
    "cache": "the cache",
    "batch": "the engine's batch",
    "prefill": "the prefill pool",
    "given": "the load that was stated",
}
SERVED = {"ttft": "to the first token", "tpot": "for each further token"}
MEASURED: dict[str, str] = {  # on which measurements the range of a latency rests
    FITTED: "this model, GPU and engine were measured together",
    UNSEEN: "this model, GPU and engine were not measured together",
    CONTEXT: "no server was measured with requests as long",
    LOADED: "few servers were measured under such a load",
    KERNELS: "single operations of this GPU were measured, and no server",
    NOTHING: "nothing like it was measured",
    OWN: "from your own runs",
}


def as_text(found: ServingResult) -> list[str]:
    """Return the plan as lines."""
    plan = found.plan
    signed = contract_lines([("", each) for each in plan.portfolio.contracts], contracts(plan), plan.traffic.start)
    beside = alternative_lines(plan.alternative_months, plan.alternatives, plan.alternatives.sentences)
    lines = [*_headline(plan), "", *replica_lines(plan), "", *_months(plan), "", *signed, *beside]
    return [*lines, "", *_compared(found.choices)] if found.choices else lines


def _headline(plan: ServingPlan) -> list[str]:
    shown = [plan.months[at] for at in headline_months([month.peak_gpus for month in plan.months])]
    peaks = [f"{month.peak_gpus} in month {month.month}" for month in shown]
    setup = plan.replica.setup
    return [
        f"{plan.model} on {setup.gpu}, {setup.replica.engine}, "
        f"{setup.replica.weight_dtype or 'own format'}, {plan.replica.layout}",
        f"GPUs at peak       {', '.join(peaks)}",
        *_cost(plan),
        f"Speed basis        {plan.replica.rates_basis}",
        *([f"Engine release     {plan.replica.release_basis}"] if setup.replica.release else []),
        *(f"To know            {warning}" for warning in warnings(plan)),
    ]


def _cost(plan: ServingPlan) -> list[str]:
    """Return what all months, a month and a million tokens cost; without a price only that none is listed."""
    first, last, total = plan.months[0], plan.months[-1], total_usd(plan.months)
    if math.isnan(total):
        return [f"Cost               {NOT_LISTED}"]
    found = usd_range(plan)
    cost_range = range_text(usd(found.low), usd(found.high))
    return [
        f"Cost               {usd(total)} over {number_of(len(plan.months), 'month')} ({cost_range})",
        f"Cost a month       {usd(first.usd)} in month 1, {usd(last.usd)} in month {last.month}",
        _per_million(plan),
        *_internal(plan),
    ]


def _internal(plan: ServingPlan) -> list[str]:
    """Return what tokens and requests cost without idle GPUs, and the bill of each tenant to the cent."""
    found, total = internal_price(plan.replica, plan.months), total_usd(plan.months)
    cached = found.internal_usd_per_mtok_cached
    said = f", {usd(cached)} per million cached ones" if cached is not None else ""
    if plan.replica.decodes:
        said += f", {usd(found.internal_usd_per_mtok_output)} per million answer tokens"
    lines = [
        f"Price of work done {usd(found.internal_usd_per_mtok_input)} per million prompt tokens{said}, "
        f"{usd(found.internal_usd_per_request)} per request. These prices do not cover the idle GPUs "
        f"({usd(found.idle_usd)})."
    ]
    shares = plan.inputs.tenants.shares
    bills = in_cents(total, [total * each for each in shares])
    for number, (share, bill) in enumerate(zip(shares, bills, strict=True), 1):
        lines.append(f"Tenant {number:<11} {bill:,.2f} USD, {percent(share)}")
    return lines


def _per_million(plan: ServingPlan) -> str:
    full, what = plan.usd_per_mtok_saturated, "Output"
    if not plan.replica.decodes:
        full, what = full / plan.traffic.mean_demand.input_tokens, "Input"
    over = number_of(len(plan.months), "month")
    price = f"{usd(plan.usd_per_mtok)} per million over {over}; {usd(full)} if the GPUs were always full"
    return f"{what + ' tokens':18} {price}"


def replica_lines(plan: ServingPlan) -> list[str]:
    """Return what is said of one replica: its size, cache, latencies, memory, nodes and how it is started."""
    replica = plan.replica
    full = "; states of mixers fill their pool first" if replica.is_full_of_states else ""
    held = f"{number_of(replica.capacity, 'request')} of {number_of(replica.held_tokens, 'token')}{full}"
    lines = [
        f"One replica        {number_of(replica.gpus, 'GPU')}, {number_of(replica.concurrency, 'request')} at once, "
        f"{significant(replica.requests_per_second, 3)} requests a second; limited by {LIMITS[replica.binding]}",
        f"Cache holds        {held}"
        if replica.decodes
        else "One pass           the answer comes with it: nothing is cached or decoded",
    ]
    asked = "" if replica.loaded is None else f" at {plan.inputs.requests.held_for}"
    for name in ("ttft", "tpot"):
        value, band = replica.held(name), replica.bands[name]
        low, high = duration(value * band.low), duration(value * band.high)
        if value:  # nothing follows the answer of a single pass
            label = f"{name.upper()}{asked}"
            what, known = SERVED[name] if replica.decodes else "to the answer", MEASURED.get(band.basis, band.basis)
            lines.append(f"{label:18} {duration(value)} {what} (8 of 10 cases: {low} to {high}; {known})")
    if replica.loaded is not None:
        lines += _percentiles(plan, replica.loaded.served)
    if replica.pools is not None:
        lines.append(
            f"Cache sent         {duration(replica.transfer_seconds)} a prompt, at "
            f"{replica.pools.transfer_bytes_per_second / 1e9:g} GB/s a GPU; "
            f"{duration(replica.transfer_seconds / LEAST_TRANSFER)} if the network gives a quarter of it (assumed)"
        )
    memory = replica.memory
    lines.append(
        f"Memory a GPU       weights take {gibibytes(memory.weight_bytes)}, {'cache' if replica.decodes else 'free'} "
        f"{gibibytes(memory.cache_bytes)} of "
        f"{gibibytes(memory.physical_bytes)}"
    )
    drafts = replica.drafts
    if drafts != "none":
        lines.append(f"Drafted tokens     {drafts}")
    if plan.beyond_context:
        lines.append(f"Context            {plan.beyond_context}")
    return [*lines, *_lengths_and_nodes(plan), *_starts_and_spot(plan), *_command(plan)]


def _command(plan: ServingPlan) -> list[str]:
    """Return the command that starts a replica, what it cannot say, and the release it is for."""
    said = command(plan)
    beside = (*unsaid(plan), f"written for {written_for(plan)}")
    return [f"Started by         {said}", *(f"{'':18} {each}" for each in beside)] if said else []


def _percentiles(plan: ServingPlan, served: Served) -> list[str]:
    """Return the latency percentiles of simulated requests; a star marks the percentile of the targets."""
    held, lines = plan.inputs.requests.held_for, []
    for label, latency in (("TTFT of requests", "ttft"), ("TPOT of requests", "tpot"), ("Whole requests", "request")):
        shown = ", ".join(
            f"{name}{'*' if name == held else ''} {duration(served.seconds(latency, share_of(name)))}"
            for name in PERCENTILES
        )
        lines.append(f"{label:18} {shown}")
    return [
        *lines,
        f"{'Arrivals':18} {plan.arrivals}; {number_of(len(served.request), 'request')} simulated; * has the target",
    ]


def _lengths_and_nodes(plan: ServingPlan) -> list[str]:
    lines = []
    for label, lengths in (("Prompts", plan.traffic.lengths.prompts), ("Answers", plan.traffic.lengths.answers)):
        if lengths is not None:
            median, most = (grouped(lengths.percentile(share)) for share in (0.5, 0.95))
            lines.append(f"{label:18} mean {lengths.mean:.1f} tokens, p50 {median}, p95 {most}")
    packing, nodes = plan.replica.packing, plan.months[0].peak_nodes
    target = plan.inputs.target.margins
    holds = f"each has room for {number_of(packing.instances_per_node, 'replica')}"
    if not packing.instances_per_node:
        holds = f"each replica takes {packing.nodes_per_replica}"
    paid = "; whole nodes are paid for" if target.whole_nodes else ""
    spare = target.spare_replicas(packing)
    covered = f"loss of {number_of(target.spare, target.failure_domain)}"
    return [
        *lines,
        f"Nodes at peak      {number_of(nodes, 'node')} of {number_of(packing.gpus_per_node, 'GPU')} in month 1, "
        f"{holds}{paid}",
        f"Spare              {number_of(spare, 'replica')}, to cover the {covered}",
    ]


def _starts_and_spot(plan: ServingPlan) -> list[str]:
    """Return what starts of replicas and a fleet on spot come to, where the scenario states them."""
    lines, scaled, spot, asked = [], plan.scaled, plan.on_spot, plan.inputs.interruptions
    if plan.inputs.scaling != Scaling():
        lines = [
            f"Start of a replica {duration(cold_start(plan.inputs.scaling, plan.replica))} (nothing measured); "
            f"{number_of(scaled.ahead_replicas, 'replica')} ready for the steepest rise if nobody foresees it",
            f"{'':18} month 1 costs {_listed(scaled.scaled_usd)} if the fleet follows the hours, "
            f"{_listed(scaled.fixed_usd)} if it is as large as the peak all day",
        ]
    if asked.interruptions_per_hour:
        lines += [
            f"On spot            each replica serves {percent(spot.up_share)} of the time (nothing measured), so "
            f"{spot.spot_spares} more at the peak; {percent(spot.broken_share)} of requests break off",
            f"{'':18} month 1 costs {_listed(spot.spot_usd)} with every replica on spot",
        ]
    return lines


def _listed(amount: float | None) -> str:
    return NOT_LISTED if amount is None or math.isnan(amount) else usd(amount)


def _months(plan: ServingPlan) -> list[str]:
    start, rows = plan.traffic.start, []
    for m in plan.months:
        name = month_label(start, m.month - 1) if start else m.month
        amounts = map(thousands, (m.usd, m.energy_kwh, m.co2e_kg))
        rows.append((name, m.reserved_gpus, m.peak_gpus, percent(m.utilization), *amounts))
    return text_table([("Month", "Reserved GPUs", "Peak GPUs", "Busy", "USD", "kWh", "kgCO2e"), *rows], left=())


def _compared(choices: Choices) -> list[str]:
    lines = ["Cheapest setups that meet the target (* no other is both cheaper and faster)"]
    for choice in choices.ranked[:10]:
        setup, replica = choice.plan.replica.setup, choice.plan.replica.setup.replica
        name = f"{setup.gpu} {replica.engine} {replica.weight_dtype or 'own'} {choice.plan.replica.layout}"
        mark = "*" if choice.on_front else " "
        lines.append(f"{mark} {name:45} {usd(choice.usd_per_month):>10} a month, TPOT {duration(choice.tpot_seconds)}")
    stopped = ", ".join(f"{reason} {times}" for reason, times in choices.failed)
    return [*lines, f"Setups that do not work, by reason: {stopped}"] if stopped else lines
