"""Bytes on the fullest rank of a training run, component by component, for every pipeline stage.

Weights, gradients, master weights, optimizer states, activations, the loss, buffers and the framework's own share.
What a framework keeps per parameter comes from data/training_stacks.csv, optimizer states from data/optimizers.csv.
"""

from typing import NamedTuple

from sizebook.core.sections import leaves, quantity, section
from sizebook.training.activations import ACTIVATION_BYTES, kept_bytes, moved_bytes, working_bytes
from sizebook.training.adapters import largest_matrix
from sizebook.training.applicability import first_backward, with_implied_kind
from sizebook.training.frameworks import Stack, bytes_each, keeps, optimizer, state_width
from sizebook.training.layer_profile import Profile
from sizebook.training.layout import Layout, in_flight, stage_layers
from sizebook.training.profile import ModelProfile
from sizebook.training.recipe import Method, Recipe

# Parameters that an optimizer of ZeRO-3 steps at once (sub_group_size of DeepSpeed, its default).
_SUB_GROUP = 1e9


@section
class Memory:
    """Bytes on one rank by component. ``allocated`` is what live tensors take, ``reserved`` adds the allocator's cache,
    ``total`` the CUDA and communication context outside the allocator."""

    stage: int = quantity("pipeline stage, from 0", minimum=0, label="Stage")
    weights: float = quantity("weights as they are computed with", "bytes", minimum=0, label="Weights")
    gradients: float = quantity("gradients of what is trained", "bytes", minimum=0, label="Gradients")
    master_weights: float = quantity("weights that the optimizer updates", "bytes", minimum=0, label="Master weights")
    optimizer_states: float = quantity("states of the optimizer", "bytes", minimum=0, label="Optimizer states")
    activations: float = quantity("what the backward pass needs again", "bytes", minimum=0, label="Activations")
    loss: float = quantity("logits, softmax and their gradient", "bytes", minimum=0, label="Logits and loss")
    buffers: float = quantity("gathered weights, sends of pipelines", "bytes", minimum=0, label="Communication buffers")
    fragmentation: float = quantity("the allocator's cache", "bytes", minimum=0, label="Allocator's share")
    context: float = quantity(
        "driver and communication outside the allocator", "bytes", minimum=0, label="CUDA and communication"
    )

    @property
    def allocated(self) -> float:
        return self.total - self.fragmentation - self.context

    @property
    def reserved(self) -> float:
        return self.total - self.context

    @property
    def total(self) -> float:
        states = self.weights + self.gradients + self.master_weights + self.optimizer_states
        return states + self.activations + self.loss + self.buffers + self.fragmentation + self.context


COMPONENTS = tuple(leaf.name for leaf in leaves(Memory) if leaf.name != "stage")


def memory(profile: ModelProfile, layout: Layout, method: Method, *, n_micro: int) -> Memory:
    """Return the memory of the fullest rank: the largest of all pipeline stages.

    Where all layers are equal the first or the last stage is fullest, or the second where it has a layer more;
    otherwise any may be.
    """
    layout = with_implied_kind(layout, method.recipe)
    counts = stage_layers(profile.n_layers, layout.pp)
    second = (1,) if layout.pp > 2 and counts[1] > counts[0] else ()
    stages = range(layout.pp) if len(profile.layers) > 1 else sorted({0, *second, layout.pp - 1})
    found = (_stage_memory(profile, layout, method, n_micro, stage, sum(counts[:stage])) for stage in stages)
    return max(found, key=_total)


def least_state_bytes(profile: ModelProfile, method: Method) -> float:
    """Return the weights, gradients and states of all ranks where nothing is held twice: no layout has less."""
    recipe, kept = method.recipe, keeps(method.recipe)
    n = profile.whole.parameters
    if recipe.lora_rank:
        return min(recipe.frozen_bytes, 2.0) * n
    if recipe.offloaded.optimizer:
        return 0.0
    each, rule = bytes_each(method, kept), optimizer(recipe.optimizer)
    state = min(rule.matrix_bytes, rule.other_bytes) * state_width(recipe)
    return (each.weight + each.gradient + each.master + state) * n


def memory_by_stage(profile: ModelProfile, layout: Layout, method: Method, *, n_micro: int) -> tuple[Memory, ...]:
    """Return the memory of one rank of every pipeline stage."""
    layout = with_implied_kind(layout, method.recipe)
    counts = stage_layers(profile.n_layers, layout.pp)
    return tuple(
        _stage_memory(profile, layout, method, n_micro, stage, sum(counts[:stage])) for stage in range(layout.pp)
    )


def _total(each: Memory) -> float:
    return each.total


