"""ERNIE 4.5 VL: text and images have routed experts of their own in every sparse layer, shared experts in common."""

from dataclasses import replace
from typing import Any

from sizebook.models.architecture import Architecture, Brick, Layer, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import BesideLayers, attention, block, feed_forward, layers_of, stack, vector
from sizebook.models.families.experts import mlp_kinds, routed
from sizebook.models.huggingface import describe, model_type

# What the mapping describes, where these files say it.
FIRST_SAY = {"mm_vocab_size": 0, "moe_num_attn_experts": False, "moe_use_token_type_bias": False}
TEXT_SIZES = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "vocab_size")
VISION_SIZES = ("hidden_size", "depth", "num_heads", "patch_size")


@model_type("ernie4_5_moe_vl")
def ernie_vl_first(config: Config) -> Architecture:
    """ERNIE 4.5 VL with the keys of its first files: those of text at the top level, experts as pairs.

    Translated as transformers' contributors convert these files; what they build is the type ``ernie4_5_vl_moe``.
    """
    config.only("use_temporal_conv", True)
    for key, value in FIRST_SAY.items():
        config.only(key, value)
    vision = config.section("vision_config")
    inner = config.read_as(
        {
            "model_type": "ernie4_5_vl_moe",
            "text_config": _first_text(config),
            "vision_config": _first_vision(config, vision),
            "tie_word_embeddings": config.flag("tie_word_embeddings", default=False),
        }
    )
    config.only("pixel_hidden_size", vision.integer("hidden_size"))
    return replace(describe(inner), model_type="ernie4_5_moe_vl")


def _first_text(config: Config) -> dict[str, Any]:
    experts, widths = config.integers("moe_num_experts"), config.integers("moe_intermediate_size")
    if len(experts) != 2 or experts[0] != experts[1]:
        raise config.unknown("moe_num_experts", experts, "two equal numbers: experts of text, experts of images")
    config.only("moe_layer_interval", 1)
    starts, ends = (config.integers(f"moe_layer_{end}_index") for end in ("start", "end"))
    if not starts or not ends:
        raise config.unknown("moe_layer_start_index", starts, "two numbers, as 'moe_layer_end_index'")
    n_layers = config.integer("num_hidden_layers")
    kinds = ["sparse" if min(starts) <= i <= max(ends) else "dense" for i in range(n_layers)]
    return {
        **{key: config.integer(key) for key in TEXT_SIZES},
        "num_key_value_heads": config.integer("num_key_value_heads"),
        "max_position_embeddings": config.integer("max_position_embeddings", default=0),
        "moe_num_experts": experts[0],
        "moe_intermediate_size": widths,
        "moe_k": config.integer("moe_k"),
        "moe_num_shared_experts": config.integer("moe_num_shared_experts", default=0),
        "mlp_layer_types": kinds,
        "use_bias": config.flag("use_bias", default=False),
    }


def _first_vision(config: Config, vision: Config) -> dict[str, Any]:
    vision.ignore("attn_implementation", "attn_sep", "pp_data_balance", "vit_first_fwd_bsz", "vit_num_recompute_layers")
    vision.ignore("recompute", "model_type")
    d_model = vision.integer("hidden_size")
    vision.only("embed_dim", d_model)
    merge, frames = config.integer("spatial_conv_size"), config.integer("temporal_conv_size")
    vision.only("spatial_merge_size", merge)
    return {
        **{key: vision.integer(key) for key in VISION_SIZES},
        "in_channels": vision.integer("in_channels", default=3),
        "intermediate_size": int(d_model * vision.number("mlp_ratio", default=4)),
        "spatial_merge_size": merge,
        "temporal_merge_size": frames,
    }


@model_type("ernie4_5_vl_moe_text")
def ernie_vl_text(config: Config) -> Architecture:
    """ERNIE 4.5 VL's language model; a text token visits none of the experts for images."""
    config.only("use_bias", False)
    mixer, feed = attention(config, kv_required=True), _experts(config)
    config.none("first_k_dense_replace")  # 'mlp_layer_types' says it here
    mlps = mlp_kinds(config, first_dense=1)

    def layer(kind: str) -> Layer:
        if kind == "dense":
            return block(mixer.d_model, mixer, feed_forward(config))
        first, mix, second, _ = block(mixer.d_model, mixer, feed[0]).bricks
        return Layer((first, mix, second, *feed))

    return stack(config, layers_of(mlps, layer), BesideLayers(tied=True))


def _experts(config: Config) -> tuple[Brick, ...]:
    widths = config.integers("moe_intermediate_size", default=[1536, 512])
    if len(widths) != 2:
        raise config.unknown("moe_intermediate_size", widths, "two numbers: experts of text, experts of images")
    counts = {key: config.integer(key) for key in ("moe_num_experts", "moe_k")}
    one = config.read_as({**config.values, **counts, "moe_intermediate_size": widths[0]})
    text = routed(one, name="mlp.text_moe")
    config.ignore(*one.read)
    text = replace(text, d_ff_shared=widths[0] * config.integer("moe_num_shared_experts", default=2))
    seen = replace(text, d_ff=widths[1], d_ff_shared=0, name="mlp.vision_moe").weights
    statics = vector("moe_statics.e_score_correction_bias", 1, text.n_experts, part="router")
    unvisited = (weight._replace(active=0) if weight.copies > 1 else weight for weight in seen)
    return text, Tensors((*unvisited, statics, statics))
