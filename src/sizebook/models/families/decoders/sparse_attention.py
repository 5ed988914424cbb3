"""Decoders that select or compress the keys in ways of their own: DeepSeek V4, dots 3, MiniMax M3."""

import json
from dataclasses import replace

from sizebook.models.architecture import Architecture, Brick, Layer, Tensors, Weight
from sizebook.models.compressed import BlockIndexer, CompressedIndexer, Compressor, HyperConnection, SharedKeyAttention
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    BesideLayers,
    attention,
    block,
    feed_forward,
    layers_of,
    prediction,
    stack,
    vector,
)
from sizebook.models.families.decoders.latent_attention import latent
from sizebook.models.families.experts import correction, fine_grained, mlp_kinds, routed
from sizebook.models.huggingface import model_type
from sizebook.models.latent import Indexer, LatentAttention

COMPRESSION = {
    0: "sliding_attention",
    4: "compressed_sparse_attention",
    128: "heavily_compressed_attention",
}


@model_type("deepseek_v4", "deepseek_ref")
def deepseek_v4(config: Config) -> Architecture:
    """DeepSeek V4: one key-value vector, compressed history, four residual streams, first layers routed by a hash."""
    if config.values.get("attention_bias") or config.values.get("mlp_bias"):
        raise config.unknown("attention_bias", True, "false: biases are not described for this type")
    n_layers, d_model, vocab = (config.integer(k) for k in ("num_hidden_layers", "hidden_size", "vocab_size"))
    feed, copies = fine_grained(config), config.integer("hc_mult", default=4)
    if feed.d_ff_shared != feed.d_ff:
        raise config.unknown("n_shared_experts", config.values.get("n_shared_experts"), "1: the type has one")
    mixes = [HyperConnection(n, d_model, copies, rows=copies * (2 + copies), scales=3) for n in ("attn_hc", "ffn_hc")]
    mixer = _v4_attention(config, d_model)
    compressors = _v4_compressors(config, mixer)

    def layer(kind: str) -> Layer:
        inner = block(d_model, mixer, feed).bricks
        return Layer((mixes[0], *inner[:2], *compressors.get(kind, ()), mixes[1], *inner[2:]))

    mlps = _v4_mlps(config, n_layers)
    table = Weight("mlp.gate.tid2eid", (vocab, feed.top_k), "router", use="lookup")
    buffers = (table,) * mlps.count("hash_moe") + correction(feed.n_experts, [m for m in mlps if m == "moe"])
    n_mtp = config.integer("num_nextn_predict_layers", default=0)
    return stack(
        config,
        layers_of(_v4_kinds(config, n_layers), layer),
        BesideLayers(
            buffers=buffers,
            outputs=(_joined_streams(d_model, copies),),
            mtp=prediction(d_model, layer("sliding_attention"), n_mtp) if n_mtp else (),
        ),
    )


def _joined_streams(d_model: int, copies: int) -> Tensors:
    """Return what joins the residual streams behind the last layer."""
    weights = Weight("hc_head.hc_fn", (copies, copies * d_model), "other")
    return Tensors((weights, vector("hc_head.hc_base", copies), vector("hc_head.hc_scale", 1)))


def _v4_attention(config: Config, d_model: int) -> SharedKeyAttention:
    n_heads, d_head, groups = (config.integer(k) for k in ("num_attention_heads", "head_dim", "o_groups"))
    config.divides("num_attention_heads * head_dim", n_heads * d_head, "o_groups", groups)
    return SharedKeyAttention(
        d_model,
        n_heads,
        d_head,
        q_rank=config.integer("q_lora_rank"),
        o_groups=groups,
        o_rank=config.integer("o_lora_rank"),
        window=config.window("sliding_window"),
    )


def _v4_compressors(config: Config, mixer: SharedKeyAttention) -> dict[str, tuple[Brick, ...]]:
    """Return what compresses in each kind of layer; rates are 4 and 128 unless given."""
    rates = config.section("compress_rates")
    fine, coarse = rates.integer(COMPRESSION[4], default=4), rates.integer(COMPRESSION[128], default=128)
    config.only("compress_rate_csa", fine)
    config.only("compress_rate_hca", coarse)
    heads, width = config.integer("index_n_heads"), config.integer("index_head_dim")
    selected = fine * config.integer("index_topk", default=0) or None
    d_model, d_head = mixer.d_model, mixer.d_head
    sparse = Compressor(d_model, d_head, fine, n_query_heads=mixer.n_heads, overlap=True, selected_keys=selected)
    select = CompressedIndexer(d_model, mixer.q_rank, heads, d_head=width, rate=fine)
    return {
        COMPRESSION[4]: (sparse, select),
        COMPRESSION[128]: (Compressor(d_model, d_head, coarse, n_query_heads=mixer.n_heads),),
    }


def _v4_kinds(config: Config, n_layers: int) -> list[str]:
    """Return how each layer compresses: ``layer_types``, or a rate per layer in ``compress_ratios``."""
    if config.has("layer_types"):
        config.ignore("compress_ratios")
        return config.pattern("layer_types", n_layers, tuple(COMPRESSION.values()))
    ratios = config.integers("compress_ratios")
    if len(ratios) < n_layers or any(ratio not in COMPRESSION for ratio in ratios):
        raise config.unknown("compress_ratios", ratios, f"0, 4 or 128 for each of {n_layers} layers")
    return [COMPRESSION[ratio] for ratio in ratios[:n_layers]]


