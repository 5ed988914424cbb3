"""Engine memory: what weights, activations and the driver leave for the cache, and what fits into it."""

import math
from dataclasses import dataclass, fields
from functools import cache, lru_cache

from sizebook.core.errors import require
from sizebook.serving.case import Case, Number, engine_row, larger, smaller
from sizebook.serving.costs import Costs, costs_of
from sizebook.serving.kernels import adapter_bytes
from sizebook.serving.quantities import Replica
from sizebook.serving.releases import release_of
from sizebook.serving.time import cache_bytes_per_gpu
from sizebook.tables.hardware import Accelerator, accelerator

HALF_BYTES = 2.0  # embeddings, the vocabulary head and norms stay in 16 bits in quantised checkpoints
PROFILED = 1024.0  # requests with which activation_bytes_per_vocab of data/engines.csv was measured
WIDE_GPUS = 4  # from which on SGLang records larger decode graphs
VIT_L_SIZE = 24 * 1024**2  # layers x width^2 of ViT-L/14, by which SGLang measures vision towers
# Activations of a token's width beside those of the widest block, and what a pipeline stage takes in.
KEPT_WIDTHS, STAGE_WIDTHS = 4.0, 2.0


@dataclass(frozen=True, eq=False)
class Engine:
    """What an engine version takes, from ``data/engines.csv``: numbers, or arrays of them; one object a version.

    ``grown`` is 1 where a sequence takes blocks of the cache as it grows, 0 where it takes all at its start. Of the
    cache an engine may set ``state_share`` apart for states of mixers. A request that runs takes ``state_copies`` of
    its state; where tokens are drafted, ``state_copies_drafting`` and ``state_copies_per_draft`` for each. With
    ``state_aside`` states for the tokens that a step checks are taken off before, for as many requests as may run.
    With ``state_blocks`` a block of the cache is as large as a layer's state. Layers with a window have a pool of
    ``window_share`` of the tokens of the others', 0 where they hold their window of the cache that all share. With
    ``expert_workspace`` it keeps buffers for experts as long as it runs.
    """

    utilization: Number
    of_free: Number
    kept_bytes: Number
    kept_bytes_per_token: Number
    kept_bytes_per_graph: Number
    kept_bytes_per_gpu: Number
    kept_bytes_per_graph_rank: Number
    kept_bytes_drafting: Number
    kept_bytes_latent: Number
    kept_share_vision: Number
    activation_bytes_per_vocab: Number
    non_torch_bytes_alone: Number
    non_torch_bytes_group: Number
    grown: Number
    state_share: Number
    state_copies: Number
    state_copies_drafting: Number
    state_copies_per_draft: Number
    state_aside: Number
    state_blocks: Number
    window_share: Number
    expert_workspace: Number


@dataclass(frozen=True)
class Memory:
    """Bytes on one GPU: physical, the ``share`` of it stated or usual, allowed to the engine, and what takes them.

    ``cache_bytes`` is what is left.
    """

    physical_bytes: Number
    share: Number
    allowed_bytes: Number
    weight_bytes: Number
    activation_bytes: Number
    non_torch_bytes: Number
    cache_bytes: Number
    engine: Engine


def weight_bytes_per_gpu(case: Case) -> Number:
    """Return the weights on one GPU: attention and dense blocks over tp, experts over tp x dp, layers over pp.

    The embedding, the head and whatever is neither (norms, biases) count 16 bits and divide by tp. Where a checkpoint
    is given, its headers say the bytes. Adapters lie beside them.
    """
    s = case.shape
    experts = s.n_experts * s.expert_parameters
    projected = s.attention_parameters + s.dense_parameters
    rest = s.total_parameters - experts - projected
    computed = case.stored_bytes == 0
    split = computed * (projected * case.attention_bytes + rest * HALF_BYTES) + case.stored_bytes
    routed = computed * experts * case.expert_bytes + case.stored_expert_bytes
    adapted = case.adapters * adapter_bytes(case)
    return (split / case.tp + routed / (case.tp * case.dp) + adapted) / case.pp


def physical_bytes(gpu: Accelerator) -> float:
    """Return the memory that the driver reports, about one per cent under the label."""
    return float(gpu.usable_memory_bytes or gpu.memory_bytes)


_FLAGS = ("of_free", "grown", "state_aside", "state_blocks", "expert_workspace")


@cache
def engine_constants(engine: str, version: str = "") -> Engine:
    """Return the constants of an engine version; a blank version takes the newest row.

    Errors: a row of the planner's own table that lacks one.
    """
    row = engine_row(engine, version)
    missing = [f.name for f in fields(Engine) if not row[f.name]]
    require(
        not missing,
        f"incomplete engine: got no {', '.join(missing)} of {row['key']}, want all columns of data/engines.csv. Add "
        "them to your own table.",
    )
    return Engine(*(float(row[f.name] == "yes" if f.name in _FLAGS else row[f.name]) for f in fields(Engine)))


