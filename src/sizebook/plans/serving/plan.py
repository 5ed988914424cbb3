"""The serving plan: traffic, a latency target and one machine in; replicas, GPUs, money, energy and carbon out.

One replica takes as many requests as meet the target (the knee), its cache holding them; a fleet follows the hours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

from sizebook.core.errors import InputError, TargetError
from sizebook.models import catalog
from sizebook.plans.serving.inputs import Latencies, RequestStream, ServingInputs, Traffic
from sizebook.plans.serving.months import Month, fleet_month
from sizebook.plans.serving.nodes import Packing
from sizebook.plans.serving.rates import Rates, rates_of
from sizebook.plans.serving.refusals import missed, missed_by_requests, no_answers, no_room, too_many
from sizebook.serving.band import replica_band
from sizebook.serving.case import Case
from sizebook.serving.encoding import EncodedCase, one_pass, places, positions_heard, serving_case
from sizebook.serving.estimate import MOST_READ, Band, Estimate, estimate, unmeasured_band
from sizebook.serving.load import Limits, Loaded, Stream, largest_load, simulator
from sizebook.serving.memory import Memory, engine_constants, engine_memory, physical_bytes, sequences_that_fit
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.rates import setup_of
from sizebook.serving.shape import shape_of
from sizebook.serving.simulation import Served
from sizebook.serving.time import cache_bytes_per_gpu, tokens_of_step
from sizebook.serving.traffic import usd_per_mtok
from sizebook.tables.hardware import accelerator
from sizebook.tables.own_rates import basis_of

MOST_IN_FLIGHT = 4096  # engines batch no more sequences than a few thousand


@dataclass(frozen=True)
class Setup:
    """A model on an accelerator, and how its replicas run there."""

    model: str
    gpu: str
    replica: Replica = field(default_factory=Replica)


@dataclass(frozen=True)
class PlannedReplica:
    """One replica at the load it is planned for, and the most that its cache could hold.

    ``loaded`` is what its requests see one by one, where a target names a percentile of them: then ``at_knee`` is the
    mean of that simulation, otherwise the estimate of a steady load.
    """

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
    loaded: Loaded | None = None

    @property
    def concurrency(self) -> int:
        """Requests in flight that it is planned for."""
        return self.demand.in_flight

    @cached_property
    def requests_per_second(self) -> float:
        """Requests a second at that load: as simulated, or in flight / time of a request; times ``speed``."""
        if self.loaded is not None:
            return self.loaded.requests_per_second * self.speed
        knee = self.at_knee
        seconds = knee.ttft_seconds + knee.tpot_seconds * (self.demand.output_tokens - 1)
        return float(self.demand.in_flight / seconds * self.speed)

    @property
    def decodes(self) -> bool:
        """Whether tokens follow the pass that reads a request."""
        return not isinstance(self.case, EncodedCase) or self.case.decodes

    def held(self, latency: str) -> float:
        """Return the seconds of ``ttft`` or ``tpot`` that its target is held against: a percentile, or the mean."""
        if self.loaded is not None:
            return self.loaded.served.seconds(latency, self.loaded.share)
        return float(getattr(self.at_knee, f"{latency}_seconds"))

    @property
    def rates_basis(self) -> str:
        """In words, which rates its times are worked out with: the shipped ones or a file of own ones."""
        replica = self.setup.replica
        return basis_of(replica.rates_file, setup_of(accelerator(self.setup.gpu).key, replica.engine))

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
    def arrivals(self) -> str:
        """In words, how requests come at a replica."""
        return "steady" if self.replica.loaded is None else self.inputs.stream.in_words

    @property
    def beyond_context(self) -> str:
        """What to know where requests are longer than the model states, empty where they are not."""
        longest, stated = self.traffic.longest_tokens, self.context_tokens
        if isinstance(self.replica.case, EncodedCase):  # what is read and what is written stand in places of their own
            longest = self.traffic.longest_output_tokens if self.replica.decodes else self.traffic.longest_input_tokens
        if stated is None or longest <= stated:
            return ""
        return f"{longest:,} tokens a request are more than the {stated:,} that the model states".replace(",", " ")


@dataclass(frozen=True)
class Asked:
    """What a replica is planned for: lengths, cache to reserve, how requests come, and the latencies to meet.

    ``share`` is that of the requests that must meet them, None for their mean.
    """

    demand: Demand
    longest_tokens: int
    stream: Stream
    latencies: Latencies
    share: float | None = None


def replica_for(setup: Setup, asked: Asked, gpus_per_node: int | None) -> PlannedReplica:
    """Return one replica at the largest load that meets the target; raise with the limit that binds otherwise.

    A ``concurrency`` in the demand is its load instead of a target; more than the cache holds is refused. A target for
    a percentile of requests is met in a simulation of them.
    """
    demand, longest_tokens, latencies = asked.demand, asked.longest_tokens, asked.latencies
    check_load(demand, latencies)
    check_stream(asked)
    replica, chip = setup.replica, accelerator(setup.gpu)
    case = serving_case(setup.model, setup.gpu, replica)
    memory = engine_memory(case, physical_bytes(chip), engine_constants(replica.engine))
    if isinstance(case, EncodedCase):
        check_encoded(setup.model, case, asked)
        capacity = places(case, memory, demand, longest_tokens=float(longest_tokens), most=MOST_READ) * replica.dp
    else:
        capacity = int(sequences_that_fit(case, memory, float(longest_tokens)) * replica.dp)
    if capacity < 1:
        missing = cache_bytes_per_gpu(case, float(longest_tokens)) - memory.cache_bytes
        raise TargetError(
            no_room(setup.model, setup.gpu, replica, longest_tokens=longest_tokens, missing_bytes=float(missing))
        )
    bands = unmeasured_bands() if isinstance(case, EncodedCase) else bands_of(setup)
    if demand.concurrency is not None and demand.concurrency > capacity:
        raise TargetError(too_many(setup.model, replica, demand.concurrency, capacity=capacity))
    limits, packing = _limits(latencies, bands), packing_of(setup.gpu, replica, gpus_per_node)
    if asked.share is not None:
        loaded = _loaded(setup, asked, limits, most_running(replica, capacity))
        mean, found = _mean(loaded.served, demand, capacity)
        binding = loaded.binding or ("cache" if capacity < MOST_IN_FLIGHT else "batch")
        return PlannedReplica(setup, mean, case, memory, capacity, found, bands, binding, packing, loaded=loaded)
    at_load, binding = (demand, "given") if demand.concurrency else _knee(case, memory, demand, limits, capacity)
    if at_load is None:
        raise TargetError(missed(setup.model, setup.gpu, replica, demand=demand, limits=limits))
    found = estimate(case, memory, at_load)
    return PlannedReplica(setup, at_load, case, memory, capacity, found, bands, binding, packing)


def most_running(replica: Replica, capacity: int) -> int:
    """Return the requests that run at a time: as many as the cache holds, the engine batches and the cap allows."""
    return min(capacity, MOST_IN_FLIGHT, replica.max_running or MOST_IN_FLIGHT)


def _loaded(setup: Setup, asked: Asked, limits: tuple[float, float], most: int) -> Loaded:
    """Return the largest load of a replica at which the percentiles of its requests meet the limits."""
    share = asked.share or 0.0
    simulated = simulator(setup.model, setup.gpu, setup.replica, demand=asked.demand, stream=asked.stream, most=most)
    loaded = largest_load(simulated, Limits(*limits, share))
    if loaded is None:
        raise TargetError(missed_by_requests(setup.replica, simulated, Limits(*limits, share)))
    return loaded


def _mean(served: Served, demand: Demand, capacity: int) -> tuple[Demand, Estimate]:
    """Return the mean load of a simulation in requests in flight, and the means that its requests see."""
    in_flight = min(max(1, round(served.in_flight)), capacity)
    tokens = served.requests_per_second * demand.output_tokens
    found = Estimate(served.mean("ttft"), served.mean("tpot"), tokens, capacity=capacity, fits=True)
    return replace(demand, concurrency=in_flight), found


def check_load(demand: Demand, latencies: Latencies) -> None:
    """Refuse a load beside the target that it would follow from: one of them would be passed over."""
    if demand.concurrency is not None and (latencies.ttft_target_seconds or latencies.tpot_target_seconds):
        raise InputError(
            "load given twice: got concurrency and a target of seconds, want one of them. The "
            "load follows from the target: remove concurrency, or keep it and remove the target."
        )


def check_stream(asked: Asked) -> None:
    """Refuse a percentile that no target is held for, and arrivals that nothing is asked of or that are given twice."""
    limits, stream = asked.latencies.limits, asked.stream
    if asked.share is not None and min(limits) == math.inf:
        raise InputError(
            f"percentile without a target: got request_percentile p{asked.share * 100:g} and no seconds, want "
            "ttft_target_seconds or tpot_target_seconds. Add one, or remove request_percentile."
        )
    check_arrivals(stream)
    if asked.share is None and (stream.trace or stream.dispersion != 1):
        raise InputError(
            f"arrivals without a percentile: got {stream.in_words}, which the mean of a steady load does not answer "
            "to, want request_percentile with it. Add it, or remove the arrivals."
        )


def check_arrivals(stream: Stream) -> None:
    """Refuse arrivals that are given twice."""
    if stream.trace and stream.dispersion != 1:
        raise InputError(
            f"arrivals given twice: got a trace and dispersion {stream.dispersion:g}, want one of them. Remove the "
            "other."
        )


def bands_of(setup: Setup) -> dict[str, Band]:
    """Return the error bands of TTFT, TPOT and throughput for the model, engine and accelerator."""
    gpu, shape = accelerator(setup.gpu).key, shape_of(setup.model)
    return {name: replica_band(name, gpu, setup.replica, shape=shape) for name in ("ttft", "tpot", "throughput")}


def unmeasured_bands() -> dict[str, Band]:
    """Return the error bands of models with an encoder, of which nothing was measured."""
    return {name: unmeasured_band(name) for name in ("ttft", "tpot", "throughput")}


def check_encoded(model: str, case: EncodedCase, asked: Asked) -> None:
    """Refuse a target per token where no token follows the first."""
    if not case.decodes and asked.latencies.tpot_target_seconds:
        raise InputError(
            f"nothing is decoded: got tpot_target_seconds for {model}, which answers with one pass, want "
            "ttft_target_seconds alone: the time to its answer. Remove tpot_target_seconds."
        )


def packing_of(gpu: str, replica: Replica, gpus_per_node: int | None) -> Packing:
    """Return how replicas stand on nodes: those stated, else the accelerator's own."""
    if gpus_per_node is None:
        return Packing(accelerator(gpu).gpus_per_node, replica.gpus, f"data/hardware.csv, {gpu}")
    return Packing(gpus_per_node, replica.gpus, "given in the scenario")


