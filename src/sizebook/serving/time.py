"""Serving time: what one pass of the model takes, and what time to first token and time per token follow from it.

A pass is the sum of its kernels (``serving.kernels``: products, attention, mixers, experts, collectives), whose times
come from measured kernels, and of what stands between them. What an engine does around a pass, its scheduling, is
fitted on measured rows of running servers (``data/calibration_serving.csv``). Plain arithmetic on numbers or arrays.

    step = (kernels + layers x seconds + activations) x (1 + drafts / layers) + scheduling of the step and its requests
    TTFT = first-token seconds + own prompt + queue + steps waited for
    TPOT = step / tokens of a step + (prompts of others - queue) / (output - 1)
"""

from __future__ import annotations

from dataclasses import dataclass

from sizebook.serving.case import Case, Number, larger, smaller
from sizebook.serving.kernels import (
    INDEXED_WIDTH,
    STATE_KEY_WIDTH,
    exchange_seconds,
    expert_seconds,
    experts_touched,
    hypot,
    product_seconds,
    reduce_seconds,
)
from sizebook.serving.quantities import Demand
from sizebook.serving.shape import INDEX_ELEMENT_BYTES, STATE_ELEMENT_BYTES

__all__ = [
    "Latency",
    "Parts",
    "Pass",
    "cache_bytes_per_gpu",
    "computed_and_cached",
    "decode_step_seconds",
    "experts_touched",
    "kv_heads_held",
    "latency",
    "pass_parts",
    "pass_seconds",
    "prefill_seconds",
    "tokens_of_step",
    "tokens_per_second",
]  # fmt: skip

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


@dataclass(frozen=True, slots=True)
class Parts:
    """Seconds of one pass by what they are spent on; reading and multiplying overlap, all else follows in turn.

    ``launches`` are fixed seconds of kernels. What no kernel table holds are ``elementwise`` passes over activations
    and fixed seconds of ``layers``.
    """

    weights: Number
    products: Number
    experts: Number
    routed: Number
    cache: Number
    scores: Number
    activations: Number
    elementwise: Number
    collectives: Number
    launches: Number
    layers: Number

    @property
    def moved(self) -> Number:
        """Seconds of moving data and multiplying: all but what is fixed."""
        overlapped = (
            hypot(self.weights, self.products) + hypot(self.experts, self.routed) + hypot(self.cache, self.scores)
        )
        return overlapped + self.activations + self.elementwise + self.collectives

    @property
    def fixed(self) -> Number:
        """Seconds that do not depend on the load."""
        return self.launches + self.layers


@dataclass(frozen=True)
class Latency:
    """Seconds: to the first token, per output token after it, of that the decode step alone, one prompt's prefill."""

    ttft_seconds: Number
    tpot_seconds: Number
    decode_step_seconds: Number
    prefill_seconds: Number


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


