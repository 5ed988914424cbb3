"""Known vision encoders in front of known language models: LLaVA, PaliGemma, Gemma 3, SmolVLM, InternVL, Mistral 3.

A file names the type of its language model and may leave out what that class has by default.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Brick, Embedding, Norm, Projection, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.multimodal.joining import (
    Ties,
    flat,
    layers_joined,
    patches_a_side,
    text_model,
    with_towers,
)
from sizebook.models.families.towers.vision import clip_vit, encoder, patches, pixels, pixtral, siglip
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower

# What builds each type of encoder.
ENCODERS: dict[str, Callable[[Config, tuple[Brick, ...]], Tower]] = {
    "clip_vision_model": clip_vit,
    "siglip_vision_model": siglip,
    "pixtral": pixtral,
}


def aligned_text(config: Config, default: str) -> Architecture:
    """Return the language model of the type that its section names, with the defaults of that type's class."""
    config.ignore(
        "vocab_size", "hidden_size", "image_grid_pinpoints", "projection_dim", "ignore_index", "image_token_index"
    )
    config.needs("text_config", "vision_config")
    section = config.section("text_config")
    kind = section.text("model_type", default=default)
    return text_model(config, kind, chosen=True)


@model_type("llava", "llava_next", "llava_next_video", "llava_onevision")
def llava(config: Config) -> Architecture:
    """LLaVA 1.5 and Pixtral 12B; 1.6, NeXT-Video and OneVision with a learned vector that ends a row of an image."""
    config.ignore("spatial_pool_mode", "spatial_pool_stride", "spatial_pool_out_channels", "video_seq_length")
    config.ignore("vision_aspect_ratio", "use_image_newline_parameter")
    if config.has("mm_vision_tower"):
        raise config.unknown(
            *config.said("mm_vision_tower"),
            "sections for text and vision: LLaVA's own code takes the encoder from that repository. Give the copy in "
            "transformers' form, or count its weights",
        )
    name, vision = config.text("model_type"), config.section("vision_config")
    text, bias = (
        aligned_text(config, "qwen2" if name == "llava_onevision" else "llama"),
        config.flag("multimodal_projector_bias", default=True),
    )
    kind = vision.text(
        "model_type", default="siglip_vision_model" if name == "llava_onevision" else "clip_vision_model"
    )
    vision.only("model_type", *ENCODERS)
    build = ENCODERS[kind]
    width = vision.integer("hidden_size")
    projector = (
        linear("linear_1", width * layers_joined(config), text.d_model, bias=bias),
        linear("linear_2", text.d_model, text.d_model, bias=bias),
    )
    ties: Ties = "top level" if name == "llava_next" else "either"
    whole = with_towers(config, text, build(vision, projector), tied=False, ties=ties)
    if name == "llava":
        return whole
    return replace(whole, inputs=(*whole.inputs, Tensors((vector("image_newline", text.d_model),))))


@model_type("paligemma")
def paligemma(config: Config) -> Architecture:
    """PaliGemma (arXiv:2407.07726): SigLIP, one projection, Gemma."""
    text, vision = aligned_text(config, "gemma"), config.section("vision_config")
    config.section("text_config").ignore("num_image_tokens", "use_bidirectional_attention")
    vision.ignore("num_image_tokens")
    vision.only("model_type", "siglip_vision_model")
    d_out = config.integer("projection_dim")
    tower = siglip(vision, (linear("linear", vision.integer("hidden_size"), d_out),))
    return with_towers(config, text, tower, tied=True)


@model_type("idefics3", "smolvlm")
def idefics3(config: Config) -> Architecture:
    """Idefics 3 and SmolVLM: SigLIP without its head, neighbouring patches side by side, one projection."""
    text, section = aligned_text(config, "llama"), config.section("text_config")
    section.ignore("perceiver_config", "pixel_shuffle_factor")  # of code that transformers does not have
    section.only("use_resampler", False)
    section.only("qk_layer_norms", False)
    vision = config.section("vision_config")
    vision.reads_as(f"{config.text('model_type')}_vision")
    vision.ignore("use_base_siglip", "size", "max_image_size", "tie_word_embeddings")
    joined = vision.integer("hidden_size") * config.integer("scale_factor") ** 2
    vision.values = {**vision.values, "vision_use_head": False}
    tower = siglip(vision, (linear("modality_projection", joined, text.d_model, bias=False),))
    return with_towers(config, text, tower, tied=False)


