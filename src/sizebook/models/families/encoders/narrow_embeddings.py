"""Encoders whose embedding is narrower than their layers: ALBERT, ELECTRA, RemBERT, MobileBERT."""

from __future__ import annotations

from dataclasses import replace

from sizebook.core.errors import RangeError
from sizebook.models.architecture import Architecture, Brick, Embedding, FeedForward, Layer, Norm, Projection
from sizebook.models.classes import kind_of_class
from sizebook.models.config import Config
from sizebook.models.families.encoders.bert import BERT_HEADS, UNPOOLED_HEADS
from sizebook.models.families.encoders.stack import (
    Body,
    WordHead,
    bert_layer,
    cross_attends,
    encoder,
    factorised,
    sizes,
    tables,
)
from sizebook.models.huggingface import model_type
from sizebook.models.projected_attention import ProjectedAttention

SUMMARY_KEYS = (
    "summary_type",
    "summary_use_proj",
    "summary_activation",
    "summary_last_dropout",
    "summary_first_dropout",
)
ELECTRA_HEADS = UNPOOLED_HEADS | {"ForCausalLM": "words", "ForPreTraining": "dense one"}
ALBERT_HEADS = {k: v for k, v in BERT_HEADS.items() if "two" not in v} | {"ForPreTraining": "pool words labels"}
REMBERT_HEADS = {k: v for k, v in BERT_HEADS.items() if "two" not in v} | {"ForCausalLM": "words"}


@model_type("albert")
def albert(config: Config) -> Architecture:
    """A narrow embedding, and layers that repeat the weights of their group."""
    words = kind_of_class(config, "Albert", ALBERT_HEADS)
    size = factorised(sizes(config), config.integer("embedding_size"))
    n_groups, n_inner = config.integer("num_hidden_groups"), config.integer("inner_group_num")
    config.ignore("down_scale_factor", "gap_size", "net_structure_type", "num_memory_blocks")
    kind = bert_layer(size)
    shared = Layer(kind.bricks, stored=False)
    if size.n_layers < n_groups:
        raise RangeError(
            f"inconsistent keys: got 'num_hidden_groups' = {n_groups} above 'num_hidden_layers' = {size.n_layers} in "
            f"{config.where}, want a layer or more a group. Correct one of them."
        )
    stored = n_groups * n_inner
    layers = (kind,) * stored + (shared,) * (size.n_layers * n_inner - stored)
    inputs = [*tables(config, size), Projection("embedding_hidden_mapping_in", size.d_embed, size.d_model)]
    return encoder(config, size, Body(inputs, layers), words=words)


@model_type("electra")
def electra(config: Config) -> Architecture:
    """BERT whose embedding may be narrower than the layers; no pooler."""
    words = kind_of_class(config, "Electra", ELECTRA_HEADS)
    size = factorised(sizes(config), config.integer("embedding_size"))
    if config.class_names()[0].endswith("ForMultipleChoice"):  # its "dense" is the projection of the summary
        config.only("summary_use_proj", True)
        config.only("summary_proj_to_labels", False)
    config.ignore(*SUMMARY_KEYS)
    inputs = tables(config, size)
    if size.d_embed != size.d_model:
        inputs.append(Projection("embeddings_project", size.d_embed, size.d_model))
    layers = (bert_layer(size, cross=cross_attends(config, size)),) * size.n_layers
    return encoder(config, size, Body(inputs, layers), words=words, head=WordHead(twin_bias=False))


@model_type("rembert")
def rembert(config: Config) -> Architecture:
    """A narrow input embedding and a wide output one, never tied."""
    words = kind_of_class(config, "RemBert", REMBERT_HEADS)
    size = factorised(sizes(config), config.integer("input_embedding_size"))
    d_out = config.integer("output_embedding_size")
    inputs = [*tables(config, size), Projection("embedding_hidden_mapping_in", size.d_embed, size.d_model)]
    layers = (bert_layer(size, cross=cross_attends(config, size)),) * size.n_layers
    return encoder(
        config, factorised(size, d_out), Body(inputs, layers), words=words, head=WordHead(twin_bias=False, ties=False)
    )


@model_type("mobilebert")
def mobilebert(config: Config) -> Architecture:
    """Wide between layers, narrow inside them; several feed-forward blocks a layer; a narrow embedding."""
    words = kind_of_class(config, "MobileBert", BERT_HEADS)
    config.ignore("normalization_type")
    if "pool" in words:
        config.only("classifier_activation", True)
    size, d_embed = sizes(config), config.integer("embedding_size")
    n_tokens = 3 if config.flag("trigram_input", default=True) else 1
    inputs: list[Brick] = [
        Embedding("word_embeddings", size.vocab, d_embed),
        *tables(config, size)[1:],
        Projection("embedding_transformation", n_tokens * d_embed, size.d_model),
    ]
    layers = (_bottleneck_layer(config, size.d_model, size.n_heads, size.d_ff),) * size.n_layers
    described = encoder(config, size, Body(inputs, layers), words=words)
    if described.head is None:
        return described
    rest = Projection("predictions.dense", size.vocab, size.d_model - d_embed, bias=False)
    return replace(described, head=replace(described.head, width=d_embed), outputs=(*described.outputs, rest))


def _bottleneck_layer(config: Config, d_model: int, n_heads: int, d_ff: int) -> Layer:
    narrowed = config.flag("use_bottleneck", default=True)
    d_bottleneck = config.integer("intra_bottleneck_size")
    d_inner = config.integer("true_hidden_size", default=d_bottleneck if narrowed else d_model)
    d_head = config.divides("true_hidden_size", d_inner, "num_attention_heads", n_heads)
    d_value_in = d_inner if config.flag("use_bottleneck_attention", default=False) else d_model
    names = {"query": d_inner, "key": d_inner, "value": d_value_in, "output.dense": d_inner}
    square = tuple(Projection(f"attention.{name}", d_in, d_inner, part="attention") for name, d_in in names.items())
    bricks: list[Brick] = [
        ProjectedAttention(n_heads, d_head, square),
        Norm("attention.output.LayerNorm", d_inner, bias=True),
    ]
    for index in range(config.integer("num_feedforward_networks")):
        feed = FeedForward(d_inner, d_ff, gated=False, bias=True, name=f"ffn.{index}")
        bricks += [feed, Norm(f"ffn.{index}.LayerNorm", d_inner, bias=True)]
    shared = config.flag("key_query_shared_bottleneck", default=True)
    if narrowed:
        bricks += [
            Projection("bottleneck.input.dense", d_model, d_bottleneck),
            Norm("bottleneck.input.LayerNorm", d_bottleneck, bias=True),
            Projection("output.bottleneck.dense", d_inner, d_model, part="mlp"),
            Norm("output.bottleneck.LayerNorm", d_model, bias=True),
        ]
    if narrowed and shared:
        bricks.append(Projection("bottleneck.attention.dense", d_model, d_bottleneck, part="attention"))
        bricks.append(Norm("bottleneck.attention.LayerNorm", d_bottleneck, bias=True))
    return Layer(tuple(bricks))
