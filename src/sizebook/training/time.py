"""Seconds of one optimizer step from the layout: compute, memory traffic, communication, pipeline bubble.

Every term is a quantity of work over a rate of the accelerator times an efficiency (`sizebook.training.machine`).
"""

from __future__ import annotations

from math import log2
from typing import NamedTuple

from sizebook.core.sections import quantity, section
from sizebook.training.activations import moved_bytes
from sizebook.training.applicability import by_layers, with_implied_kind
from sizebook.training.communication import (
    context_parallel,
    data_parallel,
    expert_exchange,
    exposed,
    offloading,
    pipeline_send,
    tensor_parallel,
)
from sizebook.training.frameworks import bytes_each, keeps
from sizebook.training.layer_profile import Profile
from sizebook.training.layout import Layout, bubble, stage_layers
from sizebook.training.machine import Machine
from sizebook.training.memory_traffic import elementwise_seconds, expanding_seconds, optimizer_seconds, weight_seconds
from sizebook.training.number_formats import BLOCK_FORMATS
from sizebook.training.policy_effects import saved_share
from sizebook.training.profile import ModelProfile
from sizebook.training.recipe import Method

_BACKWARD_MATMUL = 2.0
# Flash attention's backward pass is five products where the forward pass is two (Dao 2023, arXiv:2307.08691).
_BACKWARD_SCORES = 2.5
_CLOSE = 3
# Of a hybrid in nvfp4 the last layers stay in 16 bits, 14 of Nemotron 3 Super's 88 (Megatron-Bridge,
# nemotron_3_super_bf16_with_nvfp4_mixed; arXiv:2509.25149 keeps as many).
_WIDE_OF_HYBRIDS = 14 / 88
_USUAL_HEAD = 128


@section
class StepTime:
    """Seconds of one optimizer step by cause. ``recompute`` is part of no other term; ``bubble`` is waiting."""

    matmul: float = quantity("matrix products", "seconds", minimum=0, label="Matrices")
    attention: float = quantity("attention scores", "seconds", minimum=0, label="Attention")
    traffic: float = quantity("element-wise kernels, bound by memory", "seconds", minimum=0, label="Memory traffic")
    dequantize: float = quantity(
        "frozen weights of few bits expanded, and DoRA's norms", "seconds", minimum=0, label="Dequantisation"
    )
    recompute: float = quantity("what the backward pass recomputes", "seconds", minimum=0, label="Recomputation")
    overhead: float = quantity("launches and waits, fixed a layer", "seconds", minimum=0, label="Overhead")
    tensor_parallel: float = quantity(
        "exposed exchange of tensor parallelism", "seconds", minimum=0, label="Tensor parallel"
    )
    expert_parallel: float = quantity("exposed exchange with experts", "seconds", minimum=0, label="Expert parallel")
    context_parallel: float = quantity(
        "exposed exchange of keys and values", "seconds", minimum=0, label="Context parallel"
    )
    pipeline: float = quantity("exposed sends between pipeline stages", "seconds", minimum=0, label="Pipeline")
    bubble: float = quantity("waiting for other pipeline stages", "seconds", minimum=0, label="Bubble")
    data_parallel: float = quantity(
        "exposed gathering of weights and reducing of gradients", "seconds", minimum=0, label="Data parallel"
    )
    optimizer: float = quantity("the optimizer step", "seconds", minimum=0, label="Optimizer")

    @property
    def total(self) -> float:
        compute = self.matmul + self.attention + self.traffic + self.dequantize + self.recompute + self.overhead
        exchange = self.tensor_parallel + self.expert_parallel + self.context_parallel + self.pipeline
        return compute + exchange + self.bubble + self.data_parallel + self.optimizer


