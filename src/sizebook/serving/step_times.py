"""Seconds of the passes of one replica, tabulated once: what a simulation looks up instead of computing each pass.

A mixed pass decodes one step for every request that runs and takes up to a chunk of prompt tokens beside it. Its time
is the decode step, which reads the weights, plus what the prompts' tokens and their attention cost: `sizebook.serving.
time` gives all three.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sizebook.serving.case import CHUNK_TOKENS, Case
from sizebook.serving.costs import costs_of
from sizebook.serving.encoding import EncodedCase, decode_seconds, encode_seconds
from sizebook.serving.quantities import Demand
from sizebook.serving.time import (
    Pass,
    computed_and_cached,
    decode_step_seconds,
    pass_seconds,
    prefill_seconds,
    tokens_of_step,
)

_CONTEXTS = 8  # points between a short and the longest context: cache reads grow evenly but where windows fill
_BATCHES_EACH = 8  # points between a batch and its double
# Steps of `first_token_steps` that a simulated request lives through: half the step it meets, and its own.
STEPS_LIVED = 1.5


@dataclass(frozen=True)
class Curve:
    """A function of one number by points in order, straight between them and beyond the last."""

    at: tuple[float, ...]
    values: tuple[float, ...]

    def __call__(self, x: float) -> float:
        at, values = self.at, self.values
        n = min(max(bisect_right(at, x), 1), len(at) - 1)
        left = at[n - 1]
        return values[n - 1] + (values[n] - values[n - 1]) * (x - left) / (at[n] - left)


NOTHING = Curve((0.0, 1.0), (0.0, 0.0))


def curve(function: Callable[[float], float], points: Sequence[float]) -> Curve:
    """Return the curve of a function through some points."""
    return Curve(tuple(points), tuple(float(function(x)) for x in points))


@dataclass(frozen=True)
class StepTimes:
    """What a pass takes, in seconds.

    ``decode[n]`` is the curve of a decode step of n requests over their mean context, ``prompt`` that of prompt tokens
    in one pass without their attention, ``attention`` that of a whole prompt's attention over its length. ``alone`` is
    what a pass of prompts takes besides where nothing decodes. The first token is seen ``first_seconds`` and
    ``first_steps`` decode steps of those that run after the pass that made it, or ``own_steps`` where none does. Over
    ``ranks`` prompts are passed side by side, over ``stages`` one behind the other. ``apart`` where prompts are read in
    passes that share no weights with the decode steps: by an encoder, or an engine that does not mix the two. One
    server takes no more than ``host_requests_per_second``.
    """

    decode: Sequence[Curve]
    prompt: Curve
    attention: Curve
    alone: float = 0.0
    computed: float = 1.0
    chunk: float = CHUNK_TOKENS
    first_seconds: float = 0.0
    first_steps: float = 0.0
    own_steps: float = 0.0
    tokens_per_step: float = 1.0
    ranks: float = 1.0
    stages: float = 1.0
    apart: bool = False
    host_requests_per_second: float = math.inf

    @cached_property
    def each_token(self) -> float:
        """Seconds of a prompt token in a pass that is full of them, without its attention."""
        return self.prompt(self.chunk) / self.chunk

    @property
    def most(self) -> int:
        """Requests at a time that the table knows."""
        return len(self.decode) - 1


def between(least: float, most: float, each: int) -> list[float]:
    """Return numbers from the least to the most, so many to each doubling."""
    points, ratio = [float(least)], 2.0 ** (1 / each)
    while points[-1] * ratio < most:
        points.append(points[-1] * ratio)
    return [*points, float(most)] if most > least else points


def step_times(case: Case, demand: Demand, longest_tokens: float, most: int) -> StepTimes:
    """Return the tables of a case for prompts and answers of up to ``longest_tokens`` together, ``most`` at a time.

    Mean lengths of the demand say how drafts are accepted; its ``cache_hit_ratio`` what is computed of a prompt.
    """
    longest = max(longest_tokens, 2.0)
    if isinstance(case, EncodedCase):
        return _encoded(case, demand, longest, most)
    hits = demand.cache_hit_ratio
    contexts = between(min(64.0, longest / 2), longest, max(1, _CONTEXTS // 4))

    def moved(tokens: float, context: float) -> float:
        new, cached = computed_and_cached(context, hits) if context else (tokens, 0.0)
        seconds, _ = pass_seconds(case, Pass(new, 1.0, context, prefill=True, cached=cached))
        return float(seconds)

    def attention(length: float) -> float:
        return moved(0.0, length) - moved(float(computed_and_cached(length, hits)[0]), 0.0)

    prompts = between(1.0, longest, 4)
    chunk = float(costs_of(case).chunk_tokens)
    passed = curve(lambda tokens: moved(tokens, 0.0), between(1.0, chunk, 4))
    first, fixed = case.rates["first_token_seconds"], float(prefill_seconds(case, 1.0)) - moved(1.0, 1.0)
    return StepTimes(
        decode=_decode(case, contexts, most, float(tokens_of_step(case, demand.output_tokens))),
        prompt=passed,
        attention=curve(attention, prompts),
        alone=fixed,
        computed=1.0 - hits,
        chunk=chunk,
        first_seconds=float(first),
        first_steps=max(float(case.rates["first_token_steps"] + case.held_steps) - STEPS_LIVED, 0.0),
        tokens_per_step=float(tokens_of_step(case, demand.output_tokens)),
        ranks=float(case.dp),
        stages=float(case.pp),
        apart=not case.mixed,
        host_requests_per_second=float(costs_of(case).rates["host_requests_per_second"]),
    )


def _encoded(case: EncodedCase, demand: Demand, longest: float, most: int) -> StepTimes:
    """Return the tables of a model whose requests an encoder reads whole, each token seeing all of its request."""
    n_read = float(demand.input_tokens)

    def moved(tokens: float, context: float) -> float:
        work = Pass(tokens, 1.0, context, prefill=True, cached=context)
        return float(pass_seconds(replace(case, shape=case.encoder), work)[0])

    contexts = between(n_read + 1.0, max(longest, n_read + 2.0), _CONTEXTS // 4)

    def step(n: float, context: float) -> float:
        answered = replace(demand, output_tokens=2 * (context - n_read))  # type: ignore[arg-type]
        return decode_seconds(case, max(n / float(case.dp), 1.0), answered)

    return StepTimes(
        decode=_rows(contexts, most, step) if case.decodes else [NOTHING] * (most + 1),
        prompt=curve(lambda tokens: moved(tokens, 0.0), between(1.0, max(longest, CHUNK_TOKENS), 4)),
        attention=curve(lambda length: moved(length, length) - moved(length, 0.0), between(1.0, longest, 4)),
        alone=encode_seconds(case, 1.0, 1.0) - moved(1.0, 1.0),
        chunk=max(CHUNK_TOKENS, longest),
        first_seconds=float(case.rates["first_token_seconds"]),
        own_steps=float(case.decodes),
        ranks=float(case.dp),
        apart=True,
        host_requests_per_second=float(costs_of(case).rates["host_requests_per_second"]) if case.decodes else math.inf,
    )


def _decode(case: Case, contexts: Sequence[float], most: int, yielded: float) -> list[Curve]:
    """Return the decode step of every batch over the mean context of its requests."""

    def step(n: float, context: float) -> float:
        asked = Demand(input_tokens=context, output_tokens=0, concurrency=n)  # type: ignore[arg-type]
        seconds = float(decode_step_seconds(case, asked))
        return max(seconds, n * yielded / float(costs_of(case).rates["host_tokens_per_second"]))

    return _rows(contexts, most, step)


def _rows(contexts: Sequence[float], most: int, step: Callable[[float, float], float]) -> list[Curve]:
    """Return a curve over contexts for every batch, computed at some batches and straight between them."""
    known = sorted({round(n) for n in between(1, max(most, 1), _BATCHES_EACH)})
    rows = [tuple(step(n, context) for context in contexts) for n in known]
    table = [Curve(tuple(contexts), rows[0])]
    place = 0
    for n in range(1, known[-1] + 1):
        place += place + 1 < len(known) - 1 and n > known[place + 1]
        low, high = known[place], known[min(place + 1, len(known) - 1)]
        share = (n - low) / (high - low) if high > low else 0.0
        right = rows[min(place + 1, len(known) - 1)]
        values = tuple(a + (b - a) * share for a, b in zip(rows[place], right, strict=True))
        table.append(Curve(tuple(contexts), values))
    return table
