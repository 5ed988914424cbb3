"""Decoders with experts in some layers: behind dense ones or in every n-th, fine-grained and shared."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Layer, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    SLIDING,
    BesideLayers,
    attention,
    block,
    feed_forward,
    layers_of,
    stack,
    vector,
    window_of,
)
from sizebook.models.families.experts import correction, mlp_kinds, routed, shared_width
from sizebook.models.huggingface import model_type


@model_type("ernie4_5_moe")
def ernie_moe(config: Config) -> Architecture:
    """ERNIE 4.5 with experts between two layers; the routing correction is a trained tensor of the router."""
    bias = config.flag("use_bias", default=False)
    mixer = attention(config, qkv_bias=bias, out_bias=bias)
    feed = routed(config)
    feed = replace(feed, d_ff_shared=shared_width(config, feed.d_ff))
    statics = Tensors((vector("mlp.moe_statics.e_score_correction_bias", 1, feed.n_experts, part="router"),))
    n_layers, interval = config.integer("num_hidden_layers"), config.integer("moe_layer_interval")
    start = config.integer("moe_layer_start_index", default=1)
    until_the_last = config.values.get("moe_layer_end_index", -1) in (None, -1)
    last = n_layers - 1 if until_the_last else config.integer("moe_layer_end_index")
    if bias or not interval:
        raise config.unknown("use_bias", bias, "false, and 'moe_layer_interval' of 1 or more")
    kinds = [(i + 1) % interval == 0 and start <= i <= last for i in range(n_layers)]

    def layer(sparse: bool) -> Layer:
        if not sparse:
            return block(feed.d_model, mixer, feed_forward(config, bias=bias))
        return Layer((*block(feed.d_model, mixer, feed).bricks, statics))

    return stack(config, layers_of(kinds, layer), BesideLayers(tied=True))


@model_type("llama4_text")
def llama4(config: Config) -> Architecture:
    """Llama 4: every n-th layer has experts and one shared expert; three of four layers see a chunk."""
    n_layers = config.integer("num_hidden_layers")
    feed = routed(config, "intermediate_size", name="feed_forward")
    feed = replace(feed, d_ff_shared=feed.d_ff)
    mixer = attention(config, biased=True)
    step = config.integer("interleave_moe_layer_step", default=1)
    sparse = config.integers("moe_layers", default=list(range(step - 1, n_layers, step)) if step else [])
    chunks = config.pattern(
        "layer_types",
        n_layers,
        ("chunked_attention", "full_attention"),
        _chunks(config, n_layers),
    )
    dense = feed_forward(config, key="intermediate_size_mlp") if config.has("intermediate_size_mlp") else None

    def layer(kind: tuple[bool, str]) -> Layer:
        slid = replace(mixer, window=window_of(config, kind[1], "attention_chunk_size"))
        return block(
            feed.d_model, slid, feed if kind[0] else dense or feed_forward(config, key="intermediate_size_mlp")
        )

    return stack(config, layers_of([(i in sparse, kind) for i, kind in enumerate(chunks)], layer))


def _chunks(config: Config, n_layers: int) -> list[str]:
    """Return the layers that see a chunk: those whose positions are rotated, as a list or every n-th one say."""
    period = config.integer("no_rope_layer_interval", default=4)
    rotated = config.integers("no_rope_layers", default=[]) or [int((i + 1) % period != 0) for i in range(n_layers)]
    return ["chunked_attention" if each else "full_attention" for each in rotated]


@model_type("mimo_v2_flash")
def mimo_v2(config: Config) -> Architecture:
    """MiMo V2 Flash: sliding layers have sinks and twice the key-value heads; values are narrower than keys."""
    n_layers, d_model = config.integer("num_hidden_layers"), config.integer("hidden_size")
    window = config.window("sliding_window", "sliding_window_size")
    kinds, mlps = _mimo_kinds(config, n_layers)
    feed = routed(config)
    n_heads, d_head = config.integer("num_attention_heads"), config.integer("head_dim")
    d_value, kv_heads = config.integer("v_head_dim"), config.integer("num_key_value_heads")
    expected = {
        "swa_num_attention_heads": n_heads,
        "swa_num_key_value_heads": 2 * kv_heads,
        "swa_head_dim": d_head,
        "swa_v_head_dim": d_value,
        "n_shared_experts": 0,
        "add_swa_attention_sink_bias": True,
        "add_full_attention_sink_bias": False,
    }
    for key, value in expected.items():
        if config.has(key) and config.values[key] != value:
            raise config.unknown(
                key, config.values[key], f"{value!r}: sliding layers that differ more are not described"
            )
    bias = config.flag("attention_bias", default=False)
    full = Attention(d_model, n_heads, kv_heads, d_head=d_head, d_head_v=d_value, qkv_bias=bias)
    slid = replace(full, n_kv_heads=2 * kv_heads, window=window, sinks=True)

    def layer(kind: tuple[str, str]) -> Layer:
        which = feed_forward(config) if kind[1] == "dense" else feed
        return block(d_model, full if kind[0] == "full_attention" else slid, which)

    return stack(
        config, layers_of(zip(kinds, mlps, strict=True), layer), BesideLayers(buffers=correction(feed.n_experts, mlps))
    )


def _mimo_kinds(config: Config, n_layers: int) -> tuple[list[str], list[str]]:
    """Return which layers slide and which are dense; the published file's own lists, which go unread, must agree."""
    usual = ["full_attention" if i == 0 or (i + 1) % 6 == 0 else "sliding_attention" for i in range(n_layers)]
    kinds = config.pattern("layer_types", n_layers, SLIDING, usual)
    mlps = mlp_kinds(config, first_dense=1)
    # The published file's own spellings, which transformers does not read: it builds the pattern of that file.
    own = {"hybrid_layer_pattern": [int(kind != "full_attention") for kind in kinds]}
    own["moe_layer_freq"] = [int(kind != "dense") for kind in mlps]
    for key, built in own.items():
        if config.per_layer(key, n_layers, built) != built:
            raise config.unknown(key, config.values[key], f"{built}, as 'layer_types' and 'mlp_layer_types' have it")
    return kinds, mlps