def _limits(latencies: Latencies, bands: dict[str, Band]) -> tuple[float, float]:
    """Return the estimates that may not be exceeded: targets over the quantile at which they must hold."""
    first, token = ((bands[n].high if latencies.band_quantile == "p90" else 1.0) for n in ("ttft", "tpot"))
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
    inputs = as_read(model, inputs)
    traffic, target = inputs.traffic, inputs.target
    setup = Setup(model, accelerator(gpu).key, inputs.replica)
    asked = Asked(traffic.asked, traffic.longest_tokens, inputs.stream, target.latencies, inputs.requests.share)
    replica = replica_for(setup, asked, target.gpus_per_node)
    rates = rates_of(setup.gpu, inputs.prices)
    saturated = usd_per_mtok(
        setup.replica.gpus, rates.reserved_usd, replica.requests_per_second * traffic.asked.output_tokens
    )
    band = replica.bands["throughput"]
    middle, fewest, most = (_months(at_speed(replica, speed), inputs, rates) for speed in (1.0, band.high, band.low))
    return ServingPlan(
        model, inputs, rates, replica, middle, fewest, most, saturated, catalog.context_tokens(model)
    )  # fmt: skip


def as_read(model: str, inputs: ServingInputs) -> ServingInputs:
    """Return the inputs as the model reads them: a trace's lengths, seconds of sound as positions, one answer a pass.

    What was said of lengths otherwise gives way to what is known.
    """
    settled = inputs.settled
    traffic = settled.traffic
    if settled.requests.input_seconds is not None:
        traffic = replace(traffic, input_histogram=None, input_tokens_p50=None, input_tokens_p95=None)
    if one_pass(model):
        if traffic.output_histogram is not None:
            raise InputError(no_answers(traffic.asked.output_tokens))
        traffic = replace(traffic, output_tokens_p50=None, output_tokens_p95=None)
    return replace(settled, traffic=replace(traffic, demand=demand_read(model, traffic.demand, settled.requests)))


