"""What serving needs to know of a model: an architecture summed over its layers into plain numbers.

Every field is a number, so models can stand side by side in arrays. Widths count elements (not bytes), summed over
layers. Attention is summed by kind of layer: heads, windows and selections differ within one model, and what tensor
parallelism or a window leaves of a layer is no function of their sums. A mixer's state does not grow with the context.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from sizebook.core.errors import InputError
from sizebook.models import catalog
from sizebook.models.architecture import Architecture, Brick, Experts, Layer
from sizebook.models.cache_size import state_bytes
from sizebook.models.cached_results import cached_by_model
from sizebook.models.counting import count
from sizebook.models.flops import distinct_layers, head_parameters
from sizebook.models.towers import Tower


@dataclass(frozen=True, slots=True)
class AttentionKind:
    """The attention layers that share heads, window and selection, summed.

    ``n_kv_heads`` is 1 where all heads share one vector (a latent, compressed keys): tensor parallelism replicates it.
    A layer keeps at most ``window`` tokens and a query attends to at most ``seen``, 0 for all. Widths count elements a
    token and key-value head: ``cache_width`` kept, ``read_width`` read, also of an earlier layer's cache, and
    ``cross_width`` kept of an encoder's tokens. Score widths count multiply-adds a query-key pair: ``score_width`` in
    prompts, ``decode_score_width`` in decode steps. ``layers`` counts them: it tells how wide one head is.
    """

    n_heads: float
    n_kv_heads: float
    window: float
    seen: float
    cache_width: float = 0.0
    read_width: float = 0.0
    cross_width: float = 0.0
    score_width: float = 0.0
    decode_score_width: float = 0.0
    layers: float = 0.0


ADAPTED = ("attention", "mlp", "ssm")  # parts of a layer whose matrices carry adapters
_NONE = AttentionKind(1.0, 1.0, 0.0, 0.0)  # fills up models with fewer kinds than others: it holds and costs nothing


@dataclass(frozen=True, slots=True)
class ServingShape:
    """The sums of one model. ``attention`` counts projections of attention and mixers, ``dense`` what every token
    multiplies besides (feed-forward blocks, shared experts, routers), ``expert`` one routed expert of every layer;
    ``n_dense_layers`` the layers with a feed-forward block or a shared expert; ``n_products`` the matrix products that
    every token passes, as engines fuse them; ``adapted_width`` sums both sides of all matrices that carry adapters,
    which experts and routers do not; ``state_heads`` is the greatest common divisor of the heads of mixers;
    ``vision_size`` is layers x width^2 of the towers that read images.
    """

    total_parameters: float
    attention_parameters: float
    dense_parameters: float
    expert_parameters: float
    head_parameters: float
    d_model: float
    vocab: float
    n_layers: float
    n_experts: float
    top_k: float
    n_expert_layers: float
    n_dense_layers: float
    n_attention_layers: float
    n_state_layers: float
    n_latent_layers: float
    n_indexed_layers: float
    n_mtp_layers: float
    n_products: float
    vision_size: float
    adapted_width: float
    state_heads: float
    state_bytes: float
    index_cache_width: float
    index_score_width: float
    kinds: tuple[AttentionKind, ...] = ()

    @property
    def n_fixed_times(self) -> float:
        """How often a pass spends the fixed time of a layer: once each, and once more for what adds kernels to it.

        Tokens are routed and sorted by experts, a mixer updates its state, an indexer selects: small kernels that no
        table holds.
        """
        return self.n_layers + self.n_expert_layers + self.n_state_layers + self.n_indexed_layers

    @property
    def widest_head(self) -> float:
        """Elements of a query head, the widest of all layers."""
        return max(
            (kind.score_width / (2 * kind.n_heads * kind.layers) for kind in self.kinds if kind.layers), default=0
        )

    @property
    def common_heads(self) -> int:
        """The greatest number that divides the heads of every layer, 0 without heads: tp must divide it too."""
        return math.gcd(int(self.state_heads), *(int(kind.n_heads) for kind in self.kinds))


def side_by_side(shapes: Sequence[ServingShape], column: Callable[[list[Any]], Any]) -> ServingShape:
    """Return several shapes as one whose numbers are columns, made by ``column`` of one number a shape."""
    most = max(len(shape.kinds) for shape in shapes)
    padded = [(*shape.kinds, *[_NONE] * (most - len(shape.kinds))) for shape in shapes]
    kinds = tuple(_columns(alike, column) for alike in zip(*padded, strict=True))
    numbers = {f.name: column([getattr(s, f.name) for s in shapes]) for f in fields(ServingShape) if f.name != "kinds"}
    return ServingShape(**numbers, kinds=kinds)


def _columns(alike: Sequence[AttentionKind], column: Callable[[list[Any]], Any]) -> AttentionKind:
    return AttentionKind(*(column([getattr(kind, f.name) for kind in alike]) for f in fields(AttentionKind)))


@dataclass
class _Sums:
    """Sums under way: numbers by name, and those of each kind of attention by what its layers share."""

    numbers: dict[str, float]
    kinds: dict[tuple[float, ...], dict[str, float]] = field(default_factory=dict)

    def attend(self, shared: tuple[float, ...], times: int, **widths: float) -> None:
        """Add layers to the kind of attention that shares heads, key-value heads, window and keys seen."""
        kind = self.kinds.setdefault(shared, {})
        for name, width in widths.items():
            kind[name] = kind.get(name, 0.0) + times * width


def _number(brick: Brick, name: str) -> float:
    return float(getattr(brick, name, 0) or 0)


def _matrices(brick: Brick) -> float:
    """Return the elements that every token multiplies by, routed experts left out."""
    return float(sum(w.size for w in brick.weights if w.use == "matmul" and w.part != "tower" and w.copies == 1))


def _adapted(layer: Layer) -> float:
    """Return both sides of all matrices of a layer that carry adapters."""
    carry = (w for w in layer.weights if w.use == "matmul" and w.part in ADAPTED and w.copies == 1)
    return float(sum(w.shape[0] + w.shape[-1] for w in carry))


def _shared(brick: Brick) -> tuple[float, float, float, float]:
    """Return what makes a kind: query heads, key-value heads, window, and the keys that a query attends to at most."""
    window, selected = _number(brick, "window"), _number(brick, "selected_keys")
    seen = min(window or selected, selected or window)
    n_heads = _number(brick, "n_heads") or _number(brick, "n_query_heads")
    return n_heads, _number(brick, "n_kv_heads") or 1.0, window, seen


def _attention(sums: _Sums, brick: Any, times: int) -> None:
    """Add one kind of attention layer, widths per key-value head: tensor parallelism divides or replicates heads."""
    held = brick.cache_width / brick.n_kv_heads
    if getattr(brick, "cross", False):  # holds the encoder's tokens, whose number is no part of a decoder's load
        sums.attend(_shared(brick), times, cross_width=held, layers=1.0)
    else:
        score, read = brick.score_width, getattr(brick, "read_width", brick.cache_width) / brick.n_kv_heads
        widths = {"cache_width": held, "read_width": read, "score_width": score, "decode_score_width": score}
        sums.attend(_shared(brick), times, **widths, layers=1.0)
    sums.numbers["n_attention_layers"] += times


def _latent(sums: _Sums, brick: Any, times: int) -> None:
    """Add one kind of latent attention: scores are taken against the latent itself, as engines do when decoding."""
    absorbed = brick.n_heads * (2 * brick.kv_rank + brick.d_rope)
    widths = {"cache_width": brick.cache_width, "read_width": brick.cache_width}
    scores = {"score_width": brick.score_width, "decode_score_width": absorbed}
    sums.attend(_shared(brick), times, **widths, **scores, layers=1.0)
    sums.numbers["n_attention_layers"] += times
    sums.numbers["n_latent_layers"] += times


def _compressor(sums: _Sums, brick: Any, times: int) -> None:
    """Add keys that sum up what is past: attended to like others, beside the layer's own attention."""
    held, score = brick.cache_width, brick.score_width
    widths = {"cache_width": held, "read_width": held, "score_width": score, "decode_score_width": score}
    sums.attend(_shared(brick), times, **widths, layers=1.0)
    sums.numbers["n_indexed_layers"] += times


