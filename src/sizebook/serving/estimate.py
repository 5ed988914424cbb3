"""One serving estimate with everything around it: does it fit, what waits when it does not, what one server can
take."""

from dataclasses import replace
from typing import NamedTuple

from sizebook.serving.band import Band, error_band
from sizebook.serving.case import Case, Number, larger, smaller
from sizebook.serving.costs import Costs, costs_of
from sizebook.serving.encoding import EncodedCase, latencies, places
from sizebook.serving.memory import Memory, requests_that_fit
from sizebook.serving.quantities import Demand
from sizebook.serving.time import Latency, latency_at, load_of, tokens_per_second


class Estimate(NamedTuple):
    """Latency and throughput of a replica with so many requests in flight, and how many its cache holds."""

    ttft_seconds: Number
    tpot_seconds: Number
    tokens_per_second: Number
    capacity: Number
    fits: Number

    def request_seconds(self, output_tokens: Number) -> Number:
        """Return the seconds from sending a request to its last token; of one pass nothing follows the first."""
        return self.ttft_seconds + self.tpot_seconds * (output_tokens - 1)


def running_of(case: Case | Costs, in_flight: Number, capacity: Number) -> Number:
    """Return the requests that run at once: those in flight, as far as the cache holds them and the cap allows."""
    cap = costs_of(case).max_running
    capped = cap + (cap <= 0) * in_flight
    return larger(smaller(smaller(in_flight, capped), capacity), 1.0)


def estimate(case: Case | Costs, memory: Memory, demand: Demand) -> Estimate:
    """Return the latency of a closed loop of requests on a whole replica.

    Requests beyond what the cache holds, or beyond ``max_running``, wait for a place: TTFT grows by the queue's length
    over the rate at which requests finish. Capacity is counted as the engine allots its cache. One server streams only
    so many tokens and takes only so many requests a second, whatever its GPUs could do.
    """
    if isinstance(case, EncodedCase):
        return _encoded(case, memory, demand)
    at, in_flight, after_first = costs_of(case), demand.in_flight, demand.output_tokens - 1
    capacity = requests_that_fit(at, memory, demand.input_tokens, output_tokens=demand.output_tokens) * at.dp
    running = running_of(at, in_flight, capacity)
    found = latency_at(at, load_of(at, demand, running))
    tpot = larger(found.tpot_seconds, running / at.rates["host_tokens_per_second"])
    stay = (found.ttft_seconds + tpot * after_first) * (1 + larger(in_flight - running, 0.0) / running)
    stay = larger(stay, in_flight / at.rates["host_requests_per_second"])
    queued = Latency(stay - tpot * after_first, tpot)
    rate = tokens_per_second(queued, demand)
    return Estimate(queued.ttft_seconds, tpot, rate, capacity, in_flight <= capacity)


MOST_READ = 4096  # requests at a time of a rank that keeps nothing of them


def _encoded(case: EncodedCase, memory: Memory, demand: Demand) -> Estimate:
    """Return the estimate of a model with an encoder; what its decoder does not hold waits, as with any other."""
    longest = float(demand.input_tokens + demand.output_tokens)
    capacity, after_first = (
        places(case, memory, demand, longest_tokens=longest, most=MOST_READ) * int(case.dp),
        demand.output_tokens - 1,
    )
    running = float(running_of(case, demand.in_flight, capacity))
    ttft, tpot = latencies(case, replace(demand, concurrency=running))  # type: ignore[arg-type]
    tpot = max(tpot, running / costs_of(case).rates["host_tokens_per_second"]) if case.decodes else 0.0
    stay = (ttft + tpot * after_first) * (1 + max(demand.in_flight - running, 0) / running)
    if case.decodes:  # the host's limits are those of streams of tokens
        stay = max(stay, demand.in_flight / costs_of(case).rates["host_requests_per_second"])
    rate = demand.in_flight * demand.output_tokens / stay
    return Estimate(stay - tpot * after_first, tpot, rate, capacity, demand.in_flight <= capacity)


_CACHE_FULL = (  # a tenth of a large sweep's rows may say so, and this way of putting numbers into it is the quickest
    "cache is full: got %.0f requests of %.0f tokens in flight, want at most %.0f. Lower concurrency or raise tp; the "
    "rest waits, which ttft_seconds includes."
)


# What an engine can be told to take more: 0.95 instead of 0.9 of 80 GB.
NEARLY_BYTES = 4e9


def misfit(in_flight: float, tokens: float, *, capacity: float, free_bytes: float) -> str:
    """Return why so many requests of so many tokens do not fit a replica whose cache has so many places and bytes."""
    if free_bytes <= 0:
        nearly = "memory_utilization, " if -free_bytes < NEARLY_BYTES else ""
        return (
            f"weights do not fit: got {-free_bytes / 1e9:.1f} GB too much on a GPU, want memory left for the cache. "
            f"Raise {nearly}tp, pp or ep, or choose a narrower weight_dtype."
        )
    return _CACHE_FULL % (in_flight, tokens, capacity)


def unmeasured_band(figure: str) -> Band:
    """Return the band of what was never measured: the widest there is."""
    return error_band(figure, "", "")
