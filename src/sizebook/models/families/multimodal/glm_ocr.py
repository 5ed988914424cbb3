"""GLM-OCR: GLM 4's text model without biases behind a ViT with norms on each head."""

from __future__ import annotations

from sizebook.models.architecture import Architecture, Attention, FeedForward, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import attention, feed_forward, linear, sandwich, stack, uniform
from sizebook.models.families.multimodal.joining import with_towers
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower

NORMS = ("input_layernorm", "post_self_attn_layernorm", "post_attention_layernorm", "post_mlp_layernorm")


@model_type("glm_ocr")
def glm_ocr(config: Config) -> Architecture:
    """GLM-OCR: its class takes the tie of either level."""
    section = config.section("text_config")
    section.only("model_type", "glm_ocr_text")
    section.values = {**section.values, "model_type": "glm_ocr_text"}
    section.ignore("tie_word_embeddings")
    feed, mixer = feed_forward(section), attention(section, kv_required=True)
    text = stack(section, uniform(section, sandwich(feed.d_model, mixer, feed, names=NORMS)))
    tower = _normed_vit(config.section("vision_config"))
    return with_towers(config, text, tower, tied=False, ties="either")


def _normed_vit(config: Config) -> Tower:
    config.only("model_type", "glm_ocr_vision")
    config.ignore("image_size")
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_heads", "num_attention_heads")
    config.divides("hidden_size", d_model, "num_heads", n_heads)
    d_head, bias = d_model // n_heads, config.flag("attention_bias", default=True)
    attend = Attention(
        d_model,
        n_heads,
        n_heads,
        d_head=d_head,
        qkv_bias=bias,
        out_bias=bias,
        qk_norm=(d_head, d_head),
        bidirectional=True,
    )
    feed = FeedForward(d_model, config.integer("intermediate_size"), gated=True, bias=bias)
    merge, frames = config.integer("spatial_merge_size", default=2), config.integer("temporal_patch_size")
    channels, d_out = config.integer("in_channels"), config.integer("out_hidden_size")
    pixels = channels * config.integer("patch_size") ** 2 * frames
    return Tower(
        "vision",
        d_model,
        config.integer("depth"),
        stem=(linear("patch_embed", pixels, d_model),),
        layer=(Norm("norm1", d_model), attend, Norm("norm2", d_model), feed),
        projector=(
            Norm("post_layernorm", d_model),
            linear("downsample", d_model * merge**2, d_out),
            linear("merger.proj", d_out, d_out, bias=False),
            Norm("merger.post_projection_norm", d_out, bias=True),
            FeedForward(d_out, d_out * channels, gated=True, name="merger"),
        ),
    )
