"""Whole models that are rows of data: tables, layers, what follows them, and the head or what a class puts on top."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from sizebook.core.errors import UnknownKeyError
from sizebook.models.architecture import Architecture, Head, Layer
from sizebook.models.classes import kind_of_class, n_labels
from sizebook.models.config import Config
from sizebook.models.families.blocks import UNTIED, layers_of, prediction
from sizebook.models.families.row_bricks import Entry, Sizes, rows_of
from sizebook.models.families.row_sizes import Formula, Reading
from sizebook.models.huggingface import model_type


@dataclass(frozen=True, slots=True)
class Row(Reading):
    """What a row says of a model; its words for sizes and bricks are those of `row_bricks`."""

    prefix: str = ""  # of the names of its classes, where the class decides what stands on top
    classes: Mapping[str, str] = field(default_factory=dict)  # what each of them puts there, in words, by its ending
    class_only: Mapping[str, dict[str, list[Any]]] = field(default_factory=dict)  # `only` under some of these words
    inputs: tuple[Entry, ...] = ()
    layer: tuple[Entry, ...] = ()
    layers: Formula = "num_hidden_layers"
    # Where there are several: `times`, `bricks` and `each`, `stored` false for again.
    stacks: tuple[Mapping[str, Any], ...] = ()
    # Lists of the file with a word a layer: the `words`, what others `mean`, and which is `usual` by a formula of `i`.
    # A word is 1 in the layers that have it and 0 in others; `n_` before it counts them.
    kinds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    listed: Mapping[str, str] = field(default_factory=dict)  # what is 1 in the layers that a key lists by number
    each: Mapping[str, Formula] = field(default_factory=dict)  # numbers of a layer by formulas of its own, `i`, from 0
    lists: Mapping[str, str] = field(default_factory=dict)  # numbers of a layer that a key lists for each
    predictions: Formula = 0  # layers that predict further tokens
    predicted: Mapping[str, int] = field(default_factory=dict)  # the numbers of the layer that they hold
    outputs: tuple[Entry, ...] = ()
    top: tuple[Entry, ...] = ()  # what a class puts behind them
    head: Mapping[str, Any] | None = None  # tied (unsaid), ties, never, own, bias, name, rows, width, on
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
            said = usual is not None and config.flag("tie_word_embeddings", default=self.is_on(usual))
            return said and self.is_on(self.head.get("ties", True))
        if name == "context":
            return config.integer("max_position_embeddings", default=0) or config.integer("model_max_length", default=0)
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
    inputs, layers, n_predictions = sizes.bricks(row.inputs), _layers(sizes, row), sizes.of(row.predictions)
    predicted = Layer(sizes.within(**row.predicted).bricks(row.layer)) if n_predictions else Layer(())
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
        head=_head(sizes) if row.head and sizes.is_on(row.head.get("on", True)) else None,
        notes=(UNTIED,) if sizes.head.get("never") and sizes["tied"] else (),
        mtp=prediction(sizes.of("d"), predicted, n_predictions),
        buffers=tuple(weight for brick in sizes.bricks(row.buffers) for weight in brick.weights),
    )


def _layers(sizes: Model, row: Row) -> tuple[Layer, ...]:
    """Return the layers; those of one stack that hold the same are one object."""
    layers: tuple[Layer, ...] = ()
    for said in row.stacks or ({"times": row.layers},):
        if sizes.is_on(said.get("if", True)):
            entries, stored = said.get("bricks", row.layer), said.get("stored", True)
            built = _stack(sizes, row, sizes.of(said["times"]), entries, said.get("each", row.each))
            layers += built if stored else layers_of(built, lambda layer: Layer(layer.bricks, stored=False))
    return layers


def _stack(
    sizes: Model, row: Row, n_layers: int, entries: Sequence[Entry], each: Mapping[str, Formula]
) -> tuple[Layer, ...]:
    if not (row.kinds or row.listed or row.lists or each):
        return (Layer(sizes.bricks(entries)),) * n_layers
    numbers: list[dict[str, int]] = [{"i": i} for i in range(n_layers)]
    for name, key in row.listed.items():
        places = sizes.config.integers(key, default=list(range(n_layers)) if row.usual.get(key) == "all" else [])
        numbers = [known | {name: known["i"] in places} for known in numbers]
    for name, key in row.lists.items():
        usual = [sizes.of(row.usual[key])] * n_layers
        sizes.config.integers(key, usual)
        own = sizes.config.per_layer(key, n_layers, usual)
        numbers = [known | {name: number} for known, number in zip(numbers, own, strict=True)]
    for key, said in row.kinds.items():
        listed = _listed(sizes, key, said, numbers)
        numbers = [
            known | {word: word == of for word in said["words"]} for known, of in zip(numbers, listed, strict=True)
        ]
        sizes.known |= {f"n_{word}": listed.count(word) for word in said["words"]}
    for name, formula in each.items():
        numbers = [known | {name: sizes.within(**known).of(formula)} for known in numbers]
        sizes.known[f"n_{name}"] = sum(known[name] for known in numbers)
    kinds = [tuple(item for item in known.items() if item[0] != "i") for known in numbers]
    for kind in kinds[:1]:
        sizes.within(**dict(kind)).read_all(entries)
    return layers_of(kinds, lambda kind: Layer(sizes.within(**dict(kind)).bricks(entries)))


def _listed(sizes: Model, key: str, said: Mapping[str, Any], numbers: list[dict[str, int]]) -> list[str]:
    """Return the word of each layer: of the file, in which others may stand for them, or the usual one."""
    config, words, means = sizes.config, said["words"], said.get("means", {})
    if means and isinstance(listed := config.values.get(key), list):
        config.values = {**config.values, key: [means.get(str(word), word) for word in listed]}
    if "usual" not in said:
        return config.pattern(key, len(numbers), tuple(words))
    asked = numbers[:1] if config.has(key) else numbers  # a formula is read also where the file has the list
    usual = [words[sizes.within(**known).of(said["usual"])] for known in asked]
    return config.pattern(key, len(numbers), tuple(words), usual)


def _head(sizes: Model) -> Head:
    said = sizes.head
    vocab = sizes.of(said.get("rows", sizes.vocab))
    tied, bias = sizes["tied"] and not (said.get("own") or said.get("never")), sizes.is_on(said.get("bias", False))
    return Head(vocab, sizes.of(said.get("width", "d")), tied=tied, bias=bias, name=said.get("name", "lm_head"))


@cache
def rows(file: str) -> dict[str, Row]:
    """Return the rows of a file; one that begins with an underscore is no type, but what others are like."""
    return {name: Row(**said) for name, said in rows_of(file).items()}


def registered(module: str, *files: str) -> dict[str, Row]:
    """Return the rows of files; their types are registered as those of a module, which `modules` names for them."""

    def mapping(row: Row, config: Config) -> Architecture:
        return described(row, config)

    mapping.__module__ = module
    found = {name: row for file in files for name, row in rows(file).items()}
    for name, row in found.items():
        if not name.startswith("_"):
            model_type(name)(partial(mapping, row))
    return found