def constants_of(replica: Replica) -> Engine:
    """Return the constants of the release that a replica states, of the newest where it states none."""
    version = release_of(f"{replica.engine} {replica.release}").version if replica.release else ""
    return engine_constants(replica.engine, version)


def memory_of(case: Case, gpu: str, replica: Replica, version: str = "") -> Memory:
    """Return the memory of a replica's engine on an accelerator; a version of the table goes before its release."""
    return _memory_on(case, gpu, engine_constants(replica.engine, version) if version else constants_of(replica))


@lru_cache(maxsize=1024)
def _memory_on(case: Case, gpu: str, engine: Engine) -> Memory:
    return engine_memory(case, physical_bytes(accelerator(gpu)), engine)


def activation_bytes(case: Case, engine: Engine) -> Number:
    """Return the peak that an engine measures before it allots its cache, the larger of two beside what it keeps.

    The logits of as many requests as it runs at once, of the whole vocabulary on each GPU; and the widest block of a
    pass of prompts. An engine that measures nothing keeps nothing back.
    """
    s, stated = case.shape, case.max_running > 0
    running = smaller(stated * case.max_running / case.dp + (1 - stated) * case.profiled_running, PROFILED)
    logits = engine.activation_bytes_per_vocab * s.vocab * running / PROFILED
    block = s.dense_parameters / larger(s.n_dense_layers, 1.0) / s.d_model / case.tp
    width = block + (KEPT_WIDTHS + STAGE_WIDTHS * (case.pp > 1)) * s.d_model
    peak = (engine.activation_bytes_per_vocab > 0) * larger(logits, HALF_BYTES * case.profiled_tokens * width)
    return peak + engine.expert_workspace * workspace_bytes(case)


def workspace_bytes(case: Case) -> Number:
    """Return what an engine keeps for the experts of a pass of prompts: two buffers of each token's every expert.

    One holds what comes out of gate and up or of down, the other both of gate and up or what goes in. Kernels of four
    bits have buffers of their own.
    """
    s = case.shape
    width = s.expert_parameters / larger(s.n_expert_layers, 1.0) / s.d_model / 3
    own = width / (1 + (case.ep <= 1) * (case.tp - 1))
    buffers = larger(own, s.d_model) + larger(2 * own, s.d_model)
    return (case.expert_bytes >= 1) * HALF_BYTES * case.profiled_tokens * s.top_k * buffers


def usual_share(case: Case, physical: Number, engine: Engine) -> Number:
    """Return the share of a GPU's memory that an engine takes where nobody states it: all but what it keeps back.

    SGLang keeps room for the activations of a chunk and for graphs. A vision tower takes 5 % of the rest, and more the
    larger it is beside ViT-L's 24 layers of 1,024: a tenth for each time it is as large again, 20 % at most.
    """
    gpus, ranks, sees = case.tp * case.pp * case.dp, case.dp * (case.dp > 1), case.shape.vision_size > 0
    graphs = case.graphs + (case.tp * case.dp >= WIDE_GPUS) * (case.graphs_wide - case.graphs)
    kept = (
        engine.kept_bytes
        + engine.kept_bytes_per_token * case.profiled_tokens
        + graphs * (engine.kept_bytes_per_graph + ranks * engine.kept_bytes_per_graph_rank)
        + engine.kept_bytes_per_gpu * gpus
        + engine.kept_bytes_drafting * (case.draft_tokens > 0)
        + engine.kept_bytes_latent * (case.shape.n_latent_layers > 0)
    )
    grown = smaller(larger(1.1 - 0.1 * case.shape.vision_size / VIT_L_SIZE, 0.8), 1.05)
    seen = sees * (engine.kept_share_vision > 0) * (1 - (1 - engine.kept_share_vision) * grown)
    return (engine.utilization - kept / physical) * (1 - seen)


def engine_memory(case: Case, physical: Number, engine: Engine) -> Memory:
    """Return how an engine divides one GPU's memory: allowed - weights - activation peak - outside torch = cache.

    TensorRT-LLM takes its share of what is free after weights and activations, the others of the physical memory. A
    negative cache says by how much the model does not fit.
    """
    share = case.memory_utilization + (case.memory_utilization <= 0) * usual_share(case, physical, engine)
    weights = weight_bytes_per_gpu(case)
    activation = activation_bytes(case, engine)
    grouped = case.tp * case.pp * case.dp > 1
    outside = engine.non_torch_bytes_alone + (engine.non_torch_bytes_group - engine.non_torch_bytes_alone) * grouped
    taken = weights + activation + outside
    allowed = physical * share + engine.of_free * taken * (1 - share)
    left = allowed - taken
    return Memory(physical, share, allowed, weights, activation, outside, left, engine)


