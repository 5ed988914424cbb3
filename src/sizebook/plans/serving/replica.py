"""One replica of a serving plan: the largest load at which it meets the target, its cache holding the requests."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

from sizebook.core.errors import TargetError
from sizebook.core.texts import Figure, text
from sizebook.plans.serving.inputs import Latencies
from sizebook.plans.serving.nodes import Packing
from sizebook.plans.serving.refusals import (
    NoRoomError,
    check_encoded,
    check_load,
    check_stream,
    missed,
    missed_by_requests,
    no_room,
    too_many,
)
from sizebook.serving.band import Band
from sizebook.serving.case import Case
from sizebook.serving.costs import costs_of
from sizebook.serving.encoding import EncodedCase, places, serving_case
from sizebook.serving.estimate import MOST_READ, Estimate, estimate, unmeasured_band
from sizebook.serving.function_terms import band_of_figure
from sizebook.serving.images import Read, with_images
from sizebook.serving.load import Limits, Loaded, Stream, largest_load, simulator
from sizebook.serving.memory import Memory, held_tokens, memory_of, requests_kept, states_bind
from sizebook.serving.pools import Pools, pooled
from sizebook.serving.prefixes import PrefixReuse, delayed_case
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.rates import setup_of
from sizebook.serving.releases import said_of
from sizebook.serving.simulation import Served
from sizebook.serving.time import cache_bytes_per_gpu, tokens_of_step
from sizebook.tables.hardware import accelerator, sheet_of
from sizebook.tables.own_rates import basis_of

MOST_IN_FLIGHT = 4096  # engines batch no more sequences than a few thousand
Limited = Callable[[Demand], tuple[float, float]]  # seconds to the first token and per token, at a load
PLACES = ("cache", "batch")  # what limits a load that no target does


@dataclass(frozen=True)
class Setup:
    """A model on an accelerator, and how its replicas run there; ``gpus_per_node`` None is the accelerator's own."""

    model: str
    gpu: str
    replica: Replica = field(default_factory=Replica)
    gpus_per_node: int | None = None


@dataclass(frozen=True)
class PlannedReplica:
    """One replica at the load it is planned for, and the most that its cache holds, ``held_tokens`` for each of them.

    ``loaded`` is what its requests see one by one, where a target names a percentile of them: then ``at_knee`` is the
    mean of that simulation, otherwise the estimate of a steady load. With ``pools`` the case and its memory are those
    of a decode worker.
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
    held_tokens: int
    speed: float = 1.0
    loaded: Loaded | None = None
    pools: Pools | None = None
    kept: PrefixReuse = field(default_factory=PrefixReuse)

    @property
    def gpus(self) -> int:
        """GPUs of all its workers."""
        return self.packing.gpus_per_replica

    @property
    def is_full_of_states(self) -> bool:
        """Whether states of mixers fill their pool before tokens fill the cache."""
        return self.decodes and states_bind(self.case, self.memory, float(self.held_tokens))

    @property
    def layout(self) -> str:
        """Its layout in words, that of each pool where there are two."""
        return self.pools.layout if self.pools else self.setup.replica.layout

    @property
    def transfer_seconds(self) -> float:
        """Seconds of sending a prompt's cache between pools, 0 where there is one."""
        return self.pools.transfer_seconds(self.demand.input_tokens) if self.pools else 0.0

    def at(self, concurrency: int) -> Estimate:
        """Return the estimate with so many requests in flight."""
        demand = replace(self.demand, concurrency=concurrency)
        return pooled(self.pools, demand) if self.pools else estimate(self.case, self.memory, demand)

    @property
    def concurrency(self) -> int:
        """Requests in flight that it is planned for."""
        return self.demand.in_flight

    @cached_property
    def requests_per_second(self) -> float:
        """Requests a second at that load: as simulated, or in flight / time of a request; times ``speed``."""
        if self.loaded is not None:
            return self.loaded.requests_per_second * self.speed
        return float(self.demand.in_flight / self.request_seconds * self.speed)

    @property
    def request_seconds(self) -> float:
        """Seconds that a request stays at that load."""
        return float(self.at_knee.request_seconds(self.demand.output_tokens))

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
        return basis_of(self.setup.replica.rates_file, setup_of(self.setup.gpu, self.setup.replica.engine))

    @property
    def release_basis(self) -> str:
        """In words, what its engine's release does by default, and whether the fit has seen it."""
        return said_of(self.setup.replica, accelerator(self.setup.gpu), drafting=self.case.draft_tokens > 0)

    @property
    def drafts(self) -> str:
        """In words, what is drafted in a decode step and what a step yields."""
        case = self.case
        if not case.draft_tokens:
            return text("none")
        known = {"n": case.draft_tokens, "tokens": Figure(f"{tokens_of_step(case, self.demand.output_tokens):.2f}")}
        if case.tokens_per_step > 0:
            return text("{n} a step, which yields {tokens} tokens", **known)
        return text("{n} a step, which yields {tokens} tokens, as measured", **known)