def _indexer(sums: _Sums, brick: Any, times: int) -> None:
    """Add one kind of indexer: a small key cache, scored in full, that selects what attention reads."""
    sums.numbers["index_cache_width"] += times * brick.index_width
    sums.numbers["index_score_width"] += times * brick.score_width
    sums.numbers["n_indexed_layers"] += times


def _state(sums: _Sums, brick: Any, times: int) -> None:
    """Add one kind of mixer that keeps a state."""
    sums.numbers["n_state_layers"] += times
    sums.numbers["state_bytes"] += times * state_bytes(brick)
    sums.numbers["state_heads"] = float(math.gcd(int(sums.numbers["state_heads"]), int(_number(brick, "n_heads"))))


# Matrix products that a layer launches as engines fuse them: queries, keys and values in one, gate and up in one. A
# latent adds its down- and up-projections, a mixer its gates, routed experts their router.
_PRODUCTS = {
    "n_attention_layers": 2.0, "n_latent_layers": 3.0, "n_state_layers": 3.0, "n_dense_layers": 2.0,
    "n_expert_layers": 1.0,
}  # fmt: skip

# What tells a brick that mixes tokens; a latent has key-value heads as well, so it comes first.
_MIXERS = {
    "kv_rank": _latent,
    "n_kv_heads": _attention,
    "n_query_heads": _compressor,
    "index_width": _indexer,
    "state_elements": _state,
}


