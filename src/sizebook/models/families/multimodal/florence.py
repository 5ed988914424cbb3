"""Florence-2: a DaViT, whose stages attend by windows and by channels, before BART's two stacks."""

from dataclasses import replace
from typing import Any

from sizebook.models.architecture import Architecture, Brick, Embedding, Head, Norm, Projection
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.huggingface import describe, model_type
from sizebook.models.towers import Tower


@model_type("florence2")
def florence2(config: Config) -> Architecture:
    """Florence-2 (arXiv:2311.06242), in transformers' spelling or that of the publisher's code."""
    config.built_as("Florence2ForConditionalGeneration", "Florence2Model")
    section, vision = config.section("text_config"), config.section("vision_config")
    section.only("model_type", "bart", "florence2_language")
    vision.only("model_type", "florence_vision", "davit")
    own_code = vision.values.get("model_type") == "davit"
    if own_code:
        _as_transformers_spells(vision)
    section.values = {**section.values, "model_type": "bart", "architectures": ["BartModel"]}
    text = describe(section)
    tied = config.flag("tie_word_embeddings", default=True)
    tower, codes = _davit(vision)
    return replace(
        text,
        model_type="florence2",
        inputs=(*text.inputs, tower),
        head=Head(text.vocab, text.d_model, tied=tied),
        buffers=(
            *text.buffers,
            codes,
            *((vector("final_logits_bias", 1, text.vocab, part="bias"),) if own_code else ()),
        ),
    )


def _as_transformers_spells(vision: Config) -> None:
    """Read a file of the publisher's code, whose keys transformers' class would pass over."""
    vision.ignore("enable_checkpoint", "dim_embed", "image_pos_embed", "visual_temporal_embedding")
    vision.only("image_feature_source", ["spatial_avg_pool", "temporal_avg_pool"])
    found = {"embed_dim": vision.values.get("dim_embed")}
    for section, kind, key, own in (
        ("image_pos_embed", "learned_abs_2d", "max_pos_embeddings", "max_position_embeddings"),
        ("visual_temporal_embedding", "COSINE", "max_temporal_embeddings", "max_temporal_embeddings"),
    ):
        told = vision.values.get(section)
        if not isinstance(told, dict) or told.get("type") != kind or told.keys() - {"type", key}:
            raise vision.unknown(section, told, f"a '{key}' of the type '{kind}'")
        found[own] = told.get(key)
    if None in found.values():
        missing = next(key for key, value in found.items() if value is None)
        raise vision.unknown(missing, None, "a value: a file of the publisher's code gives it")
    vision.values = {**vision.values, **found}


def _each(config: Config, key: str, usual: list[int], n_stages: int) -> list[int]:
    """Return a size for each stage; further ones are not read."""
    sizes = config.integers(key, default=usual)
    if len(sizes) < n_stages:
        raise config.unknown(key, sizes, f"one number for each of the {n_stages} stages of 'embed_dim'")
    return sizes[:n_stages]


def _davit(config: Config) -> tuple[Tower, Any]:
    """Return a DaViT (arXiv:2204.03645) with its projector, and the table of the frames' positions that is stored."""
    config.ignore("patch_stride", "patch_padding", "window_size", "drop_path_rate")
    widths = config.integers("embed_dim", default=[128, 256, 512, 1024])
    n_stages = len(widths)
    for key in ("num_heads", "num_groups"):
        if len(said := config.integers(key, default=[4, 8, 16, 32])) != n_stages:
            raise config.unknown(key, said, f"one number for each of the {n_stages} stages of 'embed_dim'")
    depths = _each(config, "depths", [1, 1, 9, 1], n_stages)
    kernels = _each(config, "patch_size", [7, 3, 3, 3], n_stages)
    before = config.values.get("patch_prenorm", [False, True, True, True])
    config.ignore("patch_prenorm")
    if not isinstance(before, list) or len(before) < n_stages or any(said.__class__ is not bool for said in before):
        raise config.unknown("patch_prenorm", before, "true or false for each stage")
    ratio, bias = config.number("mlp_ratio"), config.flag("qkv_bias", default=True)
    bricks: list[Brick] = []
    d_in = config.integer("in_channels")
    for width, depth, kernel, norm_first in zip(widths, depths, kernels, before, strict=False):
        bricks.append(linear("conv", kernel**2 * d_in, width))
        bricks.append(Norm("norm", d_in if norm_first else width, bias=True))
        bricks += [*_block(width, int(width * ratio), bias=bias)] * (2 * depth)  # by windows, then by channels
        d_in = width
    rows, d_out = config.integer("max_position_embeddings"), config.integer("projection_dim")
    projector = (
        linear("image_projection", d_in, d_out, bias=False),
        Norm("image_proj_norm", d_out, bias=True),
        Embedding("row_embeddings", rows, d_in // 2),
        Embedding("column_embeddings", rows, d_in - d_in // 2),
    )
    codes = vector("visual_temporal_embed", config.integer("max_temporal_embeddings"), d_in)
    return Tower("vision", d_in, 0, stem=tuple(bricks), layer=(), projector=projector), codes


def _block(width: int, d_ff: int, *, bias: bool) -> tuple[Brick, ...]:
    """Return attention and a plain block, each behind a convolution of every channel by itself and a norm."""
    return (
        Projection("conv1", 9, width),
        Norm("norm1", width, bias=True),
        linear("attn.qkv", width, 3 * width, bias=bias),
        linear("attn.proj", width, width),
        Projection("conv2", 9, width),
        Norm("norm2", width, bias=True),
        linear("ffn.fc1", width, d_ff),
        linear("ffn.fc2", d_ff, width),
    )
