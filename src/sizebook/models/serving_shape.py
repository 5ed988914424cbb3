"""What serving needs to know of a model: an architecture summed over its layers into plain numbers.

Every field is a number, so models can stand side by side in arrays. Widths count elements (not bytes), summed over
layers. A latent cache is one vector a token that every head shares; a mixer's state does not grow with the context.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sizebook.errors import InputError
from sizebook.models import catalog
from sizebook.models.architecture import Architecture, Brick, Experts, Layer
from sizebook.models.counting import count
from sizebook.models.flops import distinct_layers, head_parameters

STATE_ELEMENT_BYTES = 4  # engines keep recurrent state in single precision unless told otherwise


@dataclass(frozen=True, slots=True)
class ServingShape:
    """The sums of one model. ``attention`` counts projections of attention and mixers, ``dense`` what every token
    multiplies besides (feed-forward blocks, shared experts, routers), ``expert`` one routed expert of every layer;
    ``n_dense_layers`` the layers with a feed-forward block or a shared expert.
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
    n_heads: float
    n_kv_heads: float
    head_cache_width: float
    window_cache_width: float
    window: float
    latent_cache_width: float
    index_cache_width: float
    index_top_k: float
    cross_cache_width: float
    state_bytes: float
    score_width: float
    window_score_width: float
    latent_score_width: float
    index_score_width: float


def _number(brick: Brick, name: str) -> float:
    return float(getattr(brick, name, 0) or 0)


def _matrices(brick: Brick) -> float:
    """Return the elements that every token multiplies by, routed experts left out."""
    return float(sum(w.size for w in brick.weights if w.use == "matmul" and w.part != "tower" and w.copies == 1))


def _attention(sums: dict[str, float], brick: Any, times: int) -> None:
    """Add one kind of attention layer, per key-value head: tensor parallelism divides or replicates heads."""
    per_head = brick.cache_width / brick.n_kv_heads
    if getattr(brick, "cross", False):  # holds the encoder's tokens, whose number is no part of a decoder's load
        sums["cross_cache_width"] += times * per_head
    else:
        sums["window_cache_width" if brick.window else "head_cache_width"] += times * per_head
        sums["window_score_width" if brick.window else "score_width"] += times * brick.score_width
    sums["window"] = max(sums["window"], float(brick.window or 0))
    sums["n_kv_heads"] = max(sums["n_kv_heads"], float(brick.n_kv_heads))
    sums["n_attention_layers"] += times


def _latent(sums: dict[str, float], brick: Any, times: int) -> None:
    """Add one kind of latent attention: scores are taken against the latent itself, as engines do when decoding."""
    sums["latent_cache_width"] += times * brick.cache_width
    sums["latent_score_width"] += times * brick.n_heads * (2 * brick.kv_rank + brick.d_rope)
    sums["score_width"] += times * brick.score_width
    sums["n_attention_layers"] += times
    sums["n_latent_layers"] += times


def _indexer(sums: dict[str, float], brick: Any, times: int) -> None:
    """Add one kind of indexer or compressor: a small key cache that selects or sums up what attention reads."""
    sums["index_cache_width"] += times * brick.cache_width
    sums["index_score_width"] += times * brick.score_width
    sums["n_indexed_layers"] += times


def _mixer(sums: dict[str, float], brick: Brick, times: int) -> bool:
    """Add what mixes tokens; return whether the brick does."""
    if hasattr(brick, "kv_rank"):
        _latent(sums, brick, times)
    elif hasattr(brick, "n_kv_heads"):
        _attention(sums, brick, times)
    elif hasattr(brick, "cache_width"):
        _indexer(sums, brick, times)
    elif hasattr(brick, "state_elements"):
        sums["n_state_layers"] += times
        sums["state_bytes"] += times * STATE_ELEMENT_BYTES * _number(brick, "state_elements")
    else:
        return False
    sums["n_heads"] = max(sums["n_heads"], _number(brick, "n_heads"))
    sums["index_top_k"] = max(sums["index_top_k"], _number(brick, "selected_keys"))
    return True


def _is_dense(brick: Brick) -> bool:
    """Return whether every token passes a feed-forward block here; a router alone is none."""
    return any(w.part == "mlp" and w.use == "matmul" and w.copies == 1 for w in brick.weights)


def _layer(sums: dict[str, float], layer: Layer, times: int) -> None:
    mixers = [_mixer(sums, brick, times) for brick in layer.bricks]
    sums["n_dense_layers"] += times * any(not m and _is_dense(b) for m, b in zip(mixers, layer.bricks, strict=True))
    for mixes, brick in zip(mixers, layer.bricks, strict=True):
        sums["attention_parameters" if mixes else "dense_parameters"] += times * _matrices(brick)
        if isinstance(brick, Experts):
            sums["expert_parameters"] += times * sum(w.size for w in brick.weights if w.copies > 1)
            sums["n_expert_layers"] += times
            sums["n_experts"] = max(sums["n_experts"], float(brick.n_experts))
            sums["top_k"] = max(sums["top_k"], float(brick.top_k))


def serving_shape(architecture: Architecture) -> ServingShape:
    """Return the sums that serving estimates need. Towers are left out: they run once an image, not once a token.

    Errors: a model without a head or without anything cached generates no tokens and cannot be served as a decoder.
    """
    sums = dict.fromkeys(ServingShape.__dataclass_fields__, 0.0)
    for layer, times in distinct_layers(architecture.layers):
        _layer(sums, layer, times)
    remembers = any(value for name, value in sums.items() if name.endswith("cache_width") or name == "state_bytes")
    if architecture.head is None or not remembers:
        raise InputError(
            f"not a decoder: got model type '{architecture.model_type}', want a model that generates tokens. "
            "Choose a decoder."
        )
    sums["total_parameters"] = float(count(architecture).total)
    sums["head_parameters"] = float(head_parameters(architecture))
    sums["d_model"], sums["vocab"] = float(architecture.d_model), float(architecture.vocab)
    sums["n_layers"], sums["n_mtp_layers"] = float(architecture.n_layers), float(len(architecture.mtp))
    return ServingShape(**sums)


@cache
def shape_of(model: str) -> ServingShape:
    """Return the sums of a model of the catalog, or of the config.json that the name is the path of."""
    return serving_shape(catalog.architecture(model))
