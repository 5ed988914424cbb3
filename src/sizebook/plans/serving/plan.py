"""The serving plan: traffic, a latency target and one machine in; replicas, GPUs, money, energy and carbon out.

One replica takes as many requests as meet the target (the knee), its cache holding them; a fleet follows the hours.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from sizebook.core.errors import InputError, TargetError
from sizebook.models import catalog
from sizebook.plans.serving.inputs import Latencies, ServingInputs, Traffic
from sizebook.plans.serving.months import Month, fleet_month
from sizebook.plans.serving.nodes import Packing
from sizebook.plans.serving.rates import Rates, rates_of
from sizebook.plans.serving.refusals import missed, no_room, too_many
from sizebook.serving.band import architecture_of
from sizebook.serving.case import Case, case_of, startable
from sizebook.serving.estimate import Band, Estimate, error_band, estimate
from sizebook.serving.memory import Memory, engine_constants, engine_memory, physical_bytes, sequences_that_fit
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.shape import shape_of
from sizebook.serving.time import cache_bytes_per_gpu, tokens_of_step
from sizebook.serving.traffic import usd_per_mtok
from sizebook.tables.hardware import accelerator

MOST_IN_FLIGHT = 4096  # engines batch no more sequences than a few thousand


@dataclass(frozen=True)
class Setup:
    """A model on an accelerator, and how its replicas run there."""

    model: str
    gpu: str
    replica: Replica = field(default_factory=Replica)


@dataclass(frozen=True)
class PlannedReplica:
    """One replica at the load it is planned for, and the most that its cache could hold."""

    setup: Setup
    demand: Demand
    case: Case
    memory: Memory
    capacity: int
    at_knee: Estimate
    bands: dict[str, Band]
    binding: str
    packing: Packing
    speed: float = 1.0

    @property
    def concurrency(self) -> int:
        """Requests in flight that it is planned for."""
        return self.demand.in_flight

    @cached_property
    def requests_per_second(self) -> float:
        """Requests a second at that load: in flight / time of a request, times ``speed``."""
        knee = self.at_knee
        seconds = knee.ttft_seconds + knee.tpot_seconds * (self.demand.output_tokens - 1)
        return float(self.demand.in_flight / seconds * self.speed)

    @property
    def drafts(self) -> str:
        """In words, what is drafted in a decode step and what a step yields."""
        case = self.case
        if case.unstated != 1:
            return f"not stated: a factor of {case.unstated:g} on TPOT stands for servers with and without"
        if not case.draft_tokens:
            return "none"
        measured = "" if case.tokens_per_step > 0 else ", as measured"
        yields = tokens_of_step(case, self.demand.output_tokens)
        return f"{case.draft_tokens} a step, which yields {yields:.2f} tokens{measured}"


@dataclass(frozen=True)
class ServingPlan:
    """What every surface shows of a serving plan; ``context_tokens`` is the longest context that the model states.

    ``fewest`` and ``most`` are the same months if replicas are as fast, or as slow, as 1 in 10 measurements.
    """

    model: str
    inputs: ServingInputs
    rates: Rates
    replica: PlannedReplica
    months: tuple[Month, ...]
    fewest: tuple[Month, ...]
    most: tuple[Month, ...]
    usd_per_mtok_saturated: float
    context_tokens: int | None

    @property
    def traffic(self) -> Traffic:
        """The traffic that it serves."""
        return self.inputs.traffic

    @property
    def beyond_context(self) -> str:
        """What to know where requests are longer than the model states, empty where they are not."""
        longest, stated = self.traffic.longest_tokens, self.context_tokens
        if stated is None or longest <= stated:
            return ""
        return f"{longest:,} tokens a request are more than the {stated:,} that the model states".replace(",", " ")


def replica_for(
    setup: Setup, demand: Demand, longest_tokens: int, latencies: Latencies, gpus_per_node: int | None
) -> PlannedReplica:
    """Return one replica at the largest load that meets the target; raise with the limit that binds otherwise.

    A ``concurrency`` in the demand is its load instead of a target; more than the cache holds is refused.
    """
    check_load(demand, latencies)
    replica, chip = setup.replica, accelerator(setup.gpu)
    case = startable(case_of(setup.model, setup.gpu, replica))
    memory = engine_memory(case, physical_bytes(chip), engine_constants(replica.engine))
    capacity = int(sequences_that_fit(case, memory, float(longest_tokens)) * replica.dp)
    if capacity < 1:
        missing = cache_bytes_per_gpu(case, float(longest_tokens)) - memory.cache_bytes
        raise TargetError(no_room(setup.model, setup.gpu, replica, longest_tokens, float(missing)))
    bands = bands_of(setup)
    if demand.concurrency is not None and demand.concurrency > capacity:
        raise TargetError(too_many(setup.model, replica, demand.concurrency, capacity))
    limits = _limits(latencies, bands)
    at_load, binding = (demand, "given") if demand.concurrency else _knee(case, memory, demand, limits, capacity)
    if at_load is None:
        raise TargetError(missed(setup.model, setup.gpu, replica, demand, limits))
    found = estimate(case, memory, at_load)
    return PlannedReplica(
        setup, at_load, case, memory, capacity, found, bands, binding, packing_of(setup.gpu, replica, gpus_per_node)
    )


def check_load(demand: Demand, latencies: Latencies) -> None:
    """Refuse a load beside the target that it would follow from: one of them would be passed over."""
    if demand.concurrency is not None and (latencies.ttft_target_seconds or latencies.tpot_target_seconds):
        raise InputError(
            "load given twice: got concurrency and a target of seconds, want one of them. The "
            "load follows from the target: remove concurrency, or keep it and remove the target."
        )


def bands_of(setup: Setup) -> dict[str, Band]:
    """Return the error bands of TTFT, TPOT and throughput for the model, engine and accelerator."""
    gpu, architecture = accelerator(setup.gpu).key, architecture_of(shape_of(setup.model))
    return {name: error_band(name, setup.replica.engine, gpu, architecture) for name in ("ttft", "tpot", "throughput")}


def packing_of(gpu: str, replica: Replica, gpus_per_node: int | None) -> Packing:
    """Return how replicas stand on nodes: those stated, else the accelerator's own."""
    if gpus_per_node is None:
        return Packing(accelerator(gpu).gpus_per_node, replica.gpus, f"data/hardware.csv, {gpu}")
    return Packing(gpus_per_node, replica.gpus, "given in the scenario")


