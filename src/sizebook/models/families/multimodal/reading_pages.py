"""Small models that read pages: PaddleOCR-VL, whose file is flat, and HunyuanOCR."""

from __future__ import annotations

from dataclasses import replace

from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, Embedding, Head, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import BesideLayers, attention, block, feed_forward, linear, stack, uniform, vector
from sizebook.models.families.multimodal.joining import with_towers
from sizebook.models.families.towers.vision import encoder, pixels, siglip
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower

# Switches of the publisher's code, and settings of the image's positions.
OWN_CODE = (
    "compression_ratio",
    "weight_share_add_bias",
    "use_3d_rope",
    "rope_is_neox_style",
    "use_flash_attention",
    "max_sequence_length",
)


@model_type("paddleocr_vl")
def paddleocr_vl(config: Config) -> Architecture:
    """PaddleOCR-VL (arXiv:2510.14528): SigLIP whose position table is resampled, ERNIE 4.5's language model."""
    config.ignore(*OWN_CODE)
    if config.has("text_config"):
        section = config.section("text_config")
        section.only("model_type", "paddleocr_vl_text")
        text = _language_model(section)
        return with_towers(config, text, _vit(config, text.d_model), tied=True, ties="either")
    inner = config.read_as({**config.values, "model_type": "paddleocr_vl_text"})
    config.without("text_config")
    text = _language_model(inner)
    config.ignore(*inner.read)
    tower = _vit(config, text.d_model)
    tied, notes = config.flag("tie_word_embeddings", default=True), text.notes
    if not tied:
        notes = (*notes, remark("the head is counted, as the checkpoint stores it: transformers 5 ties it"))
    head = Head(text.vocab, text.d_model, tied=tied)
    return replace(text, model_type="paddleocr_vl", inputs=(*text.inputs, tower), head=head, notes=notes)


def _language_model(section: Config) -> Architecture:
    section.values = {**section.values, "model_type": "paddleocr_vl_text"}
    section.ignore("tie_word_embeddings")
    bias = section.flag("use_bias", default=False)
    feed = feed_forward(section, bias=bias)
    mixer = attention(section, d_head=128, kv_required=True, qkv_bias=bias, out_bias=bias)
    return stack(section, uniform(section, block(feed.d_model, mixer, feed)), BesideLayers(tied=True))


def _vit(config: Config, d_text: int) -> Tower:
    vision = config.section("vision_config")
    vision.only("model_type", "paddleocr_vl_vision", "paddleocr_vl")  # the first files say the whole's
    vision.ignore("temporal_patch_size", "tokens_per_second")
    vision.values = {**vision.values, "vision_use_head": False}
    width = vision.integer("hidden_size")
    joined = width * vision.integer("spatial_merge_size", default=2) ** 2
    projector = (
        Norm("pre_norm", width, bias=True),
        linear("linear_1", joined, joined),
        linear("linear_2", joined, d_text),
    )
    return siglip(vision, projector)


HUNYUAN_CODE = ("cla_share_factor", "norm_type", "class_num", "pool_type", "num_media_embeds")


@model_type("hunyuan_vl")
def hunyuan_vl(config: Config) -> Architecture:
    """HunyuanOCR (arXiv:2511.19575): a ViT whose patches convolutions merge, Hunyuan with norms on each head."""
    if config.has("text_config"):
        section = config.section("text_config")
        section.only("model_type", "hunyuan_vl_text")
        text = _hunyuan(section)
    else:  # the first files are flat; the flag there is the whole's, the language model takes its type's
        kept = {key: value for key, value in config.values.items() if key != "tie_word_embeddings"}
        section = config.read_as({**kept, "model_type": "hunyuan_vl_text"})
        config.without("text_config")
        text = _hunyuan(section)
        config.ignore(*section.read)
    tower = _merging(config.section("vision_config"), text.d_model)
    return with_towers(config, text, tower, tied=True, ties="either")


def _hunyuan(section: Config) -> Architecture:
    section.values = {**section.values, "model_type": "hunyuan_vl_text"}
    section.ignore("tie_word_embeddings", *HUNYUAN_CODE)
    section.only("use_qk_norm", True)
    bias = section.flag("attention_bias", default=False)
    feed, mixer = feed_forward(section), attention(section, qk_norm="head", qkv_bias=bias, out_bias=bias)
    return stack(section, uniform(section, block(feed.d_model, mixer, feed)), BesideLayers(tied=True))


def _merging(config: Config, d_text: int) -> Tower:
    config.only("model_type", "hunyuan_vl_vision")
    config.ignore("out_hidden_size", "text_hidden_size", "img_max_token_num", "max_vit_seq_len", "min_image_size")
    config.ignore("interpolate_mode", "anyres_pooling_size", "temporal_patch_size")
    d_model, layer, n_layers = encoder(config)
    config.only("num_key_value_heads", config.integer("num_attention_heads"))
    merge, patch = config.integer("spatial_merge_size", default=2), config.integer("patch_size")
    side = config.integer("max_image_size") // patch
    wide = 4 * d_model
    stem = linear("patch_embedding", pixels(config), d_model), Embedding("position_embedding", side**2 + 1, d_model)
    projector = (
        Norm("before_rms", d_model),
        linear("proj_conv", merge**2 * d_model, 2 * d_model),
        linear("proj_out", 2 * d_model, wide),
        linear("mlp", wide, d_text),
        Tensors(
            (vector("image_newline", wide), *(vector(f"image_{name}", d_text) for name in ("begin", "end", "sep")))
        ),
        Norm("after_rms", d_text),
    )
    return Tower("vision", d_model, n_layers, stem=stem, layer=layer, projector=projector)
