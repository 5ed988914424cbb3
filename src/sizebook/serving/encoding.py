"""Models that read a request in one pass: encoders that answer with it, and encoders in front of a decoder.

An encoder sees a request from both sides, whole, and keeps nothing: its time is that of passes over batches of whole
requests. With a decoder behind it (T5, BART, Whisper) that is the prompt; the decoder's steps then read the keys and
values of the encoder's tokens, made once, beside those of its own. The passes and their rates are those of decoders
(`sizebook.serving.time`): nothing was measured of such models, and their band is the widest there is.
"""

import math
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from sizebook.core.errors import InputError
from sizebook.models import catalog
from sizebook.models.architecture import Architecture, Embedding, Layer
from sizebook.models.cached_results import cached_by_model
from sizebook.models.towers import Tower
from sizebook.serving.case import CHUNK_TOKENS, Case, case_of, no_experts, startable
from sizebook.serving.formats import stored_bytes, weight_dtype_of
from sizebook.serving.memory import Memory
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.shape import AttentionKind, ServingShape, shape_of_layers
from sizebook.serving.time import Pass, cache_bytes_per_gpu, pass_seconds, scheduling_seconds
from sizebook.tables.own_rates import digest_of

# The machine, formats and rates of a case are the same for every model: one with a cache stands in for one without.
_STAND_IN = "llama-3.1-8b"


@dataclass(frozen=True, eq=False, kw_only=True)
class EncodedCase(Case):
    """A case whose requests are read by ``encoder``; ``shape`` is the decoder behind it, or the encoder again.

    ``crossing`` is what the decoder keeps of the encoder's tokens, None where there is no decoder.
    """

    encoder: ServingShape
    crossing: AttentionKind | None = None

    @property
    def decodes(self) -> bool:
        """Whether a decoder follows."""
        return self.crossing is not None


def tokens_in_context(case: Case, lengths: tuple[int, int]) -> int:
    """Return how many tokens of a prompt and its answer share the context; with an encoder each has its own."""
    prompt, answer = lengths
    if isinstance(case, EncodedCase):
        return answer if case.decodes else prompt
    return prompt + answer


def _reads_both_sides(layer: Layer) -> bool:
    return any(getattr(brick, "bidirectional", False) for brick in layer.bricks)


def _crosses(layer: Layer) -> bool:
    return any(getattr(brick, "cross", False) for brick in layer.bricks)


@dataclass(frozen=True)
class Halves:
    """The layers that read a request, and those that write the answer."""

    encoder: tuple[Layer, ...]
    decoder: tuple[Layer, ...]
    d_model: int


@cached_by_model
def halves(model: str) -> Halves | None:
    """Return the encoder and the decoder of a model, None for one that only decodes."""
    architecture = catalog.architecture(model)
    encoder = tuple(layer for layer in architecture.layers if _reads_both_sides(layer))
    decoder = tuple(layer for layer in architecture.layers if not _reads_both_sides(layer))
    if encoder:
        return Halves(encoder, decoder, architecture.d_model)
    towers = [brick for brick in architecture.inputs if isinstance(brick, Tower) and brick.kind != "vision"]
    if towers and any(map(_crosses, decoder)):
        return Halves((Layer(towers[0].layer),) * towers[0].n_layers, decoder, towers[0].d_model)
    return None


def has_encoder(model: str) -> bool:
    """Return whether a model reads a request with an encoder."""
    return halves(model) is not None


# Whisper hears in windows, the last filled up with silence.
WINDOW_SECONDS = 30


def positions_heard(model: str, seconds: float) -> int:
    """Return the positions of an encoder of sound for so many seconds: whole windows of 30 seconds, at least one.

    Errors: a model without such an encoder.
    """
    inputs = catalog.architecture(model).inputs
    towers = [brick for brick in inputs if isinstance(brick, Tower) and brick.kind != "vision"]
    tables = [brick.rows for tower in towers for brick in tower.stem if isinstance(brick, Embedding)]
    if not tables:
        raise InputError(
            f"no audio encoder: got input_seconds for {model}, want a model with an encoder of sound in windows. Give "
            "input_tokens."
        )
    return max(1, math.ceil(seconds / WINDOW_SECONDS - 1e-9)) * int(tables[0])


def one_pass(model: str) -> bool:
    """Return whether a model answers with the pass that reads the request."""
    found = halves(model)
    return found is not None and not found.decoder


