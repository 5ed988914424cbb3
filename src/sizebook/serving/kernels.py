"""What the kernels of one pass take: matrix products, attention, mixers, experts and collectives, in closed form.

    products    n launch + hypot(weight bytes / bandwidth, FLOPs / peak) + activations in and out / bandwidth
    attention   launch a layer + hypot(cache bytes / bandwidth, FLOPs / peak) + activations / bandwidth
    experts     launch a layer + hypot(bytes of experts touched / bandwidth, FLOPs / peak) + activations / bandwidth
    all-reduce  launch + growth (n - 2) + (2 (n - 1) / n / share + passes) x message / link

The shares of bandwidth, peak and link and the launch times are those of ``serving.rates``. Plain arithmetic on numbers
or arrays.
"""

from __future__ import annotations

from sizebook.serving.case import Case, Number

STATE_KEY_WIDTH = 128.0  # of the mixers measured: a state of n elements passes n / 128 activations a token
INDEXED_WIDTH = 6144.0  # activations of a token in the measured indexer


def hypot(a: Number, b: Number) -> Number:
    """Return a smooth maximum of the seconds that memory and arithmetic take, which overlap."""
    return (a * a + b * b) ** 0.5


def experts_touched(n_experts: Number, top_k: Number, tokens: Number) -> Number:
    """Return the distinct experts that a batch visits: E (1 - (1 - k / E)^tokens), routing taken as uniform."""
    known = (n_experts + 1.0 + abs(n_experts - 1.0)) / 2
    return n_experts * (1 - (1 - top_k / known) ** tokens)


def product_seconds(case: Case, tokens: Number, outputs: Number) -> tuple[Number, Number, Number]:
    """Return what reading weights, multiplying, and passing activations of projections, dense blocks and the head take.

    The vocabulary head stays in 16 bits and multiplies only the tokens whose next one is wanted.
    """
    s, r, tp = case.shape, case.rates, case.tp
    weights = (s.attention_parameters + s.dense_parameters) / tp
    head = s.head_parameters / tp
    memory = weights * case.attention_bytes / (case.bandwidth * r["product_bandwidth"])
    compute = 2 * weights * tokens / (case.attention_peak * r["product_compute"])
    memory = memory + head * 2.0 / (case.bandwidth * r["head_bandwidth"])
    compute = compute + 2 * head * outputs / (case.half_peak * r["head_compute"])
    wide = s.n_products * s.d_model + weights / s.d_model
    return memory, compute, r["product_passes"] * 2 * tokens * wide / case.bandwidth


def expert_seconds(case: Case, tokens: Number) -> tuple[Number, Number, Number]:
    """Return what reading the experts touched, multiplying, and passing activations of routed experts take.

    The more tokens reach each of them, the nearer it comes to its share of the peak. The kernels were measured with
    uneven routing (``skew``); servers are predicted better where a batch is taken to visit experts evenly.
    """
    s, r = case.shape, case.rates
    gpus = case.tp * case.dp
    parameters, everywhere = s.expert_parameters / gpus, tokens * case.dp
    touched = experts_touched(s.n_experts, s.top_k, everywhere) * parameters * case.expert_bytes
    memory = touched / (case.bandwidth * r["experts_bandwidth"])
    each = s.top_k * everywhere / (s.n_experts + (s.n_experts <= 0))
    share = r["experts_compute"] * each / (each + r["experts_half"])
    share = share + (share <= 0)  # a model without experts multiplies nothing
    compute = 2 * s.top_k * everywhere * parameters / (case.expert_peak * share)
    # Ranks that share experts hold whole ones, so each sees its part of the tokens; a tensor-parallel part sees all.
    routed = s.n_expert_layers * s.top_k * everywhere / case.ep
    return memory, compute, r["experts_passes"] * 2 * routed * s.d_model / case.bandwidth


def reduce_seconds(case: Case, message: Number) -> Number:
    """Return one all-reduce over the tensor-parallel group."""
    r, n = case.rates, case.tp
    fixed = r["reduce_launch_seconds"] + r["reduce_growth_seconds"] * (n - 2)
    return fixed + (2 * (n - 1) / n / r["reduce_bandwidth"] + r["reduce_passes"]) * message / _link(case)


def exchange_seconds(case: Case, message: Number) -> Number:
    """Return sending a rank's tokens to the experts of other ranks and the results back: two collectives."""
    r, s, gpus = case.rates, case.shape, case.tp * case.dp
    fan = (s.top_k + case.dp - abs(s.top_k - case.dp)) / 2 * (case.dp - 1) / case.dp
    fixed = r["reduce_launch_seconds"] + r["reduce_growth_seconds"] * (gpus - 2)
    return 2 * (fixed + message * fan / (_link(case) * r["reduce_bandwidth"]))


def _link(case: Case) -> Number:
    """Return the rate between the GPUs of a replica: within a node, or between nodes where they exceed one."""
    crosses = case.tp * case.dp > case.node_gpus
    return case.link * (1 - crosses) + case.network * crosses
