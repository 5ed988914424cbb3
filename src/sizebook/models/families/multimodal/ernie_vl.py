"""ERNIE 4.5 VL: text and images have routed experts of their own in every sparse layer, shared experts in common."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Brick, Layer, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import Around, attention, block, feed_forward, layers_of, linear, stack, vector
from sizebook.models.families.experts import mlp_kinds, routed
from sizebook.models.families.multimodal.joining import text_model, with_towers
from sizebook.models.families.towers.vision import encoder_of_depth, pixels
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("ernie4_5_vl_moe")
def ernie_vl(config: Config) -> Architecture:
    """ERNIE 4.5 VL: a ViT without positions, neighbours in space and time merged in two steps."""
    text = text_model(config, "ernie4_5_vl_moe_text")
    return with_towers(config, text, _vit(config.section("vision_config"), text.d_model), tied=True)


@model_type("ernie4_5_vl_moe_text")
def ernie_vl_text(config: Config) -> Architecture:
    """ERNIE 4.5 VL's language model; a text token visits none of the experts for images."""
    if config.flag("use_bias", default=False):
        raise config.unknown("use_bias", True, "false: biases of experts are not described for this type")
    mixer, feed = attention(config, kv_required=True), _experts(config)
    mlps = mlp_kinds(config, first_dense=1)

    def layer(kind: str) -> Layer:
        if kind == "dense":
            return block(mixer.d_model, mixer, feed_forward(config))
        first, mix, second, _ = block(mixer.d_model, mixer, feed[0]).bricks
        return Layer((first, mix, second, *feed))

    return stack(config, layers_of(mlps, layer), Around(tied=True))


def _experts(config: Config) -> tuple[Brick, ...]:
    widths = config.integers("moe_intermediate_size", default=[1536, 512])
    if len(widths) != 2:
        raise config.unknown("moe_intermediate_size", widths, "two numbers: experts of text, experts of images")
    one = config.read_as({**config.values, "moe_intermediate_size": widths[0]})
    one.defaults = {"moe_num_experts": 64, "moe_k": 6}
    text = routed(one, name="mlp.text_moe")
    config.ignore(*one.read)
    text = replace(text, d_ff_shared=widths[0] * config.integer("moe_num_shared_experts", default=2))
    seen = replace(text, d_ff=widths[1], d_ff_shared=0, name="mlp.vision_moe").weights
    statics = vector("moe_statics.e_score_correction_bias", 1, text.n_experts, part="router")
    unvisited = (replace(weight, active=0) if weight.copies > 1 else weight for weight in seen)
    return text, Tensors((*unvisited, statics, statics))


def _vit(config: Config, d_text: int) -> Tower:
    d_model, layer = encoder_of_depth(config)
    merge, frames = config.integer("spatial_merge_size", default=2), config.integer("temporal_merge_size", default=2)
    wide = d_model * merge**2
    projector: list[Brick] = [Norm("ln", d_model, bias=True)]
    for name, d_in in (("spatial_linear", wide), ("temporal_linear", wide * frames)):
        projector += [linear(f"{name}.fc1", d_in, wide), linear(f"{name}.fc2", wide, wide)]
        projector.append(Norm(f"{name}.ln", wide, bias=True))
    projector += [linear("mlp", wide, d_text), Norm("after_norm", d_text)]
    stem = (linear("patch_embed", pixels(config), d_model, bias=False),)
    n_layers = config.integer("depth", "num_hidden_layers")
    return Tower("vision", d_model, n_layers, stem=stem, layer=layer, projector=tuple(projector))
