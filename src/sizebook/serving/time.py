"""Serving time: what one pass of the model takes, and what time to first token and time per token follow from it.

A pass is the sum of its kernels (``serving.kernels``: products, attention, mixers, experts, collectives), whose times
come from measured kernels, and of what stands between them. What an engine does around a pass, its scheduling, is
fitted on measured rows of running servers (``data/calibration_serving.csv``). Plain arithmetic on numbers or arrays.

    step = (kernels + layers x seconds + activations) x (1 + drafts / layers) + scheduling of the step and its requests
    TTFT = first-token seconds + own prompt + queue + steps waited for
    TPOT = step / tokens of a step + (prompts of others - queue) / (output - 1)
"""

from dataclasses import dataclass
from typing import NamedTuple

from sizebook.serving.case import Case, Number, larger, smaller
from sizebook.serving.costs import Costs, costs_of
from sizebook.serving.kernels import hypot
from sizebook.serving.quantities import Demand

# At most so much of the other prompts' work is waited for before the first token: half of it, on average, where all
# prompts arrive at once, and a little more where a batch is not decoded before its last prompt is done.
MOST_QUEUED = 0.6
MOST_ACCEPTED = 0.97  # chance that a drafted token is accepted, however long the answer
# What is read more often than made has slots, and not frozen ones: these take three times as long to fill.


class Pass(NamedTuple):
    """One pass of the model on one attention rank: new tokens, sequences, and the context each attends to.

    Of the context of a prompt ``cached`` tokens were computed before, for another prompt with the same beginning.
    """

    tokens: Number
    sequences: Number
    context: Number
    prefill: bool = False
    cached: Number = 0.0


@dataclass(slots=True)
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
    eager: Number

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

    @property
    def host(self) -> Number:
        """Seconds in which the GPU waits for a host that launches its kernels one by one."""
        working = self.moved + self.fixed
        return hypot(working, self.eager) - working


class Latency(NamedTuple):
    """Seconds: to the first token, and per output token after it."""

    ttft_seconds: Number
    tpot_seconds: Number


def cache_bytes_per_gpu(case: Case | Costs, context: Number) -> Number:
    """Return the cache of one sequence on one GPU, in bytes, with so many tokens behind it."""
    at = costs_of(case)
    return at.cache.of(context) + at.cache_state


def pass_parts(case: Case | Costs, work: Pass) -> Parts:
    """Return the seconds of one pass over all layers by what they are spent on.

    A prompt's queries see half of it on average, and all that was cached before. A batch reads the distinct experts
    that the tokens of all ranks visit.
    """
    at = costs_of(case)
    costs = at.prefill if work.prefill else at.decode
    context = (work.context + work.cached) / 2 if work.prefill else work.context
    tokens, sequences = work.tokens, work.sequences
    projected, routed, adapted = costs.products, costs.experts, costs.adapters
    outputs = sequences if work.prefill else tokens
    return Parts(  # by position, in the order of its fields: half of what names would take
        projected.weights + adapted.weights * (1 - adapted.missed**sequences),
        (projected.token + adapted.token) * tokens + projected.output * outputs,
        routed.weights * (1 - routed.missed ** (tokens * costs.ranks)),
        routed.multiplying + routed.token * tokens,
        sequences * (costs.read.of(context) + costs.state),
        tokens * (costs.scored.of(context) + costs.scanned),
        costs.activations * tokens,
        costs.elementwise * tokens,
        costs.collectives.fixed + costs.collectives.token * tokens,
        costs.launches,
        costs.layers,
        costs.eager,
    )


def pass_seconds(case: Case | Costs, work: Pass) -> tuple[Number, Number]:
    """Return the seconds of one pass over all layers: those that depend on the load, and fixed ones."""
    parts = pass_parts(case, work)
    fixed = parts.fixed
    return hypot(parts.moved + fixed, parts.eager) - fixed, fixed


@dataclass(slots=True)
class Load:
    """What one attention rank is asked for: requests in flight, one at least, and the tokens of each.

    Of a prompt's ``input_tokens``, ``computed`` are new and ``cached`` lie in the prefix cache.
    """

    batch: Number
    input_tokens: Number
    output_tokens: Number
    computed: Number
    cached: Number


def load_of(case: Case | Costs, demand: Demand, in_flight: Number) -> Load:
    """Return what a rank is asked for, with so many requests of a demand in flight on the whole replica."""
    new, cached = computed_and_cached(demand.input_tokens, demand.cache_hit_ratio)
    return Load(larger(in_flight / case.dp, 1.0), demand.input_tokens, demand.output_tokens, new, cached)


def decode_pass(case: Case | Costs, load: Load) -> Pass:
    """Return the pass of one decode step, every request halfway through its answer; stages split the batch."""
    micro = larger(load.batch / case.pp, 1.0)
    context = load.input_tokens + load.output_tokens / 2
    return Pass(micro * (1 + case.draft_tokens), micro, context)


def decode_step_seconds(case: Case | Costs, demand: Demand) -> Number:
    """Return one decode step of a demand: see `step_seconds`."""
    at = costs_of(case)
    return step_seconds(at, load_of(at, demand, demand.in_flight))


def step_seconds(at: Costs, load: Load) -> Number:
    """Return one decode step with every request halfway through its answer; pipeline stages split the batch.

    With speculation it checks the drafted tokens of every request as well, and each of them was drafted by a layer.
    """
    moved, fixed = pass_seconds(at, decode_pass(at, load))
    working = (moved + fixed) * at.drafting
    return working + scheduling_seconds(at, load.batch, working)