def demand_read(model: str, demand: Demand, requests: RequestStream) -> Demand:
    """Return a demand with the positions of a model that hears for seconds, and one answer where one pass gives it."""
    if requests.input_seconds is not None:
        demand = replace(demand, input_tokens=positions_heard(model, requests.input_seconds))
    if not one_pass(model):
        return demand
    if demand.output_tokens not in (1, Demand().output_tokens):
        raise InputError(no_answers(demand.output_tokens))
    return replace(demand, output_tokens=1)


def at_speed(replica: PlannedReplica, speed: float) -> PlannedReplica:
    """Return a replica that takes so many times the requests that it was predicted to."""
    return replace(replica, speed=speed)


def _months(replica: PlannedReplica, inputs: ServingInputs, rates: Rates) -> tuple[Month, ...]:
    rate, packing = replica.requests_per_second, replica.packing
    traffic, margins = inputs.traffic, inputs.target.margins
    return tuple(
        fleet_month(month, rate, traffic, margins=margins, packing=packing, rates=rates)
        for month in range(traffic.months)
    )


def latency_curve(replica: PlannedReplica) -> tuple[tuple[int, Estimate], ...]:
    """Return latency and throughput against concurrency in powers of two up to what the cache holds."""
    points, concurrency = [], 1
    while concurrency <= min(replica.capacity, MOST_IN_FLIGHT):
        points.append(concurrency)
        concurrency *= 2
    return tuple((c, estimate(replica.case, replica.memory, replace(replica.demand, concurrency=c))) for c in points)
