"""Bytes per token that one rank keeps of its layers between the forward and the backward pass, and works in.

Recomputation, of layers or of single modules, formats that matrices keep their inputs in, and adapters take from it.
"""

from sizebook.training.applicability import by_layers
from sizebook.training.frameworks import keeps
from sizebook.training.layer_profile import Profile
from sizebook.training.layout import Layout
from sizebook.training.policy_effects import kept_elements
from sizebook.training.profile import ModelProfile
from sizebook.training.recipe import Method, Recipe
from sizebook.training.recipe_grammar import Offload

ACTIVATION_BYTES = 2
# The share of a layer's activations inside its feed-forward block, about; more in models with experts.
MLP_SHARE = 0.6
# What a matrix keeps of its input for the gradient of its weights where it multiplies in that format, scales included.
INPUT_BYTES = {"fp8": 1.0, "int8": 1.0, "mxfp8": 1 + 1 / 32, "nvfp4": 0.5 + 1 / 16, "mxfp4": 0.5 + 1 / 32}


def kept_bytes(layers: Profile, layout: Layout, method: Method, profile: ModelProfile) -> float:
    """Return the bytes per token that a micro-batch keeps for the backward pass on one rank."""
    found = 0.0
    for share, each in by_layers(layers.layers, layout, method.recipe):
        found += share * _kept_bytes(layers, each, method, profile)
    return found


def _kept_bytes(layers: Profile, layout: Layout, method: Method, profile: ModelProfile) -> float:
    """Return the same where all layers do as the layout says."""
    spread = layout.tp if layout.sequence_parallel else 1
    d_model = profile.architecture.d_model
    if layout.recompute == "full":
        return sum(_kept_of_policy(layers, layout, method, profile).values())
    if layout.recompute == "every-other-matmul":
        inner = (layers.alternate_inner + layers.attention_out) / layout.tp
        residual = layers.alternate_residual + layers.layers * d_model
        return ACTIVATION_BYTES * (inner + residual / spread) + 4 * layers.heads / layout.tp
    scores = layout.recompute != "selective" and "core_attn" not in method.recipe.recomputed.modules
    whole = everything_bytes(layers, layout, method, profile, scores=scores)
    if method.recipe.lora_rank:
        # 4-bit products (bitsandbytes) are kept beside their sum with what adapters add; DoRA's magnitudes ask for both
        # once more.
        kept_outputs = (method.recipe.frozen_bytes < 1) + method.recipe.magnitudes
        whole += ACTIVATION_BYTES * kept_outputs * layers.leaving(method.recipe) / layout.tp
    return max(whole - dropped_bytes(layers, layout, method, profile), ACTIVATION_BYTES * d_model / spread)


def _kept_of_policy(layers: Profile, layout: Layout, method: Method, profile: ModelProfile) -> dict[str, float]:
    """Return the bytes per token of what stays of layers that are computed again: their inputs, and what a policy
    keeps. Attention keeps the sums of its exponentials beside what it returns."""
    spread, d_model = layout.tp if layout.sequence_parallel else 1, profile.architecture.d_model
    policy = method.recipe.recomputed.policy
    if policy is None:
        return {"layer_input": ACTIVATION_BYTES * layers.layers * d_model / spread}
    kv_split = min(layout.tp, profile.n_kv_heads)
    elements = kept_elements(layers, policy, d_model, tp=layout.tp, kv_split=kv_split, spread=spread)
    found = {name: ACTIVATION_BYTES * each for name, each in elements.items()}
    if "context" in found:
        found["context"] += 4 * layers.heads / layout.tp
    return found


def moved_bytes(layers: Profile, layout: Layout, method: Method, profile: ModelProfile) -> float:
    """Return the bytes per token of what is kept that moves to the host: a share of all, or what a policy moves."""
    recipe, policy = method.recipe, method.recipe.recomputed.policy
    share = _offloaded_share(recipe.offloaded, profile.n_layers)
    if share or policy is None or layout.recompute != "full":
        return share * kept_bytes(layers, layout, method, profile) if share else 0.0
    kept = _kept_of_policy(layers, layout, method, profile)
    return sum(n_bytes for name, n_bytes in kept.items() if name in policy.on_host)


