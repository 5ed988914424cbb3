"""What the encoders have in common: sizes, the layer of BERT, and the heads that a class puts on top.

The head is part of the count, so the class that the config names under ``architectures`` decides: a masked-language
head, a pooler, a classifier. A family says for each of its classes which of these it has, as words:

=======  ===============================================================================================
pool     a square projection with bias that reads the first token
dense    the same in front of a classifier, where the model has no pooler
words    the masked-language or causal head: transform, norm, projection to the vocabulary with its bias
labels   a classifier over the labels of the config (``id2label``, ``num_labels``; 2 where neither is given)
score    the same without a bias
choice   a score that reads those labels: multiple choice, where the summary is already over them
two      a classifier over two classes: does the second sentence follow the first?
one      a score: multiple choice, replaced or not
=======  ===============================================================================================

Transform, pooler and classifiers are counted as ``other``, as the truth tables do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sizebook.core.errors import UnknownKeyError
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
    Weight,
)
from sizebook.models.classes import n_labels
from sizebook.models.config import Config


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of one encoder. ``d_embed`` is the width of the embedding, which some factorise."""

    d_model: int
    d_embed: int
    n_layers: int
    n_heads: int
    d_ff: int
    vocab: int
    n_ctx: int
    causal: bool

    def attention(self, name: str = "attention", *, cross: bool = False, bias: bool = True) -> Attention:
        """Return attention with as many key-value heads as query heads, which together are as wide as the model."""
        d_head = self.d_model // self.n_heads
        bidirectional = not (self.causal or cross)
        return Attention(
            d_model=self.d_model,
            n_heads=self.n_heads,
            n_kv_heads=self.n_heads,
            d_head=d_head,
            qkv_bias=bias,
            out_bias=bias,
            cross=cross,
            bidirectional=bidirectional,
            name=name,
        )


# What BERT's first checkpoints say of a pooler that no implementation builds.
_FIRST_POOLER = ("pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers", "pooler_size_per_head")


def sizes(config: Config, positions: tuple[str, ...] = ("absolute",), **names: str) -> Sizes:
    """Read the sizes; ``names`` gives the spelling of a key where it is not BERT's, ``positions`` the kinds known."""
    config.ignore(*_FIRST_POOLER, "pooler_type", "directionality")
    config.only("position_embedding_type", *positions)
    d_model_key, n_heads_key = names.get("d_model", "hidden_size"), names.get("n_heads", "num_attention_heads")
    d_model, n_heads = config.integer(d_model_key), config.integer(n_heads_key)
    if not config.values.get("head_dim"):  # a mapping that knows no such key leaves it unread, and it is refused
        config.divides(d_model_key, d_model, n_heads_key, n_heads)
    return Sizes(
        d_model=d_model,
        d_embed=d_model,
        n_layers=config.integer(names.get("n_layers", "num_hidden_layers")),
        n_heads=n_heads,
        d_ff=config.integer(names.get("d_ff", "intermediate_size")),
        vocab=config.integer("vocab_size"),
        n_ctx=config.integer(names.get("n_ctx", "max_position_embeddings")),
        causal=config.flag("is_decoder", default=False),
    )


def tables(
    config: Config,
    size: Sizes,
    *,
    positions: bool = True,
    position_offset: int = 0,
    types: bool = True,
    norm: bool = True,
) -> list[Brick]:
    """Return the tables of tokens, positions and token types that a type has, and the norm after them."""
    bricks: list[Brick] = [Embedding("word_embeddings", size.vocab, size.d_embed)]
    if positions:
        bricks.append(Embedding("position_embeddings", size.n_ctx + position_offset, size.d_embed))
    if types:
        bricks.append(Embedding("token_type_embeddings", config.integer("type_vocab_size"), size.d_embed))
    return [*bricks, Norm("embeddings.LayerNorm", size.d_embed, bias=True)] if norm else bricks


