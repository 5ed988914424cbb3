"""Whole models that are rows of data: tables, layers, what follows them, and the head or what a class puts on top."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sizebook.core.errors import UnknownKeyError
from sizebook.models.architecture import Architecture, Head, Layer
from sizebook.models.classes import kind_of_class, n_labels
from sizebook.models.config import Config
from sizebook.models.families.row_bricks import Entry, Formula, Reading, Sizes, rows_of


@dataclass(frozen=True, slots=True)
class Row(Reading):
    """What a row says of a model; its words for sizes and bricks are those of `row_bricks`."""

    prefix: str = ""  # of the names of its classes, where the class decides what stands on top
    classes: Mapping[str, str] = field(default_factory=dict)  # what each of them puts there, in words, by its ending
    class_only: Mapping[str, dict[str, list[Any]]] = field(default_factory=dict)  # `only` under some of these words
    inputs: tuple[Entry, ...] = ()
    layer: tuple[Entry, ...] = ()
    layers: Formula = "num_hidden_layers"
    first: tuple[Entry, ...] = ()  # further bricks of the first layer
    last: tuple[Entry, ...] = ()  # and of the last
    stacks: tuple[
        Mapping[str, Any], ...
    ] = ()  # where there are several: `times` and `bricks`, `stored` false for again
    outputs: tuple[Entry, ...] = ()
    top: tuple[Entry, ...] = ()  # what a class puts behind them
    head: Mapping[str, Any] | None = None  # tied (unsaid), ties, own, bias, name, rows, width, on
    buffers: tuple[Entry, ...] = ()
    vocab: Formula = "vocab_size"
    n_ctx: Formula = "max_position_embeddings"


class Model(Sizes):
    """The numbers that the formulas of a whole model name: also what its class puts on top."""

    def __init__(self, config: Config, row: Row, **given: int) -> None:
        self.words: list[str] = []
        self.head, self.vocab = row.head or {}, row.vocab
        if row.prefix:
            self.words = kind_of_class(config, row.prefix, row.classes).split()
        Sizes.__init__(self, config, row, **given)
        for word, only in row.class_only.items():
            for key, known in only.items() if word in self.words else ():
                config.only(key, *(self.of(value) if isinstance(value, str) else value for value in known))

    def _read(self, name: str) -> Any:
        config = self.config
        if name.startswith("class_"):  # whether the class has a word
            return name.removeprefix("class_") in self.words
        if name == "n_labels":
            return n_labels(config)
        if name == "tied":
            usual = self.head.get("tied")
            said = config.flag("tie_word_embeddings", default=usual) if usual is not None else False
            return said and self.says(self.head.get("ties", True))
        if name == "cross":
            return cross_attends(config)
        return Sizes._read(self, name)


def cross_attends(config: Config) -> bool:
    """Return whether a decoder reads an encoder's output; an encoder cannot."""
    cross = config.flag("add_cross_attention", default=False)
    if cross and not config.flag("is_decoder", default=False):
        raise UnknownKeyError(
            f"inconsistent keys: got 'add_cross_attention' = true without 'is_decoder' in {config.where}, "
            "want both or neither. Correct one of them."
        )
    return cross


def described(row: Row, config: Config, **given: int) -> Architecture:
    """Return the architecture of a config whose type is a row; ``given`` are sizes that no formula gives."""
    sizes = Model(config, row, **given)
    inputs, layers = sizes.bricks(row.inputs), _layers(sizes, row)
    if row.prefix:
        n_labels(config)  # of any class, so that labels at odds are refused
    sizes["tied"]
    outputs, vocab = sizes.bricks((*row.outputs, *row.top)), sizes.of(row.vocab)
    return Architecture(
        model_type=config.spelt_as(),
        d_model=sizes.of("d"),
        vocab=vocab,
        n_ctx=sizes.of(row.n_ctx) or None,
        inputs=inputs,
        layers=layers,
        outputs=outputs,
        head=_head(sizes) if row.head and sizes.says(row.head.get("on", True)) else None,
        buffers=tuple(weight for brick in sizes.bricks(row.buffers) for weight in brick.weights),
    )


def _layers(sizes: Sizes, row: Row) -> tuple[Layer, ...]:
    """Return the layers; those of one stack are one object but for the first and the last where these hold more."""
    layers: tuple[Layer, ...] = ()
    for said in row.stacks or ({"times": row.layers},):
        if sizes.says(said.get("if", True)):
            bricks = sizes.bricks(said.get("bricks", row.layer))
            layers += (Layer(bricks, stored=said.get("stored", True)),) * sizes.of(said["times"])
    if row.first and layers:
        layers = (Layer((*layers[0].bricks, *sizes.bricks(row.first))), *layers[1:])
    if row.last and layers:
        layers = (*layers[:-1], Layer((*layers[-1].bricks, *sizes.bricks(row.last))))
    return layers


def _head(sizes: Model) -> Head:
    said = sizes.head
    vocab = sizes.of(said.get("rows", sizes.vocab))
    tied, bias = sizes["tied"] and not said.get("own", False), sizes.says(said.get("bias", False))
    return Head(vocab, sizes.of(said.get("width", "d")), tied=tied, bias=bias, name=said.get("name", "lm_head"))


@cache
def rows(file: str) -> dict[str, Row]:
    """Return the rows of a file; one that begins with an underscore is no type, but what others are like."""
    return {name: Row(**said) for name, said in rows_of(file).items()}
