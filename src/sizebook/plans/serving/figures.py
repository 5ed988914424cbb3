"""The headline figures of a serving plan, declared once: what every surface shows of it beside its months."""

from typing import Annotated, Any

from sizebook.core.sections import Quantity, quantity, section
from sizebook.plans.commitments import CommitmentFigures
from sizebook.plans.quantities import (
    CacheCapacity,
    GpusPerNode,
    GpusPerReplica,
    InFlight,
    OnDemandRate,
    OutputRate,
    PricesBasis,
    RatesBasis,
    ReleaseBasis,
    RequestRate,
    ReservedLongRate,
    ReservedRate,
    SpareReplicas,
    TdpWatts,
    TimePerOutputToken,
    TimeToFirstToken,
    Workers,
    band_end,
)
from sizebook.plans.serving.alternatives import Alternatives
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.internal_price import InternalPrice, gpu_seconds, internal_price
from sizebook.plans.serving.listed_prices import ListedPrices, listed_prices
from sizebook.plans.serving.months import most_gpus
from sizebook.plans.serving.plan import ServingPlan, in_words, replica_of
from sizebook.plans.serving.rates import watts
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.plans.serving.spot_replicas import SpotReplicas
from sizebook.plans.serving.starts import Scaled, cold_start
from sizebook.serving.band import banded
from sizebook.serving.encoding import tokens_in_context
from sizebook.serving.pools import LEAST_TRANSFER
from sizebook.tables.grid import grid_of
from sizebook.tables.hardware import accelerator

LongestTokens = Annotated[
    int, Quantity("tokens of the longest request in the context", unit="tokens", minimum=0, label="Longest request")
]


