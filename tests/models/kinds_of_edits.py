"""Edits of a config by chance: what people and files of other types may write, key by key, or several that go together.

A kind takes a config and returns what `edits.apply` sets: the new value of each path, nothing where it finds no place.
"""

import importlib
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.models.spellings import spellings

Config_ = dict[str, Any]
Changes = dict[str, Any]
Kind = Callable[[random.Random, Config_], Changes]
Found = tuple[str, Any]  # the path to something, and what stands there
DROPPED = "(dropped)"
# Names of classes that are none, of another task or model; what says which layers are of another kind, in the words of
# one type or another; parts that a class may add; keys of files of other types, and keys that change no count anywhere.
VALUES: dict[str, list[Any]] = json.loads((Path(__file__).parent / "values_of_edits.json").read_text(encoding="utf-8"))
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers", "depth")
SIZES = r"size|dim|rank|heads|experts|d_model|d_ff|n_embd|n_inner|vocab|buckets|state|conv|groups|channels|length"
WHICH = (
    r"freq|interval|step|period|every|offset|dense_replace|start|end_index|shared_layers|nextn|mtp|n_dense|num_dense"
)
NOTHING = type(None)


def sections(config: Config_) -> list[str]:
    """Return the sections of a config."""
    return [key for key, value in config.items() if isinstance(value, dict) and "config" in key]


def places(config: Config_, given: Config_, path: str = "") -> Iterator[tuple[str, Config_, Config_]]:
    """Yield the path of a config and of every section in it, what it says there, and what its class gives."""
    yield path, config, given
    for key in (*sections(config), *(key for key in ("encoder", "decoder") if isinstance(config.get(key), dict))):
        inner = given.get(key)
        if key != "per_layer_config":
            yield from places(config[key], inner if isinstance(inner, dict) else {}, f"{path}{key}.")


def _counts(key: str) -> bool:
    return key not in ("model_type", "architectures", "dtype") and not key.endswith("_id")


def said(config: Config_) -> Iterator[Found]:
    """Yield everything that a file says, but for names and ids of tokens."""
    for path, place, _ in places(config, {}):
        yield from ((path + key, value) for key, value in place.items() if _counts(key))


@cache
def _defaults(model_type: str) -> Config_:
    every = importlib.import_module("transformers").CONFIG_MAPPING[model_type]().to_dict()
    found: Config_ = json.loads(json.dumps(every, default=str))
    return found


def unsaid(config: Config_) -> Iterator[Found]:
    """Yield what a file leaves out and its class gives."""
    for path, place, given in places(config, _defaults(config["model_type"])):
        yield from ((path + key, value) for key, value in given.items() if key not in place and _counts(key))


def every(config: Config_) -> Iterator[Found]:
    """Yield everything that a file says or its class gives."""
    yield from said(config)
    yield from unsaid(config)


def asked(config: Config_) -> Iterator[Found]:
    """Yield what our mapping asks a file for that it does not say."""
    read = Config(json.loads(json.dumps(config)), "config.json")
    architecture(read)
    inner = {f"{name}.": section for name, section in read.sections.items() if name in config}
    for path, place in {"": read, **inner}.items():
        yield from ((path + key, None) for key in sorted(place.read - place.values.keys()) if _counts(key))


@dataclass(frozen=True)
class Values:
    """Other values of some types under keys of some names: of one or a share of them; ``new`` lists what may come."""

    new: Callable[[Any], Sequence[Any]]
    types: tuple[type, ...] = (object,)
    of: Callable[[Config_], Iterable[Found]] = said
    named: str = ""
    share: float = 0.0

    def __call__(self, chance: random.Random, config: Config_) -> Changes:
        """Return the changes; what lies inside something that changes is left."""
        found = [each for each in self.of(config) if self._fits(*each)]
        chosen = [each for each in found if chance.random() < self.share] if self.share else found[:]
        changes = {path: chance.choice(self.new(value)) for path, value in chosen}
        if changes and not self.share:
            path = chance.choice(sorted(changes))
            return {path: changes[path]}
        return {path: new for path, new in changes.items() if not any(path.startswith(f"{p}.") for p in changes)}

    def _fits(self, path: str, value: Any) -> bool:
        named = re.search(self.named, path.rpartition(".")[2])
        return bool(named) and (type(value) in self.types or object in self.types)


def put(words: Iterable[tuple[str, Sequence[Any]]]) -> Kind:
    """Return the kind that writes one of some keys, each with values of its own, into the file or a section."""
    known = list(words)

    def kind(chance: random.Random, config: Config_) -> Changes:
        key, values = chance.choice(known)
        return {_place(chance, config) + key: chance.choice(values)}

    return kind