def _v4_mlps(config: Config, n_layers: int) -> list[str]:
    """Return how each layer routes: by a stored table (hash_moe) in the first layers, then by a router."""
    n_hash = config.integer("num_hash_layers", default=3)
    default = ["hash_moe" if i < n_hash else "moe" for i in range(n_layers)]
    return config.pattern("mlp_layer_types", n_layers, ("hash_moe", "moe"), default)


@model_type("dots3_note_text")
def dots_3(config: Config) -> Architecture:
    """dots 3: indexed latent attention and sliding latent attention with sizes of their own, both gated per head."""
    n_layers = config.integer("num_hidden_layers")
    kinds = config.pattern("layer_types", n_layers, ("indexed_attention", "sliding_attention"))
    wide = latent(config, rope_norm=True, selected_keys=config.integer("index_topk"))
    wide = replace(wide, gate=wide.n_heads)
    heads, width = config.integer("index_n_heads"), config.integer("index_head_dim")
    select = Indexer(wide.d_model, wide.q_rank, heads, d_head=width)
    slid = _dots_sliding(config, wide, [i for i, kind in enumerate(kinds) if kind == "sliding_attention"])
    feed = routed(config)
    shared = config.integer("shared_experts_intermediate_size") * config.integer("n_shared_experts")
    feed, mlps = replace(feed, d_ff_shared=shared), mlp_kinds(config, first_dense=1)

    def layer(kind: tuple[str, str]) -> Layer:
        which: Brick = feed_forward(config) if kind[0] == "dense" else feed
        if kind[1] == "sliding_attention":
            return block(feed.d_model, slid, which)
        return Layer((*block(feed.d_model, wide, which).bricks, select))

    layers = layers_of(zip(mlps, kinds, strict=True), layer)
    return stack(config, layers, BesideLayers(buffers=correction(feed.n_experts, mlps)))


def _dots_sliding(config: Config, wide: LatentAttention, layers: list[int]) -> LatentAttention:
    """Return the attention of sliding layers from ``per_layer_config``, the same for all of them."""
    config.ignore("per_layer_config")
    given = config.values.get("per_layer_config") or {}
    if not isinstance(given, dict):
        raise config.unknown("per_layer_config", given, "an object of layers")
    settings = {int(key): value for key, value in given.items() if str(key).isdigit() and isinstance(value, dict)}
    distinct = {json.dumps(settings.get(index), sort_keys=True) for index in layers}
    if layers and (len(settings) != len(given) or sorted(settings) != layers or len(distinct) != 1):
        raise config.unknown("per_layer_config", "differing entries", "the same sizes for every sliding layer")
    own = config.read_as({**config.values, **(settings[layers[0]] if layers else {})})
    return replace(
        latent(own, rope_norm=True),
        window=config.window("sliding_window") or config.integer("sliding_window_size", default=512),
        gate=own.integer("num_attention_heads"),
    )


@model_type("minimax_m3_vl_text", "minimax_m3")
def minimax_m3(config: Config) -> Architecture:
    """MiniMax M3: grouped attention; in sparse layers an indexer selects blocks of keys."""
    if config.values.get("attention_output_gate"):
        raise config.unknown("attention_output_gate", True, "false: the gate is not described for this type")
    n_layers, feed = config.integer("num_hidden_layers"), routed(config, "intermediate_size")
    feed = replace(feed, d_ff_shared=config.integer("shared_intermediate_size", default=3072))
    select, kinds = _block_indexer(config, n_layers)
    dense = [not routes for routes in config.per_layer("moe_layer_freq", n_layers, [1] * n_layers)]
    mlps = config.pattern(
        "mlp_layer_types", n_layers, ("dense", "sparse"), ["dense" if is_dense else "sparse" for is_dense in dense]
    )
    mixer = attention(config, qk_norm="head", d_head=128, kv_required=True)
    section = config.section("sparse_attention_config")
    blocks = section.integer("sparse_topk_blocks", default=config.integer("index_topk_blocks", default=16))
    selected = blocks * section.integer("sparse_block_size", default=config.integer("index_block_size", default=128))

    def layer(kind: tuple[str, str]) -> Layer:
        which: Brick = feed_forward(config, key="dense_intermediate_size") if kind[0] == "dense" else feed
        if kind[1] != "minimax_m3_sparse":
            return block(feed.d_model, mixer, which)
        return Layer((*block(feed.d_model, replace(mixer, selected_keys=selected), which).bricks, select))

    layers = layers_of(zip(mlps, kinds, strict=True), layer)
    return stack(config, layers, BesideLayers(buffers=correction(feed.n_experts, mlps)))


def _block_indexer(config: Config, n_layers: int) -> tuple[BlockIndexer, list[str]]:
    """Return the indexer and which layers have it, from the class's keys or from ``sparse_attention_config``."""
    section = config.section("sparse_attention_config")
    section.ignore("use_sparse_attention", "sparse_topk_blocks", "sparse_block_size", "sparse_disable_index_value")
    section.ignore("sparse_score_type", "sparse_init_block", "sparse_local_block")
    heads = section.integer("sparse_num_index_heads", default=config.integer("index_n_heads", default=4))
    width = section.integer("sparse_index_dim", default=config.integer("index_head_dim", default=128))
    sparse = section.per_layer("sparse_attention_freq", n_layers, [0] * n_layers)
    default = ["minimax_m3_sparse" if selects else "full_attention" for selects in sparse]
    kinds = config.pattern("layer_types", n_layers, ("minimax_m3_sparse", "full_attention"), default)
    return BlockIndexer(config.integer("hidden_size"), heads, width), kinds