@dataclass(frozen=True)
class Workload:
    """What a replica is planned for: lengths, how requests arrive, and the latencies to meet.

    ``longest`` are the tokens of the prompt and of the answer that cache is kept for, ``share`` is that of the requests
    that must meet the latencies, None for their mean. Cache that lies elsewhere takes ``restore_seconds``.
    ``image`` is an image as the model reads it, and how many of them a request has on average.
    """

    demand: Demand
    longest: tuple[int, int]
    stream: Stream
    latencies: Latencies
    share: float | None = None
    restore_seconds: float = 0.0
    image: tuple[Read, float] | None = None

    @property
    def longest_tokens(self) -> int:
        """Tokens of the longest request."""
        return sum(self.longest)


def replica_for(setup: Setup, workload: Workload) -> PlannedReplica:
    """Return one replica at the largest load that meets the target; raise with the limit that binds otherwise.

    A ``concurrency`` in the demand is its load instead of a target; more than the cache holds is refused. A target for
    a percentile of requests is met in a simulation of them. A target that holds within the band holds within that of
    the load: beyond the fit's loads it is wider.
    """
    check_load(workload.demand, workload.latencies)
    check_stream(workload.stream, workload.latencies, workload.share)
    demand, replica = workload.demand, setup.replica
    case, memory, capacity, held = capacity_of(setup, workload)
    if demand.concurrency is not None and demand.concurrency > capacity:
        raise TargetError(too_many(setup.model, replica, demand.concurrency, capacity=capacity))
    most = most_running(case, capacity)  # more would wait for a place, and no more would be served

    def limits(at: Demand) -> tuple[float, float]:
        bands = bands_of(setup, at, workload.image) if workload.latencies.band_quantile == "p90" else {}
        return limits_of(workload.latencies, bands)

    def planned(at: Demand, found: Estimate, binding: str, loaded: Loaded | None = None) -> PlannedReplica:
        bands, packing = bands_of(setup, at, workload.image), packing_of(setup)
        return PlannedReplica(setup, at, case, memory, capacity, found, bands, binding, packing, held, loaded=loaded)

    if workload.share is not None:
        loaded = _loaded(setup, workload, limits, case, most, capacity)
        binding = loaded.binding or limit_of_capacity(most, capacity)
        return planned(*mean_of(loaded.served, demand, capacity), binding, loaded)
    if demand.concurrency is not None:
        return planned(demand, estimate(case, memory, demand), "given")
    at_load, binding = knee(lambda at: estimate(case, memory, at), demand, limits, most)
    if at_load is None:
        alone = limits(replace(demand, concurrency=1))
        raise TargetError(missed(setup.model, setup.gpu, replica, demand=demand, limits=alone))
    binding = limit_of_capacity(most, capacity) if binding in PLACES else binding
    return planned(at_load, estimate(case, memory, at_load), binding)


def capacity_of(setup: Setup, workload: Workload) -> tuple[Case, Memory, int, int]:
    """Return the case of a replica, its memory, the requests that its cache holds and the tokens kept for each.

    Errors: not even one fits.
    """
    replica, longest = setup.replica, workload.longest_tokens
    case = delayed_case(serving_case(setup.model, setup.gpu, replica), workload.restore_seconds)
    case = with_images(setup.model, case, workload.image)
    memory = memory_of(case, setup.gpu, replica)
    if isinstance(case, EncodedCase):
        check_encoded(setup.model, case, workload.latencies)
        capacity = places(case, memory, workload.demand, longest_tokens=float(longest), most=MOST_READ) * replica.dp
        held = longest
    else:
        kept = requests_kept(case, memory, *workload.longest)
        capacity, held = kept * replica.dp, held_tokens(memory, *workload.longest, requests=kept)
    check_room(setup, longest, capacity, case=case, memory=memory)
    return case, memory, capacity, held


