"""SigLIP behind a gated projection: Idefics 2, Aya Vision, Command A Vision."""

from __future__ import annotations

from sizebook.models.architecture import Architecture, Attention, Brick, FeedForward, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.multimodal.joining import with_towers
from sizebook.models.families.multimodal.ready_made_vision import aligned_text
from sizebook.models.families.towers.vision import siglip
from sizebook.models.huggingface import model_type


@model_type("idefics2")
def idefics2(config: Config) -> Architecture:
    """Idefics 2 (arXiv:2405.02246): SigLIP without its head, a gated projection, a perceiver that reads 64 queries."""
    text = aligned_text(config, "mistral")
    vision, section = config.section("vision_config"), config.section("text_config")
    vision.values = {**vision.values, "vision_use_head": False}
    if section.values.get("hidden_act") == "xielu":
        raise section.unknown("hidden_act", "xielu", "a function without weights: the perceiver takes the same one")
    d_ff, d_model = section.integer("intermediate_size"), text.d_model
    projector = (
        linear("gate_proj", width := vision.integer("hidden_size"), d_ff, bias=False),
        linear("up_proj", width, d_ff, bias=False),
        linear("down_proj", d_ff, d_model, bias=False),
    )
    return with_towers(config, text, siglip(vision, (*projector, *_perceiver(config, d_model))), tied=False)


def _perceiver(config: Config, d_model: int) -> tuple[Brick, ...]:
    """Return the perceiver: learned queries, layers that attend to the patches, a last norm."""
    perceiver = config.section("perceiver_config")
    perceiver.ignore("hidden_size")  # it is as wide as the language model, whatever is said here
    n_heads = perceiver.integer("resampler_n_heads")
    kv_heads = perceiver.integer("num_key_value_heads")
    layer = (
        Norm("input_latents_norm", d_model),
        Norm("input_context_norm", d_model),
        Attention(d_model, n_heads, kv_heads, d_head=perceiver.integer("resampler_head_dim")),
        Norm("post_attention_layernorm", d_model),
        FeedForward(d_model, 4 * d_model, gated=True),
    )
    latents = Tensors((vector("latents", perceiver.integer("resampler_n_latents"), d_model),))
    return latents, *layer * perceiver.integer("resampler_depth"), Norm("norm", d_model)


@model_type("aya_vision", "cohere2_vision")
def cohere_vision(config: Config) -> Architecture:
    """Aya Vision and Command A Vision: SigLIP, neighbouring patches side by side, a gated projection, Command R7B."""
    aya = config.text("model_type") == "aya_vision"
    text, vision = aligned_text(config, "cohere2"), config.section("vision_config")
    vision.only("model_type", "siglip_vision_model")
    joined = vision.integer("hidden_size") * config.integer("downsample_factor") ** 2
    d_inner = config.integer("alignment_intermediate_size", default=text.d_model if aya else 36864)
    projector = (
        *((Norm("layernorm", joined, bias=True),) if aya else ()),
        linear("linear_1", joined, d_inner),
        linear("linear_2", d_inner // 2, text.d_model),
    )
    return with_towers(config, text, siglip(vision, projector), tied=True)
