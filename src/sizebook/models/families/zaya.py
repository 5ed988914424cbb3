"""ZAYA: attention whose queries and keys are convolved, and experts behind a router that is a network of its own."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Brick, Layer, Norm, Projection, Tensors, Weight
from sizebook.models.bricks import bias_of
from sizebook.models.config import Config
from sizebook.models.families.blocks import attention, block, layers_of, stack, vector, window_of
from sizebook.models.families.experts import routed
from sizebook.models.huggingface import model_type


@model_type("zaya")
def zaya(config: Config) -> Architecture:
    """ZAYA 1 (arXiv:2511.17127): convolved attention, scaled residual streams, one more expert that does nothing."""
    n_layers, bias = config.integer("num_hidden_layers"), config.flag("attention_bias", default=False)
    kinds = config.pattern("layer_types", n_layers, ("hybrid", "hybrid_sliding"), ["hybrid"] * n_layers)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, d_head=128, kv_required=True)
    feed, d_router = routed(config), config.integer("router_hidden_size", default=256)
    config.only("num_experts_per_tok", 1)
    feed = replace(feed, router_rows=feed.n_experts + 1, d_router=d_router)
    scales = (*_scaled("post_attention", feed.d_model), *_scaled("post_mlp", feed.d_model))
    beside = (_convolutions(config, mixer), Tensors(scales), *_router(feed.d_model, d_router))
    handed_on = Tensors((vector("mlp.gate.router_states_scale", d_router, part="router"),))

    def layer(kind: tuple[str, bool]) -> Layer:
        sliding = window_of(config, "sliding_attention" if kind[0] == "hybrid_sliding" else kind[0])
        bricks = block(feed.d_model, replace(mixer, window=sliding), feed).bricks
        return Layer((*bricks, *beside) if kind[1] else (*bricks, *beside, handed_on))

    stream = vector("input_hidden_states_scale", feed.d_model), bias_of("input_hidden_states_bias", feed.d_model)
    return stack(
        config,
        layers_of([(kind, i == 0) for i, kind in enumerate(kinds)], layer),
        tied=True,
        head_bias=config.flag("lm_head_bias", default=False),
        inputs=(Tensors(stream),),
        buffers=(vector("mlp.gate.balancing_biases", feed.n_experts + 1, part="router"),) * n_layers,
    )


def _convolutions(config: Config, mixer: Attention) -> Tensors:
    """Return the convolutions over queries and keys (arXiv:2510.04476), per channel and per head, and key scales."""
    heads, width = mixer.n_heads + mixer.n_kv_heads, mixer.d_head
    channel, head = config.integer("cca_time0", default=2), config.integer("cca_time1", default=2)
    name = "self_attn.qkv_proj.conv_qk"
    return Tensors(
        (
            Weight(f"{name}_depthwise.weight", (heads * width, 1, channel), "attention"),
            bias_of(f"{name}_depthwise.bias", heads * width),
            Weight(f"{name}_grouped.weight", (heads * width, width, head), "attention"),
            bias_of(f"{name}_grouped.bias", heads * width),
            vector("self_attn.qk_norm.temp", mixer.n_kv_heads, part="norm"),
        )
    )


def _scaled(place: str, d_model: int) -> tuple[Weight, ...]:
    """Return the scales and biases of a block's output and of the stream that it is added to."""
    name = f"{place}_residual_scale"
    streams = "hidden_states", "residual"
    scales = tuple(vector(f"{name}.{stream}_scale", d_model) for stream in streams)
    return (*scales, *(bias_of(f"{name}.{stream}_bias", d_model) for stream in streams))


def _router(d_model: int, d_router: int) -> tuple[Brick, ...]:
    """Return what the router computes before its last matrix: one projection down, a norm, two more projections."""
    name = "mlp.gate"
    return (
        Projection(f"{name}.down_proj", d_model, d_router, part="router"),
        Norm(f"{name}.router_mlp.norm", d_router),
        *(Projection(f"{name}.router_mlp.{fc}", d_router, d_router, part="router") for fc in ("fc1", "fc2")),
    )
