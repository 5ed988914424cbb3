"""Vision behind a text model of the file's choice: GLM 4.6V, and EXAONE 4.5, whose tower groups its keys."""

from __future__ import annotations

from sizebook.models.architecture import Architecture, Attention, FeedForward, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear
from sizebook.models.families.multimodal.joining import with_towers
from sizebook.models.families.multimodal.ready_made_vision import aligned_text
from sizebook.models.families.towers.vision import glm_vit, merger, pixels
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("glm46v")
def glm46v(config: Config) -> Architecture:
    """GLM 4.6V: GLM 4.1V's tower before the text model of either generation."""
    text, vision = aligned_text(config, "glm4v_text"), config.section("vision_config")
    vision.only("model_type", "glm4v_vision", "glm4v_moe_vision")
    return with_towers(config, text, glm_vit(vision), tied=False)


@model_type("exaone4_5")
def exaone4_5(config: Config) -> Architecture:
    """EXAONE 4.5: a ViT with grouped keys and rotary positions before EXAONE 4."""
    section = config.section("text_config")
    if section.values.get("model_type") == "exaone4_5_text":  # of the first release; read as EXAONE 4's
        section.values = {**section.values, "model_type": "exaone4"}
    text = aligned_text(config, "exaone4")
    return with_towers(config, text, _grouped_vit(config.section("vision_config")), tied=False)


def _grouped_vit(config: Config) -> Tower:
    config.only("model_type", "exaone4_5_vision")
    config.ignore("window_size", "fullatt_block_indexes", "tokens_per_second")
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_heads", "num_attention_heads")
    config.divides("hidden_size", d_model, "num_heads", n_heads)
    n_kv = config.integer("num_key_value_heads")
    attend = Attention(
        d_model, n_heads, n_kv, d_head=d_model // n_heads, qkv_bias=True, out_bias=True, bidirectional=True
    )
    feed = FeedForward(d_model, config.integer("intermediate_size"), gated=True, bias=True)
    merge, frames = config.integer("spatial_merge_size"), config.integer("temporal_patch_size")
    return Tower(
        "vision",
        d_model,
        config.integer("depth"),
        stem=(linear("patch_embed", pixels(config, frames=frames, key="in_channels"), d_model, bias=False),),
        layer=(Norm("norm1", d_model), attend, Norm("norm2", d_model), feed),
        projector=merger(d_model, merge, config.integer("out_hidden_size"), bias=False),
    )
