"""Bytes on the fullest rank of a training run, component by component, for every pipeline stage.

Weights, gradients, master weights, optimizer states, activations, the loss, buffers and the framework's own share.
What a framework keeps per parameter comes from data/training_stacks.csv, optimizer states from data/optimizers.csv.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Annotated, Any

from sizebook.core.errors import unknown_key
from sizebook.core.registry import Quantity, leaves, section
from sizebook.core.tables import by_key
from sizebook.training.layout import Layout, in_flight, stage_layers
from sizebook.training.profile import ModelProfile, Profile
from sizebook.training.quantities import Recipe

ACTIVATION_BYTES = 2


@dataclass(frozen=True)
class Stack:
    """What a training framework keeps: bytes per parameter and per logit, see data/training_stacks.csv."""

    stack: str
    weight_bytes: float
    gradient_bytes: float
    master_bytes: float
    gathered_bytes: float
    logit_bytes: float
    logit_bytes_tp: float
    logit_bytes_fused: float
    reserved_over_allocated: float
    context_bytes: float


@dataclass(frozen=True)
class Optimizer:
    """Bytes of optimizer state per parameter, see data/optimizers.csv."""

    matrix_bytes: float
    other_bytes: float
    factored_bytes: float


_BYTES: Any = {"unit": "bytes", "minimum": 0}


@section
class Memory:
    """Bytes on one rank by component. ``allocated`` is what live tensors take, ``reserved`` adds the allocator's cache,
    ``total`` the CUDA and communication context outside the allocator."""

    stage: Annotated[int, Quantity("pipeline stage, from 0", kind="integer", minimum=0, label="Stage")]
    weights: Annotated[float, Quantity("weights as they are computed with", **_BYTES, label="Weights")]
    gradients: Annotated[float, Quantity("gradients of what is trained", **_BYTES, label="Gradients")]
    master_weights: Annotated[float, Quantity("weights that the optimizer updates", **_BYTES, label="Master weights")]
    optimizer_states: Annotated[float, Quantity("states of the optimizer", **_BYTES, label="Optimizer states")]
    activations: Annotated[float, Quantity("what the backward pass needs again", **_BYTES, label="Activations")]
    loss: Annotated[float, Quantity("logits, softmax and their gradient", **_BYTES, label="Logits and loss")]
    buffers: Annotated[float, Quantity("gathered weights, sends of pipelines", **_BYTES, label="Communication buffers")]
    fragmentation: Annotated[float, Quantity("the allocator's cache", **_BYTES, label="Allocator's share")]
    context: Annotated[
        float, Quantity("driver and communication outside the allocator", **_BYTES, label="CUDA and communication")
    ]

    @property
    def allocated(self) -> float:
        return self.total - self.fragmentation - self.context

    @property
    def reserved(self) -> float:
        return self.total - self.context

    @cached_property
    def total(self) -> float:
        states = self.weights + self.gradients + self.master_weights + self.optimizer_states
        return states + self.activations + self.loss + self.buffers + self.fragmentation + self.context


COMPONENTS = tuple(leaf.name for leaf in leaves(Memory) if leaf.name != "stage")


@cache
def stack(name: str) -> Stack:
    """Return a framework of data/training_stacks.csv."""
    rows = by_key("training_stacks", "stack")
    if name not in rows:
        raise unknown_key("training stack", name, rows, f"one of {', '.join(rows)}")
    row = rows[name]
    return Stack(name, *(float(row[field.name]) for field in fields(Stack)[1:]))


@cache
def optimizer(name: str) -> Optimizer:
    """Return an optimizer of data/optimizers.csv."""
    rows = by_key("optimizers", "optimizer")
    if name not in rows:
        raise unknown_key("optimizer", name, rows, f"one of {', '.join(rows)}")
    return Optimizer(*(float(rows[name][field.name]) for field in fields(Optimizer)))


def memory(profile: ModelProfile, layout: Layout, recipe: Recipe, *, n_micro: int) -> Memory:
    """Return the memory of the fullest rank: the largest of all pipeline stages.

    Where all layers are equal the first, the second or the last stage is fullest; otherwise any may be.
    """
    counts = stage_layers(profile.n_layers, layout.pp)
    stages = range(layout.pp) if len(profile.layers) > 1 else sorted({0, min(1, layout.pp - 1), layout.pp - 1})
    found = (_stage_memory(profile, layout, recipe, n_micro, stage, sum(counts[:stage])) for stage in stages)
    return max(found, key=_total)


def memory_by_stage(profile: ModelProfile, layout: Layout, recipe: Recipe, *, n_micro: int) -> tuple[Memory, ...]:
    """Return the memory of one rank of every pipeline stage."""
    counts = stage_layers(profile.n_layers, layout.pp)
    return tuple(
        _stage_memory(profile, layout, recipe, n_micro, stage, sum(counts[:stage])) for stage in range(layout.pp)
    )


def _total(each: Memory) -> float:
    return each.total


def _stage_memory(
    profile: ModelProfile, layout: Layout, recipe: Recipe, n_micro: int, stage: int, first: int
) -> Memory:
    """Return the memory of a rank of one stage, whose first layer is ``first``."""
    kept, layers = stack(recipe.stack), profile.stage(first, stage_layers(profile.n_layers, layout.pp)[stage])
    last = stage == layout.pp - 1
    share = _parameters(profile, layout, layers, stage)
    states = _states(recipe, layout, kept, share, layers)
    tokens = layout.micro_batch * profile.seq / layout.cp
    per_micro = tokens * kept_bytes(layers, layout, recipe, profile)
    flying = in_flight(layout, stage, n_micro)
    loss = _loss_bytes(profile, layout, recipe, kept, tokens) if last else 0.0
    # The loss's temporaries are freed before the last layer's backward pass starts: only the larger counts.
    working = tokens * working_bytes(profile.widest, layout, recipe, profile)
    buffers = _buffers(profile, layout, recipe, kept, share, tokens)
    live = sum(states) + flying * per_micro + max(loss, working) + buffers
    weights, gradients, master_weights, optimizer_states = states
    return Memory(
        stage=stage,
        weights=weights,
        gradients=gradients,
        master_weights=master_weights,
        optimizer_states=optimizer_states,
        activations=flying * per_micro + (0.0 if loss >= working else working),
        loss=loss if loss >= working else 0.0,
        buffers=buffers,
        fragmentation=live * (kept.reserved_over_allocated - 1),
        context=kept.context_bytes,
    )


@dataclass(frozen=True, slots=True)
class _Share:
    """Parameters on one rank before data-parallel sharding: in the layers, outside them, experts."""

    layers: float
    outside: float
    experts: float
    trained_share: float = 1.0


def _parameters(profile: ModelProfile, layout: Layout, layers: Profile, stage: int) -> _Share:
    kv_split = min(layout.tp, profile.n_kv_heads)
    dense = layers.dense / layout.tp + layers.kv / kv_split + layers.replicated
    outside = 0.0
    if stage == 0:
        outside += profile.embedding / layout.tp
    if stage == layout.pp - 1:
        # A tied head is a second copy of the embedding once the two are on different stages.
        head = profile.stored_head or (profile.head if layout.pp > 1 else 0)
        outside += head / layout.tp + profile.outside
    return _Share(dense, outside, layers.experts / (layout.ep * layout.etp))


def _states(
    recipe: Recipe, layout: Layout, kept: Stack, share: _Share, layers: Profile
) -> tuple[float, float, float, float]:
    """Return bytes of weights, gradients, master weights and optimizer states on one rank after ZeRO sharding."""
    group, expert_group = layout.dp * layout.cp, layout.expert_dp
    z = layout.zero_stage
    dense, experts = share.layers + share.outside, share.experts
    if recipe.lora_rank:
        return _adapter_states(recipe, layout, kept, dense, experts, layers)

    def sharded(n_bytes: float, from_stage: int) -> float:
        split = z >= from_stage
        return n_bytes * (dense / (group if split else 1) + experts / (expert_group if split else 1))

    rule = optimizer(recipe.optimizer)
    state = rule.matrix_bytes * (share.layers / (group if z else 1) + experts / (expert_group if z else 1))
    state += rule.other_bytes * share.outside / (group if z else 1)
    state += rule.factored_bytes * layers.factored / layout.tp / (group if z else 1)
    return sharded(kept.weight_bytes, 3), sharded(kept.gradient_bytes, 2), sharded(kept.master_bytes, 1), state


def _adapter_states(
    recipe: Recipe, layout: Layout, kept: Stack, dense: float, experts: float, layers: Profile
) -> tuple[float, float, float, float]:
    """Frozen weights without gradients or states; adapters with both, replicated over data-parallel ranks unless
    sharded."""
    adapters = recipe.lora_rank * layers.adapter_width(recipe.lora_on) / layout.tp
    group = layout.dp * layout.cp if layout.zero_stage == 3 else 1
    trained = adapters / group
    frozen = recipe.frozen_weight_bytes * (
        dense / group + experts / (layout.expert_dp if layout.zero_stage == 3 else 1)
    )
    rule = optimizer(recipe.optimizer)
    return (
        frozen + kept.weight_bytes * trained,
        kept.gradient_bytes * trained,
        kept.master_bytes * trained,
        rule.matrix_bytes * trained,
    )


def kept_bytes(layers: Profile, layout: Layout, recipe: Recipe, profile: ModelProfile) -> float:
    """Return the bytes per token that a micro-batch keeps for the backward pass on one rank."""
    spread = layout.tp if layout.sequence_parallel else 1
    d_model = profile.architecture.d_model
    if layout.recompute == "full":
        return ACTIVATION_BYTES * layers.layers * d_model / spread
    if layout.recompute == "every-other-matmul":
        inner = (layers.alternate_inner + layers.attention_out) / layout.tp
        residual = layers.alternate_residual + layers.layers * d_model
        return ACTIVATION_BYTES * (inner + residual / spread) + 4 * layers.heads / layout.tp
    return everything_bytes(layers, layout, recipe, profile, scores=layout.recompute == "none")


def everything_bytes(layers: Profile, layout: Layout, recipe: Recipe, profile: ModelProfile, *, scores: bool) -> float:
    """Return the bytes per token that layers keep without recomputation; ``scores`` adds the score matrix of plain
    attention."""
    spread = layout.tp if layout.sequence_parallel else 1
    kv_split = min(layout.tp, profile.n_kv_heads)
    n_bytes = ACTIVATION_BYTES * (layers.inner / layout.tp + layers.inner_kv / kv_split + layers.residual / spread)
    n_bytes += ACTIVATION_BYTES * recipe.expert_imbalance * layers.routed / layout.etp
    n_bytes += 4 * layers.router / spread
    if recipe.dropout:
        n_bytes += layers.blocks * profile.architecture.d_model / spread
    if recipe.flash_attention:
        return n_bytes + 4 * layers.heads / layout.tp
    # Softmax output in bf16 and, with dropout, its mask and what it lets through.
    per_score = 5 if recipe.dropout else 2
    return n_bytes + (per_score * layers.score_elements / layout.tp if scores else 0)


def working_bytes(widest: Profile, layout: Layout, recipe: Recipe, profile: ModelProfile) -> float:
    """Return the bytes per token of one layer's backward pass: its recomputed activations and the widest gradients."""
    inner = ACTIVATION_BYTES * (widest.inner / layout.tp + recipe.expert_imbalance * widest.routed / layout.etp)
    if layout.recompute == "none":
        return inner
    if layout.recompute == "selective":
        core = 0 if recipe.flash_attention else 5 * widest.score_elements / layout.tp
        return inner + core
    gathered = 4 * ACTIVATION_BYTES * profile.architecture.d_model if layout.tp > 1 else 0
    return inner + gathered + everything_bytes(widest, layout, recipe, profile, scores=True)