def _limits(latencies: Latencies, bands: dict[str, Band]) -> tuple[float, float]:
    """Return the estimates that may not be exceeded: targets over the quantile at which they must hold."""
    first, token = ((bands[n].high if latencies.at == "p90" else 1.0) for n in ("ttft", "tpot"))
    most_first, most_token = latencies.limits
    return most_first / first, most_token / token


def _knee(
    case: Case, memory: Memory, demand: Demand, limits: tuple[float, float], capacity: int
) -> tuple[Demand | None, str]:
    """Return the demand at the largest concurrency within the limits, by halving, and what binds there.

    None where not even one request meets them.
    """

    def broken(concurrency: int) -> str:
        at = estimate(case, memory, replace(demand, concurrency=concurrency))
        return "ttft" if at.ttft_seconds > limits[0] else "tpot" if at.tpot_seconds > limits[1] else ""

    ceiling = min(capacity, MOST_IN_FLIGHT)
    if not broken(ceiling):
        return replace(demand, concurrency=ceiling), "cache" if ceiling < MOST_IN_FLIGHT else "batch"
    low, high = 0, ceiling
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if broken(middle) else (middle, high)
    return (replace(demand, concurrency=low) if low else None), broken(high)


def plan_serving(model: str, gpu: str, inputs: ServingInputs) -> ServingPlan:
    """Return the plan of one setup over the months of the traffic."""
    traffic, target = inputs.traffic, inputs.target
    setup = Setup(model, accelerator(gpu).key, inputs.replica)
    replica = replica_for(setup, traffic.asked, traffic.longest_tokens, target.latencies, target.gpus_per_node)
    rates = rates_of(setup.gpu, inputs.prices)
    saturated = usd_per_mtok(
        setup.replica.gpus, rates.reserved_usd, replica.requests_per_second * traffic.asked.output_tokens
    )
    band = replica.bands["throughput"]
    middle, fewest, most = (_months(at_speed(replica, speed), inputs, rates) for speed in (1.0, band.high, band.low))
    return ServingPlan(
        model, inputs, rates, replica, middle, fewest, most, saturated, catalog.context_tokens(model)
    )  # fmt: skip


def at_speed(replica: PlannedReplica, speed: float) -> PlannedReplica:
    """Return a replica that takes so many times the requests that it was predicted to."""
    return replace(replica, speed=speed)


def _months(replica: PlannedReplica, inputs: ServingInputs, rates: Rates) -> tuple[Month, ...]:
    rate, packing = replica.requests_per_second, replica.packing
    traffic, margins = inputs.traffic, inputs.target.margins
    return tuple(fleet_month(month, rate, traffic, margins, packing, rates) for month in range(traffic.months))


def latency_curve(replica: PlannedReplica) -> tuple[tuple[int, Estimate], ...]:
    """Return latency and throughput against concurrency in powers of two up to what the cache holds."""
    points, concurrency = [], 1
    while concurrency <= min(replica.capacity, MOST_IN_FLIGHT):
        points.append(concurrency)
        concurrency *= 2
    return tuple((c, estimate(replica.case, replica.memory, replace(replica.demand, concurrency=c))) for c in points)
