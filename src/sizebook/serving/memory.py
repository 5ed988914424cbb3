"""Engine memory: what weights, activations and the driver leave for the cache, and what fits into it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache

from sizebook.serving.case import Case, Number, engine_row, larger
from sizebook.serving.costs import Costs
from sizebook.serving.time import cache_bytes_per_gpu
from sizebook.tables.hardware import Accelerator

HALF_BYTES = 2.0  # embeddings, the vocabulary head and norms stay in 16 bits in quantised checkpoints


@dataclass(frozen=True)
class Memory:
    """Bytes on one GPU: physical, allowed to the engine, and what takes them; ``cache_bytes`` is what is left."""

    physical_bytes: Number
    allowed_bytes: Number
    weight_bytes: Number
    activation_bytes: Number
    non_torch_bytes: Number
    cache_bytes: Number


def weight_bytes_per_gpu(case: Case) -> Number:
    """Return the weights on one GPU: attention and dense blocks over tp, experts over tp x dp, layers over pp.

    The embedding, the head and whatever is neither (norms, biases) count 16 bits and divide by tp. Where a
    checkpoint is given, its headers say the bytes.
    """
    s = case.shape
    experts = s.n_experts * s.expert_parameters
    projected = s.attention_parameters + s.dense_parameters
    rest = s.total_parameters - experts - projected
    computed = case.stored_bytes == 0
    split = computed * (projected * case.attention_bytes + rest * HALF_BYTES) + case.stored_bytes
    routed = computed * experts * case.expert_bytes + case.stored_expert_bytes
    return (split / case.tp + routed / (case.tp * case.dp)) / case.pp


def physical_bytes(gpu: Accelerator) -> float:
    """Return the memory that the driver reports, about one per cent under the label."""
    return float(gpu.usable_memory_bytes or gpu.memory_bytes)


@dataclass(frozen=True)
class Engine:
    """What an engine version takes, from ``data/engines.csv``: numbers, or arrays of them."""

    utilization: Number
    of_free: Number
    activation_bytes_per_vocab: Number
    non_torch_bytes_alone: Number
    non_torch_bytes_group: Number


@cache
def engine_constants(engine: str, version: str = "") -> Engine:
    """Return the constants of an engine version; a blank version takes the newest row."""
    row = engine_row(engine, version)
    numbers = (float(row[f.name]) for f in fields(Engine) if f.name != "of_free")
    utilization, activation, alone, group = numbers
    return Engine(utilization, float(row["of_free"] == "yes"), activation, alone, group)


def engine_memory(case: Case, physical: Number, engine: Engine, utilization: float | None = None) -> Memory:
    """Return how an engine divides one GPU's memory: allowed - weights - activation peak - outside torch = cache.

    TensorRT-LLM takes its share of what is free after weights and activations, the others of the physical memory. A
    negative cache says by how much the model does not fit.
    """
    share = engine.utilization if utilization is None else utilization
    weights = weight_bytes_per_gpu(case)
    activation = engine.activation_bytes_per_vocab * case.shape.vocab
    grouped = case.tp * case.pp * case.dp > 1
    outside = engine.non_torch_bytes_alone + (engine.non_torch_bytes_group - engine.non_torch_bytes_alone) * grouped
    taken = weights + activation + outside
    allowed = physical * share + engine.of_free * taken * (1 - share)
    return Memory(physical, allowed, weights, activation, outside, allowed - taken)


def sequences_that_fit(case: Case | Costs, memory: Memory, context: Number) -> Number:
    """Return the sequences of that many tokens that the cache of one attention rank holds, as a whole number."""
    return larger(memory.cache_bytes // larger(cache_bytes_per_gpu(case, context), 1.0), 0.0)


def capacity_sequences(
    case: Case, gpu: Accelerator, engine: str, context: Number, version: str = "", utilization: float | None = None
) -> Number:
    """Return the sequences of that many tokens that one attention rank holds on an accelerator."""
    return sequences_that_fit(
        case, engine_memory(case, physical_bytes(gpu), engine_constants(engine, version), utilization), context
    )


def context_that_fits(case: Case, memory: Memory, sequences: float) -> int:
    """Return the longest context that so many sequences can have at once on one attention rank, 0 where none fits.

    Found by halving, since windows and recurrent state make the cache grow unevenly; at most 2^40 tokens.
    """
    fits, fails = 0, 1
    while fails < 1 << 40 and cache_bytes_per_gpu(case, float(fails)) * sequences <= memory.cache_bytes:
        fits, fails = fails, fails * 2
    while fails - fits > 1:
        middle = (fits + fails) // 2
        within = cache_bytes_per_gpu(case, float(middle)) * sequences <= memory.cache_bytes
        fits, fails = (middle, fails) if within else (fits, middle)
    return fits
