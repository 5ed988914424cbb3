"""Models with vision and their own code: InternVL, Phi 3.5 vision, Kimi-VL, DeepSeek-VL2, Step-3."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Brick, Embedding, FeedForward, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.multimodal.joining import flat, patches_a_side, text_model, with_towers
from sizebook.models.families.towers.vision import (
    clip_vit,
    encoder,
    layer_normed,
    moon_vit,
    patches,
    pixels,
    stem_with_class,
)
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("internvl_chat")
def internvl_chat(config: Config) -> Architecture:
    """InternVL 1.5 to 3.5 as first published: InternViT, neighbouring patches side by side, two projections."""
    config.needs("llm_config", "vision_config")
    config.only("architectures", ["InternVLChatModel"])
    config.ignore("dynamic_image_size", "force_image_size", "max_dynamic_patch", "hidden_size")
    config.ignore(
        "min_dynamic_patch", "pad2square", "ps_version", "select_layer", "use_thumbnail", "tie_word_embeddings"
    )
    for key in ("use_backbone_lora", "use_llm_lora"):
        config.only(key, 0)
    section = config.section("llm_config")
    text = text_model(config, section.text("model_type"), key="llm_config", chosen=True)
    vision = config.section("vision_config")
    joined = vision.integer("hidden_size") * patches_a_side(config) ** 2
    projector = (
        Norm("mlp1.0", joined, bias=True),
        linear("mlp1.1", joined, text.d_model),
        linear("mlp1.3", text.d_model, text.d_model),
    )
    # The language model is loaded as a model of its own, so its own flag ties it.
    tied = section.flag("tie_word_embeddings", default=False)
    head = replace(text.head, tied=tied) if text.head else None
    tower = _intern_vit(vision, projector)
    return replace(text, model_type="internvl_chat", inputs=(*text.inputs, tower), head=head)


def _intern_vit(config: Config, projector: tuple[Brick, ...]) -> Tower:
    """Return InternViT (arXiv:2312.14238): a class token, scaled residuals; the 6B has gains only."""
    config.ignore("use_flash_attn", "drop_path_rate", "initializer_factor")
    config.only("norm_type", "layer_norm", "rms_norm")
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    width = config.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    biased = config.text("norm_type", default="rms_norm") == "layer_norm"
    normed = (d_model, d_model) if config.flag("qk_normalization", default=True) else None
    bias = config.flag("qkv_bias", default=False)
    attend = Attention(
        d_model, n_heads, n_heads, d_head=width, qkv_bias=bias, out_bias=True, qk_norm=normed, bidirectional=True
    )
    feed = FeedForward(d_model, config.integer("intermediate_size"), gated=False, bias=True)
    scales = Tensors((vector("ls1", d_model), vector("ls2", d_model)))
    layer = Norm("norm1", d_model, biased), attend, Norm("norm2", d_model, biased), feed, scales
    stem = stem_with_class(config, d_model, bias=True)
    return Tower("vision", d_model, config.integer("num_hidden_layers"), stem=stem, layer=layer, projector=projector)


CLIP_L_336 = {
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "image_size": 336,
    "patch_size": 14,
}


@model_type("phi3_v")
def phi3_v(config: Config) -> Architecture:
    """Phi 3 and 3.5 vision: CLIP's large ViT at 336 pixels, which its code fixes, and two learned separators."""
    layer, vision = config.section("embd_layer"), config.section("img_processor")
    for key in ("use_hd_transform", "with_learnable_separator"):
        if not layer.flag(key, default=False):
            raise layer.unknown(key, False, "true: without it the projector is not described")
    layer.only("projection_cls", "mlp")
    layer.only("embedding_cls", "image")
    layer.ignore("hd_transform_order")
    vision.only("name", "clip_vision_model")
    vision.only("model_name", "openai/clip-vit-large-patch14-336")
    vision.ignore("num_img_tokens", "layer_idx", "type_feature")
    joined = 4 * vision.integer("image_dim_out", default=1024)
    text = flat(config, "phi3")
    config.ignore("vision_config")
    projector = (
        linear("img_projection.0", joined, text.d_model),
        linear("img_projection.2", text.d_model, text.d_model),
        Tensors((vector("glb_GN", joined), vector("sub_GN", joined))),
    )
    tower = clip_vit(Config(dict(CLIP_L_336), config.where), projector)
    return replace(text, model_type="phi3_v", inputs=(*text.inputs, tower))


