"""Qwen 1 to 3, dense and with experts, and the types that stand on them: MiMo, Flint."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Layer
from sizebook.models.config import MISSING, Config
from sizebook.models.families.blocks import (
    Around,
    attention,
    block,
    feed_forward,
    layers_of,
    prediction,
    sliding_pattern,
    stack,
    uniform,
    window_of,
)
from sizebook.models.families.experts import routed
from sizebook.models.huggingface import model_type


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


@model_type("qwen2", "mimo")
def qwen2(config: Config) -> Architecture:
    """Qwen 2: Llama with biases on query, key and value only. MiMo adds prediction layers, which stand apart."""
    mimo = config.text("model_type") == "mimo"
    config.ignore("attention_bias")
    if mimo and not config.flag("attention_bias", default=True):
        raise config.unknown("attention_bias", False, "true: the type has biases on query, key and value")
    feed = feed_forward(config)
    layer = attention(config, qkv_bias=True, kv_required=True)
    layers = layers_of(qwen_windows(config), lambda window: block(feed.d_model, replace(layer, window=window), feed))
    n_mtp = config.integer("num_nextn_predict_layers", default=0) if mimo else 0
    return stack(config, layers, Around(mtp=prediction(feed.d_model, layers[0], n_mtp) if n_mtp else ()))


def qwen_windows(config: Config) -> list[int | None]:
    """Return the window of each layer, where windows are switched on.

    They slide from layer ``max_window_layers`` on; of Qwen 2 with experts every second one before it, of Qwen 3 with
    experts all.
    """
    n_layers, name = config.integer("num_hidden_layers"), config.text("model_type")
    if not config.flag("use_sliding_window", default=False) or not (window := config.window("sliding_window")):
        config.ignore("layer_types", "max_window_layers", "sliding_window")
        return [None] * n_layers
    if name.startswith("qwen3_moe"):
        config.ignore("max_window_layers")
        return [window] * n_layers
    full = config.window("max_window_layers") or 0
    slides = [i < full and i % 2 == 0 if name == "qwen2_moe" else i >= full for i in range(n_layers)]
    default = ["sliding_attention" if each else "full_attention" for each in slides]
    kinds = config.pattern("layer_types", n_layers, ("sliding_attention", "full_attention"), default)
    return [window if kind == "sliding_attention" else None for kind in kinds]


@model_type("qwen3")
def qwen3(config: Config) -> Architecture:
    """Qwen 3: Llama with norms on each query and key head, heads 128 wide unless given."""
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, qk_norm="head", d_head=128, kv_required=True)
    layers = layers_of(qwen_windows(config), lambda window: block(feed.d_model, replace(mixer, window=window), feed))
    return stack(config, layers)


@model_type("qwen2_moe", "qwen3_moe", "flint")
def qwen_moe(config: Config) -> Architecture:
    """Qwen 2 and 3 with experts: dense layers by list or step; the second generation shares an expert behind a gate."""
    name, feed = config.text("model_type"), routed(config)
    config.ignore("use_qk_norm")
    if name != "qwen3_moe":
        shared = config.integer("shared_expert_intermediate_size")
        feed = replace(feed, d_ff_shared=shared, shared_gate=name == "qwen2_moe")
    if name == "qwen2_moe":
        mixer = attention(config, qkv_bias=config.flag("qkv_bias", default=True), kv_required=True)
    else:
        bias = config.flag("attention_bias", default=False)
        sinks = name == "flint"
        width = 128 if sinks else None
        mixer = attention(
            config, qkv_bias=bias, out_bias=bias, qk_norm="head", d_head=width, kv_required=True, sinks=sinks
        )
    dense = feed_forward(config) if config.has("intermediate_size") else None
    n_layers = config.integer("num_hidden_layers")
    step, listed = (
        config.integer("decoder_sparse_step", default=1),
        config.integers("mlp_only_layers", default=MISSING if name == "flint" else []),
    )
    windows = _flint_windows(config) if name == "flint" else qwen_windows(config)
    kinds = [(i in listed or not step or (i + 1) % step != 0, windows[i]) for i in range(n_layers)]

    def layer(kind: tuple[bool, int | None]) -> Layer:
        is_dense, window = kind
        block_of = feed if not is_dense else dense or feed_forward(config)
        return block(feed.d_model, replace(mixer, window=window), block_of)

    return stack(config, layers_of(kinds, layer))


def _flint_windows(config: Config) -> list[int | None]:
    config.ignore("use_sliding_window", "max_window_layers")
    return [window_of(config, kind) for kind in sliding_pattern(config)]
