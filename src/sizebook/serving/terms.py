"""What a latency consists of: each term in seconds, and whether it is measured on kernels, fitted or assumed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sizebook.core.derivation import Term
from sizebook.serving.case import Case, larger
from sizebook.serving.costs import costs_of
from sizebook.serving.estimate import Estimate, running_of
from sizebook.serving.quantities import Demand
from sizebook.serving.rates import is_measured
from sizebook.serving.time import (
    Parts,
    Pass,
    computed_and_cached,
    decode_pass,
    decode_step_seconds,
    pass_parts,
    prompts_of_others,
    scheduling_seconds,
    tokens_of_step,
)
from sizebook.tables.hardware import accelerator

MEASURED, FITTED, ASSUMED = "measured kernels", "fitted", "assumed"


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
        ("weights", weights + experts, kernels),
        ("cache", cache, kernels),
        ("compute", products + routed + scores, kernels),
        ("activations", parts.activations, kernels),
        ("collectives", parts.collectives, kernels),
        ("fixed: launches of kernels", parts.launches, kernels),
        ("fixed: between kernels", parts.layers, FITTED),
        ("elementwise", parts.elementwise, FITTED),
    )
    return [Term(name, scale * seconds, basis) for name, seconds, basis in named]


def _rest(name: str, total: float, terms: list[Term]) -> list[Term]:
    """Return what the terms leave of a total, none where that is rounding."""
    left = total - sum(term.value for term in terms)
    return [Term(name, left, ASSUMED)] if abs(left) > 1e-9 * total else []


def step_terms(case: Case, demand: Demand, kernels: str, scale: float = 1.0) -> list[Term]:
    """Return the terms of one decode step, times a factor."""
    drafting = costs_of(case).drafting
    batch = larger(demand.in_flight / case.dp, 1.0)
    scheduling = scheduling_seconds(case, batch)
    terms = _pass_terms(pass_parts(case, decode_pass(case, demand)), scale * drafting, kernels)
    return [*terms, Term("fixed: scheduling of the step", scale * scheduling, FITTED)]


def prefill_terms(case: Case, demand: Demand, kernels: str) -> list[Term]:
    """Return the terms of one prompt's pass with nothing else running."""
    new, cached = computed_and_cached(demand.input_tokens, demand.cache_hit_ratio)
    return _pass_terms(pass_parts(case, Pass(new, 1.0, demand.input_tokens, prefill=True, cached=cached)), 1.0, kernels)


def latency_terms(case: Case, found: Estimate, demand: Demand, kernels: str) -> Latencies:
    """Return the terms of an estimate, whose kernels were measured or are assumed.

    What is left of TTFT is the wait for a place, or for a server that is out of breath; of TPOT, the latter alone.
    """
    at = replace(demand, concurrency=running_of(case, demand, found.capacity))
    others, step = prompts_of_others(case, at), decode_step_seconds(case, at)
    first = [
        *prefill_terms(case, at, kernels),
        Term("queue: prompts of others", others.queue, FITTED),
        Term("queue: decode steps waited for", case.rates["first_token_steps"] * step, FITTED),
        Term("fixed: before the first token", case.rates["first_token_seconds"], FITTED),
    ]
    first += _rest("queue: for a place or the server", found.ttft_seconds, first)
    token = step_terms(case, at, kernels, 1 / tokens_of_step(case, at.output_tokens))
    if case.unstated != 1:
        spared = (case.unstated - 1) * sum(term.value for term in token)
        token.append(Term("speculation: not stated, taken half-way", spared, ASSUMED))
    between = (others.work - others.queue) / larger(at.output_tokens - 1, 1)
    token.append(Term("queue: prompts of others between steps", between, FITTED))
    token += _rest("queue: for the server", found.tpot_seconds, token)
    return Latencies(tuple(first), tuple(token))
