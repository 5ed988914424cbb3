"""Models that read images as tokens of their vocabulary, from a quantiser that stands beside them: Chameleon."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from sizebook.models.architecture import Architecture, Brick, Embedding, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import attention, block, feed_forward, linear, stack, uniform
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("chameleon")
def chameleon(config: Config) -> Architecture:
    """Chameleon (arXiv:2405.09818): gains and offsets of queries and keys a head, a VQ-GAN's encoder and codebook."""
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    d_model = feed.d_model
    mixer = attention(config, biased=True, kv_required=True)
    config.divides("hidden_size", d_model, "num_attention_heads", mixer.n_heads)
    if mixer.n_heads * mixer.d_head != d_model:
        raise config.unknown("head_dim", mixer.d_head, f"heads that are together {d_model} wide")
    normed = (d_model, mixer.n_kv_heads * mixer.d_head)
    mixer = replace(mixer, qk_norm=normed, qk_norm_bias=True)
    text = stack(config, uniform(config, block(d_model, mixer, feed)))
    return replace(text, inputs=(*text.inputs, _quantiser(config.section("vq_config"))))


def _quantiser(config: Config) -> Tower:
    """Return the encoder of a VQ-GAN (arXiv:2012.09841) and its table of codes."""
    config.only("model_type", "chameleon_vqgan")
    config.ignore("beta")
    channels, widths = config.integer("base_channels"), widths_of(config)
    n_blocks, attends = config.integer("num_res_blocks"), config.text("attn_type", default="vanilla")
    looks_at, side = set(config.integers("attn_resolutions", default=[])), config.integer("resolution")
    if attends != "vanilla":
        raise config.unknown("attn_type", attends, "'vanilla'")
    looks = [side >> level in looks_at for level in range(len(widths))]
    bricks: list[Brick] = [linear("conv_in", 9 * config.integer("in_channels"), channels)]
    bricks += resolutions(channels, widths, n_blocks, attends=looks, blocks=DOWN)
    width = widths[-1]
    latent = config.integer("latent_channels") * (2 if config.flag("double_latent", default=False) else 1)
    d_code = config.integer("embed_dim")
    bricks += middle_blocks(width)
    bricks += [Norm("norm_out", width, bias=True), linear("conv_out", 9 * width, latent)]
    codes: tuple[Brick, ...] = (
        linear("quant_conv", config.integer("latent_channels"), d_code),
        linear("post_quant_conv", d_code, config.integer("latent_channels")),
        Embedding("quantize", config.integer("num_embeddings"), d_code),
    )
    return Tower("vision", width, 0, stem=tuple(bricks), layer=(), projector=codes, name="vqmodel")


def widths_of(config: Config) -> list[int]:
    """Return the channels of a quantiser at each resolution, the highest first."""
    times = config.integers("channel_multiplier")
    if not times or 0 in times:
        raise config.unknown("channel_multiplier", times, "one number of 1 or more for each resolution")
    return [config.integer("base_channels") * each for each in times]


def middle_blocks(width: int) -> list[Brick]:
    """Return the blocks of the lowest resolution, between encoder or decoder and the codes."""
    return [*residual_block(width, width), *looks_around(width), *residual_block(width, width)]


def residual_block(d_in: int, d_out: int) -> tuple[Brick, ...]:
    """Return two convolutions over three by three neighbours, each after a norm, and a shortcut where widths differ."""
    shortcut = (linear("nin_shortcut", d_in, d_out),) if d_in != d_out else ()
    return (
        Norm("norm1", d_in, bias=True),
        linear("conv1", 9 * d_in, d_out),
        Norm("norm2", d_out, bias=True),
        linear("conv2", 9 * d_out, d_out),
        *shortcut,
    )


def looks_around(width: int) -> tuple[Brick, ...]:
    """Return the attention of one head among the places of an image."""
    return Norm("norm", width, bias=True), *(linear(name, width, width) for name in ("q", "k", "v", "proj_out"))


class Blocks(NamedTuple):
    """What a quantiser has at a resolution, by widths, and the name of the convolution to the next resolution."""

    convolved: Callable[[int, int], tuple[Brick, ...]]
    attended: Callable[[int], tuple[Brick, ...]]
    step: str


def resolutions(d_in: int, widths: list[int], n_blocks: int, *, attends: list[bool], blocks: Blocks) -> list[Brick]:
    """Return the blocks of each resolution, and the convolution between two of them."""
    bricks: list[Brick] = []
    for level, width in enumerate(widths):
        for _ in range(n_blocks):
            bricks += blocks.convolved(d_in, width)
            bricks += blocks.attended(width) if attends[level] else ()
            d_in = width
        if level < len(widths) - 1:
            bricks.append(linear(blocks.step, 9 * width, width))
    return bricks


DOWN, UP = (Blocks(residual_block, looks_around, step) for step in ("downsample", "upsample"))
