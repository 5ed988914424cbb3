"""Prefill and decode in pools of their own: workers that only read prompts, workers that only decode.

A prompt waits for a prefill worker, is passed, and its cache goes to a decode worker over the link between them; no
prompt interrupts a decode step. Requests in flight divide between the two by Little's law:

    in flight = decoding + rate x TTFT
    rate = decoding / (TPOT (output - 1)), at most what the prefill pool passes and its links send
    TTFT = first-token seconds + own prompt + queue + cache sent + steps waited for

Passes, steps and the queue law are those of a replica that does both (`sizebook.serving.time`), fitted to such servers;
nothing is fitted to pools.
"""

from dataclasses import dataclass

from sizebook.core.texts import text
from sizebook.serving.case import Case
from sizebook.serving.costs import costs_of
from sizebook.serving.estimate import Estimate
from sizebook.serving.quantities import Demand
from sizebook.serving.time import (
    cache_bytes_per_gpu,
    load_of,
    prefill_seconds,
    prompts_together,
    step_seconds,
    steps_waited,
    tokens_of_step,
    waited_for,
)

# Assumed: of the rate between pools at least so much is had, where messages are short or others share the link.
LEAST_TRANSFER = 0.25
HALVINGS = 30  # of the requests that decode at once: to a billionth of them


@dataclass(frozen=True)
class Pool:
    """Workers that are alike: the case of one of them."""

    case: Case
    workers: int

    @property
    def in_words(self) -> str:
        """How many workers of which layout."""
        degrees = [f"{name}{int(getattr(self.case, name))}" for name in ("tp", "dp", "ep")]
        return f"{self.workers} x {' '.join(each for each in degrees if each[2:] != '1') or 'tp1'}"

    @property
    def ranks(self) -> float:
        """Attention ranks of all workers, each with requests of its own."""
        return float(self.workers * self.case.dp)

    @property
    def gpus(self) -> int:
        """GPUs of all workers."""
        return int(self.workers * self.case.tp * self.case.pp * self.case.dp)


@dataclass(frozen=True)
class Pools:
    """One replica of two pools; ``capacity`` requests fit into the caches of the decode pool, and every GPU of a
    prefill worker sends cache at ``transfer_bytes_per_second``."""

    prefill: Pool
    decode: Pool
    capacity: int
    transfer_bytes_per_second: float

    @property
    def gpus(self) -> int:
        """GPUs of both pools."""
        return self.prefill.gpus + self.decode.gpus

    @property
    def places(self) -> int:
        """Requests that decode at once at most: as many as the caches hold and the cap of each worker allows."""
        cap = int(costs_of(self.decode.case).max_running) * self.decode.workers
        return min(self.capacity, cap) if cap else self.capacity

    @property
    def layout(self) -> str:
        """The workers in words, prefill first."""
        return text("{prefill} to read, {decode} to decode", prefill=self.prefill.in_words, decode=self.decode.in_words)

    def transfer_seconds(self, input_tokens: float) -> float:
        """Return the seconds of sending a prompt's cache: what a GPU holds of it, all GPUs of a worker at once."""
        return transfer_seconds(self.prefill.case, input_tokens, self.transfer_bytes_per_second)


@dataclass(frozen=True)
class _Flow:
    """What goes through both pools while so many requests decode: requests a second, TPOT, TTFT of an even flow."""

    rate: float
    tpot: float
    ttft: float


def pooled(pools: Pools, demand: Demand) -> Estimate:
    """Return the latency of a closed loop of requests in both pools; the answer has two tokens at least.

    As many decode as the prefill pool feeds, the caches hold and the cap allows. All others wait for their prompt, so
    that a prefill pool that is too small shows in the time to the first token, and no work is lost.
    """
    in_flight, most = float(demand.in_flight), _most_fed(pools, demand)
    read, few, many = _read_seconds(pools, demand), 0.0, min(in_flight, float(pools.places))
    for _ in range(HALVINGS):
        decoding = (few + many) / 2
        flow = _flow(pools.decode, demand, decoding, read)
        if flow.rate > most or decoding + flow.rate * flow.ttft > in_flight:
            many = decoding
        else:
            few = decoding
    flow = _flow(pools.decode, demand, many, read)
    ttft = (in_flight - many) / flow.rate
    tokens, fits = flow.rate * demand.output_tokens, in_flight <= pools.capacity
    return Estimate(ttft, flow.tpot, tokens, capacity=pools.capacity, fits=fits)


def decode_rate(case: Case, demand: Demand) -> float:
    """Return the requests a second that one decode worker ends with so many in flight on it."""
    token, _ = _token(case, demand, demand.in_flight)
    return float(demand.in_flight / (token * (demand.output_tokens - 1)))


def prefill_rate(case: Case, demand: Demand) -> float:
    """Return the requests a second that one prefill worker passes at most: full passes on all its ranks."""
    at, full = costs_of(case), load_of(case, demand, 1e9)
    host = float(at.rates["host_requests_per_second"])
    return min(host, float(case.dp * case.pp / prompts_together(at, full).each))


def transfer_seconds(case: Case, input_tokens: float, bytes_per_second: float) -> float:
    """Return the seconds in which a prefill worker sends the cache of a prompt."""
    return float(cache_bytes_per_gpu(case, input_tokens)) / bytes_per_second


def fed_rate(case: Case, demand: Demand, bytes_per_second: float) -> float:
    """Return the requests a second that one prefill worker passes and sends at most, one cache after the other."""
    return min(prefill_rate(case, demand), 1 / transfer_seconds(case, demand.input_tokens, bytes_per_second))


def _most_fed(pools: Pools, demand: Demand) -> float:
    return pools.prefill.workers * fed_rate(pools.prefill.case, demand, pools.transfer_bytes_per_second)


def _token(case: Case, demand: Demand, in_flight: float) -> tuple[float, float]:
    """Return the time per token of a decode worker with so many in flight on it, and the seconds of steps waited for
    before the first one."""
    at, load = costs_of(case), load_of(case, demand, in_flight)
    step = float(step_seconds(at, load))
    token = step / tokens_of_step(at, demand.output_tokens)
    slowest = in_flight / float(at.rates["host_tokens_per_second"])
    return max(float(token), slowest), float(steps_waited(at, load.batch) * step)


def queue_seconds(pools: Pools, demand: Demand) -> float:
    """Return the seconds that a prompt waits for those of others, where as many as are in flight come to be read."""
    prefill, at = pools.prefill, costs_of(pools.prefill.case)
    prompts = prompts_together(at, load_of(at, demand, demand.in_flight / prefill.workers))
    return float(waited_for(at, max(demand.in_flight / prefill.ranks, 1.0), prompts))


def _read_seconds(pools: Pools, demand: Demand) -> float:
    """Return the seconds until a prompt is read and sent."""
    own = float(prefill_seconds(pools.prefill.case, demand.input_tokens, demand.cache_hit_ratio))
    return own + queue_seconds(pools, demand) + pools.transfer_seconds(demand.input_tokens)


def _flow(decode: Pool, demand: Demand, decoding: float, read: float) -> _Flow:
    tpot, waited = _token(decode.case, demand, decoding / decode.workers)
    rate = decoding / (tpot * (demand.output_tokens - 1))
    return _Flow(rate, tpot, float(decode.case.rates["first_token_seconds"] + read + waited))