def _offloaded_share(moved: Offload, n_layers: int) -> float:
    """Return the share of the kept activations that moves to the host."""
    if not moved.activations:
        return 0.0
    if moved.layers is not None:
        return min(1.0, moved.layers / max(n_layers, 1))
    return MLP_SHARE if moved.only_mlp else 1.0


def everything_bytes(layers: Profile, layout: Layout, method: Method, profile: ModelProfile, *, scores: bool) -> float:
    """Return the bytes per token that layers keep without recomputation; ``scores`` adds the score matrix of plain
    attention. Experts' tokens are spread over the tensor-parallel group whatever the degree inside experts is."""
    recipe = method.recipe
    spread = layout.tp if layout.sequence_parallel else 1
    kv_split = min(layout.tp, profile.n_kv_heads)
    n_bytes = ACTIVATION_BYTES * (layers.inner / layout.tp + layers.inner_kv / kv_split + layers.residual / spread)
    if layers.routed:
        n_bytes += expert_bytes(layers, layout, recipe)
        n_bytes += 4 * layers.router / spread
    if (spared := ACTIVATION_BYTES - input_bytes(method)) > 0:
        n_bytes -= spared * matrix_inputs(layers, layout, recipe, profile)
    if recipe.fp8_activation_inputs:
        n_bytes -= sum(_narrowed(layers, layout, recipe))
    if recipe.lora_rank:
        n_bytes -= input_bytes(method) * _unneeded(layers, layout, recipe, profile)
    if keeps(recipe).unfused:
        n_bytes += _unfused(layers, layout, recipe)
    if recipe.dropout:
        n_bytes += layers.blocks * profile.architecture.d_model / spread
    if recipe.flash_attention:
        return n_bytes + 4 * layers.heads / layout.tp
    # Softmax output in bf16 and, with dropout, its mask and what it lets through.
    per_score = 5 if recipe.dropout else 2
    return n_bytes + (per_score * layers.score_elements / layout.tp if scores else 0)


def expert_bytes(layers: Profile, layout: Layout, recipe: Recipe) -> float:
    """Return the bytes per token that experts keep on one rank in 16 bits."""
    return ACTIVATION_BYTES * recipe.expert_imbalance * _routed(layers, layout)


def _unfused(layers: Profile, layout: Layout, recipe: Recipe) -> float:
    """Return the bytes per token that kernels one by one keep beside what fused ones do: RMS norms their input in fp32
    and not in bf16, gated blocks what leaves the activation function, dropout before an adapter a byte of mask for each
    input (PyTorch without compilation; dropout of adapters: Dettmers et al. 2023, arXiv:2305.14314, and LitGPT)."""
    spread = layout.tp if layout.sequence_parallel else 1
    gated = max(layers.mlp_up - layers.mlp_down, 0)
    experts = max(layers.routed - layers.dispatched - 2 * layers.expert_down, 0) * recipe.expert_imbalance
    masks: float = layers.entering(recipe) if recipe.lora_rank else 0.0
    activated = ACTIVATION_BYTES * (gated + experts) + masks
    return (4 - ACTIVATION_BYTES) * layers.rms_norms / spread + activated / layout.tp


def _narrowed(layers: Profile, layout: Layout, recipe: Recipe) -> tuple[float, float]:
    """Return the bytes per token that inputs of gated activation functions spare in 8 bits, of dense blocks and of
    experts; plain functions keep theirs wide (Megatron-Core fuses the cast into SwiGLU alone)."""
    if not recipe.fp8_activation_inputs:
        return 0.0, 0.0
    entering = layers.routed - layers.dispatched - layers.expert_down
    dense = layers.mlp_up if layers.mlp_up > layers.mlp_down else 0.0
    experts = recipe.expert_imbalance * entering if entering > layers.expert_down else 0.0
    spared = ACTIVATION_BYTES - INPUT_BYTES["fp8"]
    return spared * dense / layout.tp, spared * experts / layout.tp


