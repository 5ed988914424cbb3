"""Language models with a vision encoder of their own: Qwen VL, GLM 4.1V, Gemma 4, Llama 3.2 and 4, Kimi K2.5."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Brick, Embedding, Layer, Norm, Tensors, Weight
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    attention,
    block,
    feed_forward,
    layers_of,
    linear,
    stack,
    vector,
)
from sizebook.models.families.multimodal.joining import flat, heads_share_width, text_model, with_towers
from sizebook.models.families.towers.audio import gemma4_audio
from sizebook.models.families.towers.vision import (
    encoder,
    gemma4_vit,
    glm_vit,
    layer_normed,
    llama4_vit,
    moon_vit,
    patches,
    pixels,
    qwen2_5_vit,
    qwen2_vit,
    qwen3_vit,
)
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("qwen2_vl", "qwen2_5_vl")
def flat_with_vision(config: Config) -> Architecture:
    """Qwen 2 VL and 2.5 VL: text keys at the top level, or in a section of newer files."""
    nested = config.has("text_config")
    text = text_model(config, "qwen2") if nested else flat(config, "qwen2")
    heads_share_width(config.section("text_config") if nested else config, text.d_model)
    if config.text("model_type") == "qwen2_vl":
        vision = config.section("vision_config")
        return with_towers(config, text, qwen2_vit(vision), tied=False, ties="either")
    tower = qwen2_5_vit(config.section("vision_config"))
    return with_towers(config, text, tower, tied=False, ties="either")


@model_type("glm4v")
def glm4v(config: Config) -> Architecture:
    """GLM 4.1V: the first file has the text keys at the top level too, where transformers reads none of them."""
    section = config.section("text_config")
    for key, size in section.class_values.items():
        built = section.values.get(key, size)
        if config.has(key) and config.integer(key) != built:
            raise config.unknown(*config.said(key), f"{built}: transformers reads 'text_config' only")
    config.ignore("attention_bias")
    text = text_model(config, "glm4v_text")
    return with_towers(config, text, glm_vit(config.section("vision_config")), tied=False, ties="either")


@model_type("glm4v_moe")
def glm4v_moe(config: Config) -> Architecture:
    """GLM 4.5V and 4.6V (arXiv:2507.01006): GLM 4.1V's tower before GLM 4.5's mixture of experts."""
    text = text_model(config, "glm4v_moe_text")
    return with_towers(config, text, glm_vit(config.section("vision_config")), tied=False, ties="either")


@model_type("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe")
def qwen3_vl(config: Config) -> Architecture:
    """Qwen 3 VL and 3.5: the text model of the same generation behind a ViT with DeepStack."""
    kinds = {"qwen3_vl": "qwen3", "qwen3_vl_moe": "qwen3_moe", "qwen3_5": "qwen3_5_text"}
    config.ignore("language_model_only")
    if config.values.get("language_model_only"):
        raise config.unknown("language_model_only", True, "false: the file describes a vision tower")
    kind = kinds.get(config.text("model_type"), "qwen3_5_moe_text")
    text = text_model(config, kind)
    tower = qwen3_vit(config.section("vision_config"), deepstack=kind in ("qwen3", "qwen3_moe"))
    return with_towers(config, text, tower, tied=False)


@model_type("gemma4", "gemma4_unified")
def gemma4(config: Config) -> Architecture:
    """Gemma 4: a ViT, and in the small models an audio encoder; either may be left out."""
    unified = config.text("model_type") == "gemma4_unified"
    config.ignore("vision_soft_tokens_per_image")
    text = text_model(config, "gemma4_unified_text" if unified else "gemma4_text")
    sections = {key: config.section(key) for key in ("vision_config", "audio_config") if config.has(key)}
    if unified and sections:
        raise config.unknown(next(iter(sections)), "an object", "null: towers of this type are not described")
    towers, buffers = [], []
    if vision := sections.get("vision_config"):
        vision.only("num_channels", 3)
        vision.only("in_channels", 3)
        towers.append(gemma4_vit(vision, text.d_model))
        if vision.flag("standardize", default=False):
            buffers += [vector(f"vision_tower.std_{n}", towers[0].d_model) for n in ("bias", "scale")]
        buffers += _clips(vision, towers[0].n_layers * 7, default=False)
    if audio := sections.get("audio_config"):
        towers.append(gemma4_audio(audio, text.d_model))
        buffers += _clips(audio, towers[-1].n_layers * 10, default=True)
    return with_towers(config, text, *towers, tied=True, buffers=tuple(buffers))


def _clips(section: Config, n_linears: int, *, default: bool) -> list[Weight]:
    """Return the four bounds that every clipped projection stores."""
    clipped = section.flag("use_clipped_linears", default=default)
    bounds = [vector(f"{side}_{end}") for side in ("input", "output") for end in ("min", "max")]
    return bounds * n_linears if clipped else []


@model_type("llama4")
def llama4(config: Config) -> Architecture:
    """Llama 4 with its ViT."""
    text = text_model(config, "llama4_text")
    vision = config.section("vision_config")
    vision.reads_as("llama4_vision_model")
    return with_towers(config, text, llama4_vit(vision, text.d_model), tied=False, ties="text")


# The keys that transformers reads, those of the published files, which it does not, and what both stand for.
KIMI_VISION = {
    "hidden_size": ("vt_hidden_size", 1152),
    "intermediate_size": ("vt_intermediate_size", 4304),
    "num_attention_heads": ("vt_num_attention_heads", 16),
    "num_hidden_layers": ("vt_num_hidden_layers", 27),
    "pos_emb_height": ("init_pos_emb_height", 64),
    "pos_emb_width": ("init_pos_emb_width", 64),
}


@model_type("kimi_k25")
def kimi_k25(config: Config) -> Architecture:
    """Kimi K2.5: DeepSeek V3's shape behind MoonViT, whose positions are a learned grid."""
    config.ignore("use_unified_vision_chunk", "video_placeholder", "ignore_index", "projection_hidden_size")
    config.section("text_config").only("model_type", "kimi_k2", "deepseek_v3")
    text, vision = text_model(config, "kimi_k2"), config.section("vision_config")
    vision.ignore(
        "merge_type", "mm_projector_type", "pos_emb_type", "video_attn_type", "mm_hidden_size", "text_hidden_size"
    )
    vision.ignore("init_pos_emb_time", "pos_emb_time", "merge_kernel_size", "projector_ln_eps")
    built = {new: vision.integer(new, default=size) for new, (_, size) in KIMI_VISION.items()}
    for new, (old, _) in KIMI_VISION.items():
        if vision.integer(old, default=built[new]) != built[new]:
            raise vision.unknown(old, vision.values[old], f"{built[new]}: transformers reads '{new}' only")
    if (width := config.integer("projection_hidden_size", default=1152)) != built["hidden_size"]:
        raise config.unknown("projection_hidden_size", width, f"{built['hidden_size']}, as wide as the tower")
    if vision.values.get("merge_kernel_size", [2, 2]) != [2, 2]:
        raise config.unknown("merge_kernel_size", vision.values["merge_kernel_size"], "[2, 2]")
    vision.values = {**vision.values, **built}
    return with_towers(config, text, moon_vit(vision, text.d_model), tied=True)


