"""Inkling 1 and 2: short convolutions on keys, values and both blocks, and scores of relative positions."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Layer, Norm, Tensors, Weight
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    block,
    correction,
    every,
    feed_forward,
    layers_of,
    matrix,
    mlp_kinds,
    stack,
    vector,
)
from sizebook.models.families.experts import routed
from sizebook.models.huggingface import model_type

HYBRID = ("hybrid", "hybrid_sliding")
HEADS = ("num_attention_heads", "num_key_value_heads", "head_dim")


@model_type("inkling_text")
def inkling(config: Config) -> Architecture:
    """Inkling: sliding layers with key-value heads of their own, experts whose router scores the shared ones too."""
    config.ignore("route_scale", "rms_norm_eps_moe_gate", "chain_hidden_post_norm", "mtp_hidden_states_first")
    config.ignore("number_of_conv_states", "swa_num_attention_heads", "swa_head_dim", "swa_num_key_value_heads")
    for key in ("unpadded_vocab_size", "local_layer_ids", "num_mtp_layers", "mtp_local_layer_ids"):
        if config.has(key):
            raise config.unknown(key, config.values[key], "null: nothing else is described for this type")
    if not config.flag("shared_expert_sink", default=True):
        raise config.unknown("shared_expert_sink", False, "true: the router scores the shared experts too")
    n_layers, d_model = config.integer("num_hidden_layers"), config.integer("hidden_size")
    feed, n_shared = routed(config), config.integer("n_shared_experts")
    feed = replace(feed, d_ff_shared=n_shared * feed.d_ff, router_rows=feed.n_experts + n_shared)
    mixers = {kind: _mixer(config, kind == "hybrid_sliding") for kind in HYBRID}
    kernel = config.integer("conv_kernel_size")
    around = Tensors(tuple(Weight(f"{name}_sconv", (d_model, 1, kernel), "ssm") for name in ("attn", "mlp")))
    scale = Tensors((vector("mlp.gate.global_scale", 1, part="router"),))
    dense_scale = Tensors((vector("mlp.global_scale", 1, part="mlp"),))
    mlps = mlp_kinds(config, first_dense=config.integer("dense_mlp_idx", default=0))
    if config.has("dense_intermediate_size"):
        raise config.unknown("dense_intermediate_size", config.values["dense_intermediate_size"], "null")

    def layer(kind: tuple[str, str]) -> Layer:
        attend, beside = mixers[kind[1]]
        if kind[0] == "dense":
            return Layer((*block(d_model, attend, feed_forward(config)).bricks, beside, around, dense_scale))
        return Layer((*block(d_model, attend, feed).bricks, beside, around, scale))

    config.ignore("intermediate_size")
    kinds = config.pattern("layer_types", n_layers, HYBRID, every(n_layers, 6, last=HYBRID[0], other=HYBRID[1]))
    norm = Tensors((vector("embed_tokens.embed_norm.weight", d_model, part="embedding"),))
    layers = layers_of(zip(mlps, kinds, strict=True), layer)
    return stack(config, layers, ties=False, inputs=(norm,), buffers=correction(feed.n_experts, mlps))


@model_type("inkling2_text")
def inkling2(config: Config) -> Architecture:
    """Inkling 2: gated attention with sinks, convolutions that depend on the token, queries over earlier blocks."""
    config.ignore("unpadded_vocab_size", "route_scale", "number_of_conv_states", "n_layers_per_attn_res_block")
    config.ignore("log_scaling_n_floor", "log_scaling_alpha", "rel_l2_clip_threshold", "qk_l2_clip_threshold")
    config.ignore(
        *(f"{swa}{key}" for swa in ("", "swa_") for key in HEADS), "rel_extent"
    )  # where no layer is of a kind
    n_layers, d_model, feed = config.integer("num_hidden_layers"), config.integer("hidden_size"), routed(config)
    kernel = config.integer("conv_kernel_size", "sconv_kernel_size", default=4)
    around = [Weight(f"post_{name}_convolution", (d_model, 1, kernel), "ssm") for name in ("attention", "mlp")]
    after = Norm("k_input_layernorm", d_model), Norm("v_input_layernorm", d_model)

    def layer(kind: tuple[str, bool]) -> Layer:
        slides = kind[0] == "hybrid_sliding"
        attend, beside = _gated(config, slides, kernel)
        queries = [vector("mlp_input.query", d_model)]
        if not kind[1]:
            queries.append(vector("attention_input.query", 1 if slides else 3, d_model))
        own = Tensors((*beside, *around, *queries))
        return Layer((*block(d_model, attend, feed).bricks, *(() if slides else after), own))

    kinds = config.pattern("layer_types", n_layers, HYBRID, every(n_layers, 6, last=HYBRID[0], other=HYBRID[1]))
    norm = vector("embed_tokens.embed_norm.weight", d_model, part="embedding")
    return stack(
        config,
        layers_of([(kind, i == 0) for i, kind in enumerate(kinds)], layer),
        ties=False,
        inputs=(Tensors((norm,)),),
        outputs=(Tensors((vector("final_input.query", d_model),)),),
        buffers=correction(feed.n_experts, ["sparse"] * n_layers),
    )


def _gated(config: Config, slides: bool, kernel: int) -> tuple[Attention, list[Weight]]:
    """Return the second generation's attention and what stands beside it: sinks and clips per head, convolutions."""
    attend, beside = _relative(config, slides)
    n_heads, kv_width, d_model = attend.n_heads, attend.n_kv_heads * attend.d_head, attend.d_model
    beside.append(matrix("self_attn.sink_proj.weight", n_heads, d_model, "attention"))
    for name, width in (("q", attend.d_head), ("rel", config.integer("d_rel"))):
        beside.append(vector(f"self_attn.{name}_l2_clip.scale", n_heads, width, part="attention"))
    for name in "kv":
        place = f"self_attn.{name}_sconv"
        beside.append(Weight(f"{place}.weight", (kernel, kv_width), "ssm"))
        if not slides:
            beside.append(matrix(f"{place}.weight_proj.weight", attend.n_kv_heads * kernel, d_model, "ssm"))
    return replace(attend, gate=n_heads * attend.d_head), beside


def _mixer(config: Config, slides: bool) -> tuple[Attention, Tensors]:
    """Return attention and what stands beside it: the relative scores and the convolutions of keys and values."""
    attend, beside = _relative(config, slides)
    kv_width, kernel = attend.n_kv_heads * attend.d_head, config.integer("conv_kernel_size")
    beside += [Weight(f"self_attn.{name}_sconv", (kv_width, 1, kernel), "ssm") for name in "kv"]
    return replace(attend, qk_norm=(attend.d_head, attend.d_head)), Tensors(tuple(beside))


def _relative(config: Config, slides: bool) -> tuple[Attention, list[Weight]]:
    """Return attention with the heads of sliding or of full layers, and the scores of relative positions."""
    prefix = "swa_" if slides else ""
    n_heads, kv_heads, width = (config.integer(f"{prefix}{name}") for name in HEADS)
    d_model, d_rel = config.integer("hidden_size"), config.integer("d_rel")
    window = config.integer("sliding_window_size", "sliding_window")
    extent = window if slides else config.integer("rel_extent")
    attend = Attention(d_model, n_heads, kv_heads, width, window=window if slides else None)
    scores = Weight("self_attn.rel_logits_proj.proj", (d_rel, extent), "attention")
    return attend, [matrix("self_attn.r_proj.weight", n_heads * d_rel, d_model, "attention"), scores]