def step_time(profile: ModelProfile, layout: Layout, method: Method, *, rates: Machine, n_micro: int) -> StepTime:
    """Return the seconds of one optimizer step: every pipeline runs ``n_micro`` micro-batches through its slowest
    stage.

    A stage works n_micro times and waits as its schedule has it (`sizebook.training.layout.bubble`). Steps wait for
    the slowest of all GPUs, which takes a little longer with every doubling of their number.
    """
    layout = with_implied_kind(layout, method.recipe)
    tokens = layout.micro_batch * profile.seq / layout.cp
    counts = stage_layers(profile.n_layers, layout.pp)
    layers = profile.share(max(counts) / profile.n_layers)
    slower = 1 + rates.growth * log2(layout.gpus)
    compute = [slower * each for each in _compute(layers, profile, layout, method, rates, tokens)]
    parts = by_layers(layers.layers, layout, method.recipe)
    exchange = (
        sum(part * tensor_parallel(layers, profile, each, rates=rates, tokens=tokens) for part, each in parts),
        sum(part * expert_exchange(layers, each, rates, tokens=tokens) for part, each in parts),
        context_parallel(layers, profile, layout, rates=rates, tokens=tokens, busy=compute[1]),
        pipeline_send(profile, layout, rates, tokens=tokens),
    )
    # The last stage runs the head too. Where it has fewer layers, these leave it time for it.
    others = sum(compute) + sum(exchange)
    spare = (1 - counts[-1] / max(counts)) * others
    head = max(0.0, slower * _head_seconds(profile, layout, method, rates, tokens) - spare)
    # Kernels are launched while others run: a micro-batch takes as long as the longer of the two, and a little more
    # where they are close.
    busy = others + head
    micro = (busy**_CLOSE + _launching(layers, method, rates) ** _CLOSE) ** (1 / _CLOSE)
    held = _held(layers, profile, layout)
    matmul, attention, traffic, dequantize, recompute, moving = (n_micro * each for each in compute)
    tp, ep, cp, send = (n_micro * each for each in exchange)
    return StepTime(
        matmul=matmul + n_micro * head,
        attention=attention,
        traffic=traffic,
        dequantize=dequantize,
        recompute=recompute,
        overhead=moving + n_micro * (micro - busy) + rates.step_seconds,
        tensor_parallel=tp,
        expert_parallel=ep,
        context_parallel=cp,
        pipeline=send,
        bubble=(micro - head) * bubble(layout),
        data_parallel=_data_parallel(held, layout, method, rates, micro, n_micro),
        optimizer=optimizer_seconds(held.dense, held.experts, layout, method=method, rates=rates),
    )


def _launching(layers: Profile, method: Method, rates: Machine) -> float:
    """Return the seconds that a processor needs to launch what one micro-batch runs on one stage; hooks on gradients
    are part of it where weights have any."""
    hooks = 0.0 if method.recipe.lora_rank else layers.layers * rates.hook_seconds
    return layers.blocks * rates.block_seconds + layers.expert_blocks * rates.expert_seconds + hooks


def _compute(
    layers: Profile, profile: ModelProfile, layout: Layout, method: Method, rates: Machine, tokens: float
) -> tuple[float, float, float, float, float, float]:
    """Return seconds of one micro-batch on one stage: matrices, scores, traffic, frozen weights expanded,
    recomputation, moves to the host.

    Tokens of a tensor-parallel group are shared out among its ranks before they go to experts, or experts are split
    over them: either way a rank does its share.
    """
    recipe = method.recipe
    # Beside recurrent layers only experts multiply in formats of blocks (Nemotron 3: projections of mixers stay wide);
    # with one scale a tensor all matrices do (Nemotron-H, NeMo's nemotron_h_bf16_with_fp8_current_scaling_mixed).
    wide = layers.state_flops and method.compute_dtype in BLOCK_FORMATS
    dense = 2 * tokens * layers.matrices / layout.tp / (rates.head if wide else rates.matmul)
    experts = tokens * _expert_seconds(layers, layout, method, rates)
    # Narrow heads leave matrix engines waiting for exponentials: the rate goes with d / (d + d0), 1 at the usual width.
    waiting = rates.head_width * (layers.scores_by_width - layers.scores / _USUAL_HEAD)
    scores = tokens * (layers.scores + waiting) / layout.tp / rates.scores
    states = tokens * layers.state_flops / layout.tp / rates.states
    vector = elementwise_seconds(layers, profile, layout, method=method, rates=rates, tokens=tokens)
    forward = _Forward(tokens, dense, experts, scores, states, vector)
    d_model, parts = profile.architecture.d_model, by_layers(layers.layers, layout, recipe)
    again = sum(part * _again(layers, each, method, rates, forward, d_model=d_model) for part, each in parts)
    expanded = (expanding_seconds(layers, profile, each, method=method, rates=rates) for _, each in parts)
    matrices = _passes(method) * (dense + experts)
    weights = weight_seconds(layers, layout, method, rates=rates)
    moved = tokens * moved_bytes(layers, layout, method, profile=profile)
    return (
        matrices,
        (1 + _BACKWARD_SCORES) * scores + (1 + _BACKWARD_MATMUL) * states,
        3 * vector + weights,
        sum(part * seconds for (part, _), seconds in zip(parts, expanded, strict=True)),
        again,
        offloading(moved, matrices, method, rates=rates),
    )


def _passes(method: Method) -> float:
    """Return how many times as long as forward a product takes both ways; frozen weights have no gradients."""
    return 1 + (_BACKWARD_MATMUL / 2 if method.recipe.lora_rank else _BACKWARD_MATMUL)


def _head_seconds(profile: ModelProfile, layout: Layout, method: Method, rates: Machine, tokens: float) -> float:
    """Return the seconds of one micro-batch's products with the head, both ways."""
    return _passes(method) * 2 * tokens * profile.head / layout.tp / rates.head


