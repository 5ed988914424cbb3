"""Inkling: attention with short convolutions on keys, values and both blocks, and scores of relative positions."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Layer, Tensors, Weight
from sizebook.models.config import Config
from sizebook.models.families.blocks import block, correction, feed_forward, layers_of, matrix, mlp_kinds, stack, vector
from sizebook.models.families.experts import routed
from sizebook.models.huggingface import model_type


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
    mixers = {kind: _mixer(config, kind == "hybrid_sliding") for kind in ("hybrid", "hybrid_sliding")}
    kernel = config.integer("conv_kernel_size")
    around = Tensors(tuple(Weight(f"{name}_sconv", (d_model, 1, kernel), "ssm") for name in ("attn", "mlp")))
    scale = Tensors((vector("mlp.gate.global_scale", 1, part="router"),))
    mlps = mlp_kinds(config, first_dense=0)

    def layer(kind: tuple[str, str]) -> Layer:
        attend, beside = mixers[kind[1]]
        if kind[0] == "dense":
            return Layer((*block(d_model, attend, feed_forward(config)).bricks, beside, around))
        return Layer((*block(d_model, attend, feed).bricks, beside, around, scale))

    config.ignore("intermediate_size")
    kinds = config.pattern("layer_types", n_layers, ("hybrid", "hybrid_sliding"))
    norm = Tensors((vector("embed_tokens.embed_norm.weight", d_model, part="embedding"),))
    layers = layers_of(zip(mlps, kinds, strict=True), layer)
    return stack(config, layers, inputs=(norm,), buffers=correction(feed.n_experts, mlps))


def _mixer(config: Config, slides: bool) -> tuple[Attention, Tensors]:
    """Return attention and what stands beside it: the relative scores and the convolutions of keys and values."""
    prefix = "swa_" if slides else ""
    names = ("num_attention_heads", "num_key_value_heads", "head_dim")
    n_heads, kv_heads, width = (config.integer(f"{prefix}{name}") for name in names)
    d_model, d_rel, kernel = (config.integer(k) for k in ("hidden_size", "d_rel", "conv_kernel_size"))
    window = config.integer("sliding_window_size", "sliding_window")
    extent = window if slides else config.integer("rel_extent")
    attend = Attention(d_model, n_heads, kv_heads, width, qk_norm=(width, width), window=window if slides else None)
    beside = [matrix("self_attn.r_proj.weight", n_heads * d_rel, d_model, "attention")]
    beside.append(Weight("self_attn.rel_logits_proj.proj", (d_rel, extent), "attention"))
    beside += [Weight(f"self_attn.{name}_sconv", (kv_heads * width, 1, kernel), "ssm") for name in "kv"]
    return attend, Tensors(tuple(beside))