def _mixer(sums: _Sums, brick: Brick, times: int) -> bool:
    """Add what mixes tokens; return whether the brick does."""
    add = next((add for name, add in _MIXERS.items() if hasattr(brick, name)), None)
    if add:
        add(sums, brick, times)
    return add is not None


def _is_dense(brick: Brick) -> bool:
    """Return whether every token passes a feed-forward block here; a router alone is none."""
    return any(w.part == "mlp" and w.use == "matmul" and w.copies == 1 for w in brick.weights)


def _layer(sums: _Sums, layer: Layer, times: int) -> None:
    mixers = [_mixer(sums, brick, times) for brick in layer.bricks]
    numbers = sums.numbers
    numbers["adapted_width"] += times * _adapted(layer)
    numbers["n_dense_layers"] += times * any(not m and _is_dense(b) for m, b in zip(mixers, layer.bricks, strict=True))
    for mixes, brick in zip(mixers, layer.bricks, strict=True):
        numbers["attention_parameters" if mixes else "dense_parameters"] += times * _matrices(brick)
        if isinstance(brick, Experts):
            numbers["expert_parameters"] += times * sum(w.size for w in brick.weights if w.copies > 1)
            numbers["n_expert_layers"] += times
            numbers["n_experts"] = max(numbers["n_experts"], float(brick.n_experts))
            numbers["top_k"] = max(numbers["top_k"], float(brick.top_k))


def serving_shape(architecture: Architecture) -> ServingShape:
    """Return the sums that serving estimates need. Towers are left out: they run once an image, not once a token.

    Errors: a model without a head or without anything cached generates no tokens and cannot be served as a decoder.
    """
    shape = shape_of_layers(architecture, architecture.layers)
    cached = any(kind.cache_width or kind.cross_width for kind in shape.kinds)
    if architecture.head is None or not (cached or shape.index_cache_width or shape.state_bytes):
        raise InputError(
            f"not a decoder: got model type '{architecture.model_type}', want a model that generates tokens. "
            "Choose a decoder, or plan it with 'sizebook plan serve'."
        )
    return shape


def shape_of_layers(architecture: Architecture, layers: Sequence[Layer]) -> ServingShape:
    """Return the sums over some layers of a model, such as those of its encoder; totals are the whole model's."""
    sums = _Sums({f.name: 0.0 for f in fields(ServingShape) if f.name != "kinds"})
    for layer, times in distinct_layers(layers):
        _layer(sums, layer, times)
    kinds = tuple(AttentionKind(*shared, **widths) for shared, widths in sums.kinds.items())
    numbers = sums.numbers
    numbers["total_parameters"] = float(count(architecture).total)
    numbers["head_parameters"] = float(head_parameters(architecture))
    numbers["d_model"], numbers["vocab"] = float(architecture.d_model), float(architecture.vocab)
    numbers["n_layers"], numbers["n_mtp_layers"] = float(len(layers)), float(len(architecture.mtp))
    towers = [brick for brick in architecture.inputs if isinstance(brick, Tower) and brick.kind == "vision"]
    numbers["vision_size"] = float(sum(tower.n_layers * tower.d_model**2 for tower in towers))
    numbers["n_products"] = sum(products * numbers[layers] for layers, products in _PRODUCTS.items())
    return ServingShape(**numbers, kinds=kinds)


@cached_by_model
def shape_of(model: str) -> ServingShape:
    """Return the sums of a model of the catalog, or of the config.json that the name is the path of."""
    return serving_shape(catalog.architecture(model))
