"""Encoders with relative positions: DeBERTa, XLNet, Funnel, MPNet."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import (
    Architecture,
    Brick,
    Embedding,
    FeedForward,
    Layer,
    Norm,
    Projection,
    Tensors,
    Weight,
)
from sizebook.models.classes import kind_of_class
from sizebook.models.config import Config
from sizebook.models.families.encoders.bert import ROBERTA_HEADS, UNPOOLED_HEADS
from sizebook.models.families.encoders.stack import (
    Body,
    Sizes,
    bert_layer,
    encoder,
    factorised,
    sizes,
    tables,
)
from sizebook.models.families.encoders.xlm import PLAIN_HEAD
from sizebook.models.huggingface import model_type
from sizebook.models.projected_attention import ProjectedAttention


def _deberta(config: Config, prefix: str, heads: dict[str, str]) -> tuple[Sizes, str, list[Brick]]:
    """Read what both DeBERTas share: sizes, class and tables."""
    words = kind_of_class(config, prefix, heads)
    size = sizes(config)
    size = factorised(size, config.integer("embedding_size", default=size.d_model))
    if "dense" in words:
        config.only("pooler_hidden_size", size.d_model)
    config.ignore("pooler_hidden_size")
    if not config.flag("legacy", default=True):
        config.only("tie_word_embeddings", True)
        if "words" in words:  # this head multiplies the last state with the table, which must be as wide
            config.only("embedding_size", size.d_model)
    inputs: list[Brick] = [Embedding("word_embeddings", size.vocab, size.d_embed)]
    if config.flag("position_biased_input", default=True):
        inputs.append(Embedding("position_embeddings", size.n_ctx, size.d_embed))
    if n_types := config.integer("type_vocab_size", default=0):
        inputs.append(Embedding("token_type_embeddings", n_types, size.d_embed))
    if size.d_embed != size.d_model:
        inputs.append(Projection("embed_proj", size.d_embed, size.d_model, bias=False))
    return size, words, [*inputs, Norm("embeddings.LayerNorm", size.d_model, bias=True)]


def _relative_rows(config: Config, size: Sizes) -> int:
    """Return the rows of the table of relative positions: both directions of the farthest distance."""
    farthest = config.values.get("max_relative_positions", -1)
    config.ignore("max_relative_positions")
    return 2 * (farthest if isinstance(farthest, int) and farthest >= 1 else size.n_ctx)


def _position_terms(config: Config) -> set[str]:
    """Return which scores depend on positions: c2p, content to position, or p2c."""
    kinds = config.values.get("pos_att_type")
    config.ignore("pos_att_type")
    return set(kinds.split("|")) if isinstance(kinds, str) else set(config.entries("pos_att_type", str, "words"))


@model_type("deberta")
def deberta(config: Config) -> Architecture:
    """BERT with query, key and value in one matrix, biases on query and value, and relative positions."""
    heads = {suffix: words for suffix, words in UNPOOLED_HEADS.items() if suffix != "ForMultipleChoice"}
    size, words, inputs = _deberta(config, "Deberta", heads)
    extra: list[Brick] = []
    if config.flag("relative_attention", default=False):
        inputs.append(Embedding("rel_embeddings", _relative_rows(config, size), size.d_model))
        terms = _position_terms(config)
        if "c2p" in terms:
            extra.append(Projection("pos_proj", size.d_model, size.d_model, bias=False, part="attention"))
        if "p2c" in terms:
            extra.append(Projection("pos_q_proj", size.d_model, size.d_model, part="attention"))
    config.ignore("max_relative_positions", "pos_att_type")
    if config.flag("talking_head", default=False):
        names = ("head_logits_proj", "head_weights_proj")
        extra += [Projection(n, size.n_heads, size.n_heads, bias=False, part="attention") for n in names]
    attention = replace(size.attention(), key_bias=False)
    layer = Layer((*bert_layer(size, attention).bricks, *extra))
    return encoder(config, size, Body(inputs, (layer,) * size.n_layers), words=words)


@model_type("deberta-v2")
def deberta_v2(config: Config) -> Architecture:
    """BERT with relative positions in buckets, projections of their own for them, and a convolution (v2 and v3)."""
    size, words, inputs = _deberta(config, "DebertaV2", UNPOOLED_HEADS)
    d_model, extra = size.d_model, []
    config.only("attention_head_size", d_model // size.n_heads)
    if config.flag("relative_attention", default=False):
        buckets = config.values.get("position_buckets", -1)
        config.ignore("position_buckets")
        rows = 2 * buckets if isinstance(buckets, int) and buckets > 0 else _relative_rows(config, size)
        inputs.append(Embedding("rel_embeddings", rows, d_model))
        if not config.flag("share_att_key", default=False):
            names = {"c2p": "pos_key_proj", "p2c": "pos_query_proj"}
            extra = [names[term] for term in ("c2p", "p2c") if term in _position_terms(config)]
    config.ignore("max_relative_positions", "pos_att_type", "share_att_key", "position_buckets", "conv_act")
    if "layer_norm" in config.text("norm_rel_ebd", default="none").lower():
        inputs.append(Norm("rel_embeddings.LayerNorm", d_model, bias=True))
    if kernel := config.integer("conv_kernel_size", default=0):
        n_groups = config.integer("conv_groups", default=1)
        d_in = config.divides("hidden_size", d_model, "conv_groups", n_groups)
        inputs += [Projection("conv", d_in * kernel, d_model), Norm("conv.LayerNorm", d_model, bias=True)]
    more = (Projection(name, d_model, d_model, part="attention") for name in extra)
    layer = Layer((*bert_layer(size).bricks, *more))
    return encoder(config, size, Body(inputs, (layer,) * size.n_layers), words=words)


def _relative_attention(size: Sizes, d_head: int, biases: tuple[str, ...]) -> list[Brick]:
    """Return attention relative to positions and segments, which adds a projection, three biases and a small table."""
    d_model, d_attn = size.d_model, size.n_heads * d_head
    projections = tuple(
        Projection(f"attention.{name}", d_model, d_attn, bias=name in biases, part="attention")
        for name in ("q", "k", "v", "r")
    )
    output = Projection("attention.o", d_attn, d_model, bias="o" in biases, part="attention")
    attention = ProjectedAttention(size.n_heads, d_head, (*projections, output), bidirectional=not size.causal)
    vectors = [Weight(f"attention.r_{n}_bias", (size.n_heads, d_head), "bias", use="vector") for n in "rsw"]
    table = Weight("attention.seg_embed", (2, size.n_heads, d_head), "attention", use="lookup")
    return [attention, Tensors((*vectors, table)), Norm("attention.layer_norm", d_model, bias=True)]


def _relative_layer(size: Sizes, d_head: int, biases: tuple[str, ...] = ()) -> Layer:
    feed_forward = FeedForward(size.d_model, size.d_ff, gated=False, bias=True)
    norm = Norm("ff.layer_norm", size.d_model, bias=True)
    return Layer((*_relative_attention(size, d_head, biases), feed_forward, norm))


def _relative_sizes(config: Config, n_layers: int) -> Sizes:
    d_model, n_heads = config.integer("d_model"), config.integer("n_head")
    vocab, d_ff = config.integer("vocab_size"), config.integer("d_inner")
    return Sizes(d_model, d_model, n_layers, n_heads=n_heads, d_ff=d_ff, vocab=vocab, n_ctx=0, causal=False)


@model_type("xlnet")
def xlnet(config: Config) -> Architecture:
    """XLNet: relative attention, a vector that stands for a masked token. Feed-forward blocks count as ``mlp``."""
    heads = {
        "Model": "",
        "LMHeadModel": "words",
        "ForSequenceClassification": "dense labels",
        "ForTokenClassification": "labels",
        "ForQuestionAnsweringSimple": "labels",
        "ForMultipleChoice": "dense one",
    }
    words = kind_of_class(config, "XLNet", heads)
    config.only("summary_use_proj", *((True,) if "dense" in words else (True, False)))
    config.ignore("mem_len", "reuse_len", "bi_data", "clamp_len", "same_length", "start_n_top", "end_n_top")
    config.ignore("attn_type", "untie_r", "use_mems_eval", "use_mems_train")
    size = _relative_sizes(config, config.integer("n_layer"))
    d_head = config.divides("d_model", size.d_model, "n_head", size.n_heads)
    config.only("d_head", d_head)
    inputs: list[Brick] = [
        Embedding("word_embedding", size.vocab, size.d_model),
        Tensors((Weight("mask_emb", (1, 1, size.d_model), "other", use="vector"),)),
    ]
    layers = (_relative_layer(size, d_head),) * size.n_layers
    return encoder(config, size, Body(inputs, layers), words=words, head=PLAIN_HEAD)


@model_type("funnel")
def funnel(config: Config) -> Architecture:
    """Blocks of relative attention over ever fewer tokens, and decoder layers that restore them."""
    heads = {
        "Model": "",
        "ForMaskedLM": "words",
        "ForPreTraining": "dense one",
        "ForTokenClassification": "labels",
        "ForQuestionAnswering": "labels",
        "BaseModel": "base",
        "ForSequenceClassification": "base dense labels",
        "ForMultipleChoice": "base dense one",
    }
    words = kind_of_class(config, "Funnel", heads)
    config.ignore("pooling_type", "attention_type", "separate_cls", "truncate_seq", "pool_q_only", "rel_attn_type")
    blocks = config.integers("block_sizes")
    repeats = config.integers("block_repeats", default=[1] * len(blocks))
    if len(repeats) != len(blocks):
        raise config.unknown("block_repeats", repeats, f"{len(blocks)} numbers, one for each of 'block_sizes'")
    n_decoder = config.integer("num_decoder_layers")
    size = _relative_sizes(config, sum(blocks) + (0 if "base" in words else n_decoder))
    stored = _relative_layer(size, config.integer("d_head"), ("k", "v", "o"))
    shared = Layer(stored.bricks, stored=False)
    n_again = sum(n_layers * (times - 1) for n_layers, times in zip(blocks, repeats, strict=True))
    layers = (stored,) * size.n_layers + (shared,) * n_again
    inputs: list[Brick] = [
        Embedding("word_embeddings", size.vocab, size.d_model),
        Norm("embeddings.layer_norm", size.d_model, bias=True),
    ]
    return encoder(config, size, Body(inputs, layers), words=words, head=PLAIN_HEAD)


@model_type("mpnet")
def mpnet(config: Config) -> Architecture:
    """BERT without token types, with one table of relative positions for all layers."""
    words = kind_of_class(config, "MPNet", {k: v for k, v in ROBERTA_HEADS.items() if k != "ForCausalLM"})
    size = sizes(config)
    n_buckets = config.integer("relative_attention_num_buckets")
    table = Weight("relative_attention_bias.weight", (n_buckets, size.n_heads), "attention", use="lookup")
    inputs = [*tables(config, size, types=False), Tensors((table,))]
    return encoder(config, size, Body(inputs, (bert_layer(size),) * size.n_layers), words=words)
