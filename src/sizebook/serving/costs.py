"""What every load on one case shares, worked out once: seconds and bytes by what they are multiplied by.

A pass is linear in its tokens, sequences and context but for three things: experts touched, windows, and the overlap of
memory and arithmetic. So the model, the machine and the layout are summed up into some thirty numbers for prompts and
as many for decode steps, and a load costs arithmetic on those alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from sizebook.models.cache_size import INDEX_ELEMENT_BYTES
from sizebook.serving.case import Case, Number, larger, most_at_once, smaller
from sizebook.serving.kernels import (
    ACTIVATION_BYTES,
    AdapterCosts,
    AttentionCosts,
    ExpertCosts,
    Messages,
    Products,
    Seen,
    adapters,
    collectives,
    decode_attention,
    experts,
    kv_heads_held,
    launches,
    prefill_attention,
    products,
)
from sizebook.serving.rates import scheduled


@dataclass(frozen=True, slots=True)
class Context:
    """What a context costs: ``whole`` a token of it, and of windows (limit, cost a token) up to their limits."""

    whole: Number
    windows: tuple[tuple[Number, Number], ...]

    def of(self, context: Number) -> Number:
        """Return what a context of so many tokens costs."""
        total = self.whole * context
        for limit, each in self.windows:
            total = total + each * smaller(context, limit + (limit <= 0) * context)
        return total

    def pooled(self, context: Number, share: Number) -> Number:
        """Return what it costs where windows have a pool of their own, of that share of the tokens of the others.

        Every token of the whole context takes its share of both. Windows bind where they need more than theirs.
        """
        both, widest = self.whole, self.whole * 0.0
        for limit, each in self.windows:
            both, widest = both + share * each, larger(widest, limit + 0.0)
        return both * larger(context, smaller(context, widest) / share)


def context_of(parts: Iterable[tuple[Number, Number]]) -> Context:
    """Return the sum of costs (limit, cost a token), a limit of 0 being none."""
    whole: Number = 0.0
    windows = []
    for limit, each in parts:
        limited = limit > 0
        whole = whole + each * (1 - limited)
        if limited.any() if hasattr(limited, "any") else limited:
            windows.append((limit, each * limited))
    return Context(whole, tuple(windows))


@dataclass(frozen=True, slots=True)
class PassCosts:
    """Seconds of one pass over all layers by kernel; ``read`` a sequence, ``scored`` a token, for what each sees.

    ``activations`` and ``elementwise`` are seconds a token, ``launches`` and ``layers`` fixed; ``eager`` are those in
    which a host launches the kernels of prompts one by one, while the GPU works.
    """

    products: Products
    adapters: AdapterCosts
    experts: ExpertCosts
    read: Context
    scored: Context
    state: Number
    scanned: Number
    activations: Number
    elementwise: Number
    collectives: Messages
    launches: Number
    layers: Number
    eager: Number
    ranks: Number


@dataclass(frozen=True, slots=True)
class Costs:
    """What every load on a case shares: costs of its passes, bytes of its cache a token and a sequence, its layout.

    ``cache_block`` is a block of all attention layers, as large in each as a mixer's state. ``windows_pooled`` is 1
    where engines may part layers with a window from others: both are there, and no indexer. ``drafting`` is what
    drafted tokens multiply a decode step by, ``rates`` are those of scheduling. ``max_running`` is the cap on requests
    at once, whoever sets it, ``chunk_tokens`` those of one rank. The other fields are the case's.
    """

    decode: PassCosts
    prefill: PassCosts
    cache: Context
    cache_state: Number
    cache_block: Number
    windows_pooled: Number
    drafting: Number
    rates: Any
    pp: Number
    dp: Number
    max_running: Number
    chunk_tokens: Number
    draft_tokens: Number
    tokens_per_step: Number
    held_steps: Number
    overlapped: Number
    encode_seconds: Number


_KEPT: WeakKeyDictionary[Case, Costs] = WeakKeyDictionary()


def costs_of(case: Case | Costs) -> Costs:
    """Return the costs of a case, worked out at the first call and kept as long as the case; costs as they are."""
    if isinstance(case, Costs):
        return case
    found = _KEPT.get(case)
    if found is None:
        found = _KEPT[case] = _worked_out(case)
    return found


def _worked_out(case: Case) -> Costs:
    cache, state = _cache(case)
    page = state / larger(case.shape.n_state_layers, 1.0)
    return Costs(
        decode=_pass(case, decode_attention(case), "decode"),
        prefill=_pass(case, prefill_attention(case), "prefill"),
        cache=cache,
        cache_state=state,
        cache_block=page * case.shape.n_attention_layers,
        windows_pooled=1.0 * (cache.whole > 0) * (case.shape.n_indexed_layers == 0),
        drafting=1 + case.draft_tokens / case.shape.n_layers,
        rates=_scheduling(case),
        pp=case.pp,
        dp=case.dp,
        max_running=most_at_once(case),
        chunk_tokens=case.chunk_tokens / (1 + case.chunk_shared * (case.dp - 1)),
        draft_tokens=case.draft_tokens,
        tokens_per_step=case.tokens_per_step,
        held_steps=case.held_steps,
        overlapped=case.overlapped,
        encode_seconds=case.encode_seconds,
    )


def _scheduling(case: Case) -> dict[str, Number]:
    """Return the rates of scheduling; every server that a replica spans streams tokens and takes requests."""
    hosts = -(-case.tp * case.pp * case.dp // case.host_gpus)
    known = {name: case.rates[name] for name in scheduled() if name in case.rates}
    return {name: value * hosts if name.startswith("host_") else value for name, value in known.items()}


def _pass(case: Case, attention: AttentionCosts, phase: str) -> PassCosts:
    s, r = case.shape, case.rates
    projected, adapted, routed = products(case), adapters(case), experts(case)
    return PassCosts(
        products=projected,
        adapters=adapted,
        experts=routed,
        read=_sum(attention.seen, "read"),
        scored=_sum(attention.seen, "scored"),
        state=attention.state,
        scanned=attention.scanned,
        activations=projected.activations + routed.activations + attention.activations,
        elementwise=r["activation_passes"] * s.n_layers * s.d_model * ACTIVATION_BYTES / case.bandwidth,
        collectives=collectives(case),
        launches=launches(case, phase) + adapted.launches,
        layers=s.n_fixed_times * r["layer_seconds"],
        eager=s.n_fixed_times * r["eager_seconds"] * (phase == "prefill"),
        ranks=case.dp,
    )


def _sum(seen: tuple[Seen, ...], name: str) -> Context:
    return context_of((each.limit, getattr(each, name)) for each in seen)


def _cache(case: Case) -> tuple[Context, Number]:
    """Return bytes of cache on one GPU a token of context, and of state a sequence.

    Heads divide by tp, a latent does not, windows hold min(S, W): each kind of layer by itself, as heads and windows
    differ within a model. State of mixers divides by tp and does not grow. Pipeline stages share the layers.
    """
    s, tp, pp = case.shape, case.tp, case.pp
    kinds = [(k.window, kv_heads_held(k.n_kv_heads, tp) * k.cache_width * case.kv_bytes / pp) for k in s.kinds]
    index = (0.0, s.index_cache_width * INDEX_ELEMENT_BYTES / pp)
    return context_of((index, *kinds)), s.state_bytes / tp / pp
