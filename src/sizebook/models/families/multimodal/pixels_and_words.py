"""Images before a decoder of its own time: Fuyu, which projects bare patches, and Kosmos-2, whose queries read CLIP."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import (
    Architecture,
    Attention,
    Brick,
    Embedding,
    FeedForward,
    Head,
    Layer,
    Norm,
    Tensors,
)
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.multimodal.joining import flat, text_model, tie_notes, with_towers
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("fuyu")
def fuyu(config: Config) -> Architecture:
    """Fuyu: patches through one projection into Persimmon, whose keys the first files keep at their top."""
    config.ignore("image_size", "patch_size", "num_channels")
    patch, channels = config.integer("patch_size"), config.integer("num_channels")
    nested = config.has("text_config")
    if nested:
        section = config.section("text_config")
        text = text_model(config, section.text("model_type", default="persimmon"), chosen=True)
    else:
        text = flat(config, "persimmon")
    seen = Tower(
        "vision",
        text.d_model,
        0,
        stem=(linear("vision_embed_tokens", channels * patch**2, text.d_model),),
        layer=(),
        projector=(),
        name="vision_embed_tokens",
    )
    if nested:
        return with_towers(config, text, seen, tied=False)
    tied = config.flag("tie_word_embeddings", default=False)
    head = Head(text.vocab, text.d_model, tied=tied)
    return replace(text, model_type="fuyu", inputs=(*text.inputs, seen), head=head)


@model_type("kosmos-2")
def kosmos2(config: Config) -> Architecture:
    """Kosmos-2 (arXiv:2306.14824): a decoder with norms inside both blocks, queries that read CLIP's patches."""
    text, vision = config.section("text_config"), config.section("vision_config")
    text.only("model_type", "kosmos_2_text_model")
    vision.only("model_type", "kosmos_2_vision_model")
    text.only("add_cross_attention", False)
    return _kosmos(config, text, "clip", vision)


@model_type("kosmos-2.5")
def kosmos2_5(config: Config) -> Architecture:
    """Kosmos-2.5 (arXiv:2309.11419): Pix2Struct's encoder, and a table that says whether a token is of the image."""
    text, vision = config.section("text_config"), config.section("vision_config")
    text.only("model_type", "kosmos_2_5_text_model")
    vision.only("model_type", "kosmos_2_5_vision_model")
    return _kosmos(config, text, "pix2struct", vision, (Embedding("segment_emb", 2, text.integer("embed_dim")),))


def _kosmos(
    config: Config,
    text: Config,
    encoder: str,
    vision: Config,
    tables: tuple[Brick, ...] = (),
) -> Architecture:
    """Return the decoder of either, whose queries read an encoder; of Kosmos-2 the attention ends in a norm."""
    flags = [level.flag("tie_word_embeddings", default=True) for level in (config, text)]
    tied = flags[1] if tables else any(flags)  # Kosmos-2.5's class takes the section's
    d_model, vocab = text.integer("embed_dim"), text.integer("vocab_size")
    layer = _normed_inside(text, d_model, after_attention=not tables)
    d_vision, n_heads = vision.integer("hidden_size"), text.integer("attention_heads")
    seen = tower(encoder, vision, *_asked(config, 2048 if tables else 64, d_vision, n_heads, d_model))
    return Architecture(
        model_type=config.text("model_type"),
        d_model=d_model,
        vocab=vocab,
        n_ctx=text.integer("max_position_embeddings"),
        inputs=(Embedding("embed_tokens", vocab, d_model), *tables, seen),
        layers=(layer,) * text.integer("layers"),
        outputs=(Norm("layer_norm", d_model, bias=True),),
        head=Head(vocab, d_model, tied=tied),
        notes=tuple(tie_notes({"top level": (config, flags[0]), "text_config": (text, flags[1])}, followed=tied)),
    )


def _normed_inside(text: Config, d_model: int, *, after_attention: bool) -> Layer:
    n_heads, d_ff = text.integer("attention_heads"), text.integer("ffn_dim")
    width = text.divides("embed_dim", d_model, "attention_heads", n_heads)
    attend = Attention(d_model, n_heads, n_heads, d_head=width, qkv_bias=True, out_bias=True)
    inner = (Norm("inner_attn_ln", d_model, bias=True),) if after_attention else ()
    return Layer(
        (
            Norm("self_attn_layer_norm", d_model, bias=True),
            attend,
            *inner,
            Norm("final_layer_norm", d_model, bias=True),
            FeedForward(d_model, d_ff, gated=False, bias=True),
            Norm("ffn_layernorm", d_ff, bias=True),
        )
    )


def _asked(config: Config, usual: int, d_vision: int, n_heads: int, d_model: int) -> tuple[Brick, ...]:
    """Return the projection of patches to the model's width, and the queries that attend to them."""
    width = d_model // n_heads
    attend = Attention(d_model, n_heads, n_heads, d_head=width, qkv_bias=True, out_bias=True, cross=True, name="x_attn")
    queries = vector("latent_query", config.integer("latent_query_num", default=usual), d_model)
    return Tensors((queries,)), linear("dense", d_vision, d_model), attend