@section
class ReplicaFigures:
    """One replica at the load planned for, with the band of each estimate."""

    input_tokens: int = quantity("mean tokens of a prompt", "tokens", minimum=0, label="Prompt, mean")
    output_tokens: int = quantity("mean tokens of an answer", "tokens", minimum=0, label="Answer, mean")
    longest_tokens: LongestTokens
    held_tokens: int = quantity(
        "tokens of cache kept for each request: where sequences grow, what hardly ever puts one back",
        "tokens",
        minimum=0,
        label="Cache kept for a request",
    )
    gpus_per_replica: GpusPerReplica
    concurrency: InFlight
    capacity: CacheCapacity
    binding: str = quantity(
        "what limits the load: ttft, tpot, cache, batch, prefill (its pool) or given", label="Limited by"
    )
    requests_per_second: RequestRate
    ttft_seconds: TimeToFirstToken
    ttft_seconds_p10: Annotated[float, band_end("time to first token", 10, unit="seconds")]
    ttft_seconds_p90: Annotated[float, band_end("time to first token", 90, unit="seconds")]
    tpot_seconds: TimePerOutputToken
    tpot_seconds_p10: Annotated[float, band_end("time per output token", 10, unit="seconds")]
    tpot_seconds_p90: Annotated[float, band_end("time per output token", 90, unit="seconds")]
    tokens_per_second: OutputRate
    tokens_per_second_p10: Annotated[float, band_end("output tokens a second", 10, unit="tokens/s")]
    tokens_per_second_p90: Annotated[float, band_end("output tokens a second", 90, unit="tokens/s")]
    held_for: str = quantity(
        "what of requests the targets are held for: mean, p50, p90, p95 or p99", label="Targets held for"
    )
    ttft_seconds_held: float = quantity(
        "time to first token that its target is held against", "seconds", label="Time to first token, held"
    )
    tpot_seconds_held: float = quantity(
        "time per output token that its target is held against", "seconds", label="Time per output token, held"
    )
    arrivals: str = quantity("how requests arrive", label="Arrivals")
    weight_bytes: float = quantity("weights on one GPU", "bytes", label="Weights")
    cache_bytes: float = quantity("room for the cache on one GPU", "bytes", label="Cache")
    activation_bytes: float = quantity("activation peak on one GPU", "bytes", label="Activation peak")
    non_torch_bytes: float = quantity("driver and communication on one GPU", "bytes", label="Driver and communication")
    left_bytes: float = quantity(
        "memory that the engine leaves free on one GPU", "bytes", label="Left free by the engine"
    )
    physical_bytes: float = quantity("memory of one GPU", "bytes", label="Physical memory")
    prompt_gpu_seconds: float = quantity(
        "seconds of GPUs that new tokens of a prompt take", "seconds", label="GPU-seconds, prompt"
    )
    cached_gpu_seconds: float = quantity(
        "seconds of GPUs that cached tokens of a prompt take", "seconds", label="GPU-seconds, cached tokens"
    )
    answer_gpu_seconds: float = quantity("seconds of GPUs that an answer takes", "seconds", label="GPU-seconds, answer")
    rates_basis: RatesBasis
    release_basis: ReleaseBasis
    workers: Workers
    transfer_seconds: float = quantity(
        "sending the cache of a prompt from prefill to decode, part of the time to first token",
        "seconds",
        label="Cache sent",
    )
    transfer_seconds_most: float = quantity(
        "the same at a quarter of the link's rate, an assumption", "seconds", label="Cache sent, at most"
    )
    hit_ratio: float = quantity(
        "share of all prompts' tokens found in caches", "ratio", label="Prompts found in caches"
    )
    restored_ratio: float = quantity(
        "share of later prompts whose prefix comes back to the GPU", "ratio", label="Prefixes sent back"
    )
    restore_seconds: float = quantity("sending one prefix back to the GPU", "seconds", label="Sending a prefix back")
    prefix_tokens: float = quantity(
        "tokens of prefixes that a replica keeps beside what it runs", "tokens", label="Prefixes kept"
    )
    prefix_hours: float = quantity(
        "hours for which a prefix that nobody uses stays there", "hours", label="Prefixes stay"
    )
    host_prefix_tokens: float = quantity(
        "tokens of prefixes kept in its host cache", "tokens", label="Prefixes in the host cache"
    )
    host_prefix_hours: float = quantity(
        "hours for which one stays there", "hours", label="Prefixes stay in the host cache"
    )
    encode_seconds: float = quantity(
        "the encoder over the images of a request", "seconds", label="Encoder of images, a request"
    )
    cold_start_seconds: float = quantity("seconds until a new replica serves", "seconds", label="Start of a replica")


@section
class ServingFigures(ReplicaFigures):
    """One replica at the load planned for, with the band of each estimate, and the prices of its fleet."""

    spare_replicas: SpareReplicas
    on_demand_usd_per_gpu_hour: OnDemandRate
    reserved_usd_per_gpu_hour: ReservedRate
    reserved_3y_usd_per_gpu_hour: ReservedLongRate
    price_basis: PricesBasis
    usd_per_mtok_saturated: float = quantity(
        "cost of a million output tokens at full load", "USD/Mtok", label="USD per Mtok, full"
    )
    scaled: Scaled
    on_spot: SpotReplicas
    alternatives: Alternatives
    commitments: CommitmentFigures
    internal: InternalPrice


@section
class ServingBasis(ReplicaFigures):
    """What the formulas of a serving workbook start from: one replica, and what tables say of its GPU and grid.

    A price that no table lists is blank.
    """

    gpus_per_node: GpusPerNode
    listed: ListedPrices
    tdp_watts: TdpWatts
    listed_grams_per_kwh: float = quantity(
        "greenhouse gases per energy of the grid", "gCO2e/kWh", label="Carbon of the grid"
    )