def _stage_memory(
    profile: ModelProfile, layout: Layout, method: Method, n_micro: int, stage: int, first: int
) -> Memory:
    """Return the memory of a rank of one stage, whose first layer is ``first``."""
    recipe, kept = method.recipe, keeps(method.recipe)
    layers = profile.stage(first, stage_layers(profile.n_layers, layout.pp)[stage])
    last = stage == layout.pp - 1
    share = _parameters(profile, layout, layers, stage)
    weights, gradients, master_weights, optimizer_states = _states(method, layout, kept, share, layers)
    if kept.whole_gradients and n_micro > 1 and layout.zero_stage == 3 and layout.shards > 1:
        gradients = _whole_gradients(method, layout, kept, share)
    tokens = layout.micro_batch * profile.seq / layout.cp
    on_gpu = kept_bytes(layers, layout, method, profile=profile) - moved_bytes(layers, layout, method, profile=profile)
    activations = in_flight(layout, stage, n_micro) * tokens * on_gpu
    loss = _loss_bytes(profile, layout, recipe, kept, tokens) if last else 0.0
    busy = first_backward(layers.layers, layout, recipe)
    working = tokens * working_bytes(profile.widest, busy, method, profile=profile)
    if recipe.magnitudes:
        # DoRA takes the norm of each frozen matrix with its adapter added: both stand there whole, one at a time.
        working += 2 * ACTIVATION_BYTES * largest_matrix(profile.architecture, recipe.lora_on) / layout.tp
    # The loss's temporaries are freed before the last layer's backward pass starts: only the larger counts.
    buffers, at_loss = _buffers(profile, layout, method, kept, share, tokens)
    if loss + at_loss >= working + buffers:
        working, buffers = 0.0, at_loss
    else:
        loss = 0.0
    if n_micro == 1 and layout.pp == 1 and not kept.master_bytes:
        # One micro-batch a step and no standing buffer for gradients: they grow as activations go, so that only the
        # larger of the two counts.
        gradients = max(gradients - activations - loss - working, 0.0)
    copies = _copied_gradients(method, layout, kept, share)
    if copies > activations + loss + working + buffers:
        activations, loss, working, buffers = 0.0, 0.0, 0.0, copies
    alone = layout.gpus == 1
    live = weights + gradients + master_weights + optimizer_states + activations + loss + working + buffers
    return Memory(
        stage=stage,
        weights=weights,
        gradients=gradients,
        master_weights=master_weights,
        optimizer_states=optimizer_states,
        activations=activations + working,
        loss=loss,
        buffers=buffers,
        fragmentation=live * (kept.reserved_over_allocated - 1),
        context=kept.context_bytes_alone if alone else kept.context_bytes,
    )


class _Share(NamedTuple):
    """Parameters on one rank before data-parallel sharding: in the layers, outside them, experts."""

    layers: float
    outside: float
    experts: float


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
    experts = layers.experts / (layout.ep * layout.etp)
    # DualPipe holds the stage of either end, a stage and its mirror image.
    copies = 2 if layout.schedule == "dualpipe" and layout.pp > 1 else 1
    return _Share(copies * dense, outside, copies * experts)


def _states(
    method: Method, layout: Layout, kept: Stack, share: _Share, layers: Profile
) -> tuple[float, float, float, float]:
    """Return bytes of weights, gradients, master weights and optimizer states on one rank after ZeRO sharding."""
    recipe, z = method.recipe, layout.zero_stage
    if recipe.lora_rank:
        return _adapter_states(method, layout, kept, share, layers)
    group, expert_group = layout.shards, layout.expert_shards
    dense, experts = share.layers + share.outside, share.experts
    each, rule = bytes_each(method, kept, layout.pp), optimizer(recipe.optimizer)
    whole, shard = dense + experts, dense / group + experts / expert_group
    weights = each.weight * (shard if z >= 3 else whole)
    gradients = each.gradient * (shard if z >= 2 else whole)
    master = each.master * (shard if z else whole)
    split, expert_split = (group, expert_group) if z else (1, 1)
    state = rule.matrix_bytes * (share.layers / split + experts / expert_split)
    state += rule.other_bytes * share.outside / split
    state += rule.factored_bytes * layers.factored / layout.tp / split
    state *= state_width(recipe)
    if recipe.offloaded.optimizer:
        # Shards that are the master weights themselves go to the host with their gradients.
        moved = z == 3 and kept.master_bytes == 0
        return (0.0, 0.0, 0.0, 0.0) if moved else (weights, gradients, 0.0, 0.0)
    return weights, gradients, master, state