@model_type("minimax_m3_vl")
def minimax_m3(config: Config) -> Architecture:
    """MiniMax M3 behind a ViT with rotary positions; patches of two frames, merged in two steps."""
    config.ignore("num_reward_heads", "process_image_mode", "image_grid_pinpoints", "img_token_compression_config")
    text, vision = text_model(config, "minimax_m3_vl_text"), config.section("vision_config")
    vision.reads_as("minimax_m3_vl_vision")
    vision.ignore("position_embedding_type", "projection_dim", "vision_segment_max_frames", "image_size", "vocab_size")
    vision.ignore("img_token_compression_config")
    d_model, layer, n_layers = encoder(vision)
    bias = config.flag("multimodal_projector_bias", default=True)
    if not bias:
        raise config.unknown("multimodal_projector_bias", False, "true, which transformers takes anyway")
    inner, d_text = config.integer("projector_hidden_size"), text.d_model
    frames, merge = vision.integer("temporal_patch_size"), vision.integer("spatial_merge_size")
    config.ignore("merged_hidden_size")  # written by transformers, not read
    stem: tuple[Brick, ...] = (
        linear("proj", pixels(vision, frames=frames), d_model, bias=False),
        Norm("pre_layrnorm", d_model, bias=True),
    )
    projector = (
        linear("linear_1", d_model, inner, bias=bias),
        linear("linear_2", inner, d_text, bias=bias),
        linear("merge_linear_1", d_text * merge**2, inner, bias=bias),
        linear("merge_linear_2", inner, d_text, bias=bias),
    )
    return with_towers(
        config,
        text,
        Tower("vision", d_model, n_layers, stem=stem, layer=layer, projector=projector),
        tied=False,
        ties="either",
    )


