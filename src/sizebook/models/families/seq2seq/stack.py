"""What encoder-decoders have in common: their two stacks, the tables that these share, and the heads of their classes.

An encoder layer sees the whole input and caches nothing; a decoder layer caches its own keys and values, and those
that its cross-attention takes from the encoder's output (``cross``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sizebook.models.architecture import Attention, Brick, Embedding, FeedForward, Head, Layer, Norm, Projection, Weight
from sizebook.models.classes import n_labels
from sizebook.models.config import Config

# What a class has besides its two stacks. "decoder" and "encoder" are classes of one stack only.
MODEL_HEADS = {"Model": "", "ForConditionalGeneration": "words"}
CLASSIFIER_HEADS = {"ForSequenceClassification": "dense labels", "ForQuestionAnswering": "two"}


@dataclass(frozen=True, slots=True)
class Stack:
    """One of the two stacks."""

    d_model: int
    n_heads: int
    d_ff: int
    n_layers: int
    decoder: bool
    bias: bool = True

    def attention(self, name: str, *, cross: bool = False) -> Attention:
        """Return multi-head attention, over the stack itself or the other one's output."""
        return Attention(
            d_model=self.d_model,
            n_heads=self.n_heads,
            n_kv_heads=self.n_heads,
            d_head=self.d_model // self.n_heads,
            qkv_bias=self.bias,
            out_bias=self.bias,
            cross=cross,
            bidirectional=not self.decoder,
            name=name,
        )


def stack(config: Config, side: str, d_model: int, *, bias: bool = True, prefix: str = "") -> Stack:
    """Read the sizes of the ``encoder`` or ``decoder``; ``prefix`` stands before some of the keys of ProphetNet."""
    heads_key = f"{prefix}{side}_attention_heads"
    n_heads = config.integer(heads_key)
    config.divides("d_model", d_model, heads_key, n_heads)
    d_ff, n_layers = config.integer(f"{side}_ffn_dim"), config.integer(f"{prefix}{side}_layers")
    return Stack(d_model, n_heads, d_ff, n_layers, decoder=side == "decoder", bias=bias)


def layer(stack: Stack, feed: Brick | None = None, attention: Brick | None = None, more: Sequence[Brick] = ()) -> Layer:
    """Return a layer: attention, in a decoder cross-attention, feed-forward block, a norm for each."""
    d_model = stack.d_model
    bricks: list[Brick] = [attention or stack.attention("self_attn"), Norm("self_attn_layer_norm", d_model, bias=True)]
    if stack.decoder:
        bricks += [stack.attention("encoder_attn", cross=True), Norm("encoder_attn_layer_norm", d_model, bias=True)]
    feed = feed or FeedForward(d_model, stack.d_ff, gated=False, bias=True, name="ffn")
    return Layer((*bricks, feed, Norm("final_layer_norm", d_model, bias=True), *more))


def vocabulary(vocab: int, d_model: int, *, tied: bool, n_stacks: int) -> list[Brick]:
    """Return the token tables: one for all when tied, one of its own beside it for every stack when not."""
    names = ["shared"]
    if n_stacks == 2 and not tied:
        names += ["encoder.embed_tokens", "decoder.embed_tokens"]
    return [Embedding(name, vocab, d_model) for name in names]


def heads(config: Config, words: str, d_model: int, vocab: int, *, tied: bool) -> tuple[list[Brick], Head | None]:
    """Return what the class puts on top: the projection to the vocabulary or a classifier."""
    outputs: list[Brick] = []
    if "dense" in words:
        outputs.append(Projection("classification_head.dense", d_model, d_model, pooled=True))
    if "labels" in words or "two" in words:
        n_outputs = n_labels(config) if "labels" in words else 2
        outputs.append(Projection("classification_head.out_proj", d_model, n_outputs, pooled=True))
    return outputs, Head(vocab, d_model, tied=tied) if "words" in words else None


def logits_bias(vocab: int) -> tuple[Weight, ...]:
    """Return the buffer that BART and its copies add to the logits: zeros, stored but not trained."""
    return (Weight("final_logits_bias", (1, vocab), "bias", use="vector"),)
