"""LFM 3 VL: an encoder of images that convolves in most layers, as its language model does."""

from sizebook.models.architecture import Architecture, Attention, Brick, FeedForward, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear
from sizebook.models.families.multimodal.joining import text_model, with_towers
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("lfm3_vl")
def lfm3_vl(config: Config) -> Architecture:
    """LFM 3 VL: neighbouring patches side by side behind a norm of each, two projections."""
    config.needs("text_config", "vision_config")
    section = config.section("text_config")
    text = text_model(config, section.text("model_type", default="lfm3"), chosen=True)
    vision = config.section("vision_config")
    vision.only("model_type", "lfm3_vl_vision")
    d_model, inner = vision.integer("hidden_size"), config.integer("projector_hidden_size")
    joined, bias = (
        d_model * vision.integer("spatial_merge_size") ** 2,
        config.flag("projector_bias", default=True),
    )
    projector = (
        Norm("layer_norm", d_model, bias=True),
        linear("linear_1", joined, inner, bias=bias),
        linear("linear_2", inner, text.d_model, bias=bias),
    )
    return with_towers(config, text, _convolving(vision, projector), tied=True)


def _convolving(config: Config, projector: tuple[Brick, ...]) -> Tower:
    """Return the encoder: gated convolutions over neighbouring patches, of one channel each, or grouped attention."""
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    width = config.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    kv_heads = config.integer("num_key_value_heads", default=8)
    config.divides("num_attention_heads", n_heads, "num_key_value_heads", kv_heads)
    n_layers, kernel = config.integer("num_hidden_layers"), config.integer("conv_kernel_size")
    usual = ["conv" if i < 2 or i % 2 else "full_attention" for i in range(n_layers)]
    kinds = config.pattern("layer_types", n_layers, ("conv", "full_attention"), usual)
    attend = Attention(d_model, n_heads, kv_heads, d_head=width, qk_norm=(width, width), bidirectional=True)
    convolve: tuple[Brick, ...] = (
        linear("conv.in_proj", d_model, 3 * d_model, bias=False),
        linear("conv.spatial_conv", kernel**2, d_model, bias=False),
        linear("conv.out_proj", d_model, d_model, bias=False),
    )
    rest: tuple[Brick, ...] = (
        Norm("operator_norm", d_model),
        Norm("ffn_norm", d_model),
        FeedForward(d_model, config.integer("intermediate_size"), gated=True),
    )
    pixels = config.integer("in_channels") * config.integer("patch_size") ** 2
    bricks: list[Brick] = [linear("patch_embed", pixels * config.integer("temporal_patch_size"), d_model, bias=False)]
    for kind in kinds:
        bricks += [*(convolve if kind == "conv" else (attend,)), *rest]
    last = (Norm("embedding_norm", d_model), *projector)
    return Tower("vision", d_model, 0, stem=tuple(bricks), layer=(), projector=last)