def _expert_seconds(layers: Profile, layout: Layout, method: Method, rates: Machine) -> float:
    """Return the seconds of one token's products with its experts, forward.

    Narrow experts fill the tiles of matrix engines badly, and carry more tokens to and fro for each product: the rate
    falls with w / (w + w0) of the width w inside an expert on one rank.
    """
    if not layers.active_experts:
        return 0.0
    width = layers.expert_down / layers.top_k / layout.etp
    wide = _WIDE_OF_HYBRIDS if layers.state_flops and method.compute_dtype == "nvfp4" else 0.0
    per_flop = (1 - wide) / rates.matmul + wide / rates.head
    narrow_width = 1 + rates.expert_width / width
    return 2 * method.recipe.expert_imbalance * layers.active_experts / layout.tp * per_flop * narrow_width


class _Forward(NamedTuple):
    """The forward pass of one micro-batch on one stage: its tokens, and seconds by cause; the head is left aside."""

    tokens: float
    dense: float
    experts: float
    scores: float
    states: float
    vector: float


def _again(
    layers: Profile, layout: Layout, method: Method, rates: Machine, forward: _Forward, *, d_model: int
) -> float:
    """Return the seconds of what the backward pass does again."""
    tokens, vector, policy = forward.tokens, forward.vector, method.recipe.recomputed.policy
    if layout.recompute == "full" and policy:
        share = saved_share(layers, policy, d_model)
        products = (1 - share.matrices) * forward.dense + (1 - share.experts) * forward.experts
        return products + (1 - share.scores) * forward.scores + forward.states + vector
    if layout.recompute == "full":
        return forward.dense + forward.experts + forward.scores + forward.states + vector
    if layout.recompute == "every-other-matmul":
        return (forward.dense + forward.experts) / 2 + vector
    modules = method.recipe.recomputed.modules
    plain = not method.recipe.flash_attention
    found = forward.scores if plain and (layout.recompute == "selective" or "core_attn" in modules) else 0.0
    if not modules:
        return found
    if "mla_up_proj" in modules:
        found += 2 * tokens * layers.latent_matrices / layout.tp / rates.matmul
    if "mlp" in modules:
        found += 2 * tokens * layers.mlp_matrices / layout.tp / rates.matmul
    if "moe" in modules:
        found += tokens * _expert_seconds(layers, layout, method, rates)
    # Norms and activation functions are a small part of the element-wise work each.
    return found + 0.15 * vector * len(modules & {"layernorm", "moe_act"})


def _data_parallel(held: _Held, layout: Layout, method: Method, rates: Machine, micro: float, n_micro: int) -> float:
    """Return exposed seconds of gathering weights and of reducing gradients over the data-parallel group.

    It hides behind the compute beside it, as far as the framework gathers ahead: with ZeRO-3 behind every micro-batch,
    otherwise the reduction behind the last
    backward pass and the gathering behind the first forward pass.
    """
    recipe, kept = method.recipe, keeps(method.recipe)
    if layout.dp * layout.cp == 1:
        return 0.0
    frozen = bool(recipe.lora_rank)
    each = min(kept.gathered_bytes, recipe.frozen_bytes) if frozen else kept.gathered_bytes
    grads = 0.0 if frozen else bytes_each(method, kept, layout.pp).gradient
    gather, reduce, added = data_parallel(
        (each * held.dense, each * held.experts), (grads * held.dense, grads * held.experts), layout, rates=rates
    )
    if layout.zero_stage == 3:
        # FSDP reduces in the format that it gathers in, unless it is told otherwise. A pipeline keeps its stage
        # gathered and reduces all the same after each of its micro-batches.
        reduced = 0.0 if frozen else gather
        if layout.pp > 1:
            found = n_micro * exposed(reduced, micro * 2 / 3, rates) + exposed(gather, micro * n_micro, rates)
        else:
            passes, waited = 2 * gather + reduced, rates.gather_exposed
            found = n_micro * (exposed((1 - waited) * passes, micro, rates) + waited * passes)
            found += n_micro * held.layers * rates.hook_seconds
        return found + exposed(added, micro * 2 / 3, rates)
    if frozen:
        return 0.0
    if layout.pp > 1 and kept.reduces_last:
        # Nothing runs beside an all-reduce in 16 bits, which passes twice what gathering does, and the gathering.
        return 3 * gather + added
    # Chunks of an interleaved pipeline reduce while the others still run backward.
    behind = micro * 2 / 3 * (1 if layout.pp == 1 else min(n_micro, layout.pp))
    return exposed(reduce + added, behind, rates) + exposed(gather, behind / 2, rates)


class _Held(NamedTuple):
    """Parameters of one rank before sharding, without and with their own groups: dense ones and experts; its layers."""

    dense: float
    experts: float
    layers: float


def _held(layers: Profile, profile: ModelProfile, layout: Layout) -> _Held:
    dense = (layers.dense + layers.kv) / layout.tp + layers.replicated
    outside = (profile.embedding + profile.stored_head) / layout.tp / layout.pp
    return _Held(dense + outside, layers.experts / (layout.ep * layout.etp), layers.layers)
