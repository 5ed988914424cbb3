"""Models that draw images by tokens of a quantiser: Janus, which reads them by a ViT, and Emu3, by its quantiser."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from sizebook.models.architecture import Architecture, Brick, Embedding, Norm, Weight
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear
from sizebook.models.families.decoders.rows import language_model_of
from sizebook.models.families.multimodal.image_tokens import DOWN, UP, Blocks, middle_blocks, resolutions, widths_of
from sizebook.models.families.multimodal.joining import with_towers
from sizebook.models.families.multimodal.rows import joined_architecture, row_of
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower

Norms = Callable[[int], tuple[Brick, ...]]


@model_type("janus")
def janus(config: Config) -> Architecture:
    """Janus and Janus-Pro (arXiv:2501.17811): one encoder to read images, a quantiser with its decoder to draw them."""
    whole = joined_architecture(row_of("_janus"), config)
    return replace(whole, inputs=(*whole.inputs, _painter(config.section("vq_config"))))


def _mlp(name: str, d_in: int, d_out: int, depth: int) -> list[Brick]:
    """Return a projection and as many square ones behind it as make ``depth`` together."""
    return [linear(f"{name}.fc1", d_in, d_out), *[linear(f"{name}.hidden_layers", d_out, d_out)] * (depth - 1)]


def _painter(config: Config) -> Tower:
    """Return the encoder and decoder of a VQ-GAN (arXiv:2012.09841), its codes, and what joins them to the text."""
    config.only("model_type", "janus_vqgan")
    config.ignore("num_patches")
    channels, widths = config.integer("base_channels"), widths_of(config)
    n_blocks, latent = config.integer("num_res_blocks"), config.integer("latent_channels")
    double = 2 if config.flag("double_latent", default=False) else 1
    d_code, lowest = config.integer("embed_dim"), [width == len(widths) - 1 for width in range(len(widths))]
    encoder = resolutions(channels, widths, n_blocks, attends=lowest, blocks=DOWN)
    decoder = resolutions(widths[-1], widths[::-1], n_blocks + 1, attends=lowest[::-1], blocks=UP)
    n_codes, d_out = config.integer("num_embeddings"), config.integer("projection_dim")
    bricks: list[Brick] = [
        linear("encoder.conv_in", 9 * config.integer("in_channels"), channels),
        *encoder,
        *middle_blocks(widths[-1]),
        Norm("encoder.norm_out", widths[-1], bias=True),
        linear("encoder.conv_out", 9 * widths[-1], double * latent),
        Embedding("quantize", n_codes, d_code),
        linear("quant_conv", latent, d_code),
        linear("post_quant_conv", d_code, latent),
        linear("decoder.conv_in", 9 * latent, widths[-1]),
        *middle_blocks(widths[-1]),
        *decoder,
        Norm("decoder.norm_out", widths[0], bias=True),
        linear("decoder.conv_out", 9 * widths[0], config.integer("out_channels")),
    ]
    joins: list[Brick] = [
        Embedding("generation_embeddings", n_codes, d_code),
        *_mlp("generation_aligner", d_code, d_out, config.integer("num_hidden_layers")),
        linear("generation_head.proj_out", config.integer("image_token_embed_dim"), d_out),
        linear("generation_head.vision_head", d_out, n_codes),
    ]
    return Tower("vision", widths[-1], 0, stem=tuple(bricks), layer=(), projector=tuple(joins), name="vqmodel")


@model_type("emu3")
def emu3(config: Config) -> Architecture:
    """Emu3 (arXiv:2409.18869): Llama over words and codes, beside the quantiser that reads and draws frames."""
    config.built_as("Emu3ForConditionalGeneration", "Emu3Model")
    text = language_model_of("emu3_text_model", config.section("text_config"))
    tower, buffers = _frames(config.section("vq_config"))
    return with_towers(config, text, tower, tied=False, buffers=buffers)


def _frames(config: Config) -> tuple[Tower, tuple[Weight, ...]]:
    """Return the quantiser of frames, whose decoder norms by the codes, and what its batch norms store."""
    config.only("model_type", "emu3_vqgan")
    config.ignore("num_attention_heads")
    widths = widths_of(config)
    channels, n_blocks = config.integer("base_channels"), config.integer("num_res_blocks")
    looks_at, d_looks = set(config.integers("attn_resolutions")), config.integer("hidden_size")
    latent, d_code = config.integer("latent_channels"), config.integer("embed_dim")
    out = latent * (2 if config.flag("double_latent", default=False) else 1)
    halvings = config.integer("temporal_downsample_factor").bit_length() - 1
    attends = [level in looks_at for level in range(len(widths))]
    drawn, looks = partial(_by_codes, d_code), _projections(d_looks)
    encoder = resolutions(channels, widths, n_blocks, attends=attends, blocks=_blocks(_plain, looks))
    decoder = resolutions(widths[-1], widths[::-1], n_blocks + 1, attends=attends[::-1], blocks=_blocks(drawn, looks))
    last = widths[-1]
    bricks: list[Brick] = [
        linear("encoder.conv_in", 9 * config.integer("in_channels", default=3), channels),
        *encoder,
        *_between(last, _plain, looks),
        Norm("encoder.norm_out", last, bias=True),
        linear("encoder.conv_out", 9 * last, out),
        *[linear("encoder.time_conv", 4 * 9 * out, out)] * halvings,
        *_through_time(out) * n_blocks,
        Embedding("quantize", config.integer("codebook_size"), d_code),
        linear("quant_conv", 3 * latent, d_code),
        linear("post_quant_conv", 3 * d_code, latent),
        *_through_time(latent) * n_blocks,
        *[linear("decoder.time_conv", 3 * 9 * latent, latent)] * halvings,
        linear("decoder.conv_in", 9 * latent, last),
        *_between(last, drawn, looks),
        *decoder,
        *drawn(widths[0]),
        linear("decoder.conv_out", 9 * widths[0], config.integer("out_channels")),
    ]
    seen = tuple(
        Weight(f"{side}.time_res_stack", (2 * (2 * width + 1),), "other", use="vector", copies=n_blocks)
        for side, width in (("encoder", out), ("decoder", latent))
    )
    return Tower("vision", last, 0, stem=tuple(bricks), layer=(), projector=(), name="vqmodel"), seen


def _plain(width: int) -> tuple[Brick, ...]:
    """Return the norm of the encoder."""
    return (Norm("norm", width, bias=True),)


def _by_codes(d_code: int, width: int) -> tuple[Brick, ...]:
    """Return the norm of the decoder: its gain and offset come from the codes."""
    return (
        Norm("norm_layer", width, bias=True),
        linear("conv_y", d_code, width),
        linear("conv_b", d_code, width),
    )


def _projections(width: int) -> list[Brick]:
    return [linear(name, width, width) for name in ("q_proj", "k_proj", "v_proj", "out_proj")]


def _convolved(d_in: int, d_out: int, norms: Norms) -> tuple[Brick, ...]:
    shortcut = [linear("nin_shortcut", d_in, d_out)] if d_in != d_out else []
    return (
        *norms(d_in),
        linear("conv1", 9 * d_in, d_out),
        *norms(d_out),
        linear("conv2", 9 * d_out, d_out),
        *shortcut,
    )


def _between(width: int, norms: Norms, looks: list[Brick]) -> list[Brick]:
    """Return the blocks of the lowest resolution, between encoder or decoder and the codes."""
    return [*_convolved(width, width, norms), *looks, *norms(width), *_convolved(width, width, norms)]


def _blocks(norms: Norms, looks: list[Brick]) -> Blocks:
    return Blocks(partial(_convolved, norms=norms), lambda width: (*looks, *norms(width)), "resample")


def _through_time(width: int) -> list[Brick]:
    """Return two convolutions over three frames and their neighbours, each behind a batch norm."""
    return [Norm("norm", width, bias=True), linear("conv", 27 * width, width)] * 2
