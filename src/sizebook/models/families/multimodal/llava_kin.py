"""LLaVA's kin: ViP-LLaVA, whose projector reads five layers, Video-LLaVA, with two towers, VideoLLaMA 3."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear
from sizebook.models.families.multimodal.joining import layers_joined, with_towers
from sizebook.models.families.multimodal.ready_made_vision import ENCODERS, aligned_text
from sizebook.models.families.towers.vision import encoder, pixels
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower

LAYERS_OF_VIP = 5  # what the class joins where a file does not say which layers


def _layers_of_vip(config: Config) -> int:
    """Return how many layers ViP-LLaVA's projector reads; null, of which its class takes the length, is refused."""
    own, older = "vision_feature_layer", "vision_feature_layers"
    config.ignore(own, older)
    config.agree(own, older)
    config.values = {own: config.values[older], **config.values} if older in config.values else config.values
    if own not in config.values:
        return LAYERS_OF_VIP
    if config.values[own] is None:
        raise config.unknown(own, None, "the number of a layer, or a list of such numbers")
    return layers_joined(config)


@model_type("vipllava")
def vip_llava(config: Config) -> Architecture:
    """ViP-LLaVA (arXiv:2312.00784): several layers of CLIP side by side, normed, through two projections."""
    text, vision = aligned_text(config, "llama"), config.section("vision_config")
    kind = vision.text("model_type", default="clip_vision_model")
    vision.only("model_type", *ENCODERS)
    build = ENCODERS[kind]
    joined = vision.integer("hidden_size") * _layers_of_vip(config)
    projector = (
        Norm("projector_layernorm", joined, bias=True),
        linear("linear_1", joined, text.d_model),
        linear("linear_2", text.d_model, text.d_model),
    )
    return with_towers(config, text, build(vision, projector), tied=False)


@model_type("video_llava")
def video_llava(config: Config) -> Architecture:
    """Video-LLaVA (arXiv:2311.10122): one encoder for images, another like it for videos, one projector."""
    config.ignore("video_seq_length", "video_token_index")
    text, vision = aligned_text(config, "llama"), config.section("vision_config")
    kind, bias = (
        vision.text("model_type", default="clip_vision_model"),
        config.flag("multimodal_projector_bias", default=True),
    )
    vision.only("model_type", *ENCODERS)
    build = ENCODERS[kind]
    projector = (
        linear("linear_1", vision.integer("hidden_size") * layers_joined(config), text.d_model, bias=bias),
        linear("linear_2", text.d_model, text.d_model, bias=bias),
    )
    towers = build(vision, projector), replace(build(vision, ()), name="video_tower")
    return with_towers(config, text, *towers, tied=False)


@model_type("video_llama_3")
def video_llama_3(config: Config) -> Architecture:
    """VideoLLaMA 3 (arXiv:2501.13106): SigLIP with rotary positions in place of a table, two projections."""
    text, vision = aligned_text(config, "qwen2"), config.section("vision_config")
    vision.only("model_type", "video_llama_3_vision")
    vision.ignore("image_size")
    d_model, layer, n_layers = encoder(vision)
    tower = Tower(
        "vision",
        d_model,
        n_layers,
        stem=(linear("patch_embedding", pixels(vision), d_model),),
        layer=layer,
        projector=(
            Norm("post_layernorm", d_model, bias=True),
            linear("readout.0", d_model, text.d_model),
            linear("readout.2", text.d_model, text.d_model),
        ),
    )
    return with_towers(config, text, tower, tied=False, ties="either")
