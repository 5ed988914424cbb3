"""Qwen 1 to 3, dense and with experts, and the types that stand on them: MiMo, Flint."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    block,
    feed_forward,
    stack,
    uniform,
)
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
