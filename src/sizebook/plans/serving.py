"""The serving plan: traffic, a latency target and one machine in; replicas, GPUs, money, energy and carbon out.

One replica takes as many requests as meet the target (the knee), its cache holding them; a fleet follows the hours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sizebook.errors import TargetError
from sizebook.formulas.hardware import accelerator
from sizebook.formulas.serving_case import Case, case_of, measured_generation, startable
from sizebook.formulas.serving_estimate import Band, Estimate, error_band, estimate
from sizebook.formulas.serving_memory import Memory, engine_constants, engine_memory, physical_bytes, sequences_that_fit
from sizebook.formulas.serving_time import cache_bytes_per_gpu, tokens_of_step
from sizebook.formulas.serving_traffic import (
    replicas_for_traffic,
    serving_co2e_kg,
    serving_kwh,
    usd_per_mtok,
)
from sizebook.models import catalog
from sizebook.plans.nodes import Domain, Packing
from sizebook.plans.serving_refusals import missed, no_room, too_many
from sizebook.plans.traffic import HOURS, Traffic, arrivals_by_hour
from sizebook.quantities import HOURS_PER_MONTH

DAYS_PER_MONTH = HOURS_PER_MONTH / 24
MOST_IN_FLIGHT = 4096  # engines batch no more sequences than a few thousand


@dataclass(frozen=True)
class Setup:
    """One way to run a replica: accelerator, engine, formats, layout, and what is drafted of a step and yielded."""

    gpu: str
    engine: str = "vllm"
    weight_dtype: str | None = None
    kv_dtype: str | None = None
    tp: int = 1
    pp: int = 1
    dp: int = 1
    ep: int = 1
    draft_tokens: int | None = None
    tokens_per_step: float | None = None

    @property
    def gpus(self) -> int:
        """GPUs of one replica."""
        return self.tp * self.pp * self.dp

    @property
    def layout(self) -> str:
        """The layout in words, degrees of 1 left out."""
        degrees = [f"{n}{v}" for n, v in (("tp", self.tp), ("pp", self.pp), ("dp", self.dp), ("ep", self.ep)) if v > 1]
        return " ".join(degrees) or "tp1"


@dataclass(frozen=True)
class Target:
    """What must hold: seconds to the first token and per token, at p50 or at p90 of the error band.

    ``spare`` counts failure domains (replicas or nodes) whose loss the fleet covers; with ``whole_nodes`` GPUs are paid
    for by the node. ``gpus_per_node`` replaces the accelerator's own.
    """

    ttft_seconds: float = math.inf
    tpot_seconds: float = math.inf
    at: str = "p50"
    target_load: float = 0.8
    spare: int = 1
    failure_domain: Domain = "replica"
    whole_nodes: bool = False
    gpus_per_node: int | None = None

    def spare_replicas(self, packing: Packing) -> int:
        """Return the replicas to keep so that the loss of ``spare`` failure domains is covered."""
        return self.spare * packing.lost_with(self.failure_domain)


@dataclass(frozen=True)
class Prices:
    """USD of a GPU-hour: on demand for bursts, reserved for what always runs. Power and grid beside."""

    on_demand_usd: float
    reserved_usd: float
    basis: str = "given"
    tdp_watts: float = 700.0
    pue: float = 1.25
    grams_per_kwh: float = 400.0
    grid_basis: str = "given"


@dataclass(frozen=True)
class Replica:
    """One replica at the load it is planned for, and the most that its cache could hold."""

    setup: Setup
    case: Case
    memory: Memory
    concurrency: int
    capacity: int
    at_knee: Estimate
    requests_per_second: float
    bands: dict[str, Band]
    binding: str
    packing: Packing

    def drafts(self, output_tokens: int) -> str:
        """Return in words what is drafted in a decode step and what a step yields."""
        case = self.case
        if case.unstated != 1:
            return f"not stated: a factor of {case.unstated:g} on TPOT stands for servers with and without"
        if not case.draft_tokens:
            return "none"
        measured = "" if case.tokens_per_step > 0 else ", as measured"
        return f"{case.draft_tokens} a step, which yields {tokens_of_step(case, output_tokens):.2f} tokens{measured}"


@dataclass(frozen=True)
class Month:
    """One month of the fleet: replicas by hour, GPUs reserved and at peak, utilisation, money, energy, carbon."""

    month: int
    requests: float
    replicas_by_hour: tuple[int, ...]
    utilization_by_hour: tuple[float, ...]
    reserved_gpus: int
    peak_gpus: int
    gpu_hours: float
    utilization: float
    usd: float
    usd_per_mtok_output: float
    energy_kwh: float
    co2e_kg: float
    peak_nodes: int


@dataclass(frozen=True)
class ServingPlan:
    """What a serving report shows; ``context_tokens`` is the longest context that the model states, None for none."""

    model: str
    traffic: Traffic
    target: Target
    prices: Prices
    replica: Replica
    months: tuple[Month, ...]
    usd_per_mtok_saturated: float
    context_tokens: int | None

    @property
    def beyond_context(self) -> str:
        """What to know where requests are longer than the model states, empty where they are not."""
        longest, stated = self.traffic.longest_tokens, self.context_tokens
        if stated is None or longest <= stated:
            return ""
        return f"{longest:,} tokens a request are more than the {stated:,} that the model states".replace(",", " ")


def replica_for(model: str, setup: Setup, traffic: Traffic, target: Target, concurrency: int | None = None) -> Replica:
    """Return one replica at the largest load that meets the target; raise with the limit that binds otherwise.

    A ``concurrency`` given is its load instead, whatever the target; more than the cache holds is refused.
    """
    case = startable(case_of(
        model, setup.gpu, setup.engine, setup.weight_dtype, setup.kv_dtype, setup.tp, setup.pp, setup.dp, setup.ep,
        setup.draft_tokens, setup.tokens_per_step,
    ))  # fmt: skip
    chip = accelerator(setup.gpu)
    memory = engine_memory(case, physical_bytes(chip), engine_constants(setup.engine))
    capacity = int(sequences_that_fit(case, memory, float(traffic.longest_tokens)) * setup.dp)
    if capacity < 1:
        missing = cache_bytes_per_gpu(case, float(traffic.longest_tokens)) - memory.cache_bytes
        raise TargetError(no_room(model, setup, traffic, float(missing)))
    generation = measured_generation(chip)
    bands = {name: error_band(name, setup.engine, generation) for name in ("ttft", "tpot", "throughput")}
    if concurrency is not None and concurrency > capacity:
        raise TargetError(too_many(model, setup, concurrency, capacity))
    ceiling = min(capacity, MOST_IN_FLIGHT)
    knee, binding = (concurrency, "given") if concurrency else _knee(case, memory, traffic, target, bands, ceiling)
    if knee < 1:
        raise TargetError(missed(model, setup, traffic, _limits(target, bands), case))
    found = estimate(case, memory, float(traffic.input_tokens), float(traffic.output_tokens), float(knee))
    seconds = found.ttft_seconds + found.tpot_seconds * (traffic.output_tokens - 1)
    packing = _packing(setup, target)
    return Replica(setup, case, memory, knee, capacity, found, knee / seconds, bands, binding, packing)


def _packing(setup: Setup, target: Target) -> Packing:
    if target.gpus_per_node is None:
        return Packing(accelerator(setup.gpu).gpus_per_node, setup.gpus, f"data/hardware.csv, {setup.gpu}")
    return Packing(target.gpus_per_node, setup.gpus, "given in the scenario")


def _limits(target: Target, bands: dict[str, Band]) -> tuple[float, float]:
    """Return the estimates that may not be exceeded: targets over the quantile at which they must hold."""
    first, token = ((bands[n].high if target.at == "p90" else 1.0) for n in ("ttft", "tpot"))
    return target.ttft_seconds / first, target.tpot_seconds / token


def _knee(
    case: Case, memory: Memory, traffic: Traffic, target: Target, bands: dict[str, Band], ceiling: int
) -> tuple[int, str]:
    """Return the largest concurrency within the limits, by halving, and what binds there."""
    most_first, most_token = _limits(target, bands)

    def broken(concurrency: int) -> str:
        at = estimate(case, memory, float(traffic.input_tokens), float(traffic.output_tokens), float(concurrency))
        return "ttft" if at.ttft_seconds > most_first else "tpot" if at.tpot_seconds > most_token else ""

    if not broken(ceiling):
        return ceiling, "cache" if ceiling < MOST_IN_FLIGHT else "batch"
    low, high = 0, ceiling
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if broken(middle) else (middle, high)
    return low, broken(high)


def plan_serving(model: str, setup: Setup, traffic: Traffic, target: Target, prices: Prices) -> ServingPlan:
    """Return the plan of one setup over the months of the traffic."""
    replica = replica_for(model, setup, traffic, target)
    months = tuple(fleet_month(replica, traffic, target, prices, month) for month in range(traffic.months))
    rate = replica.requests_per_second * traffic.output_tokens
    saturated = usd_per_mtok(setup.gpus, prices.reserved_usd, rate)
    return ServingPlan(model, traffic, target, prices, replica, months, saturated, catalog.context_tokens(model))


def fleet_month(replica: Replica, traffic: Traffic, target: Target, prices: Prices, month: int) -> Month:
    """Return one month of the fleet: replicas follow the hours, the least of them is reserved, the rest bursts.

    With whole nodes every hour pays for the nodes that its replicas stand on; GPUs without a replica draw idle power.
    """
    arrivals = arrivals_by_hour(traffic, month)
    rate, packing = replica.requests_per_second, replica.packing
    spare = target.spare_replicas(packing)
    fleets = tuple(replicas_for_traffic(each, rate, target.target_load, spare) for each in arrivals)
    paid = tuple(packing.gpus(fleet, target.whole_nodes) for fleet in fleets)
    reserved, peak = min(paid), max(paid)
    gpu_hours = sum(paid) * HOURS_PER_MONTH / HOURS
    burst_hours = gpu_hours - reserved * HOURS_PER_MONTH
    served = tuple(each / traffic.peak_factor for each in arrivals)
    busy = tuple(each / (fleet * rate) if fleet else 0.0 for each, fleet in zip(served, fleets, strict=True))
    requests = sum(served) * 3600 * DAYS_PER_MONTH
    usd = reserved * HOURS_PER_MONTH * prices.reserved_usd + burst_hours * prices.on_demand_usd
    mean_busy = sum(served) / (sum(fleets) * rate)
    used = sum(fleets) * packing.gpus_per_replica / sum(paid)
    energy = serving_kwh(1, prices.tdp_watts, min(1.0, mean_busy) * used, prices.pue, gpu_hours)
    per_token = usd / (requests * traffic.output_tokens) * 1e6
    carbon = serving_co2e_kg(energy, prices.grams_per_kwh)
    return Month(
        month, requests, fleets, busy, reserved, peak, gpu_hours, mean_busy, usd, per_token, energy, carbon,
        packing.nodes(max(fleets)),
    )  # fmt: skip


def latency_curve(replica: Replica, traffic: Traffic) -> tuple[tuple[int, Estimate], ...]:
    """Return latency and throughput against concurrency in powers of two up to what the cache holds."""
    points, concurrency = [], 1
    while concurrency <= min(replica.capacity, MOST_IN_FLIGHT):
        points.append(concurrency)
        concurrency *= 2
    load = (float(traffic.input_tokens), float(traffic.output_tokens))
    return tuple((c, estimate(replica.case, replica.memory, *load, float(c))) for c in points)
