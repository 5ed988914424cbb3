"""The table of a model's layers: a row for each kind of layer, with how often it occurs; the rows sum to the total."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from sizebook.models.architecture import Architecture, Brick, Layer
from sizebook.models.counting import stored


@dataclass(frozen=True)
class LayerRow:
    """A kind of layer, or of what a layer consists of: how often it occurs and the parameters of one.

    ``numbers`` are the layers of the stack that are of this kind; what stands before and behind the stack has none.
    ``inside`` are the rows that it consists of, whose parameters together are those of this row.
    """

    kind: str
    times: int
    parameters: int
    numbers: tuple[int, ...] = ()
    inside: tuple[LayerRow, ...] = ()

    @property
    def together(self) -> int:
        """The parameters of all of its kind."""
        return self.times * self.parameters

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The first and the last of each run of layers that follow each other."""
        runs = groupby(enumerate(self.numbers), lambda pair: pair[1] - pair[0])
        return [(found[0], found[-1]) for _, run in runs if (found := [number for _, number in run])]


def layer_table(architecture: Architecture) -> list[LayerRow]:
    """Return the rows of a model: what stands before the stack, each kind of layer, what stands behind it, the head."""
    head = [architecture.head] if architecture.head else []
    return [*_bricks(architecture.inputs), *_layers(architecture.layers), *_bricks((*architecture.outputs, *head))]


def _layers(layers: Iterable[Layer]) -> list[LayerRow]:
    rows: dict[Hashable, LayerRow] = {}
    known: dict[int, Hashable] = {}  # equal layers are often one object
    for number, layer in enumerate(layers):
        key = known.setdefault(id(layer), (layer.stored, *map(_key, layer.bricks)))
        if key not in rows:
            kind = "layer" if layer.stored else "tied layer"  # which has the weights of another
            inside = tuple(_bricks(layer.bricks)) if layer.stored else ()
            rows[key] = LayerRow(kind, 0, stored(layer.weights), inside=inside)
        row = rows[key]
        rows[key] = replace(row, times=row.times + 1, numbers=(*row.numbers, number))
    return [replace(row, inside=tuple(_times(row.inside, row.times))) for row in rows.values()]


def _times(rows: Iterable[LayerRow], times: int) -> Iterator[LayerRow]:
    for row in rows:
        yield replace(row, times=row.times * times)


def _bricks(bricks: Iterable[Brick]) -> list[LayerRow]:
    """Return bricks in the order in which they stand, equal ones as one row."""
    rows: dict[Hashable, LayerRow] = {}
    for brick in bricks:
        row = rows.get(_key(brick), LayerRow(type(brick).__name__, 0, stored(brick.weights)))
        rows[_key(brick)] = replace(row, times=row.times + 1)
    return list(rows.values())


def _key(brick: Brick) -> Hashable:
    """Return what two bricks of one kind have in common: all but the names of their tensors."""
    return type(brick), tuple(weight[1:] for weight in brick.weights)
