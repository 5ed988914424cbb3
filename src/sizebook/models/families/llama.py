"""Llama and the many types that are Llama's block under other names or with small changes."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Layer
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    SLIDING,
    attention,
    block,
    feed_forward,
    layers_of,
    prediction,
    stack,
)
from sizebook.models.huggingface import model_type


def uniform(config: Config, layer: Layer) -> tuple[Layer, ...]:
    """Return the stack of equal layers."""
    return (layer,) * config.integer("num_hidden_layers")


@model_type("llama", "iquestcoder")
def llama(config: Config) -> Architecture:
    """Llama: grouped attention, gated feed-forward block, biases by two flags."""
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    required = config.text("model_type") != "llama"
    mixer = attention(config, qkv_bias=bias, out_bias=bias, kv_required=required)
    return stack(config, uniform(config, block(feed.d_model, mixer, feed)))


@model_type("baichuan")
def baichuan(config: Config) -> Architecture:
    """Baichuan's own code: Llama with query, key and value in one matrix."""
    feed = feed_forward(config)
    config.ignore("model_max_length")
    return stack(config, uniform(config, block(feed.d_model, attention(config), feed)))


@model_type("internlm", "internlm2")
def internlm(config: Config) -> Architecture:
    """InternLM's own code: Llama with one bias flag for attention, by default set in the first generation only."""
    bias = config.flag("bias", default=config.text("model_type") == "internlm")
    feed = feed_forward(config)
    return stack(config, uniform(config, block(feed.d_model, attention(config, qkv_bias=bias, out_bias=bias), feed)))


@model_type("internlm3")
def internlm3(config: Config) -> Architecture:
    """InternLM 3: Llama with a flag for the biases of query, key and value, and one for all others."""
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    mixer = attention(config, qkv_bias=bias, out_bias=bias, kv_required=True)
    return stack(config, uniform(config, block(feed.d_model, mixer, feed)))


@model_type("minicpm")
def minicpm(config: Config) -> Architecture:
    """MiniCPM's own code: Llama with scaled residuals, embedding and head tied unless the file says otherwise."""
    config.ignore("dim_model_base", "scale_depth", "scale_emb", "mup_denominator", "sparse_config")
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config)
    mixer = attention(config, qkv_bias=bias, out_bias=bias)
    return stack(config, uniform(config, block(feed.d_model, mixer, feed)), tied=True)


@model_type("mistral", "ministral")
def mistral(config: Config) -> Architecture:
    """Mistral: Llama without biases; all layers slide where a window is given. Ministral 8B lists those that do."""
    window = config.integer("sliding_window", default=0) or None
    feed = feed_forward(config)
    mixer = attention(config, kv_required=True, window=window)
    if config.text("model_type") == "mistral":
        return stack(config, uniform(config, block(feed.d_model, mixer, feed)))
    kinds = config.pattern("layer_types", n := config.integer("num_hidden_layers"), SLIDING, [SLIDING[0]] * n)
    windows = [window if kind == SLIDING[0] else None for kind in kinds]
    return stack(config, layers_of(windows, lambda w: block(feed.d_model, replace(mixer, window=w), feed)))


@model_type("nemotron")
def nemotron(config: Config) -> Architecture:
    """Nemotron 4 and Minitron: Llama with layer norms and a block without a gate."""
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False), gated=False)
    layer = block(feed.d_model, attention(config, qkv_bias=bias, out_bias=bias), feed, bias=True)
    return stack(config, uniform(config, layer), norm_bias=True)


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
    return stack(config, layers, mtp=prediction(feed.d_model, layers[0], n_mtp) if n_mtp else ())


def qwen_windows(config: Config) -> list[int | None]:
    """Return the window of each layer: from ``max_window_layers`` on they slide, where windows are switched on."""
    n_layers, window = config.integer("num_hidden_layers"), config.integer("sliding_window", default=0)
    full = config.integer("max_window_layers", default=n_layers)
    if not config.flag("use_sliding_window", default=False) or not window:
        config.ignore("layer_types")
        return [None] * n_layers
    default = ["full_attention" if i < full else "sliding_attention" for i in range(n_layers)]
    kinds = config.pattern("layer_types", n_layers, ("sliding_attention", "full_attention"), default)
    return [window if kind == "sliding_attention" else None for kind in kinds]


@model_type("qwen")
def qwen(config: Config) -> Architecture:
    """Qwen's own code (first generation): biases on query, key and value, inner matrices of half the width."""
    config.ignore("kv_channels", "no_bias", "seq_length", "use_dynamic_ntk", "use_logn_attn")
    d_ff = config.divides("intermediate_size", config.integer("intermediate_size"), "2", 2)
    feed, n_heads = replace(feed_forward(config), d_ff=d_ff), config.integer("num_attention_heads")
    d_head = config.divides("hidden_size", feed.d_model, "num_attention_heads", n_heads)
    mixer = Attention(feed.d_model, n_heads, n_heads, d_head, qkv_bias=True)
    return stack(config, uniform(config, block(feed.d_model, mixer, feed)))


@model_type("qwen3")
def qwen3(config: Config) -> Architecture:
    """Qwen 3: Llama with norms on each query and key head, heads 128 wide unless given."""
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, qk_norm="head", d_head=128, kv_required=True)
    layers = layers_of(qwen_windows(config), lambda window: block(feed.d_model, replace(mixer, window=window), feed))
    return stack(config, layers)
