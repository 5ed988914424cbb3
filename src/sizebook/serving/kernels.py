"""What the kernels of one pass take: matrix products, attention, mixers, experts and collectives, in closed form.

    products    n launch + hypot(weight bytes / bandwidth, FLOPs / peak) + activations in and out / bandwidth
    attention   launch a layer + hypot(cache bytes / bandwidth, FLOPs / peak) + activations / bandwidth
    experts     launch a layer + hypot(bytes of experts touched / bandwidth, FLOPs / peak) + activations / bandwidth
    all-reduce  launch + growth (n - 2) + (2 (n - 1) / n / share + passes) x message / link, and between nodes
                75 us + 2 (nodes - 1) / nodes / share x message / all ports of a node

The shares of bandwidth, peak and link and the launch times are those of ``serving.rates``. A function here returns what
no load changes: seconds a token, a sequence, a token of context. `sizebook.serving.costs` keeps them, and
`sizebook.serving.time` multiplies. Plain arithmetic on numbers or arrays.
"""

from dataclasses import dataclass

from sizebook.models.cache_size import INDEX_ELEMENT_BYTES, STATE_ELEMENT_BYTES
from sizebook.serving.case import Case, Number, larger, smaller
from sizebook.serving.shape import AttentionKind

STATE_KEY_WIDTH = 128.0  # of the mixers measured: a state of n elements passes n / 128 activations a token
INDEXED_WIDTH = 6144.0  # activations of a token in the measured indexer
# Seconds that an all-reduce takes more, however small, where its GPUs are joined by a network: 75 us for 4 kB over
# nodes of 8 H100 (github.com/NVIDIA/nccl, issue 1453, out of place). NCCL by itself also took 47 us on two nodes of H20
# (issue 1244), 46 on four of H200 (microsoft/mscclpp, pull 794) and 63 on 32 of A100 (issue 652); no server was that
# quick. Over two nodes of Google's A3 Mega, whose network is no InfiniBand, 127 us, and 139 for 16 kB
# (lessizzmore/create-a3mega-ztan-fork). Links of one domain, NVL72 included, take none.
NETWORK_SECONDS = 75e-6
ACTIVATION_BYTES = 2.0  # activations and the vocabulary head stay in 16 bits


def hypot(a: Number, b: Number) -> Number:
    """Return a smooth maximum of the seconds that memory and arithmetic take, which overlap."""
    return (a * a + b * b) ** 0.5


def chance_missed(n_experts: Number, top_k: Number) -> Number:
    """Return the chance that a token does not visit one expert: 1 - k / E; 1 without experts."""
    return 1 - top_k / larger(n_experts, 1.0)


