"""Seconds of what moves bytes and multiplies little: element-wise kernels, weights read and expanded, the optimizer."""

from sizebook.training.activations import ACTIVATION_BYTES, everything_bytes, expert_bytes, matrix_inputs
from sizebook.training.adapters import adapted_share
from sizebook.training.frameworks import bytes_each, keeps, optimizer
from sizebook.training.layer_profile import Profile
from sizebook.training.layout import Layout
from sizebook.training.machine import Machine
from sizebook.training.profile import ModelProfile
from sizebook.training.recipe import Method

# Every micro-batch reads the weights forward and backward and adds to gradients, read and written in fp32.
_WEIGHT_BYTES, _GRADIENT_BYTES = 4, 8
# Where kernels of their own add 16-bit gradients up in fp32: written (2), widened (6) and added (12); DeepSpeed's
# pipelines, update_hp_grads of runtime/bf16_optimizer.py.
_WIDENED_BYTES = 20
# DoRA's norm of a bf16 weight: read it, write and read the adapter's product, write and read their sum.
_NORM_BYTES = 10


def elementwise_seconds(
    layers: Profile, profile: ModelProfile, layout: Layout, method: Method, rates: Machine, tokens: float
) -> float:
    """Return the seconds that element-wise kernels of one micro-batch take forward; backward they take twice that.

    They write what is kept and read it again. On top: plain attention's scores, casts to narrow formats, biases of
    experts, the inside of recurrent mixers, tokens on their way to experts, and what adapters read, write and add.
    """
    recipe = method.recipe
    kept = everything_bytes(layers, layout, method, profile=profile, scores=False)
    moved = 2 * rates.traffic_factor * kept
    if layers.routed:
        # Adapters and narrow formats spare inputs inside experts too: these keep no more than all that is kept.
        inside = min(expert_bytes(layers, layout, recipe), kept)
        moved += 2 * (rates.expert_traffic - rates.traffic_factor) * inside
    if not recipe.flash_attention:
        # Plain attention passes 16-bit scores 16 times, with dropout six times what is kept; a third in each pass.
        moved += 2 * (everything_bytes(layers, layout, method, profile=profile, scores=True) - kept)
    if method.narrow:
        # Scales found at run time: inputs are read for their maximum, read again, written narrow, straight and turned.
        moved += rates.quantize * matrix_inputs(layers, layout, recipe, profile=profile)
    # Grouped products of experts add no bias themselves, as dense ones do: kernels of their own read and write all
    # that leaves them. Recurrent mixers convolve, gate and normalise what enters and leaves their scan.
    beside = rates.bias_traffic * layers.expert_biases + rates.state_traffic * layers.recurrent
    # Tokens are sorted by expert, laid out for the exchange and put back in their places.
    beside += rates.permute * layers.dispatched
    if recipe.lora_rank:
        beside += rates.adapter_traffic * (layers.entering(recipe) + 2 * layers.leaving(recipe))
    return tokens * (moved + ACTIVATION_BYTES * beside / layout.tp) / rates.memory


def weight_seconds(layers: Profile, layout: Layout, method: Method, rates: Machine) -> float:
    """Return the seconds of reading weights and adding to their gradients in each micro-batch; weights of few bits are
    read where they are expanded."""
    recipe = method.recipe
    if not recipe.lora_rank:
        kept = keeps(recipe)
        piped = layout.pp > 1
        widened = piped and bytes_each(method, kept, layout.pp).gradient > bytes_each(method, kept).gradient
        added = _WIDENED_BYTES if widened else _GRADIENT_BYTES
        return _local(layers, layout) * (_WEIGHT_BYTES + added) / rates.memory
    return _local(layers, layout) * _WEIGHT_BYTES / rates.memory if recipe.frozen_bytes >= 1 else 0.0


def expanding_seconds(layers: Profile, profile: ModelProfile, layout: Layout, method: Method, rates: Machine) -> float:
    """Return the seconds of one micro-batch's work on frozen weights under adapters.

    Weights that are kept in few bits are expanded before every product, forward, backward and in recomputation. DoRA
    adds the adapter to each matrix and takes the norm, before every product that runs forward.
    """
    recipe, found = method.recipe, 0.0
    if not recipe.lora_rank:
        return found
    forward = 2 if layout.recompute == "full" else 1
    if recipe.frozen_bytes < 1:
        found += (forward + 1) * rates.dequantize * (recipe.frozen_bytes + 4)
    if recipe.magnitudes:
        found += forward * _NORM_BYTES * adapted_share(profile.architecture, recipe.lora_on)
    return _local(layers, layout) * found / rates.memory


def _local(layers: Profile, layout: Layout) -> float:
    """Return the parameters of one rank's layers."""
    return (layers.dense + layers.kv) / layout.tp + layers.replicated + layers.experts / (layout.ep * layout.etp)


def optimizer_seconds(dense: float, experts: float, layout: Layout, method: Method, rates: Machine) -> float:
    """Return the seconds of reading and writing master weights, gradients and states once; over the link to the host
    where the optimizer runs there; ``dense`` and ``experts`` are one rank's parameters before sharding."""
    recipe = method.recipe
    if recipe.lora_rank:
        return 0.0
    group, expert_group = (layout.shards, layout.expert_shards) if layout.zero_stage else (1, 1)
    share = dense / group + experts / expert_group
    if recipe.offloaded.optimizer:
        return 8 * share / rates.host
    return (2 * (optimizer(recipe.optimizer).matrix_bytes + 4) + 4) * share / rates.memory
