"""One serving estimate with everything around it: does it fit, what waits when it does not, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from sizebook.core.tables import table
from sizebook.serving.case import Case, Number, larger, smaller
from sizebook.serving.encoding import EncodedCase, latencies, places, widest_band
from sizebook.serving.memory import Memory, sequences_that_fit
from sizebook.serving.quantities import Demand
from sizebook.serving.time import Latency, latency, tokens_per_second


@dataclass(frozen=True)
class Estimate:
    """Latency and throughput of a replica with so many requests in flight, and how many its cache holds."""

    ttft_seconds: Number
    tpot_seconds: Number
    tokens_per_second: Number
    capacity: Number
    fits: Number


@dataclass(frozen=True)
class Band:
    """Quantiles of measured over predicted: eight of ten measurements lie between ``low`` and ``high``.

    ``rows`` and ``groups`` count the measurements of that engine and generation, 0 where the band is borrowed.
    """

    low: float
    middle: float
    high: float
    rows: int
    groups: int
    borrowed: str = "band of all, widened"

    @property
    def basis(self) -> str:
        """In words, what it rests on."""
        return f"{self.rows} measurements" if self.rows else f"none measured: {self.borrowed}"


def estimate(case: Case, memory: Memory, demand: Demand) -> Estimate:
    """Return the latency of a closed loop of requests on a whole replica.

    Requests beyond what the cache holds wait for a place: TTFT grows by the queue's length over the rate at which
    requests finish. Capacity is counted at full context, input + output.
    """
    if isinstance(case, EncodedCase):
        return _encoded(case, memory, demand)
    capacity = sequences_that_fit(case, memory, demand.input_tokens + demand.output_tokens) * case.dp
    running = larger(smaller(demand.in_flight, capacity), 1.0)
    found = latency(case, replace(demand, concurrency=running))
    alone = found.ttft_seconds + found.tpot_seconds * (demand.output_tokens - 1)
    waiting = larger(demand.in_flight - running, 0.0) / running * alone
    queued = Latency(found.ttft_seconds + waiting, found.tpot_seconds, found.decode_step_seconds, found.prefill_seconds)
    rate = tokens_per_second(queued, demand)
    return Estimate(queued.ttft_seconds, queued.tpot_seconds, rate, capacity, demand.in_flight <= capacity)


MOST_READ = 4096  # requests at a time of a rank that keeps nothing of them


def _encoded(case: EncodedCase, memory: Memory, demand: Demand) -> Estimate:
    """Return the estimate of a model with an encoder; what its decoder does not hold waits, as with any other."""
    longest = float(demand.input_tokens + demand.output_tokens)
    capacity = places(case, memory, demand, longest, MOST_READ) * int(case.dp)
    running = max(min(demand.in_flight, capacity), 1)
    ttft, tpot = latencies(case, replace(demand, concurrency=running))
    whole = ttft + tpot * (demand.output_tokens - 1)
    ttft += max(demand.in_flight - running, 0) / running * whole
    rate = demand.in_flight * demand.output_tokens / (ttft + tpot * (demand.output_tokens - 1))
    return Estimate(ttft, tpot, rate, capacity, demand.in_flight <= capacity)


def unmeasured_band(figure: str) -> Band:
    """Return the band of what was never measured: the widest of all."""
    return Band(*widest_band(figure), 0, 0, "the widest band")


@cache
def error_band(figure: str, engine: str, generation: str) -> Band:
    """Return the band of ``ttft``, ``tpot`` or ``throughput`` for an engine and generation, else that of all rows.

    Combinations without measurements take the band of all rows, widened by half.
    """
    rows = {(r["engine"], r["generation"]): r for r in table("calibration_serving_error") if r["figure"] == figure}
    row = rows.get((engine, generation))
    widen = 1.0 if row else 1.5
    row = row or rows["any", "any"]
    low, middle, high = (float(row[q]) for q in ("p10", "p50", "p90"))
    wide_low, wide_high = middle / (middle / low) ** widen, middle * (high / middle) ** widen
    counts = (int(row["rows"]), int(row["groups"])) if widen == 1.0 else (0, 0)
    return Band(wide_low, middle, wide_high, *counts)
