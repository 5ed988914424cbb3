"""Encoders whose attention is sparse, grouped, convolved or replaced: BigBird, Longformer, ConvBERT, FNet."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Brick, FeedForward, Layer, Norm, Projection, Tensors, Weight
from sizebook.models.classes import kind_of_class
from sizebook.models.config import Config
from sizebook.models.families.encoders.bert import BERT_HEADS, HASHED_HEADS, ROBERTA_HEADS, UNPOOLED_HEADS
from sizebook.models.families.encoders.stack import (
    Body,
    Sizes,
    WordHead,
    bert_layer,
    encoder,
    factorised,
    sizes,
    tables,
)
from sizebook.models.huggingface import model_type
from sizebook.models.projected_attention import ProjectedAttention

ENCODER_HEADS = {suffix: words for suffix, words in ROBERTA_HEADS.items() if suffix != "ForCausalLM"}


@model_type("big_bird")
def big_bird(config: Config) -> Architecture:
    """BERT with block-sparse attention, which changes no tensor; the pooler stays under every head."""
    heads = {
        "Model": "pool",
        "ForMaskedLM": "pool words",
        "ForCausalLM": "pool words",
        "ForPreTraining": "pool words two",
        "ForSequenceClassification": "pool dense labels",
        "ForTokenClassification": "pool labels",
        "ForMultipleChoice": "pool one",
        "ForQuestionAnswering": "answers",
    }
    words = kind_of_class(config, "BigBird", heads)
    config.only("add_cross_attention", False)
    config.ignore("attention_type", "rescale_embeddings", "block_size", "num_random_blocks")
    size = sizes(config)
    attention = replace(size.attention(), qkv_bias=config.flag("use_bias", default=True))
    answers = _big_bird_answers(size) if words == "answers" else ()
    body = Body(tables(config, size), (bert_layer(size, attention),) * size.n_layers, answers)
    return encoder(config, size, body, words=words)


def _big_bird_answers(size: Sizes) -> tuple[Brick, ...]:
    """Return the head that answers questions: one more feed-forward block, then where the answer begins and ends."""
    feed = FeedForward(size.d_model, size.d_ff, gated=False, bias=True, name="qa_classifier")
    norm = Norm("qa_classifier.output.LayerNorm", size.d_model, bias=True)
    return feed, norm, Projection("qa_classifier.qa_outputs", size.d_model, 2)


@model_type("longformer")
def longformer(config: Config) -> Architecture:
    """RoBERTa with windows, and three more projections for the tokens that see everything."""
    words = kind_of_class(config, "Longformer", ENCODER_HEADS)
    size = sizes(config)
    config.ignore("sep_token_id", "onnx_export", "attention_mode", "ignore_attention_mask")
    given = config.values.get("attention_window", 512)
    windows = config.integers("attention_window") if isinstance(given, list) else [config.integer("attention_window")]
    kinds = {width: bert_layer(size, global_attention(size.d_model, size.n_heads, width // 2)) for width in windows}
    layers = tuple(kinds[windows[i % len(windows)]] for i in range(size.n_layers))
    return encoder(config, size, Body(tables(config, size), layers), words=words)


def global_attention(d_model: int, n_heads: int, window: int | None) -> ProjectedAttention:
    """Return Longformer's attention: seven square projections, three of them for tokens that see everything."""
    names = ("query", "key", "value", "query_global", "key_global", "value_global", "output")
    return ProjectedAttention(
        n_heads, d_model // n_heads, tuple(_square(f"attention.{n}", d_model) for n in names), window=window
    )


def _square(name: str, d_model: int) -> Projection:
    return Projection(name, d_model, d_model, part="attention")


@model_type("nystromformer")
def nystromformer(config: Config) -> Architecture:
    """BERT with attention through landmarks, and a convolution beside it."""
    words = kind_of_class(config, "Nystromformer", HASHED_HEADS)
    config.ignore("segment_means_seq_len", "num_landmarks", "inv_coeff_init_option", "inv_init_coeff_option")
    config.ignore("add_cross_attention")
    size = sizes(config)
    kernel = config.integer("conv_kernel_size", default=0 if "conv_kernel_size" in config.values else 65)
    layer = bert_layer(size)
    if kernel:
        convolution = Weight("attention.conv.weight", (size.n_heads, 1, kernel, 1), "attention", use="vector")
        layer = Layer((*layer.bricks, Tensors((convolution,))))
    return encoder(config, size, Body(tables(config, size, position_offset=2), (layer,) * size.n_layers), words=words)


