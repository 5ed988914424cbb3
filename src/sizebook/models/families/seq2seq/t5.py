"""T5 and its copies: relative positions in a table of buckets, root-mean-square norms, no biases.

An untied T5 1.1, mT5 or UMT5 has a head of its own, as its checkpoints do; Switch untied has a table for each stack
besides. The table of relative positions is counted as attention.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sizebook.core.texts import text as remark
from sizebook.models.architecture import (
    Architecture,
    Attention,
    Brick,
    Embedding,
    Experts,
    FeedForward,
    Head,
    Layer,
    Norm,
    Projection,
    Tensors,
    Weight,
)
from sizebook.models.classes import kind_of_class, n_labels
from sizebook.models.config import Config
from sizebook.models.families.blocks import layers_of
from sizebook.models.huggingface import model_type

CLASSES = {"Model": "", "ForConditionalGeneration": "words", "EncoderModel": "encoder"}
TASKS = {
    "ForSequenceClassification": "dense labels",
    "ForTokenClassification": "encoder labels",
    "ForQuestionAnswering": "labels",
}
HEADS = {
    "t5": ("T5", CLASSES | TASKS | {"WithLMHeadModel": "words"}),
    "mt5": ("MT5", CLASSES | TASKS),
    "umt5": ("UMT5", CLASSES | TASKS),
    "longt5": ("LongT5", CLASSES),
    "switch_transformers": ("SwitchTransformers", CLASSES),
}


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of both stacks."""

    kind: str
    d_model: int
    n_heads: int
    d_kv: int
    d_ff: int
    n_buckets: int
    gated: bool
    global_tokens: bool

    def attention(self, name: str, *, decoder: bool, cross: bool = False) -> Attention:
        """Return attention whose heads need not add up to the width of the model."""
        brick = Attention(self.d_model, self.n_heads, self.n_heads, d_head=self.d_kv, cross=cross, name=name)
        return replace(brick, bidirectional=not decoder)

    def positions(self, *, decoder: bool) -> Tensors:
        """Return the table of relative positions, with transient global tokens a second one."""
        names = ["relative_attention_bias"]
        if self.global_tokens and not decoder:
            names.append("global_relative_attention_bias")
        shape = (self.n_buckets, self.n_heads)
        return Tensors(tuple(Weight(f"{name}.weight", shape, "attention", use="lookup") for name in names))


UNTIED = remark("the head is untied, as the file says and its checkpoints are: transformers 5 ties it nevertheless")


@model_type("t5", "mt5", "umt5", "longt5", "switch_transformers")
def t5(config: Config) -> Architecture:
    """T5: the first layer of each stack holds the positions for all, in UMT5 each layer its own."""
    kind = config.text("model_type")
    words = kind_of_class(config, *HEADS[kind])
    vocab, size = config.integer("vocab_size"), _sizes(config, kind)
    tied = config.flag("tie_word_embeddings", default=True)
    n_encoder = config.integer("num_layers")
    config.agree("num_layers", "num_hidden_layers")
    # Null asks for as many as the encoder has, and so does a file of T5 that leaves it out; Switch has 12 then.
    twelve = config.text("model_type") == "switch_transformers" and "num_decoder_layers" not in config.values
    n_decoder = config.integer("num_decoder_layers", default=12 if twelve else n_encoder)
    config.ignore("relative_attention_max_distance", "n_positions", "add_cross_attention")
    config.only("is_decoder", *((False,) if "encoder" in words else (False, True)))
    stacks = [(n_encoder, False)] if "encoder" in words else [(n_encoder, False), (n_decoder, True)]
    layers = [layer for n_layers, decoder in stacks for layer in t5_layers(config, size, n_layers, decoder=decoder)]
    outputs: list[Brick] = [Norm(f"{_side(decoder)}.final_layer_norm", size.d_model) for _, decoder in stacks]
    top, head = _heads(config, words, size.d_model, vocab=vocab, tied=tied)
    inputs: list[Brick] = [Embedding("shared", vocab, size.d_model)]
    if kind == "switch_transformers" and not tied:
        inputs += [Embedding(f"{_side(decoder)}.embed_tokens", vocab, size.d_model) for _, decoder in stacks]
    return Architecture(
        model_type=kind,
        d_model=size.d_model,
        vocab=vocab,
        n_ctx=None,
        inputs=tuple(inputs),
        layers=tuple(layers),
        outputs=(*outputs, *top),
        head=head,
        notes=(UNTIED,) if head and not tied and kind != "switch_transformers" else (),
    )