def kv_heads_held(n_kv_heads: Number, tp: Number) -> Number:
    """Return the key-value heads that one GPU holds: ceil(heads / tp), replicated where there are fewer than GPUs."""
    return -(-n_kv_heads // tp)


@dataclass(frozen=True, slots=True)
class Products:
    """Seconds of projections, dense blocks and the head: reading weights, a token, an output, activations a token."""

    weights: Number
    token: Number
    output: Number
    activations: Number


def products(case: Case) -> Products:
    """Return what matrix products cost.

    The vocabulary head stays in 16 bits and multiplies only the tokens whose next one is wanted.
    """
    s, r, tp = case.shape, case.rates, case.tp
    weights = (s.attention_parameters + s.dense_parameters) / tp
    head = s.head_parameters / tp
    read = weights * case.attention_bytes / (case.bandwidth * r["product_bandwidth"])
    wide = s.n_products * s.d_model + weights / s.d_model
    return Products(
        weights=read + head * ACTIVATION_BYTES / (case.bandwidth * r["head_bandwidth"]),
        token=2 * weights / (case.attention_peak * r["product_compute"]),
        output=2 * head / (case.half_peak * r["head_compute"]),
        activations=r["product_passes"] * ACTIVATION_BYTES * wide / case.bandwidth,
    )


@dataclass(frozen=True, slots=True)
class AdapterCosts:
    """Seconds of adapters: reading all of them, a token that multiplies, launches; and the chance that a sequence asks
    for another one.
    """

    weights: Number
    token: Number
    launches: Number
    missed: Number


def adapters(case: Case) -> AdapterCosts:
    """Return what adapters cost: two thin products beside each product, of the adapters that a batch asks for."""
    r, some = case.rates, case.adapters > 0
    return AdapterCosts(
        weights=case.adapters * adapter_bytes(case) / (case.bandwidth * r["product_bandwidth"]),
        token=some * adapter_bytes(case) / (case.half_peak * r["product_compute"]),  # two bytes, two FLOPs a parameter
        launches=some * 2 * case.shape.n_products * r["product_launch_seconds"],
        missed=1 - 1 / larger(case.adapters, 1.0),
    )


def adapter_bytes(case: Case) -> Number:
    """Return one adapter on one GPU, in sixteen bits: rank x both sides of every matrix that carries it."""
    return case.adapter_rank * case.shape.adapted_width * ACTIVATION_BYTES / case.tp


@dataclass(frozen=True, slots=True)
class ExpertCosts:
    """Seconds of routed experts: reading all of them, a pass and a token that multiplies, activations a token.

    Of all experts a batch reads ``1 - missed^(tokens of all ranks)``.
    """

    weights: Number
    missed: Number
    multiplying: Number
    token: Number
    activations: Number


def experts(case: Case) -> ExpertCosts:
    """Return what routed experts cost; ranks share them evenly.

    The more tokens reach each of them, the nearer it comes to its share of the peak: share x each / (each + half), so
    that a pass costs a fixed time more. The kernels were measured with uneven routing (``skew``); servers are predicted
    better where a batch is taken to visit experts evenly. Where a step reads all experts none is missed.
    """
    s, r = case.shape, case.rates
    parameters = s.expert_parameters / (case.tp * case.dp)
    flop = 2 * parameters / (case.expert_peak * r["experts_compute"])
    read = s.n_experts * parameters * case.expert_bytes / (case.bandwidth * r["experts_bandwidth"])
    # Ranks that share experts hold whole ones, so each sees its part of the tokens; a tensor-parallel part sees all.
    routed = s.n_expert_layers * s.top_k * case.dp / case.ep
    return ExpertCosts(
        weights=read,
        missed=chance_missed(s.n_experts, s.top_k) * (1 - case.all_experts),
        multiplying=flop * r["experts_half"] * s.n_experts,
        token=flop * s.top_k * case.dp,
        activations=r["experts_passes"] * ACTIVATION_BYTES * routed * s.d_model / case.bandwidth,
    )


@dataclass(frozen=True, slots=True)
class Seen:
    """Attention layers that see a context alike: up to ``limit`` tokens of it, 0 for all.

    ``read`` are seconds a sequence and token seen, ``scored`` a query and token seen.
    """

    limit: Number
    read: Number
    scored: Number


@dataclass(frozen=True, slots=True)
class AttentionCosts:
    """Seconds of attention, indexers and mixers by what they see, a sequence's state, and a token beside them."""

    seen: tuple[Seen, ...]
    state: Number
    scanned: Number
    activations: Number


def decode_attention(case: Case) -> AttentionCosts:
    """Return what attention costs in a decode step: a query a sequence reads and scores what it sees.

    Layers that share the cache of an earlier one read it again. Mixers read and write their state once a sequence.
    """
    s, r, tp = case.shape, case.rates, case.tp
    each = case.kv_bytes / (case.bandwidth * r["decode_attention_bandwidth"])
    flop = 2 / (case.half_peak * r["decode_attention_compute"])
    index_read = s.index_cache_width * INDEX_ELEMENT_BYTES / (case.bandwidth * r["index_decode_bandwidth"])
    indexer = Seen(0.0, index_read, 2 * s.index_score_width / (case.half_peak * r["index_decode_compute"]))
    kinds = [
        Seen(k.seen, kv_heads_held(k.n_kv_heads, tp) * k.read_width * each, flop * k.decode_score_width * _share(k, tp))
        for k in s.kinds
    ]
    width = sum(kind.decode_score_width * _share(kind, tp) for kind in s.kinds)
    moved = r["decode_attention_passes"] * width + r["state_decode_passes"] * _state_width(case)
    return AttentionCosts(
        seen=(indexer, *kinds),
        state=2 * s.state_bytes / tp / (case.bandwidth * r["state_decode_bandwidth"]),
        scanned=0.0,
        activations=ACTIVATION_BYTES * moved / case.bandwidth,
    )


def prefill_attention(case: Case) -> AttentionCosts:
    """Return what attention costs in a pass of prompts, which finds what it reads in the chip.

    A narrow head reaches less of the peak. Mixers multiply their state with every token.
    """
    s, r, tp = case.shape, case.rates, case.tp
    indexer = Seen(0.0, 0.0, 2 * s.index_score_width / (case.half_peak * r["index_prefill_compute"]))
    kinds = [Seen(k.seen, 0.0, 2 * k.score_width * _share(k, tp) / _prefill_rate(case, k)) for k in s.kinds]
    width = sum(kind.score_width * _share(kind, tp) for kind in s.kinds)
    state = s.state_bytes / STATE_ELEMENT_BYTES / tp
    moved = r["prefill_attention_passes"] * width + r["state_prefill_passes"] * _state_width(case)
    moved = moved + r["index_prefill_passes"] * s.n_indexed_layers * INDEXED_WIDTH
    return AttentionCosts(
        seen=(indexer, *kinds),
        state=2 * s.state_bytes / tp / (case.bandwidth * r["state_prefill_bandwidth"]),
        scanned=4 * state / (case.half_peak * r["state_prefill_compute"]),
        activations=ACTIVATION_BYTES * moved / case.bandwidth,
    )


def _share(kind: AttentionKind, tp: Number) -> Number:
    """Return the share of the query heads on the fullest GPU."""
    return -(-kind.n_heads // tp) / kind.n_heads


def _state_width(case: Case) -> Number:
    return case.shape.state_bytes / STATE_ELEMENT_BYTES / case.tp / STATE_KEY_WIDTH


def _prefill_rate(case: Case, kind: AttentionKind) -> Number:
    """Return the multiply-adds a second that a prompt's scores reach with heads as wide as those of a kind."""
    r = case.rates
    head = kind.score_width / (2 * kind.n_heads * larger(kind.layers, 1.0))
    half = r["prefill_attention_half"]
    share = smaller(r["prefill_attention_compute"] * (1 + half / 128) * head / (head + half + (head <= 0)), 1.0)
    return case.half_peak * (share + (share <= 0))  # a kind without scores multiplies nothing


@dataclass(frozen=True, slots=True)
class Messages:
    """Seconds of the collectives of one pass: fixed, and a token."""

    fixed: Number
    token: Number


def collectives(case: Case) -> Messages:
    """Return what a pass spends on collectives.

    With data-parallel attention experts exchange tokens; only attention is then reduced over its tensor parallelism.
    """
    s = case.shape
    reduced = (case.tp > 1) * s.n_layers * (2.0 - (case.dp > 1))
    exchanged = (case.dp > 1) * s.n_expert_layers
    one, both = _reduce(case), _exchange(case)
    message = s.d_model * ACTIVATION_BYTES
    return Messages(
        reduced * one.fixed + exchanged * both.fixed, message * (reduced * one.token + exchanged * both.token)
    )


def _reduce(case: Case) -> Messages:
    """Return one all-reduce over the tensor-parallel group, of a byte instead of a token.

    GPUs reduce within their node first, which leaves each of them a share, and send only that through the network: all
    ports of a node carry the message together.
    """
    r, n = case.rates, case.tp
    inside, nodes = smaller(n, case.node_gpus), -(-n // case.node_gpus)
    within = (2 * (inside - 1) / inside / r["reduce_bandwidth"] + r["reduce_passes"]) / _link(case, inside)
    between = 2 * (nodes - 1) / nodes / r["reduce_bandwidth"] / (inside * case.network)
    return Messages(_started(case, n), within + between)


def _exchange(case: Case) -> Messages:
    """Return sending a rank's tokens to the experts of other ranks and the results back: two collectives."""
    r, gpus = case.rates, case.tp * case.dp
    fan = smaller(case.shape.top_k, case.dp) * (case.dp - 1) / case.dp
    crosses = _crosses(case, gpus)
    rate = _link(case, gpus) * (1 - crosses) + case.network * crosses
    return Messages(2 * _started(case, gpus), 2 * fan / (rate * r["reduce_bandwidth"]))


def _started(case: Case, n: Number) -> Number:
    """Return the seconds of one collective of n GPUs that no message changes."""
    r = case.rates
    return r["reduce_launch_seconds"] + r["reduce_growth_seconds"] * (n - 2) + NETWORK_SECONDS * _crosses(case, n)


def _crosses(case: Case, n: Number) -> Number:
    """Return 1 where n GPUs are more than share a link, so that a network joins them, else 0."""
    return 1.0 * (n > case.node_gpus)


def _link(case: Case, n: Number) -> Number:
    """Return the rate between n GPUs of a node; of one whose GPUs are joined pair by pair n use n - 1 of its links."""
    used = (n - 1) / larger(case.node_gpus - 1, 1.0)
    return case.link * (1 - case.paired + case.paired * larger(smaller(used, 1.0), 1e-9))


def launches(case: Case, phase: str) -> Number:
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
