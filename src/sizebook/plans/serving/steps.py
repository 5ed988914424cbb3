"""How each headline figure of a serving plan came about: the first month, in its busiest hour where hours differ."""

from sizebook.core.derivation import Step
from sizebook.core.texts import text
from sizebook.core.units import grouped, measure, significant
from sizebook.plans.ledgers import usd_range
from sizebook.plans.serving.inputs import Traffic
from sizebook.plans.serving.month_steps import price_step, reserved_step, traffic_steps
from sizebook.plans.serving.months import arrivals_by_hour
from sizebook.plans.serving.nodes import Packing
from sizebook.plans.serving.option_steps import alternative_steps, interruption_steps, prefix_steps, start_steps
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.serving.load import SEED

CALIBRATION = text("pass model of the engine, rates of data/calibration_serving.csv")
SIMULATION = text("simulation of continuous batching, sizebook.serving.simulation")
LITTLE = text("Little 1961, L = lambda W")
MOST_TERMS = 6  # of a histogram, before a derivation says how many there are


def derivations(plan: ServingPlan) -> tuple[Step, ...]:
    """Return the derivation of capacity, rate, fleet, money and energy, in the order in which one follows another."""
    traffic = plan.traffic
    replica = _replica(plan.replica)
    inputs = plan.inputs
    course = traffic_steps(inputs.demand, traffic, inputs.days, start=traffic.start)
    return (
        *_lengths(traffic),
        *prefix_steps(plan),
        *replica,
        *course,
        *_fleet(plan),
        *price_step(plan.rates, traffic.months),
        *_money(plan),
        *start_steps(plan),
        *interruption_steps(plan),
        *alternative_steps(plan),
    )


def _replica(replica: PlannedReplica) -> tuple[Step, ...]:
    memory, knee, setup = replica.memory, replica.at_knee, replica.setup
    gib = [
        f"{float(size) / 2**30:.2f}"
        for size in (memory.allowed_bytes, memory.weight_bytes, memory.activation_bytes, memory.non_torch_bytes)
    ]
    at_load, in_flight = (
        text("estimate at the planned load"),
        text("{concurrency} in flight", concurrency=replica.concurrency),
    )
    if replica.loaded is not None:
        at_load = text("mean of the requests simulated at the planned rate")
    ttft, tpot = float(knee.ttft_seconds), float(knee.tpot_seconds)
    return (
        Step(
            text("Cache of one GPU"),
            text("allowed - weights - activation peak - driver and communication"),
            f"{' - '.join(gib)} GiB",
            value=float(memory.cache_bytes),
            unit="bytes",
            source=text(
                "data/engines.csv, {engine}; memory that the driver leaves: data/hardware.csv, {gpu}",
                engine=setup.replica.engine,
                gpu=setup.gpu,
            ),
        ),
        Step(
            text("Requests that the cache holds"),
            text("states in the pool of a rank * dp")
            if replica.is_full_of_states
            else text("whole sequences in the cache of a rank * dp"),
            text("sequences of {n} tokens", n=grouped(replica.held_tokens)),
            value=replica.capacity,
            unit="requests",
            source=text("cache layout of the model's attention"),
        ),
        Step(text("Time to first token"), at_load, in_flight, value=ttft, unit="seconds", source=CALIBRATION),
        Step(text("Time per token"), at_load, in_flight, value=tpot, unit="seconds", source=CALIBRATION),
        *_rate(replica),
    )


def _rate(replica: PlannedReplica) -> tuple[Step, ...]:
    """Return how the rate of a replica follows: from a simulation of requests, or from a steady load."""
    knee, output_tokens, loaded = replica.at_knee, replica.demand.output_tokens, replica.loaded
    ttft, tpot = float(knee.ttft_seconds), float(knee.tpot_seconds)
    label, rate = text("Rate of one replica"), replica.requests_per_second
    if loaded is None:
        numbers = f"{replica.concurrency} / ({significant(ttft, 4)} + {output_tokens - 1} * {significant(tpot, 4)})"
        return (
            Step(
                label,
                text("in flight / (TTFT + (output tokens - 1) * TPOT)"),
                numbers,
                value=rate,
                unit="requests/s",
                source=LITTLE,
            ),
        )
    name = f"p{loaded.share * 100:g}"
    run = text("{n} requests, seed {SEED}", n=grouped(len(loaded.served.request)), SEED=SEED)
    seen = {"ttft": text("Time to first token, {name}", name=name), "tpot": text("Time per token, {name}", name=name)}
    return (
        *(
            Step(said, text("of requests"), run, value=replica.held(latency), unit="seconds", source=SIMULATION)
            for latency, said in seen.items()
        ),
        Step(
            label,
            text("the largest at which {name} of requests meets the targets", name=name),
            run,
            value=rate,
            unit="requests/s",
            source=SIMULATION,
        ),
    )