def _attention(case: Case, work: Pass) -> tuple[Number, Number, Number]:
    """Return what reading the cache, scoring, and passing activations of attention take; indexers and mixers included.

    Layers that share the cache of an earlier one read it again. A prompt's queries see half of it on average, and read
    what was cached before; mixers read and write their state once a sequence.
    """
    s, r, tp = case.shape, case.rates, case.tp
    phase = "prefill" if work.prefill else "decode"
    context = (work.context + work.cached) / 2 if work.prefill else work.context
    read, flops, width = 0.0, 0.0, 0.0
    for kind in s.kinds:
        share = -(-kind.n_heads // tp) / kind.n_heads
        scored = (kind.score_width if work.prefill else kind.decode_score_width) * share
        seen = _within(context, kind.seen)
        width = width + scored
        if work.prefill:
            head = kind.score_width / (2 * kind.n_heads * larger(kind.layers, 1.0))
            half = r["prefill_attention_half"]
            efficiency = smaller(
                r["prefill_attention_compute"] * (1 + half / 128) * head / (head + half + (head <= 0)), 1.0
            )
            flops = flops + scored * seen / (efficiency + (efficiency <= 0))
        else:
            read = read + kv_heads_held(kind.n_kv_heads, tp) * kind.read_width * seen
            flops = flops + scored * seen / r["decode_attention_compute"]
    cache = 0.0
    if not work.prefill:
        cache = work.sequences * read * case.kv_bytes / (case.bandwidth * r["decode_attention_bandwidth"])
        index = work.sequences * s.index_cache_width * INDEX_ELEMENT_BYTES * context
        cache = cache + index / (case.bandwidth * r["index_decode_bandwidth"])
    scores = 2 * work.tokens * flops / case.half_peak
    scores = scores + 2 * work.tokens * s.index_score_width * context / (case.half_peak * r[f"index_{phase}_compute"])
    state = s.state_bytes / STATE_ELEMENT_BYTES / tp
    cache = cache + work.sequences * 2 * s.state_bytes / tp / (case.bandwidth * r[f"state_{phase}_bandwidth"])
    moved = r[f"{phase}_attention_passes"] * width + r[f"state_{phase}_passes"] * state / STATE_KEY_WIDTH
    if work.prefill:
        scores = scores + 4 * work.tokens * state / (case.half_peak * r["state_prefill_compute"])
        moved = moved + r["index_prefill_passes"] * s.n_indexed_layers * INDEXED_WIDTH
    return cache, scores, 2 * work.tokens * moved / case.bandwidth


def _launches(case: Case, phase: str) -> Number:
    """Return the seconds of launching the kernels of every layer once, as measured."""
    s, r = case.shape, case.rates
    return (
        s.n_products * r["product_launch_seconds"]
        + r["head_launch_seconds"]
        + s.n_attention_layers * r[f"{phase}_attention_launch_seconds"]
        + s.n_state_layers * r[f"state_{phase}_launch_seconds"]
        + s.n_indexed_layers * r[f"index_{phase}_launch_seconds"]
        + s.n_expert_layers * r["experts_launch_seconds"]
    )


def pass_parts(case: Case, work: Pass) -> Parts:
    """Return the seconds of one pass over all layers by what they are spent on."""
    s, r = case.shape, case.rates
    phase = "prefill" if work.prefill else "decode"
    weights, products, passed = product_seconds(case, work.tokens, work.sequences if work.prefill else work.tokens)
    experts, routed, sent = expert_seconds(case, work.tokens)
    cache, scores, attended = _attention(case, work)
    message = work.tokens * s.d_model * 2.0
    crowding = 1 + r["expert_imbalance"] * (1 - 1 / case.ep)
    # With data-parallel attention experts exchange tokens; only attention is then reduced over its tensor parallelism.
    collectives = (case.tp > 1) * s.n_layers * (2.0 - (case.dp > 1)) * reduce_seconds(case, message)
    collectives = collectives + (case.dp > 1) * s.n_expert_layers * exchange_seconds(case, message)
    elementwise = r["activation_passes"] * s.n_layers * message / case.bandwidth
    return Parts(
        weights=weights,
        products=products,
        experts=experts * crowding,
        routed=routed * crowding,
        cache=cache,
        scores=scores,
        activations=passed + sent * crowding + attended,
        elementwise=elementwise,
        collectives=collectives,
        launches=_launches(case, phase),
        layers=s.n_layers * r["layer_seconds"],
    )


def pass_seconds(case: Case, work: Pass) -> tuple[Number, Number]:
    """Return the seconds of one pass over all layers: data movement and arithmetic, and fixed seconds of the layers."""
    parts = pass_parts(case, work)
    return parts.moved, parts.fixed


def decode_pass(case: Case, demand: Demand) -> Pass:
    """Return the pass of one decode step, every request halfway through its answer; stages split the batch."""
    batch = larger(demand.in_flight / case.dp, 1.0)
    micro = larger(batch / case.pp, 1.0)
    context = demand.input_tokens + demand.output_tokens / 2
    return Pass(micro * (1 + case.draft_tokens), micro, context, prefill=False)


def decode_step_seconds(case: Case, demand: Demand) -> Number:
    """Return one decode step with every request halfway through its answer; pipeline stages split the batch.

    With speculation it checks the drafted tokens of every request as well, and each of them was drafted by a layer.
    """
    moved, fixed = pass_seconds(case, decode_pass(case, demand))
    drafting = 1 + case.draft_tokens / case.shape.n_layers
    batch = larger(demand.in_flight / case.dp, 1.0)
    return (moved + fixed) * drafting + scheduling_seconds(case, batch)


def scheduling_seconds(case: Case, batch: Number) -> Number:
    """Return what an engine does around one step: a fixed time, and one a request that large batches share."""
    r = case.rates
    return r["step_seconds"] + r["request_seconds"] * batch / (1 + batch / r["request_half"])


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
    return moved + fixed


def computed_and_cached(input_tokens: Number, cache_hit_ratio: Number) -> tuple[Number, Number]:
    """Return the tokens of a prompt that are computed, one at least, and those that the prefix cache holds.

    A hit spares the pass over those tokens, not the room: every sequence keeps its whole context, since blocks that
    several share are counted for each of them, and what that leaves free is where the prefixes themselves stay.
    """
    new = larger(input_tokens * (1 - cache_hit_ratio), 1.0)
    return new, input_tokens - new


@dataclass(frozen=True, slots=True)
class Shared:
    """The prompts of all others in one request's life: their work, what of it is waited for before the first token."""

    work: Number
    queue: Number


def prompts_of_others(case: Case, demand: Demand) -> Shared:
    """Return the seconds that the prompts of the requests beside one take of its life, none of them lost.

    Each of them costs its share of a pass of chunks. Between two steps at most one pass of chunks is run, so an answer
    of few tokens has waited for nearly all of that work before it began.
    """
    r, output = case.rates, demand.output_tokens
    batch = larger(demand.in_flight / case.dp, 1.0)
    new, cached = computed_and_cached(demand.input_tokens, demand.cache_hit_ratio)
    chunk = larger(new, smaller(CHUNK_TOKENS, batch * new / 2))
    moved, fixed = pass_seconds(case, Pass(chunk, chunk / new, demand.input_tokens, prefill=True, cached=cached))
    together = moved + fixed
    each = together * new / chunk
    work = (batch - 1) / case.pp * each
    queue = smaller(r["queue"] * (batch - 1) ** r["queue_power"] * each, MOST_QUEUED * work)
    between = smaller(work - queue, (output - 1) * together)
    return Shared(work, work - between)


def latency(case: Case, demand: Demand) -> Latency:
    """Return the latencies with so many requests always in flight on the whole replica (a closed loop).

    A request shares its life with the prompts of all others: each of them costs its share of a pass of chunks. What of
    that work falls before the request's own first token is its queue, the rest delays its decoding: none is lost.
    """
    r, output = case.rates, demand.output_tokens
    step = decode_step_seconds(case, demand)
    alone = prefill_seconds(case, demand.input_tokens, demand.cache_hit_ratio)
    others = prompts_of_others(case, demand)
    token = step / tokens_of_step(case, output)
    tpot = token * case.unstated + (others.work - others.queue) / larger(output - 1, 1)
    ttft = r["first_token_seconds"] + alone + others.queue + r["first_token_steps"] * step
    return Latency(ttft, tpot, token * case.unstated, alone)


def tokens_per_second(found: Latency, demand: Demand) -> Number:
    """Return output tokens a second of the whole replica: concurrency x output / (TTFT + TPOT (output - 1))."""
    tokens = demand.output_tokens
    return demand.in_flight * tokens / (found.ttft_seconds + found.tpot_seconds * (tokens - 1))
