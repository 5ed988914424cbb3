"""A decoder of BERT's kind that tells what an image shows: BLIP attends to its patches, GIT reads them first."""

from __future__ import annotations

from sizebook.models.architecture import (
    Architecture,
    Attention,
    Brick,
    Embedding,
    FeedForward,
    Head,
    Layer,
    Norm,
    Projection,
    Tensors,
)
from sizebook.models.classes import kind_of_class
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.multimodal.joining import tie_notes
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type

# What a class holds: a decoder with its head, an encoder of text, projections of both to one width.
BLIP_CLASSES = {
    "ForConditionalGeneration": "decoder",
    "ForQuestionAnswering": "encoder decoder",
    "ForImageTextRetrieval": "encoder compares",
    "Model": "encoder pools",
}


@model_type("blip")
def blip(config: Config) -> Architecture:
    """BLIP (arXiv:2201.12086): BERT with attention to the patches of a ViT in each layer."""
    config.ignore("architectures", "encoder_width")
    named = config.class_names()
    words = (kind_of_class(config, "Blip", BLIP_CLASSES) if named else "decoder").split()
    text, vision = config.section("text_config"), config.section("vision_config")
    text.only("model_type", "blip_text_model")
    text.ignore("encoder_hidden_size", "projection_dim")  # as wide as the encoder, whatever is said here
    vision.ignore("projection_dim")
    width, d_vision = text.integer("hidden_size"), vision.integer("hidden_size")
    vocab, n_ctx = text.integer("vocab_size"), text.integer("max_position_embeddings")
    n_layers, crosses = text.integer("num_hidden_layers"), text.flag("is_decoder", default=True)
    flags = [level.flag("tie_word_embeddings", default=True) for level in (config, text)]
    tied = any(flags)
    notes = tie_notes({"top level": (config, flags[0]), "text_config": (text, flags[1])}, followed=tied)
    stacks = [word for word in words if word in ("encoder", "decoder")]
    tables: list[Brick] = [
        brick
        for side in stacks
        for brick in (
            Embedding(f"text_{side}.word_embeddings", vocab, width),
            Embedding(f"text_{side}.position_embeddings", n_ctx, width),
            Norm(f"text_{side}.embeddings.LayerNorm", width, bias=True),
        )
    ]
    layers = [_blip_layer(text, d_vision if crosses else 0, decoder=side == "decoder") for side in stacks]
    top, head = _blip_top(config, words, width, d_vision, vocab, tied=tied)
    return Architecture(
        model_type="blip",
        d_model=width,
        vocab=vocab,
        n_ctx=n_ctx,
        inputs=(*tables, tower("blip_of_captions", vision)),
        layers=tuple(layer for layer in layers for _ in range(n_layers)),
        outputs=top,
        head=head,
        notes=tuple(notes) if head else (),
    )


def _blip_layer(text: Config, d_vision: int, *, decoder: bool) -> Layer:
    d_model, n_heads = text.integer("hidden_size"), text.integer("num_attention_heads")
    width = text.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    attend = Attention(d_model, n_heads, n_heads, d_head=width, qkv_bias=True, out_bias=True, bidirectional=not decoder)
    looks = Attention(
        d_model,
        n_heads,
        n_heads,
        d_head=width,
        qkv_bias=True,
        out_bias=True,
        cross=True,
        d_kv_in=d_vision,
        name="crossattention",
    )
    across = (looks, Norm("crossattention.LayerNorm", d_model, bias=True)) if d_vision else ()
    feed = FeedForward(d_model, text.integer("intermediate_size"), gated=False, bias=True)
    first, last = Norm("attention.LayerNorm", d_model, bias=True), Norm("output.LayerNorm", d_model, bias=True)
    return Layer((attend, first, *across, feed, last))


def _blip_top(
    config: Config, words: list[str], width: int, d_vision: int, vocab: int, *, tied: bool
) -> tuple[tuple[Brick, ...], Head | None]:
    """Return what a class puts on its stacks, and the head of its decoder."""
    d_joint, d_compared = (
        config.integer("projection_dim", default=512),
        config.integer("image_text_hidden_size"),
    )
    if "decoder" in words:
        top: tuple[Brick, ...] = (
            Projection("cls.predictions.transform.dense", width, width),
            Norm("cls.predictions.transform.LayerNorm", width, bias=True),
        )
        twin = () if tied else (Tensors((vector("cls.predictions.bias", vocab, part="bias"),)),)
        return (*top, *twin), Head(vocab, width, tied=tied, bias=True, name="decoder")
    if "pools" in words:
        return (
            Projection("pooler.dense", width, width, pooled=True),
            Projection("visual_projection", d_vision, d_joint, bias=False, pooled=True),
            Projection("text_projection", width, d_joint, bias=False, pooled=True),
            Tensors((vector("logit_scale", 1),)),
        ), None
    return (
        Projection("vision_proj", d_vision, d_compared, pooled=True),
        Projection("text_proj", width, d_compared, pooled=True),
        Projection("itm_head", width, 2, pooled=True),
    ), None


@model_type("git")
def git(config: Config) -> Architecture:
    """GIT (arXiv:2205.14100): BERT's layers, causal, behind the patches of CLIP's ViT."""
    vision = config.section("vision_config")
    vision.only("model_type", "git_vision_model")
    width, d_vision = config.integer("hidden_size"), vision.integer("hidden_size")
    vocab, n_ctx = config.integer("vocab_size"), config.integer("max_position_embeddings")
    config.only("position_embedding_type", "absolute")
    frames = config.size("num_image_with_embedding")
    projector: tuple[Brick, ...] = (
        linear("visual_projection.0", d_vision, width),
        Norm("visual_projection.1", width, bias=True),
        *((Tensors((vector("img_temporal_embedding", frames, d_vision),)),) if frames else ()),
    )
    layer = _blip_layer(config, 0, decoder=True)
    return Architecture(
        model_type="git",
        d_model=width,
        vocab=vocab,
        n_ctx=n_ctx,
        inputs=(
            Embedding("word_embeddings", vocab, width),
            Embedding("position_embeddings", n_ctx, width),
            Norm("embeddings.LayerNorm", width, bias=True),
            tower("clip", vision, *projector),
        ),
        layers=(layer,) * config.integer("num_hidden_layers"),
        outputs=(),
        head=Head(vocab, width, tied=config.flag("tie_word_embeddings", default=False), bias=True, name="output"),
    )
