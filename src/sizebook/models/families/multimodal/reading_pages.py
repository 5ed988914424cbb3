"""Small models that read pages: PaddleOCR-VL, which keeps its language model's keys at the top of its file."""

from __future__ import annotations

from dataclasses import replace

from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, Head, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import Around, attention, block, feed_forward, linear, stack, uniform
from sizebook.models.families.multimodal.joining import with_towers
from sizebook.models.families.multimodal.section_defaults import SIGLIP
from sizebook.models.families.towers.vision import siglip
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower

PADDLE_VISION = {
    **SIGLIP,
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_hidden_layers": 27,
    "num_attention_heads": 16,
    "image_size": 384,
    "patch_size": 14,
}
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
    return stack(section, uniform(section, block(feed.d_model, mixer, feed)), Around(tied=True))


def _vit(config: Config, d_text: int) -> Tower:
    vision = config.section("vision_config", PADDLE_VISION)
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
