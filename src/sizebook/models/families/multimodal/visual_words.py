"""Encoders that end in a form of their own: Ovis 2's visual words, Aria's queries, the neck of GOT-OCR 2's SAM."""

from __future__ import annotations

from sizebook.models.architecture import Architecture, Attention, Brick, Embedding, FeedForward, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.multimodal.joining import text_model, with_towers
from sizebook.models.families.multimodal.ready_made_vision import aligned_text
from sizebook.models.families.towers.vision import patches, pixels, rms_gated, siglip
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("ovis2")
def ovis2(config: Config) -> Architecture:
    """Ovis 2 (arXiv:2405.20797): a patch becomes a mixture of visual words, which a table of their own embeds."""
    config.ignore("visual_indicator_token_ids")
    text, vision = aligned_text(config, "qwen2"), config.section("vision_config")
    vision.ignore("tokenize_function")
    vision.only("model_type", "ovis2_vision")
    _top_agrees(config, text)
    d_model, n_heads = vision.integer("hidden_size"), vision.integer("num_attention_heads")
    vision.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    layer = rms_gated(
        d_model,
        n_heads,
        vision.integer("intermediate_size"),
        attention_bias=vision.flag("qkv_bias", default=False),
        mlp_bias=vision.flag("mlp_bias", default=False),
    )
    stem: tuple[Brick, ...] = (
        linear("patch_embedding", pixels(vision), d_model),
        Embedding("position_embedding", patches(vision), d_model),
        Norm("embeddings.rms_norm", d_model),
    )
    n_words, indicators = vision.integer("vocab_size"), vision.integer("num_visual_indicator_tokens")
    if indicators >= n_words:
        raise vision.unknown("num_visual_indicator_tokens", indicators, f"fewer than the {n_words} visual words")
    projector: tuple[Brick, ...] = (
        Norm("rms_norm", d_model),
        linear(
            "head_linear",
            d_model * vision.integer("hidden_stride") ** 2,
            n_words - indicators,
            bias=False,
        ),
        Norm("head_norm", n_words - indicators, bias=True),
        Embedding("visual_embeddings_table", n_words, text.d_model),
    )
    tower = Tower("vision", d_model, vision.integer("num_hidden_layers"), stem=stem, layer=layer, projector=projector)
    return with_towers(config, text, tower, tied=True)


def _top_agrees(config: Config, text: Architecture) -> None:
    """Refuse a top level at odds with the text section: its class builds table and head of the one's sizes.

    A tied head is the section's own, so that a vocabulary which the top level leaves out is none of its class's.
    """
    tied = config.flag("tie_word_embeddings", default=True)
    width = config.integer("hidden_size", default=1536)
    vocab = config.integer("vocab_size", default=text.vocab if tied else 151643)
    for key, said, built in (("hidden_size", width, text.d_model), ("vocab_size", vocab, text.vocab)):
        if said != built:
            raise config.unknown(key, said, f"{built}, as the section of the language model says")


@model_type("aria")
def aria(config: Config) -> Architecture:
    """Aria (arXiv:2410.05993): Idefics 3's ViT, queries that attend to its patches, a mixture of experts."""
    section = config.section("text_config")
    section.only("model_type", "aria_text")
    text = text_model(config, "aria_text")
    vision = config.section("vision_config")
    vision.only("model_type", "idefics3_vision")
    vision.values = {**vision.values, "vision_use_head": False}
    width, d_text = vision.integer("hidden_size"), text.d_model
    attend = Attention(
        width,
        (n_heads := vision.integer("num_attention_heads")),
        n_heads,
        d_head=width // n_heads,
        qkv_bias=True,
        out_bias=True,
        cross=True,
        name="multihead_attn",
    )
    projector: tuple[Brick, ...] = (
        Tensors((vector("query", _queries(config), width),)),
        *(linear(f"cross_attn.{name}", width, width, bias=False) for name in ("q_proj", "k_proj", "v_proj")),
        attend,
        linear("cross_attn.linear", width, width),
        *(Norm(name, width, bias=True) for name in ("cross_attn.layer_norm", "cross_attn.layer_norm_kv", "layer_norm")),
        linear("feed_forward.linear_in", width, d_text, bias=False),
        linear("feed_forward.linear_out", d_text, d_text, bias=False),
    )
    return with_towers(config, text, siglip(vision, projector), tied=False)


