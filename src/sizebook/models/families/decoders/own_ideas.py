"""Decoders with one idea of their own: cycles of stacks, halved blocks, a dense prefix, experts that vary by layer."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Experts, Layer, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    SLIDING,
    BesideLayers,
    attention,
    block,
    every,
    feed_forward,
    layers_of,
    stack,
    uniform,
    vector,
    window_of,
)
from sizebook.models.families.experts import mlp_kinds, routed, shared_width
from sizebook.models.huggingface import describe, model_type


@model_type("hrm_text")
def hierarchical(config: Config) -> Architecture:
    """Hierarchical reasoning: two short stacks run in cycles, so most layers compute with weights already counted."""
    config.ignore("L_bp_cycles", "prefix_lm", "embedding_scale")
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    mixer = attention(config)
    config.only("num_key_value_heads", mixer.n_heads)  # its class has no groups
    mixer = replace(mixer, gate=mixer.n_heads * mixer.d_head)
    depth, high, low = (config.integer(k) for k in ("num_layers_per_stack", "H_cycles", "L_cycles"))
    config.ignore("num_hidden_layers")
    first = Layer((mixer, feed))
    again = Layer((mixer, feed), stored=False)
    cycle = (again,) * depth
    start = ((first,) * depth + cycle * (low - 1)) + (first,) * depth
    layers = start + (cycle * (low + 1)) * (high - 1)
    state = Tensors((vector("z_L_init", feed.d_model),))
    return stack(config, layers, BesideLayers(final_norm=False, inputs=(state,)))


@model_type("qwen")
def qwen(config: Config) -> Architecture:
    """Qwen's own code (first generation): biases on query, key and value, inner matrices of half the width."""
    config.ignore("kv_channels", "seq_length", "use_dynamic_ntk", "use_logn_attn")
    config.only("no_bias", True)
    d_ff = config.divides("intermediate_size", config.integer("intermediate_size"), "2", 2)
    feed, n_heads = replace(feed_forward(config), d_ff=d_ff), config.integer("num_attention_heads")
    d_head = config.divides("hidden_size", feed.d_model, "num_attention_heads", n_heads)
    mixer = Attention(feed.d_model, n_heads, n_heads, d_head=d_head, qkv_bias=True)
    return stack(config, uniform(config, block(feed.d_model, mixer, feed)))


@model_type("cohere2_moe")
def cohere_moe(config: Config) -> Architecture:
    """Command A+: Command R7B's block with experts, optional shared ones and a dense prefix."""
    config.ignore("shared_expert_combination_strategy", "expert_selection_fn")
    feed = routed(config, "intermediate_size")
    feed = replace(feed, d_ff_shared=shared_width(config, feed.d_ff))
    mixer, norm = attention(config, biased=True), Norm("input_layernorm", feed.d_model)
    mlps = mlp_kinds(config)
    prefix = "prefix_dense_intermediate_size"
    dense = feed_forward(config, key=prefix if config.has(prefix) else "intermediate_size")

    def layer(kind: tuple[str, str]) -> Layer:
        slid = replace(mixer, window=window_of(config, kind[1]))
        return Layer((norm, slid, dense if kind[0] == "dense" else feed))

    n_dense = config.integer("first_k_dense_replace", default=0)
    default = [
        *every(n_dense, config.integer("prefix_dense_sliding_window_pattern", default=1)),
        *every(len(mlps) - n_dense, config.integer("sliding_window_pattern", default=4)),
    ]
    kinds = config.pattern("layer_types", len(mlps), SLIDING, default)
    return stack(config, layers_of(zip(mlps, kinds, strict=True), layer), BesideLayers(tied=True))


@model_type("hunyuan_v1_moe")
def hunyuan_moe(config: Config) -> Architecture:
    """Hunyuan A13B: experts as wide as the dense block and a shared one; how many run may vary from layer to layer."""
    for key in ("use_cla", "use_mla"):  # transformers builds neither shared nor latent keys for this type
        config.only(key, False)
    config.only("use_rotary_pos_emb", True)
    config.ignore("cla_share_factor", "use_qk_norm", "norm_type", "org_vocab_size", "attention_head_dim", "class_num")
    config.ignore("use_mixed_mlp_moe", "num_shared_expert", "moe_intermediate_size", "moe_layer_num_skipped")
    mixer = attention(config, biased=True, qk_norm="head")
    feed = feed_forward(config)
    n_layers, n_experts = config.integer("num_hidden_layers"), config.integer("num_experts", "num_local_experts")
    experts = Experts(feed.d_model, feed.d_ff, n_experts, top_k=1, d_ff_shared=feed.d_ff)
    if isinstance(config.values.get("moe_topk"), list):
        config.integers("moe_topk")
        visited = config.per_layer("moe_topk", n_layers)
    else:
        visited = [config.integer("moe_topk", "num_experts_per_tok")] * n_layers
    layers = layers_of(visited, lambda top_k: block(feed.d_model, mixer, replace(experts, top_k=top_k)))
    return stack(config, layers)


@model_type("ministral3")
def ministral3(config: Config) -> Architecture:
    """Ministral 3: Mistral's block; a file of the model with vision gives the same type with sections.

    Only the class of the whole reads these: the text model's own builds its defaults from such a file.
    """
    kind = "mistral3" if config.has("text_config") else "mistral"
    named = config.class_names()
    if kind == "mistral3" and named and not named[0].startswith("Mistral3"):
        raise config.unknown("architectures", named, "Mistral3ForConditionalGeneration first beside 'text_config'")
    inner = config.read_as({"head_dim": 128, **config.values, "model_type": kind})
    described = describe(inner)
    config.read |= inner.read
    config.sections |= inner.sections
    return replace(described, model_type="ministral3")
