"""Attention whose queries, keys or values are convolved over neighbouring tokens: Inkling 1 and 2, ZAYA."""

from dataclasses import dataclass, replace

from sizebook.models.architecture import Architecture, Attention, Brick, Layer, Norm, Projection, Tensors, Weight
from sizebook.models.bricks import bias_of
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    BesideLayers,
    attention,
    block,
    every,
    feed_forward,
    layers_of,
    matrix,
    stack,
    vector,
    window_of,
)
from sizebook.models.families.experts import correction, mlp_kinds, routed
from sizebook.models.huggingface import model_type


@dataclass(frozen=True, slots=True)
class Convolutions:
    """Convolutions beside a layer's blocks: their tensors, and what they keep of the tokens just past."""

    weights: tuple[Weight, ...]
    state_elements: int


HYBRID = ("hybrid", "hybrid_sliding")
HEADS = ("num_attention_heads", "num_key_value_heads", "head_dim")


@model_type("inkling_text")
def inkling(config: Config) -> Architecture:
    """Inkling: sliding layers with key-value heads of their own, experts whose router scores the shared ones too."""
    config.none("first_k_dense_replace")  # 'dense_mlp_idx' or 'mlp_layer_types' say it here
    for key in ("unpadded_vocab_size", "local_layer_ids", "num_mtp_layers", "mtp_local_layer_ids"):
        if config.has(key):
            raise config.unknown(key, config.values[key], "null: nothing else is described for this type")
    config.only("shared_expert_sink", True)
    n_layers, d_model = config.integer("num_hidden_layers"), config.integer("hidden_size")
    feed, n_shared = routed(config), config.integer("n_shared_experts")
    feed = replace(feed, d_ff_shared=n_shared * feed.d_ff, router_rows=feed.n_experts + n_shared)
    mixers = {kind: _mixer(config, kind == "hybrid_sliding") for kind in HYBRID}
    kernel = config.integer("conv_kernel_size")
    around = Convolutions(
        tuple(Weight(f"{name}_sconv", (d_model, 1, kernel), "ssm") for name in ("attn", "mlp")), 2 * d_model * kernel
    )
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

    kinds = config.pattern("layer_types", n_layers, HYBRID, every(n_layers, 6, last=HYBRID[0], other=HYBRID[1]))
    norm = Tensors((vector("embed_tokens.embed_norm.weight", d_model, part="embedding"),))
    layers = layers_of(zip(mlps, kinds, strict=True), layer)
    return stack(config, layers, BesideLayers(ties=False, inputs=(norm,), buffers=correction(feed.n_experts, mlps)))


@model_type("inkling2_text")
def inkling2(config: Config) -> Architecture:
    """Inkling 2: gated attention with sinks, convolutions that depend on the token, queries over earlier blocks."""
    config.ignore(
        *(f"{swa}{key}" for swa in ("", "swa_") for key in HEADS), "rel_extent"
    )  # where no layer is of a kind
    n_layers, d_model, feed = config.integer("num_hidden_layers"), config.integer("hidden_size"), routed(config)
    kernel = config.integer("conv_kernel_size", "sconv_kernel_size")
    around = [Weight(f"post_{name}_convolution", (d_model, 1, kernel), "ssm") for name in ("attention", "mlp")]
    after = Norm("k_input_layernorm", d_model), Norm("v_input_layernorm", d_model)

    def layer(kind: tuple[str, bool]) -> Layer:
        slides = kind[0] == "hybrid_sliding"
        attend, beside = _gated(config, slides, kernel)
        queries = [vector("mlp_input.query", d_model)]
        if not kind[1]:
            queries.append(vector("attention_input.query", 1 if slides else 3, d_model))
        kept = 2 * (attend.n_kv_heads * attend.d_head + d_model) * kernel
        own = Convolutions((*beside, *around, *queries), kept)
        return Layer((*block(d_model, attend, feed).bricks, *(() if slides else after), own))

    kinds = config.pattern("layer_types", n_layers, HYBRID, every(n_layers, 6, last=HYBRID[0], other=HYBRID[1]))
    norm = vector("embed_tokens.embed_norm.weight", d_model, part="embedding")
    return stack(
        config,
        layers_of([(kind, i == 0) for i, kind in enumerate(kinds)], layer),
        BesideLayers(
            ties=False,
            inputs=(Tensors((norm,)),),
            outputs=(Tensors((vector("final_input.query", d_model),)),),
            buffers=correction(feed.n_experts, ["sparse"] * n_layers),
        ),
    )


