"""The load of a replica by percentiles of requests: the largest rate at which targets hold, found by simulation.

The same requests come at every rate, closer together or further apart, so that rates compare and a plan is the same
however often it is made.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Protocol

from sizebook.serving.arrivals import Lengths, arrivals, repeated
from sizebook.serving.case import Case
from sizebook.serving.pool_simulation import pool_times
from sizebook.serving.pools import Pools
from sizebook.serving.quantities import Demand
from sizebook.serving.simulation import Requests, Served, saturated_rate, simulate
from sizebook.serving.step_times import StepTimes, step_times

SEED = 1
N_REQUESTS = 5000  # of one run: a percentile of 99 rests on 40 of them
MOST_REQUESTS = 50_000  # of a trace
# Of the rate of a replica that always has some waiting: nearer to it waits grow without end and have no percentile.
MOST_LOADED = 0.95
PRECISION = 0.01
RARE = 1e-3  # of the same rate: requests that meet no other


@dataclass(frozen=True)
class Stream:
    """Requests as they come: lengths, and arrivals by the index of dispersion of their counts or by a trace.

    A row of a trace is a second, and the tokens of prompt and answer where it has them.
    """

    prompts: Lengths
    answers: Lengths
    dispersion: float = 1.0
    trace: tuple[tuple[float, ...], ...] = ()

    @property
    def in_words(self) -> str:
        """How they come."""
        if self.trace:
            return f"trace of {len(self.trace)}"
        return "Poisson" if self.dispersion == 1 else f"gamma gaps, dispersion {self.dispersion:g}"

    def requests(self) -> Requests:
        """Return requests of this stream at one a second on average."""
        n = min(max(len(self.trace), N_REQUESTS), MOST_REQUESTS)
        coming, asking, answering = (random.Random(SEED + place) for place in range(3))
        times = repeated([row[0] for row in self.trace], n) if self.trace else arrivals(n, self.dispersion, coming)
        if self.trace and len(self.trace[0]) > 1:
            rows = [self.trace[i % len(self.trace)] for i in range(n)]
            return Requests(times, [int(row[1]) for row in rows], [int(row[2]) for row in rows])
        return Requests(times, self.prompts.draw(n, asking), self.answers.draw(n, answering))


@dataclass(frozen=True)
class Limits:
    """Seconds to the first token and per token that a share of requests may not exceed."""

    ttft: float
    tpot: float
    share: float

    def broken(self, served: Served) -> str:
        """Return which of the two is exceeded, empty for none."""
        if served.seconds("ttft", self.share) > self.ttft:
            return "ttft"
        return "tpot" if served.seconds("tpot", self.share) > self.tpot else ""


class Server(Protocol):
    """What serves requests one by one."""

    def serve(self, requests: Requests) -> Served:
        """Return what the requests of the middle of a run see."""

    def most_a_second(self, requests: Requests) -> float:
        """Return the requests a second where some always wait."""


@dataclass(frozen=True)
class Batching:
    """One pool, which reads prompts beside the decode steps of so many requests at most."""

    times: StepTimes
    most: int

    def serve(self, requests: Requests) -> Served:
        """Return what the requests of the middle of a run see."""
        return simulate(self.times, requests, self.most)

    def most_a_second(self, requests: Requests) -> float:
        """Return the requests a second where some always wait: of its passes, or of its host."""
        return min(saturated_rate(self.times, requests, self.most), self.times.host_requests_per_second)


@dataclass
class Simulator:
    """One replica and its stream of requests, at any rate; what was simulated once is kept."""

    server: Server
    requests: Requests
    seen: dict[float, Served] = field(default_factory=dict)

    @cached_property
    def saturated(self) -> float:
        """Requests a second of a replica that always has some waiting."""
        return self.server.most_a_second(self.requests)

    def at(self, requests_per_second: float) -> Served:
        """Return what requests see at a rate."""
        if requests_per_second not in self.seen:
            one = self.requests
            coming = [second / requests_per_second for second in one.arrivals]
            self.seen[requests_per_second] = self.server.serve(Requests(coming, one.prompts, one.answers))
        return self.seen[requests_per_second]

    @property
    def rare(self) -> Served:
        """What requests see that meet no other."""
        return self.at(self.saturated * RARE)


@dataclass(frozen=True)
class Loaded:
    """The largest rate within the limits for a share of requests, what they see at it, and what binds there."""

    share: float
    requests_per_second: float
    served: Served
    binding: str
    simulator: Simulator

    def curve(self) -> tuple[tuple[float, Served], ...]:
        """Return what requests see at rates around this one, from a quarter of it to a little more."""
        rates = (self.requests_per_second * part for part in (0.25, 0.5, 0.75, 0.9, 1.0, 1.1))
        return tuple((rate, self.simulator.at(rate)) for rate in rates)


def largest_load(simulator: Simulator, limits: Callable[[Served], Limits]) -> Loaded | None:
    """Return the load at the largest rate within its limits, by halving to a hundredth; None where no rate is.

    Where even the most that a replica can be loaded with meets them, the binding is empty: its places bind.
    """

    def broken(served: Served) -> str:
        return limits(served).broken(served)

    if broken(simulator.rare):
        return None
    most = simulator.saturated * MOST_LOADED
    binding = broken(simulator.at(most))
    low, high = (simulator.saturated * RARE, most) if binding else (most, most)
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        found = broken(simulator.at(middle))
        low, high, binding = (low, middle, found) if found else (middle, high, binding)
    served = simulator.at(low)
    return Loaded(limits(served).share, low, served, binding, simulator)


@lru_cache(maxsize=32)
def simulator(case: Case, demand: Demand, stream: Stream, most: int) -> Simulator:
    """Return the simulator of a replica with so many places; surfaces that show one plan share it."""
    requests = stream.requests()
    return Simulator(Batching(step_times(case, demand, requests.longest_tokens, most=most), most), requests)


@lru_cache(maxsize=32)
def pooled_simulator(pools: Pools, demand: Demand, stream: Stream, most: int) -> Simulator:
    """Return the simulator of a replica of two pools, whose decode workers run at most so many at a time each."""
    requests = stream.requests()
    return Simulator(pool_times(pools, demand, requests.longest_tokens, most=most), requests)