def _queries(config: Config) -> int:
    """Return how many learned queries there are: as many as the largest image is given."""
    key, largest = "projector_patch_to_query_dict", "max_value_projector_patch_to_query_dict"
    config.ignore(key)
    queries = config.values.get(key)
    most = 256 if queries is None else _most(config, key, queries)
    said = config.integer(largest, default=most)
    if said != most:
        raise config.unknown(largest, said, f"{most}, the most that '{key}' gives an image")
    return most


def _most(config: Config, key: str, queries: object) -> int:
    if not isinstance(queries, dict) or not queries or not all(str(patch).isdecimal() for patch in queries):
        raise config.unknown(key, queries, "queries by the number of an image's patches")
    if any(n.__class__ is not int or n < 1 for n in queries.values()):
        raise config.unknown(key, queries, "a whole number of 1 or more for each number of patches")
    return int(max(queries.values()))


@model_type("got_ocr2")
def got_ocr2(config: Config) -> Architecture:
    """GOT-OCR 2 (arXiv:2409.01704): SAM's ViT with tables of relative positions in every layer, two convolutions."""
    text, vision = aligned_text(config, "qwen2"), config.section("vision_config")
    vision.only("model_type", "got_ocr2_vision")
    d_model, n_heads = vision.integer("hidden_size"), vision.integer("num_attention_heads")
    vision.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    d_head, channels = d_model // n_heads, vision.integer("output_channels")
    attend = Attention(
        d_model,
        n_heads,
        n_heads,
        d_head=d_head,
        qkv_bias=vision.flag("qkv_bias", default=True),
        out_bias=True,
        bidirectional=True,
    )
    layer: tuple[Brick, ...] = (
        Norm("layer_norm1", d_model, bias=True),
        attend,
        Norm("layer_norm2", d_model, bias=True),
        FeedForward(d_model, vision.integer("mlp_dim"), gated=False, bias=True),
    )
    stem: list[Brick] = [linear("patch_embed", pixels(vision), d_model)]
    if vision.flag("use_abs_pos", default=True):
        stem.append(Embedding("pos_embed", patches(vision), d_model))
    if rows := _relative_rows(vision):
        stem.append(Embedding("rel_pos", rows, d_head))
    projector: tuple[Brick, ...] = (
        linear("neck.conv1", d_model, channels, bias=False),
        Norm("neck.layer_norm1", channels, bias=True),
        linear("neck.conv2", 9 * channels, channels, bias=False),
        Norm("neck.layer_norm2", channels, bias=True),
        linear("conv_upsampler1", 9 * channels, 2 * channels, bias=False),
        linear("conv_upsampler2", 9 * 2 * channels, text.d_model, bias=False),
        linear("multimodal_projector", text.d_model, text.d_model),
    )
    tower = Tower(
        "vision", d_model, vision.integer("num_hidden_layers"), stem=tuple(stem), layer=layer, projector=projector
    )
    return with_towers(config, text, tower, tied=True)


def _relative_rows(vision: Config) -> int:
    """Return the rows of all layers' tables of relative positions, up and across: of windows, or of the whole image."""
    window = vision.integer("window_size")
    looks_far = set(vision.integers("global_attn_indexes"))
    grid = vision.integer("image_size") // vision.integer("patch_size")
    if not vision.flag("use_rel_pos", default=True):
        return 0
    sides = (grid if i in looks_far or not window else window for i in range(vision.integer("num_hidden_layers")))
    return sum(2 * (2 * side - 1) for side in sides)
