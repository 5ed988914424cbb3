"""Hunyuan's first generation: Llama with norms on each query and key head, and the same with experts."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Experts, Layer
from sizebook.models.config import Config
from sizebook.models.families.blocks import attention, block, feed_forward, layers_of, stack
from sizebook.models.families.llama import uniform
from sizebook.models.huggingface import model_type


@model_type("hunyuan_v1_dense", "hunyuan_v1_moe")
def hunyuan(config: Config) -> Architecture:
    """Hunyuan 0.5B to 7B, and A13B: experts as wide as the dense block and a shared one; how many run may vary."""
    for key in ("use_cla", "use_mla"):
        if config.flag(key, default=False):
            raise config.unknown(key, True, "false: transformers builds neither shared nor latent keys for this type")
    config.ignore("cla_share_factor", "use_qk_norm", "norm_type", "org_vocab_size", "attention_head_dim", "class_num")
    bias = config.flag("attention_bias", default=False)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, qk_norm="head")
    feed = feed_forward(config)
    if config.text("model_type") == "hunyuan_v1_dense":
        config.only("num_experts", 1)
        return stack(config, uniform(config, block(feed.d_model, mixer, feed)))
    config.ignore("use_mixed_mlp_moe", "num_shared_expert", "moe_intermediate_size", "moe_layer_num_skipped")
    n_layers, n_experts = config.integer("num_hidden_layers"), config.integer("num_experts", "num_local_experts")
    experts = Experts(feed.d_model, feed.d_ff, n_experts, 1, d_ff_shared=feed.d_ff)
    if isinstance(config.values.get("moe_topk"), list):
        config.integers("moe_topk")
        visited = config.per_layer("moe_topk", n_layers)
    else:
        visited = [config.integer("moe_topk", "num_experts_per_tok")] * n_layers

    def layer(top_k: int) -> Layer:
        return block(feed.d_model, mixer, replace(experts, top_k=top_k))

    return stack(config, layers_of(visited, layer))