def _states_held(at: Costs, engine: Engine) -> tuple[Number, Number]:
    """Return bytes of states that a request takes while it runs, and that are set aside for all that may run."""
    drafts, drafting = at.draft_tokens, at.draft_tokens > 0
    more = engine.state_copies_drafting - engine.state_copies + engine.state_copies_per_draft * drafts
    aside = engine.state_aside * drafting * (1 + drafts) * at.max_running / at.dp
    return at.cache_state * (engine.state_copies + drafting * more), at.cache_state * aside


def _room(at: Costs, memory: Memory, context: Number) -> tuple[Number, Number, Number]:
    """Return the sequences of that many tokens for which a rank's cache has room, and its pool of states.

    And whether there is such a pool: elsewhere states lie in the cache. Of its last block a sequence leaves half empty
    on average, which counts where blocks are as large as states.
    """
    pooled = memory.engine.state_share * (at.cache_state > 0)
    states, aside = _states_held(at, memory.engine)
    left = memory.cache_bytes - aside
    empty = memory.engine.state_blocks * at.cache_block / 2
    share = memory.engine.window_share
    parted, held = at.windows_pooled * (share > 0), at.cache.of(context)
    held = held + parted * (at.cache.pooled(context, share + (share <= 0)) - held)
    each = held + empty + states * (pooled <= 0)
    of_tokens = larger(left * (1 - pooled) // larger(each, 1.0), 0.0)
    of_states = larger(left * pooled // larger(states, 1.0), 0.0)
    return of_tokens, of_states, pooled > 0


def sequences_that_fit(case: Case | Costs, memory: Memory, context: Number) -> Number:
    """Return the sequences of that many tokens that the cache of one attention rank holds, as a whole number.

    States of mixers lie in a pool of their own where the engine has one, and may be what binds.
    """
    of_tokens, of_states, pooled = _room(costs_of(case), memory, context)
    return of_tokens + pooled * (smaller(of_tokens, of_states) - of_tokens)


def states_bind(case: Case | Costs, memory: Memory, context: float) -> bool:
    """Return whether a pool of states is full before the cache beside it, with sequences of that many tokens."""
    of_tokens, of_states, pooled = _room(costs_of(case), memory, context)
    return bool(pooled and of_states < of_tokens)


def requests_that_fit(case: Case | Costs, memory: Memory, input_tokens: Number, output_tokens: Number) -> Number:
    """Return the requests that one attention rank runs at once on average, as a whole number.

    Where sequences take blocks as they grow, each of them holds its prompt and half of its answer on average; the one
    that finds no block is put back, so that the cache stays full. One alone must fit with its whole answer.
    """
    longest = input_tokens + output_tokens
    fit = sequences_that_fit(case, memory, longest - memory.engine.grown * output_tokens / 2)
    return fit * (memory.cache_bytes >= cache_bytes_per_gpu(case, longest))


def held_tokens(memory: Memory, input_tokens: int, output_tokens: int, requests: int) -> int:
    """Return the tokens of cache to keep for each of so many requests, so that hardly one of them is put back.

    Where sequences grow, requests anywhere in their answers hold half of them on average, and what n of them hold
    together spreads by the square root of n / 12 answers. Two such deviations are kept beside the mean, and never more
    than whole answers: all that there is where an engine allots an answer at its start.
    """
    share = min(0.5 + 1 / math.sqrt(3 * max(requests, 1)), 1.0) if memory.engine.grown else 1.0
    return input_tokens + math.ceil(output_tokens * share)


def requests_kept(case: Case | Costs, memory: Memory, input_tokens: int, output_tokens: int) -> int:
    """Return the most requests that one attention rank runs at once with hardly one of them put back, found by halving.

    As many as `sequences_that_fit` of the tokens that are then held for each.
    """
    fits, fails = 0, int(sequences_that_fit(case, memory, float(input_tokens))) + 1
    while fails - fits > 1:
        middle = (fits + fails) // 2
        each = held_tokens(memory, input_tokens, output_tokens, requests=middle)
        within = sequences_that_fit(case, memory, float(each)) >= middle
        fits, fails = (middle, fails) if within else (fits, middle)
    return fits


def context_that_fits(case: Case, memory: Memory, sequences: float) -> int:
    """Return the longest context that so many sequences can have at once on one attention rank, 0 where none fits.

    Found by halving, since windows and recurrent state make the cache grow unevenly; at most 2^40 tokens.
    """
    fits, fails = 0, 1
    while fails < 1 << 40 and sequences_that_fit(case, memory, float(fails)) >= sequences:
        fits, fails = fails, fails * 2
    while fails - fits > 1:
        middle = (fits + fails) // 2
        within = sequences_that_fit(case, memory, float(middle)) >= sequences
        fits, fails = (middle, fails) if within else (fits, middle)
    return fits
