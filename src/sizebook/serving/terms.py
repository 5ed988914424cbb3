"""What a latency consists of: each term in seconds, and whether it is measured on kernels, fitted or assumed."""

from dataclasses import dataclass, replace

from sizebook.core.derivation import Term
from sizebook.core.texts import text
from sizebook.core.units import grouped
from sizebook.serving.case import Case, Number, larger, most_at_once
from sizebook.serving.costs import costs_of
from sizebook.serving.encoding import EncodedCase, crossing_seconds, reading_case, reading_pass, shared, writing_pass
from sizebook.serving.estimate import Estimate, running_of
from sizebook.serving.pools import Pools, queue_seconds
from sizebook.serving.quantities import Demand
from sizebook.serving.rates import is_measured
from sizebook.serving.time import (
    Parts,
    Pass,
    computed_and_cached,
    decode_pass,
    load_of,
    pass_parts,
    prompts_of_others,
    scheduling_seconds,
    step_seconds,
    steps_waited,
    tokens_of_step,
)
from sizebook.tables.hardware import accelerator

MEASURED, FITTED, ASSUMED = text("measured kernels"), text("fitted"), text("assumed")

ROUNDING = 1e-6  # of a latency: how near halving comes to the requests that decode at once


@dataclass(frozen=True, slots=True)
class Latencies:
    """The terms of TTFT and of TPOT; they add up to the two."""

    ttft: tuple[Term, ...]
    tpot: tuple[Term, ...]


def kernels_basis(gpu: str) -> str:
    """Return whether kernels of an accelerator were measured, or are assumed to be those of the median one."""
    return MEASURED if is_measured(accelerator(gpu).key) else ASSUMED


def _pass_terms(parts: Parts, scale: float, kernels: str) -> list[Term]:
    """Return the terms of one pass, times a factor; what overlaps is shared out by squares, as it is added."""

    def shared(a: float, b: float) -> tuple[float, float]:
        both = (a * a + b * b) ** 0.5
        return (a * a / both, b * b / both) if both else (0.0, 0.0)

    weights, products = shared(parts.weights, parts.products)
    experts, routed = shared(parts.experts, parts.routed)
    cache, scores = shared(parts.cache, parts.scores)
    named = (
        (text("Weights"), weights + experts, kernels),
        (text("Cache"), cache, kernels),
        (text("Compute"), products + routed + scores, kernels),
        (text("Activations"), parts.activations, kernels),
        (text("Collectives"), parts.collectives, kernels),
        (text("Fixed: launches of kernels"), parts.launches, kernels),
        (text("Fixed: between kernels"), parts.layers, FITTED),
        (text("Fixed: kernels launched one by one"), parts.host, FITTED),
        (text("Elementwise"), parts.elementwise, FITTED),
    )
    return [Term(name, scale * seconds, basis) for name, seconds, basis in named]


def _rest(name: str, total: float, terms: list[Term], basis: str = ASSUMED) -> list[Term]:
    """Return what the terms leave of a total, none where that is rounding."""
    left = total - sum(term.value for term in terms)
    return [Term(name, left, basis)] if abs(left) > ROUNDING * total else []


def _place(case: Case, running: Demand) -> str:
    """Return what a wait for a place rests on, with so many requests running: the engine's own cap where it binds."""
    cap = most_at_once(case)
    if case.max_running or running.in_flight != cap:
        return ASSUMED
    return text("assumed: {n} at once, the default of the release", n=grouped(cap))


def step_terms(case: Case, demand: Demand, kernels: str, scale: float = 1.0) -> list[Term]:
    """Return the terms of one decode step, times a factor; none where nothing is decoded."""
    if isinstance(case, EncodedCase):
        return _written(case, max(demand.in_flight / case.dp, 1.0), demand, kernels)
    load = load_of(case, demand, demand.in_flight)
    terms = _pass_terms(pass_parts(case, decode_pass(case, load)), scale * costs_of(case).drafting, kernels)
    return _scheduled(case, load.batch, terms, scale)


def _scheduled(case: Case, batch: Number, working: list[Term], scale: float = 1.0) -> list[Term]:
    """Return the terms of a step in which the GPU works, times a factor, and what scheduling adds to them."""
    added = scale * scheduling_seconds(case, batch, sum(term.value for term in working) / scale)
    return [*working, Term(text("Fixed: scheduling of the step"), added, FITTED)]


def prefill_terms(case: Case, demand: Demand, kernels: str) -> list[Term]:
    """Return the terms of one prompt's pass with nothing else running."""
    if isinstance(case, EncodedCase):
        return _read(case, 1.0, demand, kernels)
    new, cached = computed_and_cached(demand.input_tokens, demand.cache_hit_ratio)
    return _pass_terms(pass_parts(case, Pass(new, 1.0, demand.input_tokens, prefill=True, cached=cached)), 1.0, kernels)