def most_running(case: Case, capacity: int) -> int:
    """Return the requests that run at a time: as many as the cache holds, the engine batches and the cap allows."""
    return min(capacity, MOST_IN_FLIGHT, int(costs_of(case).max_running) or MOST_IN_FLIGHT)


def limit_of_capacity(most: int, capacity: int) -> str:
    """Return what limits a replica that runs as many requests as it can: the cache, or the engine's batch."""
    return "cache" if most == capacity < MOST_IN_FLIGHT else "batch"


def _loaded(setup: Setup, workload: Workload, limits: Limited, case: Case, most: int, capacity: int) -> Loaded:
    """Return the largest load of a replica at which the percentiles of its requests meet the limits."""
    simulated = simulator(case, workload.demand, workload.stream, most=most)

    def limited(served: Served) -> Limits:
        return Limits(*limits(mean_of(served, workload.demand, capacity)[0]), workload.share or 0.0)

    loaded = largest_load(simulated, limited)
    if loaded is None:
        raise TargetError(missed_by_requests(setup.replica.layout, simulated, limited(simulated.rare)))
    return loaded


def mean_of(served: Served, demand: Demand, capacity: int) -> tuple[Demand, Estimate]:
    """Return the mean load of a simulation in requests in flight, and the means that its requests see."""
    in_flight = min(max(1, round(served.in_flight)), capacity)
    tokens = served.requests_per_second * demand.output_tokens
    found = Estimate(served.mean("ttft"), served.mean("tpot"), tokens, capacity=capacity, fits=True)
    return replace(demand, concurrency=in_flight), found


def check_room(setup: Setup, longest_tokens: int, capacity: int, case: Case, memory: Memory) -> None:
    """Refuse workers whose cache does not hold one request."""
    if capacity < 1:
        missing = cache_bytes_per_gpu(case, float(longest_tokens)) - memory.cache_bytes
        raise NoRoomError(
            no_room(setup.model, setup.gpu, setup.replica, longest_tokens=longest_tokens, missing_bytes=float(missing))
        )


def bands_of(setup: Setup, demand: Demand, image: tuple[Read, float] | None = None) -> dict[str, Band]:
    """Return the error bands of TTFT, TPOT and throughput at a load; no server with images was measured but by own
    rates.
    """
    unmeasured = image is not None and not setup.replica.rates_file
    return {
        figure: unmeasured_band(figure)
        if unmeasured
        else band_of_figure(figure, setup.gpu, setup.replica, model=setup.model, demand=demand)
        for figure in ("ttft", "tpot", "throughput")
    }


def packing_of(setup: Setup) -> Packing:
    """Return how replicas stand on nodes: those stated, else the accelerator's own."""
    if setup.gpus_per_node is None:
        return Packing(accelerator(setup.gpu).gpus_per_node, setup.replica.gpus, sheet_of(setup.gpu))
    return Packing(setup.gpus_per_node, setup.replica.gpus, "given in the scenario")


def limits_of(latencies: Latencies, bands: dict[str, Band]) -> tuple[float, float]:
    """Return the estimates that may not be exceeded: targets over the quantile at which they must hold."""
    first, token = ((bands[n].high if latencies.band_quantile == "p90" else 1.0) for n in ("ttft", "tpot"))
    most_first, most_token = latencies.limits
    return most_first / first, most_token / token


def knee(
    estimated: Callable[[Demand], Estimate], demand: Demand, limits: Limited, ceiling: int
) -> tuple[Demand | None, str]:
    """Return the demand at the largest concurrency within the limits of its load, by halving, and what binds there.

    None where not even one request meets them.
    """

    def broken(concurrency: int) -> str:
        at_load = replace(demand, concurrency=concurrency)
        at, (most_first, most_token) = estimated(at_load), limits(at_load)
        return "ttft" if at.ttft_seconds > most_first else "tpot" if at.tpot_seconds > most_token else ""

    if not broken(ceiling):
        return replace(demand, concurrency=ceiling), "cache" if ceiling < MOST_IN_FLIGHT else "batch"
    low, high = 0, ceiling
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if broken(middle) else (middle, high)
    return (replace(demand, concurrency=low) if low else None), broken(high)


def at_speed(replica: PlannedReplica, speed: float) -> PlannedReplica:
    """Return a replica that takes so many times the requests that it was predicted to."""
    return replace(replica, speed=speed)
