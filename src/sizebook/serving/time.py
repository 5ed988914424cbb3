"""Serving time: what one pass of the model takes, and what time to first token and time per token follow from it.

A pass is the sum over its parts (attention projections, dense blocks, experts, vocabulary head, cache) of the smooth
maximum of bytes over bandwidth and FLOPs over peak, plus activations that its kernels pass through memory, collectives
and fixed seconds a layer. Plain arithmetic on numbers or arrays; the rates are calibrated on measurements
(``data/calibration_serving.csv``).

    t = sum of ((bytes / (bandwidth r_b))^p + (FLOPs / (peak r_c))^p)^(1/p)
        + tokens x d_model x 2 x (layers x passes + expert layers x top_k x passes) / bandwidth
        + collectives + layers x seconds
"""

from __future__ import annotations

from dataclasses import dataclass

from sizebook.serving.case import Case, Number, larger, smaller
from sizebook.serving.quantities import Demand
from sizebook.serving.shape import INDEX_ELEMENT_BYTES

CHUNK_TOKENS = 8192.0  # tokens of prompts that engines put into one pass by default (chunked prefill)
# At most so much of the other prompts' work is waited for before the first token: half of it, on average, where all
# prompts arrive at once, and a little more where a batch is not decoded before its last prompt is done.
MOST_QUEUED = 0.6
MOST_ACCEPTED = 0.97  # chance that a drafted token is accepted, however long the answer


@dataclass(frozen=True)
class Pass:
    """One pass of the model on one attention rank: new tokens, sequences, and the context each attends to.

    Of the context of a prompt ``cached`` tokens were computed before, for another prompt with the same beginning.
    """

    tokens: Number
    sequences: Number
    context: Number
    prefill: bool
    cached: Number = 0.0


@dataclass(frozen=True)
class Latency:
    """Seconds: to the first token, per output token after it, of that the decode step alone, one prompt's prefill."""

    ttft_seconds: Number
    tpot_seconds: Number
    decode_step_seconds: Number
    prefill_seconds: Number


def experts_touched(n_experts: Number, top_k: Number, tokens: Number) -> Number:
    """Return the distinct experts that a batch visits: E (1 - (1 - k / E)^tokens), routing taken as uniform."""
    known = larger(n_experts, 1.0)
    return n_experts * (1 - (1 - top_k / known) ** tokens)