def _loss_bytes(profile: ModelProfile, layout: Layout, recipe: Recipe, kept: Stack, tokens: float) -> float:
    per_logit = kept.logit_bytes_tp if layout.tp > 1 else kept.logit_bytes
    if recipe.fused_loss:
        per_logit = kept.logit_bytes_fused
    logits = tokens * profile.architecture.vocab / layout.tp if profile.head else 0.0
    # The head's input is gathered over the TP group and its gradient is whole before it is scattered.
    gathered = 2 * ACTIVATION_BYTES * tokens * profile.architecture.d_model if layout.tp > 1 else 0.0
    return per_logit * logits + gathered


def _buffers(profile: ModelProfile, layout: Layout, recipe: Recipe, kept: Stack, share: _Share, tokens: float) -> float:
    """Return the bytes of gathered weights and gradients (ZeRO-3), and of what pipeline stages send."""
    n_bytes = 0.0
    if layout.pp > 1:
        spread = layout.tp if layout.sequence_parallel else 1
        n_bytes += 2 * ACTIVATION_BYTES * tokens * profile.architecture.d_model / spread
    if layout.zero_stage < 3 or layout.dp * layout.cp == 1:
        return n_bytes
    if layout.pp > 1:
        # Gathering anew for every micro-batch would cost more than the pipeline gains, so the stage stays gathered and
        # its gradients are whole until the last micro-batch.
        gathered = kept.gathered_bytes + (0 if recipe.lora_rank else kept.gradient_bytes)
        return n_bytes + gathered * (share.layers + share.experts + share.outside)
    widest = profile.widest
    layer = (widest.dense + widest.kv + widest.replicated) / layout.tp + widest.experts / (layout.ep * layout.etp)
    # Two layers in flight (one computed, one prefetched), one layer's gradients, and what stands outside the layers.
    return n_bytes + kept.gathered_bytes * (3 * layer + 2 * share.outside)