@model_type("convbert")
def convbert(config: Config) -> Architecture:
    """BERT in which convolutions take over part of the heads."""
    words = kind_of_class(config, "ConvBert", UNPOOLED_HEADS | {"ForMultipleChoice": "one"})
    if words == "one":
        config.only("summary_use_proj", False)
    config.only("add_cross_attention", False)
    size = factorised(sizes(config), config.integer("embedding_size"))
    d_model, n_groups = size.d_model, config.integer("num_groups")
    n_heads = max(1, size.n_heads // config.integer("head_ratio"))
    d_head, kernel = d_model // n_heads // 2, config.integer("conv_kernel_size")
    d_all = n_heads * d_head
    projections = (
        *(Projection(f"attention.{n}", d_model, d_all, part="attention") for n in ("query", "key", "value")),
        Projection("attention.key_conv_attn_layer.pointwise", d_model, d_all, part="attention"),
        Projection("attention.conv_kernel_layer", d_all, n_heads * kernel, part="attention"),
        Projection("attention.conv_out_layer", d_model, d_all, part="attention"),
        _square("attention.output.dense", d_model),
    )
    depthwise = Weight("attention.key_conv_attn_layer.depthwise.weight", (d_model, 1, kernel), "attention")
    config.divides("hidden_size", d_model, "num_groups", n_groups)
    config.divides("intermediate_size", size.d_ff, "num_groups", n_groups)
    layer = _grouped_block(size, ProjectedAttention(n_heads, d_head, projections), (n_groups, n_groups))
    layer = Layer((*layer.bricks, Tensors((depthwise,))))
    inputs = tables(config, size)
    if size.d_embed != d_model:
        inputs.append(Projection("embeddings_project", size.d_embed, d_model))
    return encoder(config, size, Body(inputs, (layer,) * size.n_layers), words=words, head=WordHead(twin_bias=False))


def _grouped_block(size: Sizes, attention: Brick, groups: tuple[int, int]) -> Layer:
    """Return a layer whose feed-forward matrices are split into groups, each of which sees its share of the input."""
    d_model, d_ff = size.d_model, size.d_ff
    return Layer(
        (
            attention,
            Norm("attention.output.LayerNorm", d_model, bias=True),
            Projection("intermediate.dense", d_model // groups[0], d_ff, part="mlp"),
            Projection("output.dense", d_ff // groups[1], d_model, part="mlp"),
            Norm("output.LayerNorm", d_model, bias=True),
        )
    )


@model_type("squeezebert")
def squeezebert(config: Config) -> Architecture:
    """BERT with grouped projections; the pooler stays under every head."""
    heads = {
        "Model": "pool",
        "ForMaskedLM": "pool words",
        "ForSequenceClassification": "pool labels",
        "ForTokenClassification": "pool labels",
        "ForQuestionAnswering": "pool labels",
        "ForMultipleChoice": "pool one",
    }
    words = kind_of_class(config, "SqueezeBert", heads)
    size = sizes(config)
    config.only("embedding_size", size.d_model)
    groups = {
        name: config.integer(f"{name}_groups", default=default)
        for name, default in (("q", 4), ("k", 4), ("v", 4), ("post_attention", 1), ("intermediate", 4), ("output", 4))
    }
    projections = tuple(
        Projection(
            f"attention.{name}",
            config.divides("hidden_size", size.d_model, f"{name}_groups", groups[name]),
            size.d_model,
            part="attention",
        )
        for name in ("q", "k", "v", "post_attention")
    )
    attention = ProjectedAttention(size.n_heads, size.d_model // size.n_heads, projections)
    layer = _grouped_block(size, attention, (groups["intermediate"], groups["output"]))
    return encoder(config, size, Body(tables(config, size), (layer,) * size.n_layers), words=words)


@model_type("fnet")
def fnet(config: Config) -> Architecture:
    """A Fourier transform, which has no parameters, in the place of attention."""
    heads = {k: v if "pool" in v else f"pool {v}" for k, v in BERT_HEADS.items()}
    words = kind_of_class(config, "FNet", heads)
    size = sizes(config, n_heads="hidden_size")  # there are no heads
    d_model = size.d_model
    norms = Norm("fourier.output.LayerNorm", d_model, bias=True), Norm("output.LayerNorm", d_model, bias=True)
    layer = Layer((norms[0], FeedForward(d_model, size.d_ff, gated=False, bias=True), norms[1]))
    config.ignore("use_tpu_fourier_optimizations", "tpu_short_seq_length")
    inputs = [*tables(config, size), Projection("embeddings.projection", d_model, d_model)]
    return encoder(config, size, Body(inputs, (layer,) * size.n_layers), words=words)