@model_type("kimi_vl")
def kimi_vl(config: Config) -> Architecture:
    """Kimi-VL (arXiv:2504.07491): MoonViT in front of Moonlight, which has DeepSeek V3's shape."""
    config.needs("text_config", "vision_config")
    text, vision = text_model(config, "kimi_k2"), config.section("vision_config")
    vision.only("merge_kernel_size", [2, 2])
    names = {"pos_emb_height": "init_pos_emb_height", "pos_emb_width": "init_pos_emb_width"}
    vision.values = {names.get(key, key): value for key, value in vision.values.items()}
    return with_towers(config, text, moon_vit(vision, text.d_model), tied=False, ties="text")


@model_type("deepseek_vl_v2")
def deepseek_vl2(config: Config) -> Architecture:
    """DeepSeek-VL2 (arXiv:2412.10302): SigLIP with its pooling head, DeepSeekMoE with or without latent attention."""
    config.needs("language_config", "vision_config", "projector_config")
    config.only("tile_tag", "2D")
    config.ignore("candidate_resolutions", "global_view_pos", "tie_word_embeddings")
    section = config.section("language_config")
    section.ignore("use_mla", "lm_head", "rm_head", "topk_method")
    kind = "deepseek_v3" if section.values.get("topk_method") == "noaux_tc" else "deepseek_v2"
    if not section.flag("use_mla", default=True):
        kind = "deepseek"
        section.ignore("kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
    text = text_model(config, kind, key="language_config")
    tower = _siglip_of_deepseek(config.section("vision_config"), _projector(config, text.d_model))
    return replace(text, model_type="deepseek_vl_v2", inputs=(*text.inputs, tower))


def _projector(config: Config, d_text: int) -> tuple[Brick, ...]:
    section = config.section("projector_config")
    section.only("projector_type", "downsample_mlp_gelu")
    section.only("token_pooling", False)
    section.only("depth", 2)
    d_out, wide = section.integer("n_embed", default=2048), section.integer("mlp_ratio", default=1)
    d_in = section.integer("input_dim", default=1152) * section.integer("downsample_ratio", default=2) ** 2
    if d_out != d_text:
        raise section.unknown("n_embed", d_out, f"{d_text}, the width of the language model")
    separators = Tensors((vector("image_newline", d_out), vector("view_seperator", d_out)))
    return linear("layers.0", d_in, wide * d_out), linear("layers.2", wide * d_out, d_out), separators


def _siglip_of_deepseek(config: Config, projector: tuple[Brick, ...]) -> Tower:
    config.only("model_name", "siglip_large_patch16_384", "siglip_so400m_patch14_384")
    config.only("global_pool", "map")
    config.only("class_token", False)
    config.ignore("model_type", "num_classes", "ignore_head", "weight_init", "deterministic", "num_recomputing_layers")
    d_model, n_heads = config.integer("width"), config.integer("heads")
    config.divides("width", d_model, "heads", n_heads)
    d_ff = int(d_model * config.number("mlp_ratio", default=4))
    layer = layer_normed(d_model, n_heads, d_ff)
    stem: tuple[Brick, ...] = (
        linear("patch_embed", pixels(config), d_model),
        Embedding("pos_embed", patches(config), d_model),
    )
    pooled = (*layer[1:], Tensors((vector("attn_pool.latent", d_model),)))
    last = Norm("norm", d_model, bias=True)
    n_layers = config.integer("layers")
    return Tower("vision", d_model, n_layers, stem=stem, layer=layer, projector=(last, *pooled, *projector))


@model_type("step3_vl")
def step3_vl(config: Config) -> Architecture:
    """Step-3 (arXiv:2507.19427): a ViT with norms behind its blocks, two convolutions that merge, one projection."""
    config.needs("text_config", "vision_config")
    config.ignore("understand_projector_stride", "hidden_size")
    text, vision = text_model(config, "step3_text"), config.section("vision_config")
    vision.ignore("projector_bias")
    d_model, layer, n_layers = encoder(vision)
    d_out = vision.integer("output_hidden_size")
    stem = stem_with_class(vision, d_model, bias=True)
    projector = (
        linear("vit_downsampler", 4 * d_model, d_out),
        linear("vit_downsampler2", 9 * d_out, 2 * d_out),
        linear("vit_large_projector", 2 * d_out, text.d_model, bias=config.flag("projector_bias", default=True)),
    )
    tower = Tower("vision", d_model, n_layers, stem=stem, layer=layer, projector=projector)
    return with_towers(config, text, tower, tied=False)
