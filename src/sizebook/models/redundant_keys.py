"""Keys that a type's mapping does not read and that ask for what the model is anyway.

Files carry words of other types: one engine's switch beside another's, GPT-2's spelling beside Llama's. Such a key is
harmless where it says what the bricks of the described model are: as wide, as deep, with such biases and norms. Where
it says otherwise the file contradicts itself, and is refused like any other key that is not understood.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from sizebook.models.architecture import Architecture, Attention, Experts, FeedForward, Norm
from sizebook.models.bricks import Brick, Weight
from sizebook.models.towers import Tower

Kind = TypeVar("Kind", Attention, Experts, FeedForward, Norm)


def agrees_with_the_model(model: Architecture, key: str, value: Any) -> bool:
    """Return whether a key of the file, or of its language model's section, says of the model what holds anyway."""
    if key in _WITHOUT_WEIGHTS:
        return _WITHOUT_WEIGHTS[key](model)
    if key in _SWITCHES:
        return (value is True or (value.__class__ is int and value == 1)) and _SWITCHES[key](model)
    return value.__class__ is int and key in _SIZES and _SIZES[key](model) == {value}


def _bricks(model: Architecture, kind: type[Kind]) -> Iterator[Kind]:
    """Yield the bricks of a kind in the distinct layers."""
    for layer in {id(layer): layer for layer in model.layers}.values():
        yield from (brick for brick in layer.bricks if isinstance(brick, kind))


def _every(model: Architecture, kind: type[Kind], holds: Callable[[Kind], object]) -> bool:
    """Return whether a model has bricks of a kind, and something holds for all of them."""
    found = [bool(holds(brick)) for brick in _bricks(model, kind)]
    return bool(found) and all(found)


def _outside(model: Architecture) -> Iterator[Weight]:
    """Yield the tensors in front of the layers, towers apart, and those of the layers that are looked up."""
    inside: list[Brick] = [brick for layer in model.layers[:1] for brick in layer.bricks]
    for brick in (*model.inputs, *inside):
        if not isinstance(brick, Tower):
            yield from brick.weights


def _no_table_of_positions(model: Architecture) -> bool:
    """Return whether positions are rotated, decay or are not told at all: nothing but words is looked up."""
    tables = [w for w in _outside(model) if w.use == "lookup" or re.search(r"pos(?!t)", w.name)]
    return model.vocab > 0 and all(w.shape[0] == model.vocab for w in tables)


def _no_experts(model: Architecture) -> bool:
    return not any(weight.copies > 1 or weight.part == "router" for weight in _outside(model)) and not any(
        weight.part == "router" for layer in model.layers for weight in layer.weights
    )


def _qkv_biased(brick: Attention) -> bool:
    return brick.qkv_bias and brick.key_bias


def _attention_biased(model: Architecture) -> bool:
    return _every(model, Attention, lambda brick: _qkv_biased(brick) and brick.out_bias)


def _feed_biased(model: Architecture) -> bool:
    return _every(model, FeedForward, lambda brick: brick.bias) and not any(_bricks(model, Experts))


def _normed(model: Architecture) -> bool:
    return _every(model, Attention, lambda brick: brick.qk_norm)


# What rotates positions or scores experts holds no weights of its own where nothing else tells positions or routes.
_WITHOUT_WEIGHTS: dict[str, Callable[[Architecture], bool]] = {
    "use_rotary_pos_emb": _no_table_of_positions,
    "n_positions": _no_table_of_positions,
    "moe_gate": _no_experts,
}
_SWITCHES: dict[str, Callable[[Architecture], bool]] = {
    "attention_bias": _attention_biased,
    "qkv_bias": lambda model: _every(model, Attention, _qkv_biased),
    "mlp_bias": _feed_biased,
    "use_bias": lambda model: _attention_biased(model) and _feed_biased(model),
    "norm_bias": lambda model: _every(model, Norm, lambda brick: brick.bias),
    "qk_norm": _normed,
    "use_qk_norm": _normed,
    "tie_word_embeddings": lambda model: model.head is None and not model.vocab,
}


def _width(model: Architecture) -> set[int]:
    return {model.d_model}


def _heads(model: Architecture) -> set[int]:
    return {brick.n_heads for brick in _bricks(model, Attention)}


def _inner(model: Architecture) -> set[int]:
    return {brick.d_ff for brick in _bricks(model, FeedForward)}


_SIZES: dict[str, Callable[[Architecture], set[int]]] = {
    **dict.fromkeys(("d_model", "n_embd", "hidden_size"), _width),
    **dict.fromkeys(("n_layer", "n_layers", "num_layers", "num_hidden_layers"), lambda model: {model.n_layers}),
    **dict.fromkeys(("n_head", "n_heads", "num_attention_heads"), _heads),
    **dict.fromkeys(("d_ff", "ffn_dim", "intermediate_size"), _inner),
    "num_key_value_heads": lambda model: {brick.n_kv_heads for brick in _bricks(model, Attention)},
    "head_dim": lambda model: {width for brick in _bricks(model, Attention) for width in (brick.d_head, brick.d_value)},
    "vocab_size": lambda model: {model.vocab},
}
