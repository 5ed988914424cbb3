"""Exact parameter counts: an `Architecture` in, named parts and their sum out."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from sizebook.models.architecture import PARTS, Architecture, Part, Weight


@dataclass(frozen=True)
class Count:
    """The parameters of one model. ``parts`` add up to ``total``; buffers and multi-token prediction stand apart.

    ``active`` counts what one token visits: everything but the routed experts that it is not sent to. Embedding, head
    and towers count whole.
    """

    total: int
    active: int
    active_without_embedding: int
    parts: dict[Part, int]
    buffers: int
    mtp: int


def count(architecture: Architecture) -> Count:
    """Return the exact parameter count of a model, total, active and by part."""
    parts: dict[Part, int] = dict.fromkeys(PARTS, 0)
    active = 0
    for weights, times in groups_with_counts(architecture):
        for _, shape, part, _, copies, visited in weights:
            size = prod(shape) * times
            parts[part] += size * copies
            active += size * visited
    return Count(
        total=sum(parts.values()),
        active=active,
        active_without_embedding=active - parts["embedding"],
        parts=parts,
        buffers=stored(architecture.buffers),
        mtp=sum(stored(layer.weights) for layer in architecture.mtp),
    )


def stored(weights: Iterable[Weight]) -> int:
    """Return the elements of some tensors, every copy counted."""
    return sum(prod(shape) * copies for _, shape, _, _, copies, _ in weights)


def groups_with_counts(architecture: Architecture) -> Iterable[tuple[tuple[Weight, ...], int]]:
    """Yield each distinct group of tensors with how often it occurs; equal layers are one object."""
    outside = (*architecture.inputs, *architecture.outputs, *([architecture.head] if architecture.head else []))
    for brick in outside:
        yield brick.weights, 1
    layers = architecture.layers
    if len(set(map(id, layers))) == 1:  # most models
        yield layers[0].weights, len(layers)
        return
    distinct, times = {id(layer): layer for layer in layers}, Counter(map(id, layers))
    for key, layer in distinct.items():
        yield layer.weights, times[key]