def figures(plan: ServingPlan) -> ServingFigures:
    """Return the headline figures of a plan."""
    return ServingFigures(
        **_of_the_replica(plan.inputs, plan.replica),
        spare_replicas=plan.inputs.target.margins.spare_replicas(plan.replica.packing),
        on_demand_usd_per_gpu_hour=plan.rates.on_demand_usd,
        reserved_usd_per_gpu_hour=plan.rates.reserved_usd,
        reserved_3y_usd_per_gpu_hour=plan.rates.long_usd,
        price_basis=plan.rates.basis,
        usd_per_mtok_saturated=plan.usd_per_mtok_saturated,
        scaled=plan.scaled,
        on_spot=plan.on_spot,
        alternatives=plan.alternatives,
        commitments=contracts(plan),
        internal=internal_price(plan.replica, plan.months),
    )


def contracts(plan: ServingPlan) -> CommitmentFigures:
    """Return what the contracts of a plan leave after it, and how far they are from the best if traffic differs."""
    after, owed = plan.portfolio.tail(plan.traffic.months)
    less, more = plan.regrets
    return CommitmentFigures(tail_months=after, tail_usd=owed, regret_less_usd=less, regret_more_usd=more)


def basis(model: str, gpu: str, inputs: ServingInputs) -> ServingBasis:
    """Return what a plan's fleet follows from; traffic and prices matter to it only where pools are searched."""
    inputs = inputs.read(model)
    chip, prices = accelerator(gpu), inputs.prices
    replica = replica_of(model, gpu, inputs)
    return ServingBasis(
        **_of_the_replica(inputs, replica),
        gpus_per_node=replica.packing.gpus_per_node,
        listed=listed_prices(chip.key, prices, gpus=most_gpus(replica, inputs)),
        tdp_watts=watts(chip.key),
        listed_grams_per_kwh=grid_of(prices.energy.grid).g_co2e_per_kwh,
    )


def _of_the_replica(inputs: ServingInputs, replica: PlannedReplica) -> dict[str, Any]:
    memory, traffic, each = replica.memory, inputs.traffic, gpu_seconds(replica)
    return {
        "input_tokens": traffic.mean_demand.input_tokens,
        "output_tokens": traffic.mean_demand.output_tokens,
        "longest_tokens": tokens_in_context(replica.case, traffic.longest),
        "held_tokens": replica.held_tokens,
        "gpus_per_replica": replica.gpus,
        "concurrency": replica.concurrency,
        "capacity": replica.capacity,
        "binding": replica.binding,
        "requests_per_second": replica.requests_per_second,
        **_banded(replica),
        "held_for": inputs.requests.held_for,
        "ttft_seconds_held": replica.held("ttft"),
        "tpot_seconds_held": replica.held("tpot"),
        "arrivals": in_words(inputs, replica),
        "weight_bytes": float(memory.weight_bytes),
        "cache_bytes": float(memory.cache_bytes),
        "activation_bytes": float(memory.activation_bytes),
        "non_torch_bytes": float(memory.non_torch_bytes),
        "left_bytes": float(memory.physical_bytes - memory.allowed_bytes),
        "physical_bytes": float(memory.physical_bytes),
        "prompt_gpu_seconds": each.prompt,
        "cached_gpu_seconds": each.cached,
        "answer_gpu_seconds": each.answer,
        "rates_basis": replica.rates_basis,
        "release_basis": replica.release_basis,
        "workers": replica.layout,
        "transfer_seconds": replica.transfer_seconds,
        "transfer_seconds_most": replica.transfer_seconds / LEAST_TRANSFER,
        "hit_ratio": replica.demand.cache_hit_ratio,
        **replica.kept.figures,
        "encode_seconds": float(replica.case.encode_seconds),
        "cold_start_seconds": cold_start(inputs.scaling, replica),
    }


def _banded(replica: PlannedReplica) -> dict[str, float]:
    """Return each estimate with both ends of its band."""
    knee = replica.at_knee
    found: dict[str, float] = {}
    values = {
        "ttft_seconds": (knee.ttft_seconds, replica.bands["ttft"]),
        "tpot_seconds": (knee.tpot_seconds, replica.bands["tpot"]),
        "tokens_per_second": (knee.tokens_per_second, replica.bands["throughput"]),
    }
    for name, (value, band) in values.items():
        found |= banded(name, float(value), band)
    return found