@model_type("internvl", "qianfan_ocr")
def internvl(config: Config) -> Architecture:
    """InternVL 3 in transformers' own form: a ViT with scaled residuals, neighbouring patches side by side.

    Qianfan-OCR is the same before Qwen 3, with biases of its queries, keys and values where nothing is said.
    """
    qianfan = config.text("model_type") == "qianfan_ocr"
    text = aligned_text(config, "qwen3" if qianfan else "qwen2")
    if qianfan:
        config.section("vision_config").only("model_type", "qianfan_ocr_vision")
    vision = config.section("vision_config")
    joined, d_text = vision.integer("hidden_size") * patches_a_side(config) ** 2, text.d_model
    projector = (
        Norm("layer_norm", joined, bias=True),
        linear("linear_1", joined, d_text),
        linear("linear_2", d_text, d_text),
    )
    return with_towers(config, text, _intern_vit(vision, projector, biased=qianfan), tied=not qianfan)


def _intern_vit(config: Config, projector: tuple[Brick, ...], *, biased: bool) -> Tower:
    for key in ("image_size", "patch_size"):
        config.values = {**config.values, key: config.side(key)}
    config.only("norm_type", "layer_norm")
    config.only("use_absolute_position_embeddings", True)
    config.ignore("layer_scale_init_value")
    d_model, usual, n_layers = encoder(config)
    n_heads, bias = config.integer("num_attention_heads"), config.flag("attention_bias", default=biased)
    normed = (d_model, d_model) if config.flag("use_qk_norm", default=False) else None
    width = d_model // n_heads
    attend = Attention(
        d_model, n_heads, n_heads, d_head=width, qkv_bias=bias, out_bias=True, qk_norm=normed, bidirectional=True
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
    return Tower("vision", d_model, n_layers, stem=stem, layer=(attend, *rest, scales), projector=(*last, *projector))


@model_type("lighton_ocr")
def lighton_ocr(config: Config) -> Architecture:
    """LightOn OCR: Pixtral's ViT, patches merged before two projections, Qwen 3."""
    text, vision = aligned_text(config, "qwen3"), config.section("vision_config")
    vision.only("model_type", "pixtral")
    width, merge = vision.integer("hidden_size"), config.integer("spatial_merge_size")
    projector = (
        Norm("norm", width),
        linear("merging_layer", width * merge**2, width, bias=False),
        linear("linear_1", width, text.d_model, bias=False),
        linear("linear_2", text.d_model, text.d_model, bias=False),
    )
    return with_towers(config, text, pixtral(vision, projector), tied=True)


@model_type("deepseek_vl")
def deepseek_vl(config: Config) -> Architecture:
    """DeepSeek-VL (arXiv:2403.05525) with one encoder, as its 1.3B: SigLIP with its head, two projections, Llama."""
    text, vision = aligned_text(config, "llama"), config.section("vision_config")
    vision.only("model_type", "siglip_vision_model")
    projector = (
        linear("aligner.linear1", vision.integer("hidden_size"), text.d_model),
        linear("aligner.linear2", text.d_model, text.d_model),
    )
    return with_towers(config, text, siglip(vision, projector), tied=True)


@model_type("shieldgemma2")
def shieldgemma2(config: Config) -> Architecture:
    """ShieldGemma 2 (arXiv:2504.01081): a whole Gemma 3, whose class reads two of its logits."""
    config.built_as("ShieldGemma2ForImageClassification", "Gemma3ForConditionalGeneration")
    config.ignore("architectures")
    config.section("text_config").only("model_type", "gemma3_text")
    return _gemma3(config, tied=False, ties="either")


@model_type("gemma3")
def gemma3(config: Config) -> Architecture:
    """Gemma 3 with SigLIP; a file of the text model alone gives the same type without a vision section."""
    named = config.values.get("architectures") or [""]
    if not config.has("text_config") and str(named[0]).endswith("ForCausalLM"):
        config.ignore("use_res_clamp")
        return flat(config, "gemma3_text")
    return _gemma3(config, tied=True)


def _gemma3(config: Config, *, tied: bool, ties: Ties = "top level") -> Architecture:
    config.needs("text_config", "vision_config")
    text, vision = text_model(config, "gemma3_text"), config.section("vision_config")
    vision.only("model_type", "siglip_vision_model")
    width = vision.integer("hidden_size")
    projector = Projection("mm_input_projection", width, text.d_model, bias=False), Norm("mm_soft_emb_norm", width)
    return with_towers(config, text, siglip(vision, projector), tied=tied, ties=ties)


@model_type("lfm2_vl")
def lfm2_vl(config: Config) -> Architecture:
    """LFM 2 VL: SigLIP 2, neighbouring patches side by side, two projections."""
    config.ignore("encoder_patch_size", "downsample_factor", "min_image_tokens", "max_image_tokens", "max_num_patches")
    config.section("text_config").only("model_type", "lfm2")
    text, vision = text_model(config, "lfm2"), config.section("vision_config")
    vision.only("model_type", "siglip2_vision_model")
    joined = vision.integer("hidden_size") * config.integer("downsample_factor") ** 2
    inner, bias = config.integer("projector_hidden_size"), config.flag("projector_bias", default=True)
    projector: list[Brick] = [
        linear("linear_1", joined, inner, bias=bias),
        linear("linear_2", inner, text.d_model, bias=bias),
    ]
    if config.flag("projector_use_layernorm", default=True):
        projector.append(Norm("layer_norm", joined, bias=True))
    tower = siglip(vision, tuple(projector), positions=vision.integer("num_patches"))
    return with_towers(config, text, tower, tied=True)


@model_type("mistral3")
def mistral3(config: Config) -> Architecture:
    """Mistral Small 3 and Ministral 3: Pixtral's ViT, patches merged before two projections."""
    config.needs("text_config", "vision_config")
    section = config.section("text_config")
    text = text_model(config, str(section.values.get("model_type", "mistral")), chosen=True)
    vision = config.section("vision_config")
    vision.only("model_type", "pixtral")
    width, merge = vision.integer("hidden_size"), config.integer("spatial_merge_size", default=2)
    bias = config.flag("multimodal_projector_bias", default=False)
    projector = (
        Norm("norm", width),
        linear("merging_layer", width * merge**2, width, bias=False),
        linear("linear_1", width * layers_joined(config), text.d_model, bias=bias),
        linear("linear_2", text.d_model, text.d_model, bias=bias),
    )
    return with_towers(config, text, pixtral(vision, projector), tied=True)


@model_type("minicpmv4_6")
def minicpmv(config: Config) -> Architecture:
    """MiniCPM-V 4.6: Qwen 3.5 behind SigLIP with a merger inside the tower and one after it."""
    config.ignore("drop_vision_last_layer", "insert_layer_id", "image_size", "patch_size", "downsample_mode")
    config.ignore("merge_kernel_size")
    config.section("text_config").only("model_type", "qwen3_5_text")
    text, vision = text_model(config, "qwen3_5_text"), config.section("vision_config")
    vision.ignore("insert_layer_id", "window_kernel_size")
    kernels = config.values.get("merge_kernel_size", [2, 2]), vision.values.get("window_kernel_size", [2, 2])
    if kernels != ([2, 2], [2, 2]) or config.integer("merger_times", default=1) != 1:
        raise config.unknown("merge_kernel_size", kernels[0], "[2, 2], merged once")
    d_model, layer, n_layers = encoder(vision)
    joined, wide = 4 * d_model, 4 * vision.integer("intermediate_size")
    stem: tuple[Brick, ...] = (
        linear("patch_embedding", pixels(vision), d_model),
        Embedding("position_embedding", patches(vision), d_model),
    )
    inside: tuple[Brick, ...] = (
        layer[1],
        Norm("vit_merger.layer_norm1", d_model, bias=True),
        Norm("vit_merger.pre_norm", joined, bias=True),
        linear("vit_merger.linear_1", joined, wide),
        linear("vit_merger.linear_2", wide, d_model),
    )
    after: tuple[Brick, ...] = (
        Norm("post_layernorm", d_model, bias=True),
        Norm("merger.pre_norm", joined, bias=True),
        linear("merger.linear_1", joined, joined),
        linear("merger.linear_2", joined, text.d_model),
    )
    return with_towers(
        config,
        text,
        Tower("vision", d_model, n_layers, stem=stem, layer=layer, projector=(*inside, *after)),
        tied=False,
    )