def _adapter_states(
    method: Method, layout: Layout, kept: Stack, share: _Share, layers: Profile
) -> tuple[float, float, float, float]:
    """Frozen weights without gradients or states; adapters with both, replicated over data-parallel ranks unless
    sharded. What stands outside the layers stays in 16 bits, for quantisers leave embeddings and head alone."""
    recipe, split = method.recipe, layout.zero_stage == 3
    group = layout.shards if split else 1
    trained = layers.adapters(recipe) / layout.tp / group
    frozen = recipe.frozen_bytes * (share.layers / group + share.experts / (layout.expert_shards if split else 1))
    frozen += max(2.0, recipe.frozen_bytes) * share.outside / group
    each, rule = bytes_each(method, kept, layout.pp), optimizer(recipe.optimizer)
    return (
        frozen + each.weight * trained,
        each.gradient * trained,
        each.master * trained,
        rule.matrix_bytes * state_width(recipe) * trained,
    )


def _whole_gradients(method: Method, layout: Layout, kept: Stack, share: _Share) -> float:
    """Return bytes of gradients that micro-batches add up unsharded: flat parameters that hold adapters have those of
    their frozen weights too; what is frozen whole, outside the layers, has none."""
    outside = 0.0 if method.recipe.lora_rank else share.outside
    return bytes_each(method, kept, layout.pp).gradient * (share.layers + share.experts + outside)


def _copied_gradients(method: Method, layout: Layout, kept: Stack, share: _Share) -> float:
    """Return bytes of the copies of narrow gradients while the optimizer steps, when nothing of a micro-batch is left.

    An optimizer on the host has them there, that of a pipeline in bf16 needs none, and adapters have too few to count.
    """
    if not kept.step_bytes:
        return 0.0
    recipe, split = method.recipe, layout.zero_stage > 0
    wide = bytes_each(method, kept).gradient >= 4 or (layout.pp > 1 and method.compute_dtype != "fp16")
    if wide or recipe.lora_rank or recipe.offloaded.optimizer:
        return 0.0
    dense = (share.layers + share.outside) / (layout.shards if split else 1)
    stepping = dense + share.experts / (layout.expert_shards if split else 1)
    return kept.step_bytes * (min(stepping, _SUB_GROUP) if layout.zero_stage == 3 else stepping)


def _loss_bytes(profile: ModelProfile, layout: Layout, recipe: Recipe, kept: Stack, tokens: float) -> float:
    per_logit = kept.logit_bytes_tp if layout.tp > 1 else kept.logit_bytes
    if recipe.fused_loss:
        per_logit = kept.logit_bytes_fused
    logits = tokens * profile.architecture.vocab / layout.tp if profile.head else 0.0
    # The head's input is gathered over the TP group and its gradient is whole before it is scattered.
    gathered = 2 * ACTIVATION_BYTES * tokens * profile.architecture.d_model if layout.tp > 1 else 0.0
    return per_logit * logits + gathered


def _buffers(
    profile: ModelProfile, layout: Layout, method: Method, kept: Stack, share: _Share, tokens: float
) -> tuple[float, float]:
    """Return the bytes of gathered weights and gradients (ZeRO-3), and of what pipeline stages send: beside the
    backward pass of a layer, and beside the loss."""
    recipe, n_bytes = method.recipe, 0.0
    if layout.pp > 1:
        spread = layout.tp if layout.sequence_parallel else 1
        n_bytes += 2 * ACTIVATION_BYTES * tokens * profile.architecture.d_model / spread
    if layout.zero_stage < 3 or layout.shards == 1:
        return n_bytes, n_bytes
    gathered = min(kept.gathered_bytes, recipe.frozen_bytes) if recipe.lora_rank else kept.gathered_bytes
    if layout.pp > 1:
        # Gathering anew for every micro-batch would cost more than the pipeline gains, so the stage stays gathered and
        # its gradients are whole until the last micro-batch.
        gradient = 0 if recipe.lora_rank else bytes_each(method, kept, layout.pp).gradient
        n_bytes += (gathered + gradient) * (share.layers + share.experts + share.outside)
        return n_bytes, n_bytes
    widest = profile.widest
    layer = (widest.dense + widest.kv + widest.replicated) / layout.tp + widest.experts / (layout.ep * layout.etp)
    if recipe.lora_rank:
        # Two layers in flight, and gradients of one where all of it has any; the head is gathered when the layers no
        # longer are.
        layers = 2 + kept.whole_gradients
        return n_bytes + layers * gathered * layer, n_bytes + kept.gathered_bytes * share.outside / 2
    # Two layers in flight (one computed, one prefetched), one layer's gradients, and what stands outside the layers.
    n_bytes += gathered * (kept.gathered_layers * layer + kept.gathered_outside * share.outside)
    return n_bytes, n_bytes
