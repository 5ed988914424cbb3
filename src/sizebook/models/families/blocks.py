"""What families share: reading the usual keys, building a layer per kind, putting the stack together."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from sizebook.core.texts import text as remark
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
    Weight,
)
from sizebook.models.config import MISSING, Config
from sizebook.models.type_defaults import type_defaults

SLIDING = ("sliding_attention", "full_attention")
POST_NORMS = ("post_attention_layernorm", "post_feedforward_layernorm")
Kind = TypeVar("Kind", bound=Hashable)


def layers_of(kinds: Iterable[Kind], build: Callable[[Kind], Layer]) -> tuple[Layer, ...]:
    """Return the layers of the given kinds; layers of one kind are one object, so that counting visits it once."""
    each = tuple(kinds)
    if each and each.count(each[0]) == len(each):  # nearly always, and three times as fast
        return (build(each[0]),) * len(each)
    built = {kind: build(kind) for kind in dict.fromkeys(each)}
    return tuple(map(built.__getitem__, each))


def class_gives(config: Config, key: str) -> int | None:
    """Return what a class gives to a size: the class of the type that the file says, or that it is read as."""
    given: int | None = config.class_values.get(key)
    return type_defaults(config.values.get("model_type")).get(key) if given is None else given


def n_kv_heads(config: Config, n_heads: int, *, required: bool = False) -> int:
    """Return the key-value heads: as many as query heads where null, or left out and the class has no other number."""
    absent = "num_key_value_heads" not in config.values
    usual = MISSING if absent and (required or class_gives(config, "num_key_value_heads")) else n_heads
    count = config.integer("num_key_value_heads", default=usual)
    config.divides("num_attention_heads", n_heads, "num_key_value_heads", count)
    return count


def head_width(config: Config, d_model: int, n_heads: int, *, default: int | None = None) -> int:
    """Return the width of a head: of the file, left out of the class, and where neither says one d_model / n_heads."""
    explicit = config.size("head_dim")
    if not explicit and "head_dim" not in config.values:
        explicit = default or class_gives(config, "head_dim") or 0
    return explicit or config.divides("hidden_size", d_model, "num_attention_heads", n_heads)


def attention(
    config: Config,
    *,
    qk_norm: str | None = None,
    d_head: int | None = None,
    kv_required: bool = False,
    biased: bool = False,
    **more: Any,
) -> Attention:
    """Return grouped attention from the usual keys; ``qk_norm`` norms a head, its share of the model, or all.

    ``biased`` leaves it to the file whether its projections have biases.
    """
    if biased:
        bias = config.flag("attention_bias", default=False)
        more = {"qkv_bias": bias, "out_bias": bias, **more}
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    width = head_width(config, d_model, n_heads, default=d_head)
    kv_heads = n_kv_heads(config, n_heads, required=kv_required)
    if qk_norm is not None:
        share = d_model // n_heads
        norms = {"head": (width, width), "model": (share, share), "all": (n_heads * width, kv_heads * width)}[qk_norm]
        more = {"qk_norm": norms, **more}
    return Attention(d_model, **{"n_heads": n_heads, "n_kv_heads": kv_heads, "d_head": width, **more})


def feed_forward(
    config: Config, *, bias: bool = False, gated: bool = True, key: str = "intermediate_size"
) -> FeedForward:
    """Return a feed-forward block from the usual keys."""
    return FeedForward(config.integer("hidden_size"), config.integer(key), gated=gated, bias=bias)


def window_of(config: Config, kind: str, key: str = "sliding_window") -> int | None:
    """Return the window of a layer of the given kind, None for one that sees everything."""
    if kind in ("sliding_attention", "chunked_attention"):
        return config.window(key)
    config.ignore(key)
    return None


def every(n_layers: int, period: int, *, last: str = "full_attention", other: str = "sliding_attention") -> list[str]:
    """Return a pattern in which every period-th layer is of another kind."""
    return [last if (i + 1) % period == 0 else other for i in range(n_layers)]


def sliding_pattern(config: Config) -> list[str]:
    """Return which layers slide: those of ``layer_types``, none where the file leaves it out."""
    n_layers = config.integer("num_hidden_layers")
    return config.pattern("layer_types", n_layers, SLIDING, ["full_attention"] * n_layers)


def block(d_model: int, mixer: Brick, feed: Brick, *, bias: bool = False) -> Layer:
    """Return the usual layer: norm, attention or mixer, norm, feed-forward block."""
    first, second = Norm("input_layernorm", d_model, bias), Norm("post_attention_layernorm", d_model, bias)
    return Layer((first, mixer, second, feed))


def sandwich(d_model: int, mixer: Brick, feed: Brick, names: tuple[str, str, str, str]) -> Layer:
    """Return a layer with norms before and after both of its blocks."""
    before, after, before_feed, after_feed = (Norm(name, d_model) for name in names)
    return Layer((before, mixer, after, before_feed, feed, after_feed))


@dataclass(frozen=True)
class BesideLayers:
    """What a decoder has beside its layers.

    ``tied`` is the type's default where the config does not say. ``ties`` is False for types that transformers never
    ties; where the file asks for it, a note says so. ``final`` replaces the last norm.
    """

    tied: bool = False
    ties: bool = True
    final: Brick | None = None
    final_norm: bool = True
    norm_bias: bool = False
    head_bias: bool = False
    inputs: tuple[Brick, ...] = ()
    outputs: tuple[Brick, ...] = ()
    buffers: tuple[Weight, ...] = ()
    mtp: tuple[Layer, ...] = ()
    notes: tuple[str, ...] = ()


UNTIED = remark("'tie_word_embeddings' is not followed: transformers does not tie models of this type")
_NOTHING_ELSE = BesideLayers()


def stack(config: Config, layers: tuple[Layer, ...], beside: BesideLayers = _NOTHING_ELSE) -> Architecture:
    """Return a decoder from the usual keys."""
    asked, notes = config.flag("tie_word_embeddings", default=beside.tied), beside.notes
    if asked and not beside.ties:
        notes = (*notes, UNTIED)
    d_model, vocab = config.integer("hidden_size"), config.integer("vocab_size")
    norms: tuple[Brick, ...] = ((beside.final or Norm("norm", d_model, beside.norm_bias)),) if beside.final_norm else ()
    return Architecture(
        model_type=config.text("model_type"),
        d_model=d_model,
        vocab=vocab,
        n_ctx=config.integer("max_position_embeddings", default=0)
        or config.integer("model_max_length", default=0)
        or None,
        inputs=(Embedding("embed_tokens", vocab, d_model), *beside.inputs),
        layers=layers,
        outputs=(*beside.outputs, *norms),
        head=Head(vocab, d_model, tied=asked and beside.ties, bias=beside.head_bias),
        mtp=beside.mtp,
        buffers=beside.buffers,
        notes=notes,
    )


def vector(name: str, *shape: int, part: Any = "other") -> Weight:
    """Return a tensor that is applied element by element."""
    return Weight(name, shape, part, use="vector")


def matrix(name: str, d_out: int, d_in: int, part: Any = "other", copies: int = 1) -> Weight:
    """Return a matrix by which each token is multiplied."""
    return Weight(name, (d_out, d_in), part, use="matmul", copies=copies, active=copies)


def prediction(d_model: int, layer: Layer, n_layers: int) -> tuple[Layer, ...]:
    """Return multi-token-prediction layers of DeepSeek-V3's shape (arXiv:2412.19437, section 2.2).

    Two norms, a projection of both inputs together, a layer of the model and a norm; embedding and head are the
    model's own and not counted again, though checkpoints store them twice.
    """
    norms = Norm("enorm", d_model), Norm("hnorm", d_model)
    joined = Projection("eh_proj", 2 * d_model, d_model, bias=False)
    return (Layer((*norms, joined, *layer.bricks, Norm("shared_head.norm", d_model))),) * n_layers


def uniform(config: Config, layer: Layer) -> tuple[Layer, ...]:
    """Return the stack of equal layers."""
    return (layer,) * config.integer("num_hidden_layers")


def linear(name: str, d_in: int, d_out: int, bias: bool = True) -> Projection:
    """Return a projection with its bias; convolutions of towers count as one that reads a whole kernel."""
    return Projection(name, d_in, d_out, bias=bias)