def scheduling_seconds(case: Case | Costs, batch: Number, working: Number) -> Number:
    """Return what scheduling adds to one step in which the GPU works so long: a fixed time, and one a request.

    Where it is overlapped, the engine spends the fixed time while the GPU works, and only what is longer is waited for.
    """
    fixed, ahead = case.rates["step_seconds"], case.overlapped
    waited = ahead * (hypot(working, fixed) - working) + (1 - ahead) * fixed
    return waited + case.rates["request_seconds"] * batch


def tokens_of_step(case: Case | Costs, output_tokens: Number) -> Number:
    """Return the tokens that one decode step yields: as stated, or of drafts accepted as often as in measurements.

    1 + a + a^2 + ... + a^drafts, where the chance a grows with the length of answers, whose end repeats itself.
    """
    r = case.rates
    chance = smaller(r["draft_acceptance"] * (output_tokens / 1024) ** r["draft_growth"], MOST_ACCEPTED)
    measured = (1 - chance ** (case.draft_tokens + 1)) / (1 - chance)
    return case.tokens_per_step + (case.tokens_per_step <= 0) * measured


def prefill_seconds(case: Case | Costs, input_tokens: Number, cache_hit_ratio: Number = 0.0) -> Number:
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


def steps_waited(case: Case | Costs, batch: Number) -> Number:
    """Return the decode steps that a request waits for before its first token: those of the others in flight.

    (1 - 1 / batch) of what a full server makes it wait for: one request alone meets no step but its own.
    """
    return (1 - 1 / batch) * (case.rates["first_token_steps"] + case.held_steps)


@dataclass(slots=True)
class Shared:
    """The prompts of all others in one request's life: their work, what of it is waited for before the first token.

    And the request's own: the seconds of its prompt's pass with nothing else running.
    """

    work: Number
    queue: Number
    own: Number


@dataclass(slots=True)
class Prompts:
    """Prompts that are passed together: seconds of one's share of a pass of chunks, of such a pass, of one alone."""

    each: Number
    together: Number
    alone: Number


def prompts_together(at: Costs, load: Load) -> Prompts:
    """Return what a prompt costs in a pass with those that came at the same moment, as many as fit, with its images."""
    new, cached = load.computed, load.cached
    at_once = 1 + at.rates["queue_share"] * (load.batch - 1)
    chunk = larger(new, smaller(at.chunk_tokens, at_once * new))
    moved, fixed = pass_seconds(at, Pass(chunk, chunk / new, load.input_tokens, prefill=True, cached=cached))
    together = moved + fixed + at.encode_seconds * chunk / new
    moved, fixed = pass_seconds(at, Pass(new, 1.0, load.input_tokens, prefill=True, cached=cached))
    return Prompts(together * new / chunk, together, moved + fixed + at.encode_seconds)


def waited_for(at: Costs, batch: Number, prompts: Prompts) -> Number:
    """Return the seconds of others' prompts that a request of a batch waits for before its own, as measured.

    What of a prompt's pass is under way when it comes, as far as there are others, and a share of all others: those
    that came at the same moment.
    """
    r, others = at.rates, batch - 1
    queue = r["queue_under_way"] * others / batch * prompts.alone + r["queue_share"] * others * prompts.each
    return smaller(queue, MOST_QUEUED * others / at.pp * prompts.each)


def prompts_of_others(at: Costs, load: Load) -> Shared:
    """Return the seconds that the prompts of the requests beside one take of its life, none of them lost.

    Each of them costs its share of a pass of chunks. Between two steps at most one pass of chunks is run, so an answer
    of few tokens has waited for nearly all of that work before it began.
    """
    prompts = prompts_together(at, load)
    work = (load.batch - 1) / at.pp * prompts.each
    queue = waited_for(at, load.batch, prompts)
    between = smaller(work - queue, (load.output_tokens - 1) * prompts.together)
    return Shared(work, work - between, prompts.alone)


def latency(case: Case | Costs, demand: Demand) -> Latency:
    """Return the latencies with the requests of a demand always in flight on the whole replica: see `latency_at`."""
    at = costs_of(case)
    return latency_at(at, load_of(at, demand, demand.in_flight))


def latency_at(at: Costs, load: Load) -> Latency:
    """Return the latencies with so many requests always in flight on every rank (a closed loop).

    A request shares its life with the prompts of all others: each of them costs its share of a pass of chunks. What of
    that work falls before the request's own first token is its queue, the rest delays its decoding: none is lost.
    """
    step, others = step_seconds(at, load), prompts_of_others(at, load)
    token = step / tokens_of_step(at, load.output_tokens)
    tpot = token + (others.work - others.queue) / larger(load.output_tokens - 1, 1)
    waited = steps_waited(at, load.batch) * step
    ttft = at.rates["first_token_seconds"] + others.own + others.queue + waited
    return Latency(ttft, tpot)


def tokens_per_second(found: Latency, demand: Demand) -> Number:
    """Return output tokens a second of the whole replica: concurrency x output / (TTFT + TPOT (output - 1))."""
    tokens = demand.output_tokens
    return demand.in_flight * tokens / (found.ttft_seconds + found.tpot_seconds * (tokens - 1))
