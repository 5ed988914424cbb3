"""Known vision encoders in front of known language models: LLaVA 1.6, PaliGemma, SmolVLM, InternVL, LightOn OCR.

A file names the type of its language model and may leave out what that class has by default.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sizebook.models.architecture import Architecture, Attention, Brick, Embedding, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import vector
from sizebook.models.families.section_defaults import PIXTRAL, SIGLIP
from sizebook.models.families.vision_language import CLIP, LLAMA, QWEN2, Ties, text_model, with_towers
from sizebook.models.families.vision_towers import clip_vit, encoder, linear, patches, pixels, pixtral, siglip
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower

# What builds each type of encoder, and what its class gives to keys that a section leaves out.
ENCODERS: dict[str, tuple[Callable[[Config, tuple[Brick, ...]], Tower], dict[str, int]]] = {
    "clip_vision_model": (clip_vit, CLIP),
    "siglip_vision_model": (siglip, SIGLIP),
    "pixtral": (pixtral, PIXTRAL),
}
TEXT: dict[str, dict[str, Any]] = {
    "llama": LLAMA,
    "mistral": {**LLAMA, "intermediate_size": 14336, "num_key_value_heads": 8},
    "qwen2": QWEN2,
    "qwen3": {**QWEN2, "head_dim": 128},
    "gemma": {
        "hidden_size": 3072,
        "intermediate_size": 24576,
        "num_hidden_layers": 28,
        "num_attention_heads": 16,
        "num_key_value_heads": 16,
        "vocab_size": 256000,
    },
    "gemma2": {
        "hidden_size": 2304,
        "intermediate_size": 9216,
        "num_hidden_layers": 26,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "vocab_size": 256000,
    },
}


def aligned_text(config: Config, default: str) -> Architecture:
    """Return the language model of the type that its section names, with the defaults of that type's class."""
    config.ignore(
        "vocab_size", "hidden_size", "image_grid_pinpoints", "projection_dim", "ignore_index", "image_token_index"
    )
    named = config.values.get("text_config")
    kind = str(named.get("model_type", default)) if isinstance(named, dict) else default
    return text_model(config, kind, TEXT.get(kind))


@model_type("llava", "llava_next", "llava_next_video", "llava_onevision")
def llava(config: Config) -> Architecture:
    """LLaVA 1.5 and Pixtral 12B; 1.6, NeXT-Video and OneVision with a learned vector that ends a row of an image."""
    config.ignore("spatial_pool_mode", "spatial_pool_stride", "spatial_pool_out_channels", "video_seq_length")
    config.ignore("vision_aspect_ratio", "use_image_newline_parameter")
    name, vision = config.text("model_type"), config.section("vision_config")
    text, bias = aligned_text(config, "llama"), config.flag("multimodal_projector_bias", default=True)
    kind = vision.text("model_type", default="clip_vision_model")
    vision.only("model_type", *ENCODERS)
    build, vision.defaults = ENCODERS[kind]
    width = vision.integer("hidden_size")
    projector = linear("linear_1", width, text.d_model, bias), linear("linear_2", text.d_model, text.d_model, bias)
    ties: Ties = "top level" if name == "llava_next" else "either"
    whole = with_towers(config, text, build(vision, projector), tied=False, ties=ties)
    if name == "llava":
        return whole
    return replace(whole, inputs=(*whole.inputs, Tensors((vector("image_newline", text.d_model),))))


@model_type("paligemma")
def paligemma(config: Config) -> Architecture:
    """PaliGemma (arXiv:2407.07726): SigLIP, one projection, Gemma."""
    text, vision = aligned_text(config, "gemma"), config.section("vision_config", SIGLIP)
    config.section("text_config").ignore("num_image_tokens", "use_bidirectional_attention")
    vision.ignore("num_image_tokens")
    d_out = config.integer("projection_dim", default=2048)
    tower = siglip(vision, (linear("linear", vision.integer("hidden_size"), d_out),))
    return with_towers(config, text, tower, tied=True)