def _routed(layers: Profile, layout: Layout) -> float:
    """Return the elements per token that experts keep on one rank: what is sent to them is whole in each of the
    ranks that split an expert, the rest is split."""
    return (layers.routed - layers.dispatched + layers.dispatched * layout.etp) / layout.tp


def input_bytes(method: Method) -> float:
    """Return the bytes that a matrix keeps of an element of its input, narrow where the framework keeps it so."""
    if not keeps(method.recipe).narrow_inputs:
        return ACTIVATION_BYTES
    return INPUT_BYTES.get(method.compute_dtype or "", ACTIVATION_BYTES)


def matrix_inputs(layers: Profile, layout: Layout, recipe: Recipe, profile: ModelProfile) -> float:
    """Return the elements per token that are kept as inputs of matrices alone: outputs of norms, of activation
    functions, and what experts were sent. What attention returns it keeps itself."""
    spread = layout.tp if layout.sequence_parallel else 1
    normed = layers.blocks * profile.architecture.d_model / spread
    routed = (layers.dispatched * layout.etp + layers.expert_down) / layout.tp
    return normed + layers.mlp_down / layout.tp + recipe.expert_imbalance * routed


def _unneeded(layers: Profile, layout: Layout, recipe: Recipe, profile: ModelProfile) -> float:
    """Return the inputs that no gradient asks for under adapters: those of frozen matrices without one. Products with
    4-bit weights keep theirs all the same (bitsandbytes)."""
    if recipe.lora_on not in ("attention", "query-value") or recipe.frozen_bytes < 1:
        return 0.0
    spread = layout.tp if layout.sequence_parallel else 1
    normed = layers.blocks * profile.architecture.d_model / spread
    return matrix_inputs(layers, layout, recipe, profile) - normed / 2


def dropped_bytes(layers: Profile, layout: Layout, method: Method, profile: ModelProfile) -> float:
    """Return the bytes per token that recomputing single modules saves."""
    modules = method.recipe.recomputed.modules
    if not modules:
        return 0.0
    spread = layout.tp if layout.sequence_parallel else 1
    normed, narrow = layers.blocks * profile.architecture.d_model / spread, input_bytes(method)
    imbalance = method.recipe.expert_imbalance
    in_dense, in_experts = _narrowed(layers, layout, method.recipe)
    saved = {
        "layernorm": narrow * normed,
        "moe_act": narrow * imbalance * layers.expert_down / layout.tp,
        "mla_up_proj": ACTIVATION_BYTES * layers.latent_up / layout.tp,
        "mlp": (ACTIVATION_BYTES * layers.mlp_up + narrow * layers.mlp_down) / layout.tp - in_dense,
        "moe": ACTIVATION_BYTES * imbalance * (_routed(layers, layout) - layers.expert_down / layout.tp)
        + narrow * imbalance * layers.expert_down / layout.tp
        - in_experts,
        "core_attn": 0.0,
    }
    if "moe" in modules:
        saved["moe_act"] = 0.0
    return sum(saved[name] for name in modules)


def working_bytes(widest: Profile, layout: Layout, method: Method, profile: ModelProfile) -> float:
    """Return the bytes per token of one layer's backward pass: its recomputed activations and the widest gradients."""
    recipe = method.recipe
    inner = ACTIVATION_BYTES * (widest.inner / layout.tp + recipe.expert_imbalance * _routed(widest, layout))
    if layout.recompute in ("none", "lightest"):
        return inner
    if layout.recompute == "selective":
        core = 0 if recipe.flash_attention else 5 * widest.score_elements / layout.tp
        return inner + core
    gathered = 4 * ACTIVATION_BYTES * profile.architecture.d_model if layout.tp > 1 else 0
    return inner + gathered + everything_bytes(widest, layout, method, profile, scores=True)