def _side(decoder: bool) -> str:
    return "decoder" if decoder else "encoder"


def _sizes(config: Config, kind: str) -> Sizes:
    by_default = "gated-gelu" if kind in ("mt5", "umt5") else "relu"
    activation = config.text("feed_forward_proj", default=by_default)
    gated = config.flag("is_gated_act", default=activation.startswith("gated-"))
    attention_kind = "local"
    if kind == "longt5":
        config.only("encoder_attention_type", "local", "transient-global")
        config.ignore("local_radius", "global_block_size")
        attention_kind = config.text("encoder_attention_type", default="local")
    return Sizes(
        kind=kind,
        d_model=config.integer("d_model"),
        n_heads=config.integer("num_heads"),
        d_kv=config.integer("d_kv"),
        d_ff=config.integer("d_ff"),
        n_buckets=config.integer("relative_attention_num_buckets"),
        gated=gated and kind != "switch_transformers",
        global_tokens=attention_kind == "transient-global",
    )


def t5_layers(config: Config, size: Sizes, n_layers: int, *, decoder: bool) -> list[Layer]:
    """Return one stack; the first layer holds the table of relative positions."""
    dense = FeedForward(size.d_model, size.d_ff, gated=size.gated, name="DenseReluDense")
    feeds: list[Brick] = [dense] * n_layers
    if size.kind == "switch_transformers":
        step, experts = _experts(config, size, n_layers, _side(decoder))
        feeds = [experts if step and (i % step == 1 or step == 1) else dense for i in range(n_layers)]
    positions = size.positions(decoder=decoder)
    kinds = [(feed, i == 0 or size.kind == "umt5") for i, feed in enumerate(feeds)]
    return [*layers_of(kinds, lambda kind: _layer(size, kind[0], positions if kind[1] else None, decoder))]


def _layer(size: Sizes, feed: Brick, positions: Tensors | None, decoder: bool) -> Layer:
    bricks: list[Brick] = [Norm("layer.0.layer_norm", size.d_model), size.attention("SelfAttention", decoder=decoder)]
    if positions:
        bricks.append(positions)
    if size.global_tokens and not decoder:
        bricks.append(Norm("global_input_layer_norm", size.d_model))
    if decoder:
        cross = size.attention("EncDecAttention", decoder=True, cross=True)
        bricks += [Norm("layer.1.layer_norm", size.d_model), cross]
    return Layer((*bricks, Norm("feed_forward.layer_norm", size.d_model), feed))


def _experts(config: Config, size: Sizes, n_layers: int, side: str) -> tuple[int, Experts]:
    """Return Switch's experts, one a token, and every how many layers they stand."""
    config.ignore("expert_capacity", "router_ignore_padding_tokens", "router_dtype", "router_type", "add_router_probs")
    config.ignore("num_sparse_decoder_layers", "decoder_sparse_step", "capacity_factor", "batch_prioritized_routing")
    n_sparse = config.integer(f"num_sparse_{side}_layers", default=3)
    step = config.integer(f"{side}_sparse_step", default=n_layers // n_sparse if n_sparse else n_layers)
    bias = config.flag("router_bias", default=False)
    n_experts = config.integer("num_experts")
    return step, Experts(size.d_model, size.d_ff, n_experts, top_k=1, gated=False, router_bias=bias, name="mlp")


def _heads(config: Config, words: str, d_model: int, vocab: int, *, tied: bool) -> tuple[list[Brick], Head | None]:
    """Return what the class puts on top: the projection to the vocabulary or a classifier."""
    outputs: list[Brick] = []
    if "dense" in words:
        outputs.append(Projection("classification_head.dense", d_model, d_model, pooled=True))
    if "labels" in words or "two" in words:
        n_outputs = n_labels(config) if "labels" in words else 2
        outputs.append(Projection("classification_head.out_proj", d_model, n_outputs, pooled=True))
    return outputs, Head(vocab, d_model, tied=tied) if "words" in words else None
