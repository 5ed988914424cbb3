"""Edits that a person makes by mistake: a value of another kind, a section at odds with the file, classes by the dozen.

Each kind takes a config and returns what `edits.apply` sets: the new value of each path.
"""

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sizebook.models.spellings import spellings

Config_ = dict[str, Any]
Changes = dict[str, Any]
Kind = Callable[[random.Random, Config_], Changes]
DROPPED = "(dropped)"
# Names of classes that are none, of another task or model; what says which layers are of another kind, in the words of
# one type or another; parts that a class may add; keys of files of other types, and keys that change no count anywhere.
VALUES: dict[str, list[Any]] = json.loads((Path(__file__).parent / "values_of_edits.json").read_text(encoding="utf-8"))


def sections(config: Config_) -> list[str]:
    """Return the sections of a config."""
    return [key for key, value in config.items() if isinstance(value, dict) and "config" in key]


def keys(place: Config_, kinds: type | tuple[type, ...] = object, *, but: type | tuple[type, ...] = ()) -> list[str]:
    """Return the keys of a place whose value is of some kinds."""
    fixed = ("model_type", "architectures")
    plain = (key for key in place if key not in fixed and not key.endswith("_id"))
    return [key for key in plain if isinstance(place[key], kinds) and not isinstance(place[key], but)]


def place_of(chance: random.Random, config: Config_) -> tuple[Config_, str]:
    """Return the config or one of its sections, and the path to it."""
    inner = sections(config)
    if inner and chance.random() < 0.5:
        key = chance.choice(inner)
        return config[key], f"{key}."
    return config, ""


def kind_of_value(chance: random.Random, config: Config_) -> Changes:
    """A number as a decimal, a text, a list, a truth value; below zero."""
    place, path = place_of(chance, config)
    if not (names := keys(place, int, but=bool)):
        return {}
    name = chance.choice(names)
    old = place[name]
    return {path + name: chance.choice([float(old), old + 0.5, str(old), [old], True, False, -old, {}])}


def switch_as_number(chance: random.Random, config: Config_) -> Changes:
    """A switch as 0, 1, a text, a decimal."""
    place, path = place_of(chance, config)
    if not (names := keys(place, bool)):
        return {}
    name = chance.choice(names)
    return {path + name: chance.choice([int(place[name]), int(not place[name]), "true", "false", 1.0, "", [], 2])}


def list_at_odds(chance: random.Random, config: Config_) -> Changes:
    """A list that is empty, of one, of many, of another kind, or a number."""
    place, path = place_of(chance, config)
    if not (names := keys(place, list)):
        return {}
    name = chance.choice(names)
    old = place[name]
    odd = [[], old[:1], old * 2, [*old, *old[:1]], old[0] if old else 1, [None] * len(old), [str(v) for v in old]]
    return {path + name: chance.choice([*odd, [-1] * len(old), [old]])}


def section_at_odds(chance: random.Random, config: Config_) -> Changes:
    """A size of a section beside it, the same or another; a size of the file in a section."""
    if not (inner := sections(config)):
        return {}
    section = chance.choice(inner)
    if names := keys(config[section], int):
        name = chance.choice(names)
        value = config[section][name]
        other = not value if isinstance(value, bool) else chance.choice([value, value + 1, 2 * value])
        if name not in config and chance.random() < 0.7:
            return {name: other}
        towards = chance.choice(inner)
        return {f"{towards}.{name}": other} if towards != section else {}
    return {}


def section_spelt(chance: random.Random, config: Config_) -> Changes:
    """A section in another spelling of its type, or in both, at odds."""
    found = []
    for section in sections(config):
        place = config[section]
        for one, other in spellings(place.get("model_type")):
            found += [(section, have, new) for have, new in ((one, other), (other, one)) if have in place]
    if not found:
        return {}
    section, have, new = chance.choice(found)
    value = config[section][have]
    if chance.random() < 0.5 or not isinstance(value, int):
        return {f"{section}.{have}": DROPPED, f"{section}.{new}": value}
    return {f"{section}.{new}": value + 1}


def tied_somewhere(chance: random.Random, config: Config_) -> Changes:
    """The tie of the tables, in the file, in one section, in both, at odds, as null."""
    places = ["", *(f"{section}." for section in sections(config))]
    chosen = chance.sample(places, chance.randint(1, min(2, len(places))))
    return {f"{path}tie_word_embeddings": chance.choice([True, False, True, False, None, DROPPED]) for path in chosen}