def kv_heads_held(n_kv_heads: Number, tp: Number) -> Number:
    """Return the key-value heads that one GPU holds: ceil(heads / tp), replicated where there are fewer than GPUs."""
    return -(-n_kv_heads // tp)


def _within(context: Number, limit: Number) -> Number:
    """Return the tokens of a context that a limit leaves, 0 for no limit."""
    return smaller(context, limit + (limit <= 0) * context)


def cache_bytes_per_gpu(case: Case, context: Number) -> Number:
    """Return the cache of one sequence on one GPU: heads divide by tp, a latent does not, windows hold min(S, W).

    Each kind of layer by itself, as heads and windows differ within a model. State of mixers divides by tp and does not
    grow. Pipeline stages share the layers.
    """
    s, elements = case.shape, 0.0
    for kind in s.kinds:
        held = kv_heads_held(kind.n_kv_heads, case.tp) * kind.cache_width
        elements = elements + held * _within(context, kind.window)
    index = s.index_cache_width * INDEX_ELEMENT_BYTES * context
    return (elements * case.kv_bytes + index + s.state_bytes / case.tp) / case.pp


def _read_bytes(case: Case, context: Number) -> Number:
    """Return the bytes that attention reads for one new token of one sequence: selected keys only where indexed.

    Layers that share the cache of an earlier one read it again.
    """
    s, elements = case.shape, 0.0
    for kind in s.kinds:
        read = kv_heads_held(kind.n_kv_heads, case.tp) * kind.read_width
        elements = elements + read * _within(context, kind.seen)
    return elements * case.kv_bytes + s.index_cache_width * INDEX_ELEMENT_BYTES * context


def _score_flops(case: Case, work: Pass) -> Number:
    """Return the FLOPs of attention scores on one GPU; a prompt's queries see half of it on average."""
    context = (work.context + work.cached) / 2 if work.prefill else work.context
    scores = 0.0
    for kind in case.shape.kinds:
        share = -(-kind.n_heads // case.tp) / kind.n_heads
        width = kind.score_width if work.prefill else kind.decode_score_width
        scores = scores + share * (width * _within(context, kind.seen))
    return 2 * work.tokens * (scores + case.shape.index_score_width * context)


def _smooth(seconds_memory: Number, seconds_compute: Number, power: Number) -> Number:
    return (seconds_memory**power + seconds_compute**power) ** (1 / power)


def _collectives(case: Case, work: Pass) -> Number:
    """Return the seconds of all-reduces over tp and of expert exchange over dp: 2 (tp - 1) / tp x bytes / link."""
    s, r = case.shape, case.rates
    message = work.tokens * s.d_model * 2.0
    crosses = case.tp * case.dp > case.node_gpus
    link = (case.link * (1 - crosses) + case.network * crosses) * (
        r["prefill_link"] if work.prefill else r["decode_link"]
    )
    reduces = (case.tp > 1) * s.n_layers * (2.0 - (case.dp > 1))
    reduced = reduces * (r["collective_seconds"] + 2 * (case.tp - 1) / case.tp * message / link)
    fan = smaller(s.top_k, case.dp) * (case.dp - 1) / case.dp
    exchanged = (case.dp > 1) * s.n_expert_layers * (r["exchange_seconds"] + 2 * message * fan / link)
    return reduced + exchanged


def pass_seconds(case: Case, work: Pass) -> tuple[Number, Number]:
    """Return the seconds of one pass over all layers: data movement and arithmetic, and fixed seconds of the layers."""
    s, r = case.shape, case.rates
    phase = "prefill" if work.prefill else "decode"
    compute = r[f"{phase}_compute"]
    tp, power = case.tp, r["overlap_power"]
    fast, half = case.bandwidth * r["weight_bandwidth"], case.half_peak * r[f"{phase}_compute"]
    total = 0.0
    for parameters in (s.attention_parameters, s.dense_parameters):
        memory = parameters * case.attention_bytes / tp / fast
        total = total + _smooth(memory, 2 * parameters * work.tokens / tp / (case.attention_peak * compute), power)
    head = s.head_parameters / tp
    outputs = work.sequences if work.prefill else work.tokens
    total = total + _smooth(head * 2.0 / fast, 2 * head * outputs / half, power)
    everywhere = work.tokens * case.dp
    expert = s.expert_parameters / (tp * case.dp)
    touched = experts_touched(s.n_experts, s.top_k, everywhere) * expert * case.expert_bytes
    routed = 2 * s.top_k * everywhere * expert / (case.expert_peak * expert_compute(case, everywhere))
    crowding = 1 + r["expert_imbalance"] * (1 - 1 / case.ep)
    total = total + _smooth(touched / (case.bandwidth * r["expert_bandwidth"]), routed, power) * crowding
    read = work.sequences * (_read_bytes(case, work.context) + (not work.prefill) * 2 * s.state_bytes / tp)
    scores = _score_flops(case, work) / (case.half_peak * r[f"{phase}_scores"])
    moved = work.tokens * s.d_model * 2.0
    written = moved * (s.n_layers * r["activation_passes"] + s.n_expert_layers * s.top_k * r["dispatch_passes"])
    total = total + written / case.bandwidth
    total = total + read / (case.bandwidth * r["cache_bandwidth"]) + scores + _collectives(case, work)
    return total, _layer_seconds(case)


def expert_compute(case: Case, tokens: Number) -> Number:
    """Return the share of the peak at which routed experts multiply: the more tokens reach each of them, the more."""
    few, many = case.rates["expert_compute_few"], case.rates["expert_compute_many"]
    each = case.shape.top_k * tokens / larger(case.shape.n_experts, 1.0)
    return few + (many - few) * each / (each + case.rates["expert_half_tokens"])


def _layer_seconds(case: Case) -> Number:
    """Return the fixed seconds of launching every layer's kernels once, by kind of layer."""
    s, r = case.shape, case.rates
    return r["layer_time"] * (
        s.n_attention_layers * r["attention_layer_seconds"]
        + s.n_dense_layers * r["dense_layer_seconds"]
        + s.n_state_layers * r["state_layer_seconds"]
        + s.n_expert_layers * r["expert_layer_seconds"]
        + s.n_latent_layers * r["latent_layer_seconds"]
        + s.n_indexed_layers * r["index_layer_seconds"]
    )


def decode_step_seconds(case: Case, demand: Demand) -> Number:
    """Return one decode step with every request halfway through its answer; pipeline stages split the batch.

    With speculation it checks the drafted tokens of every request as well, and each of them was drafted by a layer.
    """
    batch = larger(demand.in_flight / case.dp, 1.0)
    micro = larger(batch / case.pp, 1.0)
    checked = micro * (1 + case.draft_tokens)
    context = demand.input_tokens + demand.output_tokens / 2
    moved, fixed = pass_seconds(case, Pass(checked, micro, context, prefill=False))
    drafting = 1 + case.draft_tokens / case.shape.n_layers
    return (moved + fixed) * drafting + case.rates["step_seconds"] + case.rates["request_seconds"] * batch


def tokens_of_step(case: Case, output_tokens: Number) -> Number:
    """Return the tokens that one decode step yields: as stated, or of drafts accepted as often as in measurements.

    1 + a + a^2 + ... + a^drafts, where the chance a grows with the length of answers, whose end repeats itself.
    """
    r = case.rates
    chance = smaller(r["draft_acceptance"] * (output_tokens / 1024) ** r["draft_growth"], MOST_ACCEPTED)
    measured = (1 - chance ** (case.draft_tokens + 1)) / (1 - chance)
    return case.tokens_per_step + (case.tokens_per_step <= 0) * measured


def prefill_seconds(case: Case, input_tokens: Number, cache_hit_ratio: Number = 0.0) -> Number:
    """Return the seconds of one prompt's pass with nothing else running."""
    new, cached = computed_and_cached(input_tokens, cache_hit_ratio)
    moved, fixed = pass_seconds(case, Pass(new, 1.0, input_tokens, prefill=True, cached=cached))
    return moved + fixed * case.rates["prefill_layer_factor"]


def computed_and_cached(input_tokens: Number, cache_hit_ratio: Number) -> tuple[Number, Number]:
    """Return the tokens of a prompt that are computed, one at least, and those that the prefix cache holds.

    A hit spares the pass over those tokens, not the room: every sequence keeps its whole context, since blocks that
    several share are counted for each of them, and what that leaves free is where the prefixes themselves stay.
    """
    new = larger(input_tokens * (1 - cache_hit_ratio), 1.0)
    return new, input_tokens - new


def latency(case: Case, demand: Demand) -> Latency:
    """Return the latencies with so many requests always in flight on the whole replica (a closed loop).

    A request shares its life with the prompts of all others: each of them costs its share of a pass of chunks. What of
    that work falls before the request's own first token is its queue, the rest delays its decoding: none is lost.
    """
    r, input_tokens, output_tokens = case.rates, demand.input_tokens, demand.output_tokens
    batch = larger(demand.in_flight / case.dp, 1.0)
    step = decode_step_seconds(case, demand)
    alone = prefill_seconds(case, input_tokens, demand.cache_hit_ratio)
    new, cached = computed_and_cached(input_tokens, demand.cache_hit_ratio)
    chunk = larger(new, smaller(CHUNK_TOKENS, batch * new / 2))
    together, _ = pass_seconds(case, Pass(chunk, chunk / new, input_tokens, prefill=True, cached=cached))
    each = together * new / chunk
    work = r["interleave"] * (batch - 1) / case.pp * each
    queue = smaller(r["queue"] * (batch - 1) ** r["queue_power"] * each, MOST_QUEUED * work)
    token = step / tokens_of_step(case, output_tokens)
    tpot = (token + (work - queue) / output_tokens) * case.unstated
    ttft = r["first_token_seconds"] + alone + queue + r["first_token_steps"] * step
    return Latency(ttft, tpot, token * case.unstated, alone)


def tokens_per_second(found: Latency, demand: Demand) -> Number:
    """Return output tokens a second of the whole replica: concurrency x output / (TTFT + TPOT (output - 1))."""
    tokens = demand.output_tokens
    return demand.in_flight * tokens / (found.ttft_seconds + found.tpot_seconds * (tokens - 1))
