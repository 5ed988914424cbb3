"""Decoders whose attention and feed-forward block stand side by side after one norm: Command R and A, Phi 1 and 2."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Layer, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    SLIDING,
    BesideLayers,
    attention,
    every,
    feed_forward,
    layers_of,
    stack,
    window_of,
)
from sizebook.models.families.experts import mlp_kinds, routed, shared_width
from sizebook.models.huggingface import model_type


@model_type("cohere2_moe")
def cohere_moe(config: Config) -> Architecture:
    """Command A+: Command R7B's block with experts, optional shared ones and a dense prefix."""
    config.ignore("shared_expert_combination_strategy", "expert_selection_fn")
    bias, feed = config.flag("attention_bias", default=False), routed(config, "intermediate_size")
    feed = replace(feed, d_ff_shared=shared_width(config, feed.d_ff))
    mixer, norm = attention(config, qkv_bias=bias, out_bias=bias), Norm("input_layernorm", feed.d_model)
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