def no_answers(output_tokens: int) -> str:
    """Return that a model which answers with one pass writes no tokens."""
    return (
        f"nothing is decoded: got answers of {output_tokens} tokens for a model that answers with one pass, want none. "
        "Remove output_tokens."
    )


def as_answered(model: str, demand: Demand) -> Demand:
    """Return a demand with one answer where one pass gives it.

    Nobody states the default, which is what a cell left blank. Errors: other lengths of an answer that is none.
    """
    if not one_pass(model):
        return demand
    if demand.output_tokens not in (1, Demand().output_tokens):
        raise InputError(no_answers(demand.output_tokens))
    return replace(demand, output_tokens=1)


def serving_case(model: str, gpu: str, replica: Replica) -> Case:
    """Return the case of any model that can be served: a decoder's own, or that of a model with an encoder."""
    if not has_encoder(model):
        return startable(case_of(model, gpu, replica))
    if replica.pp > 1 or replica.draft_tokens or (replica.tokens_per_step or 1) > 1:
        raise InputError(
            f"no such layout of an encoder: got pp {replica.pp} and {replica.draft_tokens or 0} drafts for {model}, "
            "want one stage and none. Use tp or dp."
        )
    if replica.experts_read == "all":
        raise InputError(no_experts(model))
    if replica.release:
        raise InputError(
            f"no release of an encoder: got release '{replica.release}' for {model}, want a model that only decodes, "
            "whose defaults are known. Remove release."
        )
    return startable(_encoded_at(model, gpu, replica, digest_of(replica.rates_file)))


@cached_by_model
def _encoded_at(model: str, gpu: str, replica: Replica, _rates: str) -> EncodedCase:
    """Return the case of a model with an encoder, with a file of own rates as it is now."""
    dtype = weight_dtype_of(model, replica.weight_dtype)
    base = case_of(_STAND_IN, gpu, replace(replica, weight_dtype=dtype, ep=1, draft_tokens=0))
    encoder, shape, crossing = encoded_shapes(model)
    values: dict[str, Any] = {f.name: getattr(base, f.name) for f in fields(Case)}
    own = {"shape": shape, **stored_bytes(model, replica.weight_dtype)}
    return EncodedCase(**values | own, encoder=encoder, crossing=crossing)


@cached_by_model
def encoded_shapes(model: str) -> tuple[ServingShape, ServingShape, AttentionKind | None]:
    """Return the sums of the encoder, those of the decoder or the encoder again, and what the decoder keeps of it.

    Errors: a model without an encoder.
    """
    found = halves(model)
    if found is None:
        raise InputError(f"no encoder: got {model}, want a model that has one. Take its serving shape.")
    return _shapes(catalog.architecture(model), found)


def _shapes(architecture: Architecture, found: Halves) -> tuple[ServingShape, ServingShape, AttentionKind | None]:
    raw = shape_of_layers(architecture, found.encoder)
    # A window reaches to both sides; no request passes through the projection to the vocabulary.
    kinds = tuple(replace(kind, seen=2 * kind.seen) for kind in raw.kinds)
    encoder = replace(raw, kinds=kinds, head_parameters=0.0, d_model=float(found.d_model))
    if not found.decoder:
        return encoder, encoder, None
    shape = shape_of_layers(architecture, found.decoder)
    crossed = [brick for layer in found.decoder for brick in layer.bricks if getattr(brick, "cross", False)]
    # Half of the matrices of attention across the two make keys and values: once for each of the encoder's tokens.
    keys = sum(w.size for brick in crossed for w in brick.weights if w.use == "matmul") / 2
    encoder = replace(encoder, attention_parameters=encoder.attention_parameters + keys)
    width = sum(kind.cross_width for kind in shape.kinds)
    scores = float(sum(getattr(brick, "score_width", 0) for brick in crossed))
    heads = max((kind for kind in shape.kinds if kind.cross_width), key=lambda kind: kind.cross_width)
    crossing = replace(
        heads, window=0.0, seen=0.0, cache_width=width, read_width=width, cross_width=0.0,
        score_width=scores, decode_score_width=scores,
    )  # fmt: skip
    own = tuple(replace(kind, cross_width=0.0) for kind in shape.kinds if kind.cache_width)
    return encoder, replace(shape, kinds=own, attention_parameters=shape.attention_parameters - keys), crossing


def reading_case(case: EncodedCase) -> Case:
    """Return the case of the encoder alone."""
    return replace(case, shape=case.encoder)