def bert_layer(size: Sizes, attention: Brick | None = None, *, cross: bool = False) -> Layer:
    """Return a layer of BERT: attention and feed-forward block, each followed by a norm."""
    bricks: list[Brick] = [attention or size.attention(), Norm("attention.output.LayerNorm", size.d_model, bias=True)]
    if cross:
        bricks += [size.attention("crossattention", cross=True), Norm("crossattention.LayerNorm", size.d_model, True)]
    feed_forward = FeedForward(size.d_model, size.d_ff, gated=False, bias=True)
    return Layer((*bricks, feed_forward, Norm("output.LayerNorm", size.d_model, bias=True)))


def position_ids(size: Sizes) -> tuple[Weight, ...]:
    """Return the buffer of position numbers that some keep in their checkpoints."""
    return (Weight("position_ids", (1, size.n_ctx), "embedding", use="lookup"),)


def cross_attends(config: Config, size: Sizes) -> bool:
    """Return whether a decoder reads an encoder's output; an encoder cannot."""
    cross = config.flag("add_cross_attention", default=False)
    if cross and not size.causal:
        raise UnknownKeyError(
            f"inconsistent keys: got 'add_cross_attention' = true without 'is_decoder' in {config.where}, "
            "want both or neither. Correct one of them."
        )
    return cross


@dataclass(frozen=True, slots=True)
class WordHead:
    """How a family projects to its vocabulary. Untied, most keep the bias twice: beside the matrix and in it."""

    transform: bool = True
    twin_bias: bool = True
    ties: bool = True


def on_top(config: Config, size: Sizes, words: str, head: WordHead) -> tuple[list[Brick], Head | None]:
    """Return the bricks that the words stand for, and the head if there is one."""
    d_model, bricks = size.d_model, []
    outputs: dict[str, int] = {"two": 2, "one": 1}
    for word in words.split():
        if word in ("pool", "dense"):
            bricks.append(Projection(f"{word}.dense", d_model, d_model, pooled=True))
        elif word == "labels":
            bricks.append(Projection("classifier", d_model, n_labels(config), pooled=True))
        elif word == "score":
            bricks.append(Projection("classifier", d_model, n_labels(config), bias=False, pooled=True))
        elif word == "choice":
            bricks.append(Projection("logits_proj", n_labels(config), 1, pooled=True))
        elif word in outputs:
            bricks.append(Projection("classifier", d_model, outputs[word], pooled=True))
    tied = config.flag("tie_word_embeddings", default=True) and head.ties
    n_labels(config)
    if "words" not in words.split():
        return [*bricks], None
    top: list[Brick] = [*bricks]
    if head.transform:
        top.append(Projection("predictions.transform.dense", d_model, size.d_embed))
        top.append(Norm("predictions.transform.LayerNorm", size.d_embed, bias=True))
    if head.twin_bias and not tied:
        top.append(Tensors((Weight("predictions.bias", (size.vocab,), "bias", use="vector"),)))
    return top, Head(size.vocab, size.d_embed, tied=tied, bias=True, name="decoder")


@dataclass(frozen=True, slots=True)
class Body:
    """The tables, the layers, and what stands between them and the heads of a class."""

    inputs: Sequence[Brick]
    layers: tuple[Layer, ...]
    outputs: Sequence[Brick] = ()


def encoder(
    config: Config,
    size: Sizes,
    body: Body,
    words: str,
    head: WordHead | None = None,
    buffers: tuple[Weight, ...] = (),
) -> Architecture:
    """Return the whole model."""
    top, projection = on_top(config, size, words, head or WordHead())
    return Architecture(
        model_type=config.text("model_type"),
        d_model=size.d_model,
        vocab=size.vocab,
        n_ctx=size.n_ctx,
        inputs=tuple(body.inputs),
        layers=body.layers,
        outputs=(*body.outputs, *top),
        head=projection,
        buffers=buffers,
    )


def factorised(size: Sizes, d_embed: int) -> Sizes:
    """Return the sizes with an embedding of another width."""
    return replace(size, d_embed=d_embed)