@model_type("mllama")
def mllama(config: Config) -> Architecture:
    """Llama 3.2 Vision: some layers attend to the image through gated cross-attention; eight more tokens embedded."""
    section = config.section("text_config")
    section.values = {**section.values, "model_type": "mllama"}
    section.ignore("tie_word_embeddings")
    n_layers, vocab = section.integer("num_hidden_layers"), section.integer("vocab_size")
    crossed = section.integers("cross_attention_layers")
    feed, attend = feed_forward(section), attention(section, kv_required=True)
    heads_share_width(section, feed.d_model)
    looks = replace(attend, cross=True, qk_norm=(attend.d_head, attend.d_head), name="cross_attn")
    gates = Tensors((vector("cross_attn_attn_gate", 1), vector("cross_attn_mlp_gate", 1)))

    def layer(crosses: bool) -> Layer:
        if not crosses:
            return block(feed.d_model, attend, feed)
        return Layer((*block(feed.d_model, looks, feed).bricks, gates))

    text = stack(section, layers_of([i in crossed for i in range(n_layers)], layer))
    text = replace(text, inputs=(Embedding("embed_tokens", vocab + 8, feed.d_model),))
    return with_towers(
        config, text, _mllama_vit(config.section("vision_config"), feed.d_model), tied=False, ties="neither"
    )


def _mllama_vit(config: Config, d_text: int) -> Tower:
    """Return the tower: tiles with gated position tables, plain layers and gated global ones."""
    config.ignore("intermediate_layers_indices", "supported_aspect_ratios", "max_aspect_ratio_id")
    d_model, n_heads = config.integer("hidden_size"), config.integer("attention_heads", "num_attention_heads")
    config.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    layer = layer_normed(d_model, n_heads, config.integer("intermediate_size"), attention_bias=False)
    n_global, tiles = config.integer("num_global_layers"), config.integer("max_num_tiles")
    shapes = config.values.get("supported_aspect_ratios")
    if not isinstance(shapes, list):
        raise config.unknown("supported_aspect_ratios", shapes, "a list: each has a table")
    n_patches, ratios = patches(config) + 1, len(shapes) + 1
    stem: tuple[Brick, ...] = (
        linear("patch_embedding", pixels(config), d_model, bias=False),
        Embedding("gated_positional_embedding", n_patches, d_model),
        Embedding("tile_embedding", ratios, tiles * n_patches * d_model),
        *(Embedding(f"{side}_tile_positional_embedding", ratios, tiles * d_model) for side in ("pre", "post")),
        Tensors((vector("class_embedding", d_model), vector("gates", 3))),
        Norm("layernorm_pre", d_model, bias=True),
        Norm("layernorm_post", d_model, bias=True),
    )
    gated = (*layer, Tensors((vector("gate_attn", 1), vector("gate_ffn", 1))))
    joined = linear("multi_modal_projector", config.integer("vision_output_dim"), d_text)
    return Tower(
        "vision",
        d_model,
        config.integer("num_hidden_layers"),
        stem=stem,
        layer=layer,
        projector=(*(gated * n_global), joined),
    )