def latency_terms(case: Case, found: Estimate, demand: Demand, kernels: str) -> Latencies:
    """Return the terms of an estimate, whose kernels were measured or are assumed.

    What is left of TTFT is the wait for a place, or for a server that is out of breath; of TPOT, the latter alone.
    """
    if isinstance(case, EncodedCase):
        return _encoded_terms(case, found, demand, kernels)
    at = replace(demand, concurrency=running_of(case, demand.in_flight, found.capacity))
    others = prompts_of_others(costs_of(case), load_of(case, at, at.in_flight))
    first = [
        *prefill_terms(case, at, kernels),
        Term(text("Queue: prompts of others"), others.queue, FITTED),
        *_first_token(case, at),
    ]
    first += _rest(text("Queue: for a place or the server"), found.ttft_seconds, first, _place(case, at))
    token = _token(case, at, kernels)
    between = (others.work - others.queue) / larger(at.output_tokens - 1, 1)
    token.append(Term(text("Queue: prompts of others between steps"), between, FITTED))
    token += _rest(text("Queue: for the server"), found.tpot_seconds, token)
    return Latencies(tuple(first), tuple(token))


def _read(case: EncodedCase, requests: float, demand: Demand, kernels: str) -> list[Term]:
    """Return the terms of an encoder's pass over so many whole requests."""
    parts = pass_parts(reading_case(case), reading_pass(requests, demand.input_tokens))
    return _scheduled(case, requests, _pass_terms(parts, 1.0, kernels))


def _written(case: EncodedCase, batch: float, demand: Demand, kernels: str) -> list[Term]:
    """Return the terms of a decode step behind an encoder, none where nothing is decoded."""
    if not case.decodes:
        return []
    working = [
        *_pass_terms(pass_parts(case, writing_pass(batch, demand)), 1.0, kernels),
        Term(text("Cache of the encoder's tokens"), crossing_seconds(case, batch, demand), kernels),
    ]
    return _scheduled(case, batch, working)


def _encoded_terms(case: EncodedCase, found: Estimate, demand: Demand, kernels: str) -> Latencies:
    """Return the terms of a model with an encoder: its pass, those of others, and the step behind it."""
    at = replace(demand, concurrency=running_of(case, demand.in_flight, found.capacity))
    load, passes = shared(case, at), text("Queue: passes of others")
    place, before = text("Queue: for a place or the server"), _before_first_token(case)
    if not case.decodes:
        others = Term(passes, load.together * (load.passes - 1), ASSUMED)
        first = [*_read(case, load.batch, at, kernels), others, before]
        return Latencies((*first, *_rest(place, found.ttft_seconds, first)), ())
    token, others = _written(case, load.rank, at, kernels), Term(passes, load.each(at), ASSUMED)
    step = Term(text("Queue: decode steps waited for"), sum(term.value for term in token), ASSUMED)
    first = [*_read(case, 1.0, at, kernels), others, step, before]
    token.append(others)
    token += _rest(text("Queue: for the server"), found.tpot_seconds, token)
    return Latencies((*first, *_rest(place, found.ttft_seconds, first)), tuple(token))


def pooled_terms(pools: Pools, found: Estimate, demand: Demand, kernels: str) -> Latencies:
    """Return the terms of an estimate of two pools.

    What is left of TTFT is the wait for a prefill worker, its link or a place to decode, beyond that of an even flow.
    """
    prefill, decode, waiting = pools.prefill, pools.decode, queue_seconds(pools, demand)
    decoding = found.tokens_per_second / demand.output_tokens * found.tpot_seconds * (demand.output_tokens - 1)
    at = replace(demand, concurrency=decoding / decode.workers)
    first = [
        *prefill_terms(prefill.case, demand, kernels),
        Term(text("Queue: prompts of others"), waiting, FITTED),
        Term(text("Cache sent between pools"), pools.transfer_seconds(demand.input_tokens), ASSUMED),
        *_first_token(decode.case, at),
    ]
    first += _rest(text("Queue: for a worker, its link or a place"), found.ttft_seconds, first)
    token = _token(decode.case, at, kernels)
    token += _rest(text("Queue: for the server"), found.tpot_seconds, token)
    return Latencies(tuple(first), tuple(token))


def _first_token(case: Case, demand: Demand) -> list[Term]:
    """Return what stands between a prompt's pass and its first token."""
    load = load_of(case, demand, demand.in_flight)
    waited = steps_waited(case, load.batch) * step_seconds(costs_of(case), load)
    return [
        Term(text("Queue: decode steps waited for"), waited, FITTED),
        _before_first_token(case),
    ]


def _before_first_token(case: Case) -> Term:
    return Term(text("Fixed: before the first token"), case.rates["first_token_seconds"], FITTED)


def _token(case: Case, demand: Demand, kernels: str) -> list[Term]:
    """Return the terms of one token of a decode step, drafts included."""
    return step_terms(case, demand, kernels, 1 / tokens_of_step(case, demand.output_tokens))