def reading_pass(requests: float, tokens: float) -> Pass:
    """Return one pass over so many whole requests, each of whose tokens sees all of its request."""
    # A prompt's tokens see half of it on average, what was computed before whole: as if all of it had been.
    return Pass(requests * tokens, requests, tokens, prefill=True, cached=tokens)


def encode_seconds(case: EncodedCase, requests: float, tokens: float) -> float:
    """Return the seconds of one pass over so many whole requests, each of whose tokens sees all of them."""
    moved, fixed = pass_seconds(reading_case(case), reading_pass(requests, tokens))
    return float(moved + fixed + scheduling_seconds(case, requests, moved + fixed))


def batch_of(tokens: float) -> int:
    """Return the whole requests that one pass takes: as many as its tokens allow, one at least."""
    return max(1, int(CHUNK_TOKENS // tokens))


def writing_pass(batch: float, demand: Demand) -> Pass:
    """Return one decode step of so many requests, halfway through their answers."""
    return Pass(batch, batch, demand.output_tokens / 2, prefill=False)


def crossing_seconds(case: EncodedCase, batch: float, demand: Demand) -> float:
    """Return the seconds of a decode step in which so many requests attend to what the encoder read."""
    across = _across(case)
    read, none = (
        pass_seconds(across, Pass(batch, batch, context, prefill=False))[0] for context in (demand.input_tokens, 0.0)
    )
    return float(read - none)


def decode_seconds(case: EncodedCase, batch: float, demand: Demand) -> float:
    """Return one decode step of so many requests on a rank, halfway through their answers."""
    moved, fixed = pass_seconds(case, writing_pass(batch, demand))
    working = moved + fixed + crossing_seconds(case, batch, demand)
    return float(working + scheduling_seconds(case, batch, working))


def _across(case: EncodedCase) -> Case:
    """Return the case with the encoder's tokens alone to attend to."""
    kinds = () if case.crossing is None else (case.crossing,)
    return replace(case, shape=replace(case.shape, kinds=kinds))


def held_bytes(case: EncodedCase, demand: Demand, longest_tokens: float) -> float:
    """Return the cache of one request on one GPU: its answer's tokens, and the encoder's; lengths in proportion."""
    if not case.decodes:
        return 0.0
    share = demand.input_tokens / (demand.input_tokens + demand.output_tokens)
    across = _across(case)
    own = cache_bytes_per_gpu(case, longest_tokens * (1 - share))
    return float(own + cache_bytes_per_gpu(across, longest_tokens * share))


def places(case: EncodedCase, memory: Memory, demand: Demand, longest_tokens: float, most: int) -> int:
    """Return the requests that one rank has room for, 0 where the weights leave none; ``most`` if nothing is kept."""
    if memory.cache_bytes <= 0:
        return 0
    held = held_bytes(case, demand, longest_tokens)
    return most if held <= 0 else int(memory.cache_bytes // held)


class Shared(NamedTuple):
    """What requests share of a rank: how many are there, how many one pass reads, and the seconds of such a pass."""

    rank: float
    batch: float
    together: float

    @property
    def passes(self) -> int:
        """Passes until all that are there were read."""
        return math.ceil(self.rank / self.batch - 1e-9)

    def each(self, demand: Demand) -> float:
        """Return the seconds that the passes of all others add to one token of an answer."""
        return self.together / self.batch * (self.rank - 1) / demand.output_tokens


def shared(case: EncodedCase, demand: Demand) -> Shared:
    """Return what the requests in flight share of a rank."""
    rank = max(demand.in_flight / case.dp, 1.0)
    batch = min(rank, batch_of(demand.input_tokens))
    return Shared(rank, batch, encode_seconds(case, batch, demand.input_tokens))


def latencies(case: EncodedCase, demand: Demand) -> tuple[float, float]:
    """Return seconds to the first token, or to the answer of a single pass, and per token, of a closed loop.

    A request shares its life with the passes of all others. Work is conserved: what of it does not fall before the
    first token delays the tokens after it.
    """
    at, first = shared(case, demand), case.rates["first_token_seconds"]
    if not case.decodes:
        return float(first + at.together * at.passes), 0.0
    step, each = decode_seconds(case, at.rank, demand), at.each(demand)
    return float(first + encode_seconds(case, 1.0, demand.input_tokens) + each + step), float(step + each)
