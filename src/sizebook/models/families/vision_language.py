"""Language models with a vision tower: the text model's own mapping, a tower, and whether the head is tied."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from sizebook.models.architecture import Architecture, Brick, Norm, Projection, Weight
from sizebook.models.config import Config
from sizebook.models.families.blocks import vector
from sizebook.models.families.section_defaults import (
    GLM4V_VISION,
    PIXTRAL,
    QWEN2_5_VISION,
    QWEN2_VL_TEXT,
    QWEN3_VISION,
    QWEN3_VL_TEXT,
    SIGLIP,
)
from sizebook.models.families.vision_towers import (
    gemma4_vit,
    glm_vit,
    linear,
    llama4_vit,
    pixtral,
    qwen2_5_vit,
    qwen2_vit,
    qwen3_vit,
    siglip,
)
from sizebook.models.huggingface import describe, model_type
from sizebook.models.towers import Tower

LLAMA = {
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "vocab_size": 32000,
}
QWEN2 = {**LLAMA, "intermediate_size": 22016, "num_key_value_heads": 32, "vocab_size": 151936}
GEMMA3 = {
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "vocab_size": 262208,
}
GLM4V = {
    "hidden_size": 4096,
    "intermediate_size": 13696,
    "num_hidden_layers": 40,
    "num_attention_heads": 32,
    "num_key_value_heads": 2,
    "vocab_size": 151552,
}
CLIP = {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "image_size": 224,
    "patch_size": 32,
    "num_channels": 3,
}
Ties = Literal["top level", "either", "text", "neither"]
IGNORED = ("vision_feature_layer", "vision_feature_select_strategy", "image_seq_length", "mm_tokens_per_image")


def text_model(
    config: Config, kind: str, defaults: dict[str, Any] | None = None, key: str = "text_config"
) -> Architecture:
    """Return the language model of a section, read as the given type."""
    section = config.section(key, defaults)
    section.values = {**section.values, "model_type": kind}
    section.ignore("tie_word_embeddings")
    return describe(section)


def with_towers(
    config: Config,
    text: Architecture,
    *towers: Tower,
    tied: bool,
    ties: Ties = "top level",
    buffers: tuple[Weight, ...] = (),
) -> Architecture:
    """Return the whole model; ``tied`` is the type's default, ``ties`` says whose tie flag transformers takes."""
    config.ignore(*IGNORED)
    top, inner = config.flag("tie_word_embeddings", default=tied), config.section("text_config")
    said = inner.flag("tie_word_embeddings", default=False)
    result = {"top level": top, "either": top or said, "text": said, "neither": False}[ties]
    levels = {"top level": (config, top), "text_config": (inner, said)}
    against = [name for name, (level, flag) in levels.items() if level.has("tie_word_embeddings") and flag != result]
    notes = [f"'tie_word_embeddings' of the {name} is not followed: transformers 5 takes {result}" for name in against]
    return replace(
        text,
        model_type=config.text("model_type"),
        inputs=(*text.inputs, *towers),
        head=replace(text.head, tied=result) if text.head else None,
        buffers=(*text.buffers, *buffers),
        notes=(*text.notes, *notes),
    )


def flat(config: Config, kind: str) -> Architecture:
    """Return the language model of a file that keeps its keys at the top level."""
    inner = Config({**config.values, "model_type": kind}, config.where)
    described = describe(inner)
    config.ignore(*inner.read)
    return described


@model_type("gemma3")
def gemma3(config: Config) -> Architecture:
    """Gemma 3 with SigLIP; a file of the text model alone gives the same type without a vision section."""
    if not config.has("text_config"):
        config.ignore("use_res_clamp")
        return flat(config, "gemma3_text")
    text, vision = text_model(config, "gemma3_text", GEMMA3), config.section("vision_config", SIGLIP)
    vision.only("model_type", "siglip_vision_model")
    width = vision.integer("hidden_size")
    projector = Projection("mm_input_projection", width, text.d_model, bias=False), Norm("mm_soft_emb_norm", width)
    return with_towers(config, text, siglip(vision, projector), tied=True)


@model_type("lfm2_vl")
def lfm2_vl(config: Config) -> Architecture:
    """LFM 2 VL: SigLIP 2, neighbouring patches side by side, two projections."""
    config.ignore("encoder_patch_size", "downsample_factor", "min_image_tokens", "max_image_tokens", "max_num_patches")
    config.section("text_config").only("model_type", "lfm2")
    text, vision = text_model(config, "lfm2"), config.section("vision_config", SIGLIP)
    vision.only("model_type", "siglip2_vision_model")
    joined = vision.integer("hidden_size") * config.integer("downsample_factor", default=2) ** 2
    inner, bias = config.integer("projector_hidden_size"), config.flag("projector_bias", default=True)
    projector: list[Brick] = [linear("linear_1", joined, inner, bias), linear("linear_2", inner, text.d_model, bias)]
    if config.flag("projector_use_layernorm", default=True):
        projector.append(Norm("layer_norm", joined, bias=True))
    tower = siglip(vision, tuple(projector), positions=vision.integer("num_patches", default=256))
    return with_towers(config, text, tower, tied=True)