@model_type("idefics3", "smolvlm")
def idefics3(config: Config) -> Architecture:
    """Idefics 3 and SmolVLM: SigLIP without its head, neighbouring patches side by side, one projection."""
    text, section = aligned_text(config, "llama"), config.section("text_config")
    section.ignore("perceiver_config", "pixel_shuffle_factor")  # of code that transformers does not have
    section.only("use_resampler", False)
    section.only("qk_layer_norms", False)
    defaults = {**SIGLIP, "hidden_size": 1152, "num_attention_heads": 16, "patch_size": 32}
    vision = config.section("vision_config", defaults)
    vision.ignore("use_base_siglip", "size", "max_image_size", "tie_word_embeddings")
    joined = vision.integer("hidden_size") * config.integer("scale_factor", default=2) ** 2
    vision.values = {**vision.values, "vision_use_head": False}
    tower = siglip(vision, (linear("modality_projection", joined, text.d_model, bias=False),))
    return with_towers(config, text, tower, tied=False)


INTERN = {**CLIP, "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16}


@model_type("internvl")
def internvl(config: Config) -> Architecture:
    """InternVL 3 in transformers' own form: a ViT with scaled residuals, neighbouring patches side by side."""
    text = aligned_text(config, "qwen2")
    vision = config.section("vision_config", {**INTERN, "image_size": 448, "patch_size": 14})
    ratio, d_text = config.number("downsample_ratio", default=0.5), text.d_model
    joined = int(vision.integer("hidden_size") * (1 / ratio) ** 2)
    projector = (
        Norm("layer_norm", joined, bias=True),
        linear("linear_1", joined, d_text),
        linear("linear_2", d_text, d_text),
    )
    return with_towers(config, text, _intern_vit(vision, projector), tied=True)


def _intern_vit(config: Config, projector: tuple[Brick, ...]) -> Tower:
    for key in ("image_size", "patch_size"):
        extents = config.values.get(key)
        if isinstance(extents, list) and len(set(map(str, extents))) == 1:
            config.values = {**config.values, key: extents[0]}
    config.only("norm_type", "layer_norm")
    config.only("use_absolute_position_embeddings", True)
    config.ignore("layer_scale_init_value")
    d_model, usual, n_layers = encoder(config)
    n_heads, bias = config.integer("num_attention_heads"), config.flag("attention_bias", default=False)
    normed = (d_model, d_model) if config.flag("use_qk_norm", default=False) else None
    width = d_model // n_heads
    attend = Attention(
        d_model, n_heads, n_heads, width, qkv_bias=bias, out_bias=True, qk_norm=normed, bidirectional=True
    )
    rest = (brick for brick in usual if not isinstance(brick, Attention))
    scales = Tensors((vector("lambda_1", d_model), vector("lambda_2", d_model)))
    masked = (vector("mask_token", d_model),) if config.flag("use_mask_token", default=False) else ()
    stem: tuple[Brick, ...] = (
        Tensors((vector("cls_token", d_model), *masked)),
        linear("patch_embeddings", pixels(config), d_model),
        Embedding("position_embeddings", patches(config) + 1, d_model),
    )
    last = () if config.flag("use_mean_pooling", default=True) else (Norm("layernorm", d_model, bias=True),)
    return Tower("vision", d_model, n_layers, stem, (attend, *rest, scales), (*last, *projector))


@model_type("lighton_ocr")
def lighton_ocr(config: Config) -> Architecture:
    """LightOn OCR: Pixtral's ViT, patches merged before two projections, Qwen 3."""
    text, vision = aligned_text(config, "qwen3"), config.section("vision_config", PIXTRAL)
    width, merge = vision.integer("hidden_size"), config.integer("spatial_merge_size", default=2)
    projector = (
        Norm("norm", width),
        linear("merging_layer", width * merge**2, width, bias=False),
        linear("linear_1", width, text.d_model, bias=False),
        linear("linear_2", text.d_model, text.d_model, bias=False),
    )
    return with_towers(config, text, pixtral(vision, projector), tied=True)