def several_classes(chance: random.Random, config: Config_) -> Changes:
    """Several classes, of another model, unknown, as a text, none."""
    named = config.get("architectures") or []
    other = chance.choice(VALUES["classes"])
    return {"architectures": chance.choice([[*named, other], [other, *named], [other], other, [], None, DROPPED, [3]])}


def stored_otherwise(chance: random.Random, config: Config_) -> Changes:
    """A format and a quantization that may not go together, in the file or a section."""
    _, path = place_of(chance, config)
    return {
        f"{path}{chance.choice(['dtype', 'torch_dtype'])}": chance.choice(VALUES["formats"]),
        "quantization_config": chance.choice(VALUES["quantised"]),
    }


def positions_otherwise(chance: random.Random, config: Config_) -> Changes:
    """A variant of rotary positions under a name of today or of before."""
    _, path = place_of(chance, config)
    return {path + chance.choice(["rope_scaling", "rope_parameters"]): chance.choice(VALUES["ropes"])}


def type_of_section(chance: random.Random, config: Config_) -> Changes:
    """A section without its type, with another's, or as null."""
    if not (inner := sections(config)):
        return {}
    section = chance.choice(inner)
    return {f"{section}.model_type": chance.choice([DROPPED, None, "llama", "", "clip_vision_model", 3])}


def number_as_list(chance: random.Random, config: Config_) -> Changes:
    """A size a layer where one number is meant: as many as layers, one, too many, all equal or not."""
    place, path = place_of(chance, config)
    if not (names := keys(place, int, but=bool)):
        return {}
    name, layers = chance.choice(names), config.get("num_hidden_layers", 2)
    old, many = place[name], chance.choice([1, 2, layers if isinstance(layers, int) else 2, 7])
    return {path + name: chance.choice([[old] * many, [old + i for i in range(many)], {"0": old}, [[old] * many]])}


def other_layers(chance: random.Random, config: Config_) -> Changes:
    """Which layers hold experts, slide or share, in the words of some type."""
    _, path = place_of(chance, config)
    key, values = chance.choice(VALUES["which_layers"])
    return {path + key: chance.choice(values)}


def other_parts(chance: random.Random, config: Config_) -> Changes:
    """A part that some class adds or leaves out when a config says so."""
    _, path = place_of(chance, config)
    key, values = chance.choice(VALUES["parts"])
    return {path + key: chance.choice(values)}


def activation(chance: random.Random, config: Config_) -> Changes:
    """Another activation function, under a name that some type has."""
    place, path = place_of(chance, config)
    named = [key for key in keys(place, str) if "act" in key or key == "feed_forward_proj"]
    return {path + chance.choice(named or ["hidden_act", "activation_function"]): chance.choice(VALUES["activations"])}


def section_inside(chance: random.Random, config: Config_) -> Changes:
    """A section where the type has none, or inside another of its name, with sizes of its own."""
    plain = {name: config[name] for name in keys(config, int, but=bool)}
    own = {name: chance.choice([value, value + 1, 2 * value]) for name, value in plain.items()}
    names = ["text_config", "vision_config", "decoder", "encoder", "llm_config", "audio_config", "language_config"]
    _, path = place_of(chance, config)
    found = {path + chance.choice(names): chance.choice([{}, own, {"model_type": "llama", **own}])}
    return {} if any(key in config for key in found) else found


def type_of_another(chance: random.Random, config: Config_) -> Changes:
    """The file of one model under the type of another, with its class or without one."""
    changes: Changes = {"model_type": chance.choice(VALUES["types"])}
    return changes if chance.random() < 0.5 else {**changes, "architectures": DROPPED}


KINDS: dict[str, Kind] = {
    each.__name__: each
    for each in (
        kind_of_value,
        switch_as_number,
        list_at_odds,
        section_at_odds,
        section_spelt,
        tied_somewhere,
        several_classes,
        stored_otherwise,
        positions_otherwise,
        type_of_section,
    )
}
# Words that another type would follow: they find what is counted in silence, and most are rightly refused.
FOREIGN: dict[str, Kind] = {
    each.__name__: each
    for each in (number_as_list, other_layers, other_parts, activation, section_inside, type_of_another)
}


def odd(chance: random.Random, config: Config_, kinds: Mapping[str, Kind] = KINDS) -> Changes:
    """Return the changes of one odd edit, of a kind that the config allows."""
    changes: Changes = {}
    while not changes:
        changes = kinds[chance.choice(sorted(kinds))](chance, config)
    return changes