def _fleet(plan: ServingPlan) -> tuple[Step, ...]:
    month, margins, replica = plan.months[0], plan.inputs.target.margins, plan.replica
    packing, spare = replica.packing, margins.spare_replicas(replica.packing)
    busiest = max(arrivals_by_hour(plan.inputs, plan.inputs.days[0]))
    rate = significant(replica.requests_per_second, 4)
    replicas = max(month.replicas_by_hour)
    return (
        _node(packing),
        Step(
            text("Spare replicas"),
            text("failures to cover * replicas lost with a {domain}", domain=text(margins.failure_domain)),
            f"{margins.spare} * {packing.lost_with(margins.failure_domain)}",
            value=spare,
            unit="replicas",
            source=text("N + k by failure domain"),
        ),
        Step(
            text("Replicas in the busiest hour"),
            text("ceil(arrivals / (rate * target load)) + spare"),
            f"ceil({significant(busiest, 4)} / ({rate} * {margins.target_load:g})) + {spare}",
            value=replicas,
            unit="replicas",
            source=text("definition; burst factor in the arrivals"),
        ),
        _gpus(plan, replicas),
    )


def _node(packing: Packing) -> Step:
    node, replica = packing.gpus_per_node, packing.gpus_per_replica
    label, formula = text("Nodes of a replica"), text("ceil(GPUs of a replica / GPUs of a node)")
    numbers, value, unit = f"ceil({replica} / {node})", packing.nodes_per_replica, "nodes"
    if packing.instances_per_node:
        label, formula = text("Instances of a node"), text("floor(GPUs of a node / GPUs of a replica)")
        numbers, value, unit = f"floor({node} / {replica})", packing.instances_per_node, "replicas"
    return Step(label, formula, numbers, value=value, unit=unit, source=packing.basis)


def _gpus(plan: ServingPlan, replicas: int) -> Step:
    packing, month = plan.replica.packing, plan.months[0]
    formula, numbers = text("replicas * GPUs of a replica"), f"{replicas} * {packing.gpus_per_replica}"
    if plan.inputs.target.margins.whole_nodes and packing.instances_per_node:
        formula = text("ceil(replicas / instances of a node) * GPUs of a node")
        numbers = f"ceil({replicas} / {packing.instances_per_node}) * {packing.gpus_per_node}"
    elif plan.inputs.target.margins.whole_nodes:
        formula = text("replicas * nodes of a replica * GPUs of a node")
        numbers = f"{replicas} * {packing.nodes_per_replica} * {packing.gpus_per_node}"
    return Step(
        text("GPUs in the busiest hour"),
        formula,
        numbers,
        value=month.peak_gpus,
        unit="GPUs",
    )


def _lengths(traffic: Traffic) -> tuple[Step, ...]:
    """Return the mean and the 95th percentile of each length that came as a histogram."""
    steps = []
    for name, lengths in (("prompt", traffic.lengths.prompts), ("answer", traffic.lengths.answers)):
        if lengths is None:
            continue
        terms = [f"{tokens} * {share:g}" for tokens, share in lengths.bins]
        shown = " + ".join(terms if len(terms) <= MOST_TERMS else [*terms[:MOST_TERMS], f"... ({len(terms)} lengths)"])
        whole = text("histogram of {len} lengths, scenario", len=len(terms))
        steps += [
            Step(
                text("Mean length of a {name}", name=name),
                text("sum of tokens * share"),
                shown,
                value=lengths.mean,
                unit="tokens",
                source=whole,
            ),
            Step(
                text("95th percentile of a {name}", name=name),
                text("shortest length with 95 % of requests at or below it"),
                "",
                value=lengths.percentile(0.95),
                unit="tokens",
                source=whole,
            ),
        ]
    return tuple(steps)


def _money(plan: ServingPlan) -> tuple[Step, ...]:
    month, prices = plan.months[0], plan.rates
    mean_watts = month.energy_kwh * 1000 / (month.gpu_hours * prices.pue)
    return (
        reserved_step(text("GPUs reserved"), month.reserved_gpus, month.signed_gpus),
        Step(
            text("Cost a month"),
            text("contracts + other GPU-hours * price"),
            f"{measure(month.reserved_usd)} + {grouped(month.on_demand_gpu_hours)} * {measure(prices.on_demand_usd)}",
            value=month.usd,
            unit="USD",
            source=prices.on_demand_basis,
        ),
        usd_range(plan).step(text("Cost of all months, at most")),
        Step(
            text("Energy a month"),
            text("GPU-hours * mean watts * PUE / 1000"),
            f"{grouped(month.gpu_hours)} * {significant(mean_watts, 4)} * {prices.pue:g} / 1000",
            value=month.energy_kwh,
            unit="kWh",
            source=text("wall power over TDP, busy and idle: MLPerf Inference v5.1 power submission"),
        ),
        Step(
            text("Emissions a month, location-based"),
            text("kWh * g/kWh / 1000"),
            f"{grouped(month.energy_kwh)} * {prices.grams_per_kwh:g} / 1000",
            value=month.co2e_kg,
            unit="kgCO2e",
            source=prices.grid_basis,
        ),
    )
