"""Sections of joined models that are published as models of their own: the text and image encoders of pipelines.

Diffusion pipelines keep CLIP's text encoder, SigLIP's tower or the language model of Qwen 2.5 VL in a folder each.
"""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Projection
from sizebook.models.config import Config
from sizebook.models.families.encoders.whole import ROWS
from sizebook.models.families.multimodal.clip import of_images, text_head
from sizebook.models.families.towers.rows import tower
from sizebook.models.families.whole_rows import described
from sizebook.models.huggingface import describe, model_type

# Language models by the type of the section: the type whose mapping reads it, and the class that holds it bare.
LANGUAGE = {
    "qwen2_vl_text": ("qwen2", "Qwen2VLTextModel"),
    "qwen2_5_vl_text": ("qwen2", "Qwen2_5_VLTextModel"),
    "qwen3_vl_text": ("qwen3", "Qwen3VLTextModel"),
    "qwen3_vl_moe_text": ("qwen3_moe", "Qwen3VLMoeTextModel"),
}
# Towers, and text encoders that see words in order or both ways: the classes that hold them.
IMAGES = {
    "clip_vision_model": ("clip", ("CLIPVisionModel", "CLIPVisionModelWithProjection")),
    "siglip_vision_model": ("siglip", ("SiglipVisionModel",)),
    "pixtral": ("pixtral", ("PixtralVisionModel",)),
}
WORDS = {
    "clip_text_model": ("CLIPTextModel", "CLIPTextModelWithProjection"),
    "siglip_text_model": ("SiglipTextModel",),
}


@model_type(*LANGUAGE)
def language_model(config: Config) -> Architecture:
    """The language model of Qwen's VL models without a head, as its class builds it."""
    own = config.text("model_type")
    kind, name = LANGUAGE[own]
    config.built_as(name)
    config.values = {**config.values, "model_type": kind}
    return replace(describe(config), model_type=own, head=None)


@model_type(*IMAGES)
def image_encoder(config: Config) -> Architecture:
    """The tower of CLIP, SigLIP or Pixtral; CLIP's may project what it pools into the space that text shares."""
    row, classes = IMAGES[config.text("model_type")]
    config.built_as(*classes)
    seen = tower(row, config)
    return of_images(config, seen, None, *_projected(config, "visual_projection", seen.d_model))


@model_type(*WORDS)
def text_encoder(config: Config) -> Architecture:
    """The text encoder of CLIP, causal and projected where its class says so, or of SigLIP, always projected."""
    kind = config.text("model_type")
    config.built_as(*WORDS[kind])
    side = described(ROWS["_clip_text" if kind == "clip_text_model" else "_siglip_text"], config)
    if kind == "siglip_text_model":
        return replace(side, outputs=(*side.outputs, text_head(config, side.d_model)))
    return replace(side, outputs=(*side.outputs, *_projected(config, "text_projection", side.d_model)))


def _projected(config: Config, name: str, d_model: int) -> tuple[Projection, ...]:
    """Return the projection into the shared space that the classes with one in their name put on top."""
    config.ignore("architectures", "projection_dim")
    if not "".join(config.class_names()[:1]).endswith("WithProjection"):
        return ()
    return (Projection(name, d_model, config.integer("projection_dim"), bias=False, pooled=True),)