def _gated(config: Config, slides: bool, kernel: int) -> tuple[Attention, list[Weight]]:
    """Return the second generation's attention and what stands beside it: sinks and clips per head, convolutions."""
    attend, beside = _relative(config, slides)
    n_heads, kv_width, d_model = attend.n_heads, attend.n_kv_heads * attend.d_head, attend.d_model
    beside.append(matrix("self_attn.sink_proj.weight", n_heads, d_model, part="attention"))
    for name, width in (("q", attend.d_head), ("rel", config.integer("d_rel"))):
        beside.append(vector(f"self_attn.{name}_l2_clip.scale", n_heads, width, part="attention"))
    for name in "kv":
        place = f"self_attn.{name}_sconv"
        beside.append(Weight(f"{place}.weight", (kernel, kv_width), "ssm"))
        if not slides:
            beside.append(matrix(f"{place}.weight_proj.weight", attend.n_kv_heads * kernel, d_model, part="ssm"))
    return replace(attend, gate=n_heads * attend.d_head), beside


def _mixer(config: Config, slides: bool) -> tuple[Attention, Convolutions]:
    """Return attention and what stands beside it: the relative scores and the convolutions of keys and values."""
    attend, beside = _relative(config, slides)
    kv_width, kernel = attend.n_kv_heads * attend.d_head, config.integer("conv_kernel_size")
    beside += [Weight(f"self_attn.{name}_sconv", (kv_width, 1, kernel), "ssm") for name in "kv"]
    return replace(attend, qk_norm=(attend.d_head, attend.d_head)), Convolutions(tuple(beside), 2 * kv_width * kernel)


def _relative(config: Config, slides: bool) -> tuple[Attention, list[Weight]]:
    """Return attention with the heads of sliding or of full layers, and the scores of relative positions."""
    prefix = "swa_" if slides else ""
    n_heads, kv_heads, width = (config.integer(f"{prefix}{name}") for name in HEADS)
    d_model, d_rel = config.integer("hidden_size"), config.integer("d_rel")
    window = config.integer("sliding_window_size", "sliding_window")
    extent = window if slides else config.integer("rel_extent")
    attend = Attention(d_model, n_heads, kv_heads, d_head=width, window=window if slides else None)
    scores = Weight("self_attn.rel_logits_proj.proj", (d_rel, extent), "attention")
    return attend, [matrix("self_attn.r_proj.weight", n_heads * d_rel, d_model, part="attention"), scores]


@model_type("zaya")
def zaya(config: Config) -> Architecture:
    """ZAYA 1 (arXiv:2511.17127): convolved attention, scaled residual streams, one more expert that does nothing."""
    n_layers = config.integer("num_hidden_layers")
    kinds = config.pattern("layer_types", n_layers, ("hybrid", "hybrid_sliding"), ["hybrid"] * n_layers)
    mixer = attention(config, biased=True)
    if mixer.n_kv_heads * mixer.d_head % 2:
        raise config.unknown("head_dim", mixer.d_head, "an even width of all values, which are projected in halves")
    feed, d_router = routed(config), config.integer("router_hidden_size")
    config.only("num_experts_per_tok", 1)
    feed = replace(feed, router_rows=feed.n_experts + 1, d_router=d_router)
    scales = (*_scaled("post_attention", feed.d_model), *_scaled("post_mlp", feed.d_model))
    beside: tuple[Brick, ...] = (_convolutions(config, mixer), Tensors(scales), *_router(feed.d_model, d_router))
    handed_on = Tensors((vector("mlp.gate.router_states_scale", d_router, part="router"),))

    def layer(kind: tuple[str, bool]) -> Layer:
        sliding = window_of(config, "sliding_attention" if kind[0] == "hybrid_sliding" else kind[0])
        bricks = block(feed.d_model, replace(mixer, window=sliding), feed).bricks
        return Layer((*bricks, *beside) if kind[1] else (*bricks, *beside, handed_on))

    stream = vector("input_hidden_states_scale", feed.d_model), bias_of("input_hidden_states_bias", feed.d_model)
    return stack(
        config,
        layers_of([(kind, i == 0) for i, kind in enumerate(kinds)], layer),
        BesideLayers(
            tied=True,
            head_bias=config.flag("lm_head_bias", default=False),
            inputs=(Tensors(stream),),
            buffers=(vector("mlp.gate.balancing_biases", feed.n_experts + 1, part="router"),) * n_layers,
        ),
    )


def _convolutions(config: Config, mixer: Attention) -> Convolutions:
    """Return the convolutions over queries and keys (arXiv:2510.04476), per channel and per head, and key scales.

    Kept are the queries and keys that both kernels still reach, and the half of the values that comes a token late.
    """
    heads, width = mixer.n_heads + mixer.n_kv_heads, mixer.d_head
    channel, head = config.integer("cca_time0"), config.integer("cca_time1")
    name = "self_attn.qkv_proj.conv_qk"
    return Convolutions(
        (
            Weight(f"{name}_depthwise.weight", (heads * width, 1, channel), "attention"),
            bias_of(f"{name}_depthwise.bias", heads * width),
            Weight(f"{name}_grouped.weight", (heads * width, width, head), "attention"),
            bias_of(f"{name}_grouped.bias", heads * width),
            vector("self_attn.qk_norm.temp", mixer.n_kv_heads, part="norm"),
        ),
        state_elements=heads * width * (channel + head - 2) + mixer.n_kv_heads * width // 2,
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