def _place(chance: random.Random, config: Config_) -> str:
    return chance.choice(["", *(f"{section}." for section in sections(config))])


def other(old: Any) -> list[Any]:
    """Return other values for a key that holds this one."""
    if isinstance(old, bool):
        return [not old]
    if isinstance(old, int):
        return [0, 1, 2, 3, 2 * old, 3 * old, old + 1, max(old // 2, 1), None]
    return (
        [old[:-1], [*old, *old[-1:]], old[::-1], old[:1] * len(old), [], old * 2, None] if old else [True, 1, 2, 4, 8]
    )


def spelt_otherwise(chance: random.Random, config: Config_) -> Changes:
    """A key in the other spelling of its type, or in both, at odds."""
    found = [
        (path, place[have], have, new)
        for path, place, _ in places(config, {})
        for pair in spellings(place.get("model_type"))
        for have, new in (pair, pair[::-1])
        if have in place
    ]
    if not found:
        return {}
    path, value, have, new = chance.choice(found)
    if chance.random() < 0.5:
        return {path + have: DROPPED, path + new: value}
    return {path + new: chance.choice(other(value))}


def section_at_odds(chance: random.Random, config: Config_) -> Changes:
    """A size of a section beside it, or in another section, the same or not."""
    found = [(path, value) for path, value in said(config) if "." in path and isinstance(value, int)]
    if not found:
        return {}
    path, value = chance.choice(found)
    new = not value if isinstance(value, bool) else chance.choice([value, value + 1, 2 * value])
    return {_place(chance, config) + path.rpartition(".")[2]: new}


def tied_somewhere(chance: random.Random, config: Config_) -> Changes:
    """The tie of the tables, in the file, in one section, in both, at odds, as null."""
    known = ["", *(f"{section}." for section in sections(config))]
    chosen = chance.sample(known, chance.randint(1, min(2, len(known))))
    return {f"{path}tie_word_embeddings": chance.choice([True, False, True, False, None, DROPPED]) for path in chosen}


@cache
def classes_of(model_type: str) -> list[str]:
    """Return the classes that transformers builds from configs of a type."""
    named = importlib.import_module("transformers.models.auto.modeling_auto")
    found: set[str] = set()
    for name in vars(named):
        if name.startswith("MODEL_") and name.endswith("MAPPING_NAMES"):
            classes = getattr(named, name).get(model_type) or ()
            found.update([classes] if isinstance(classes, str) else classes)
    return sorted(found)


def another_class(chance: random.Random, config: Config_) -> Changes:
    """Another class of the type."""
    classes = classes_of(config["model_type"])
    return {"architectures": [chance.choice(classes)]} if classes else {}


def several_classes(chance: random.Random, config: Config_) -> Changes:
    """Several classes, of another model, unknown, as a text, none."""
    named = config.get("architectures") or []
    one = chance.choice(VALUES["classes"])
    return {"architectures": chance.choice([[*named, one], [one, *named], [one], one, [], None, DROPPED, [3]])}


def stored_otherwise(chance: random.Random, config: Config_) -> Changes:
    """A format and a quantization that may not go together, in the file or a section."""
    key = _place(chance, config) + chance.choice(["dtype", "torch_dtype"])
    return {key: chance.choice(VALUES["formats"]), "quantization_config": chance.choice(VALUES["quantised"])}


def type_of_section(chance: random.Random, config: Config_) -> Changes:
    """A section without its type, with another's, or as null."""
    types = [DROPPED, None, "llama", "", "clip_vision_model", 3]
    return {
        f"{name}.model_type": chance.choice(types) for name in chance.sample(sections(config), bool(sections(config)))
    }


def section_inside(chance: random.Random, config: Config_) -> Changes:
    """A section where the type has none, or inside another of its name, with sizes of its own."""
    own = {key: chance.choice([value, value + 1, 2 * value]) for key, value in said(config) if type(value) is int}
    own = {key: value for key, value in own.items() if "." not in key}
    names = ["text_config", "vision_config", "decoder", "encoder", "llm_config", "audio_config", "language_config"]
    path = _place(chance, config) + chance.choice(names)
    return {} if path in config else {path: chance.choice([{}, own, {"model_type": "llama", **own}])}


def type_of_another(chance: random.Random, config: Config_) -> Changes:
    """The file of one model under the type of another, with its class or without one."""
    changes: Changes = {"model_type": chance.choice(VALUES["types"])}
    return changes if chance.random() < 0.5 else {**changes, "architectures": DROPPED}


def other_layers(chance: random.Random, config: Config_) -> Changes:
    """Another number of layers, and as many entries in the lists that have one a layer."""
    changes: Changes = {}
    for path, place, _ in places(config, {}):
        for key in (key for key in LAYERS if isinstance(place.get(key), int)):
            n_layers = chance.choice([1, 2, 3, 5, 6, 7, 9])
            changes[path + key] = n_layers
            for name, value in place.items():
                if isinstance(value, list) and len(value) == place[key]:
                    changes[path + name] = [chance.choice(value) for _ in range(n_layers)]
    return changes


# A key or two, as often as each stands here.
USUAL: tuple[Kind, ...] = (
    *[Values(other, (int, list))] * 2,
    Values(lambda old: [None]),
    Values(lambda old: [DROPPED]),
    Values(lambda old: [not old], (bool,)),
    Values(lambda old: [DROPPED, None, {}], (dict,)),
    *[spelt_otherwise] * 2,
    put((key, (0, 1, 2, 4, 16, None, True, False)) for key in VALUES["strange"]),
    put((key, [value]) for key, value in VALUES["harmless"]),
    another_class,
    *[Values(other, (bool, int, NOTHING), of=unsaid)] * 2,
    Values(lambda old: [True, False, 1, 2, 4], of=asked),
)
# What a person writes by mistake: a value of another kind, a section at odds with the file, classes by the dozen.
ODD: tuple[Kind, ...] = (
    Values(lambda old: [float(old), old + 0.5, str(old), [old], True, False, -old, {}], (int,)),
    Values(lambda old: [int(old), int(not old), "true", "false", 1.0, "", [], 2], (bool,)),
    Values(
        lambda old: [[], old[:1], old * 2, [*old, *old[:1]], old[0] if old else 1, [None] * len(old), [*map(str, old)],
                     [-1] * len(old), [old]],
        (list,),
    ),
    section_at_odds,
    spelt_otherwise,
    tied_somewhere,
    several_classes,
    stored_otherwise,
    put((key, VALUES["ropes"]) for key in ("rope_scaling", "rope_parameters")),
    type_of_section,
)  # fmt: skip
# Words that another type would follow: they find what is counted in silence, and most are rightly refused.
FOREIGN: tuple[Kind, ...] = (
    Values(lambda old: [[old], [old] * 2, [old] * 7, [old, old + 1], {"0": old}, [[old] * 2]], (int,)),
    put(VALUES["which_layers"]),
    put(VALUES["parts"]),
    Values(lambda old: VALUES["activations"], (str,), named="act|feed_forward_proj"),
    put((key, VALUES["activations"]) for key in ("hidden_act", "activation_function")),
    section_inside,
    type_of_another,
)
# Several that go together: they reach what lies behind keys that contradict each other alone.
DEEP: tuple[Kind, ...] = (
    other_layers,
    Values(lambda old: [2 * old], (int,), named=SIZES, share=0.35),
    Values(lambda old: [3 * old], (int,), named=SIZES, share=0.35),
    Values(lambda old: [not old], (bool,), of=every, share=0.25),
    Values(other, (bool, int, NOTHING), of=every, share=0.05),
    Values(lambda old: [0.3, 0.5, 0.66, 1.31, 1.5, 2.5, 3], (float,), of=every),
    Values(lambda old: [0, 1, 2, 3, 4, 5, -1], (int,), of=every, named=WHICH, share=0.5),
    Values(other, (list,), of=every),
    Values(lambda old: [DROPPED], share=0.2),
)


def drawn(chance: random.Random, config: Config_, kinds: Sequence[Kind]) -> Changes:
    """Return the changes of one kind that the config allows."""
    changes: Changes = {}
    while not changes:
        changes = chance.choice(kinds)(chance, config)
    return changes


def edited(chance: random.Random, config: Config_) -> Changes:
    """Return the changes of one or two edits, of which every third is an odd one."""
    if chance.random() < 1 / 3:
        return drawn(chance, config, ODD)
    changes = drawn(chance, config, USUAL)
    second = drawn(chance, config, USUAL) if chance.random() < 0.25 else {}
    apart = not {path.split(".")[0] for path in changes} & {path.split(".")[0] for path in second}
    return changes | second if apart else changes


def deep(chance: random.Random, config: Config_) -> Changes:
    """Return the changes of several keys that go together."""
    return drawn(chance, config, DEEP)