@model_type("mistral3")
def mistral3(config: Config) -> Architecture:
    """Mistral Small 3 and Ministral 3: Pixtral's ViT, patches merged before two projections."""
    section = config.section("text_config")
    text = text_model(config, str(section.values.get("model_type", "mistral")))
    vision = config.section("vision_config", PIXTRAL)
    vision.only("model_type", "pixtral")
    width, merge = vision.integer("hidden_size"), config.integer("spatial_merge_size", default=2)
    bias = config.flag("multimodal_projector_bias", default=False)
    projector = (
        Norm("norm", width),
        linear("merging_layer", width * merge**2, width, bias=False),
        linear("linear_1", width, text.d_model, bias),
        linear("linear_2", text.d_model, text.d_model, bias),
    )
    return with_towers(config, text, pixtral(vision, projector), tied=True)


@model_type("qwen2_vl", "qwen2_5_vl")
def flat_with_vision(config: Config) -> Architecture:
    """Qwen 2 VL and 2.5 VL: text keys at the top level, or in a section of newer files."""
    text = text_model(config, "qwen2", QWEN2_VL_TEXT) if config.has("text_config") else flat(config, "qwen2")
    if config.text("model_type") == "qwen2_vl":
        vision = config.section("vision_config", {"hidden_size": 3584})
        return with_towers(config, text, qwen2_vit(vision), tied=False, ties="either")
    tower = qwen2_5_vit(config.section("vision_config", QWEN2_5_VISION))
    return with_towers(config, text, tower, tied=False, ties="either")


@model_type("glm4v")
def glm4v(config: Config) -> Architecture:
    """GLM 4.1V: the first file has the text keys at the top level too, where transformers reads none of them."""
    section = config.section("text_config", GLM4V)
    for key, default in GLM4V.items():
        built = section.values.get(key, default)
        if config.integer(key, default=built) != built:
            raise config.unknown(key, config.values[key], f"{built}: transformers reads 'text_config' only")
    config.ignore("attention_bias")
    text = text_model(config, "glm4v_text", GLM4V)
    return with_towers(config, text, glm_vit(config.section("vision_config", GLM4V_VISION)), tied=False, ties="either")


@model_type("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe")
def qwen3_vl(config: Config) -> Architecture:
    """Qwen 3 VL and 3.5: the text model of the same generation behind a ViT with DeepStack."""
    kinds = {"qwen3_vl": "qwen3", "qwen3_vl_moe": "qwen3_moe", "qwen3_5": "qwen3_5_text"}
    config.ignore("language_model_only")
    if config.values.get("language_model_only"):
        raise config.unknown("language_model_only", True, "false: the file describes a vision tower")
    kind = kinds.get(config.text("model_type"), "qwen3_5_moe_text")
    text = text_model(config, kind, QWEN3_VL_TEXT if kind == "qwen3" else None)
    tower = qwen3_vit(config.section("vision_config", QWEN3_VISION), deepstack=kind in ("qwen3", "qwen3_moe"))
    return with_towers(config, text, tower, tied=False)


@model_type("gemma4", "gemma4_unified")
def gemma4(config: Config) -> Architecture:
    """Gemma 4: a ViT, and in the small models an audio encoder; either may be left out."""
    from sizebook.models.families.audio_towers import gemma4_audio

    unified = config.text("model_type") == "gemma4_unified"
    config.ignore("vision_soft_tokens_per_image")
    text = text_model(config, "gemma4_unified_text" if unified else "gemma4_text")
    sections = {key: config.section(key) for key in ("vision_config", "audio_config") if config.has(key)}
    if unified and sections:
        raise config.unknown(next(iter(sections)), "an object", "null: towers of this type are not described")
    towers, buffers = [], []
    if vision := sections.get("vision_config"):
        towers.append(gemma4_vit(vision, text.d_model))
        if vision.flag("standardize", default=False):
            buffers += [vector(f"vision_tower.std_{n}", towers[0].d_model) for n in ("bias", "scale")]
        buffers += _clips(vision, towers[0].n_layers * 7)
    if audio := sections.get("audio_config"):
        towers.append(gemma4_audio(audio, text.d_model))
        buffers += _clips(audio, towers[-1].n_layers * 10)
    return with_towers(config, text, *towers, tied=True, buffers=tuple(buffers))


def _clips(section: Config, n_linears: int) -> list[Weight]:
    """Return the four bounds that every clipped projection stores."""
    clipped = section.flag("use_clipped_linears", default=False)
    return [vector("clip_bound")] * (4 * n_linears) if clipped else []


@model_type("llama4")
def llama4(config: Config) -> Architecture:
    """Llama 4 with its ViT."""
    text = text_model(config, "llama4_text")
    return with_towers(config, text, llama4_vit(config.section("vision_config"), text.d_model), tied=False, ties="text")
