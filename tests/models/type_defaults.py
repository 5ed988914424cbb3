"""Writes ``data/type_defaults.csv``: what the classes of model types give to sizes and sections that a file leaves out.

A size is taken up where a row of ``distinct_counts.jsonl`` counts otherwise, or not at all, without it. Rows that
do not come from a class of transformers are kept. Run where transformers is installed; PyTorch is not needed:

    python -m tests.models.type_defaults DATE
"""

import copy
import csv
import dataclasses
import importlib
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

from sizebook.core.errors import SizebookError
from sizebook.core.tables import DATA, table
from sizebook.models import config as reading
from sizebook.models import type_defaults as defaults
from sizebook.models.key_names import cannot_matter
from sizebook.models.spellings import also
from tests.models.counts import counted, small_configs

# A mapping refuses no file without them: to it none may mean that every layer sees all.
WINDOWS = ("sliding_window", "attention_chunk_size", "attention_window_size", "max_window_layers")
DERIVED = "per_layer_config"  # classes make it of other keys where it is absent
TABLE = DATA / "type_defaults.csv"
SOURCE = "configuration class of transformers"
Keys = dict[str, Any]


@cache
def _classes() -> Any:
    return importlib.import_module("transformers").CONFIG_MAPPING


@cache
def _fields(model_type: str) -> Keys:
    """Return what the class of a type gives to its numbers, lists of numbers and switches."""
    if model_type not in _classes():
        return {}
    known = _classes()[model_type]
    names = {f.name for f in dataclasses.fields(known)}
    # Two spellings of one key, each with a value: the one that the other stands for is read.
    fields = [f for f in dataclasses.fields(known) if known.attribute_map.get(f.name) not in names]
    given = {f.name: f.default for f in fields if f.default is not dataclasses.MISSING}
    given.update({f.name: f.default_factory() for f in fields if f.default_factory is not dataclasses.MISSING})
    return {name: list(v) if isinstance(v, tuple) else v for name, v in given.items() if _numbers(v)}


def _numbers(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(_numbers(each) for each in value)
    return isinstance(value, int | float)


@cache
def _built(model_type: str) -> Keys:
    """Return the sections that the class of a type builds where a file has none."""
    if model_type not in _classes():
        return {}
    every = _classes()[model_type]().to_dict()
    return {key: _plain(value) for key, value in every.items() if _is_section(key, value)}


def _put_in(model_type: str, key: str) -> Keys:
    """Return what the class of a whole puts into a section before the section's own class sees it.

    Most take these values only where the whole section is absent: those that take them always are tried.
    """
    if model_type not in _classes() or key not in (
        specs := getattr(_classes()[model_type], "sub_configs_defaults", {})
    ):
        return {}
    given = {name: value for name, value in (specs[key].init_kwargs or {}).items() if not cannot_matter(name, True)}
    if specs[key].model_type not in _classes():
        return {}
    own = _classes()[specs[key].model_type]().to_dict()
    built = _classes()[model_type](**{key: {"model_type": specs[key].model_type}}).to_dict()[key]
    always = all(built.get(name) == value for name, value in given.items())
    return given if always and any(own.get(name) != value for name, value in given.items()) else {}


def _is_section(key: str, value: Any) -> bool:
    return isinstance(value, dict) and (key.endswith("_config") or "model_type" in value) and key != DERIVED


def _plain(values: Keys) -> Keys:
    """Return the keys of a section that may matter."""
    kept = {key: value for key, value in values.items() if key == "model_type" or not cannot_matter(str(key), True)}
    kept.pop(DERIVED, None)
    return {key: _plain(value) if isinstance(value, dict) else value for key, value in kept.items()}


def _places(config: Keys, of_whole: Keys, path: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...], Keys]]:
    """Yield the type, path and keys of the config and of each of its sections; what has no type, its whole knows."""
    named = config.get("model_type") or of_whole.get("model_type")
    if named:
        yield named, path, config
    built = _built(named) if named else {}
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _places(value, built.get(key, {}), (*path, key))


def _without(row: Keys, path: tuple[str, ...], key: str) -> Keys:
    changed = place = copy.deepcopy(row)
    for name in path:
        place = place[name]
    del place[key]
    return changed


def _every(model_type: object) -> Keys:
    """Return all that the class of a type gives, as the table would if each of it mattered."""
    whole, _, key = str(model_type).partition(".")
    return _put_in(whole, key) if key else {**_fields(whole), **_built(whole)}


def _nothing(model_type: object) -> Keys:
    return {}


def _needed(row: Keys) -> Iterator[tuple[str, str]]:
    """Yield type and key of everything without which a row is counted otherwise, or not at all."""
    defaults.type_defaults = reading.type_defaults = _every  # type: ignore[assignment]
    whole = counted(row)
    for model_type, path, place in _places(row, {}):
        for key in place.keys() - {"model_type", "architectures"}:
            without = _without(row, path, key)
            for given in (_every, _nothing):
                defaults.type_defaults = reading.type_defaults = given  # type: ignore[assignment]
                try:
                    if counted(without) != whole and not isinstance(place[key], bool):
                        yield model_type, key
                except SizebookError as error:
                    where = ", ".join(["config.json", *map(repr, path)])
                    if re.search(f"(got no '[^']*'|= nothing) in {re.escape(where)}, want ", str(error)):
                        yield model_type, key  # the message names the first of several words for it
                        yield model_type, str(error).split("'")[1]


def _found() -> dict[str, Keys]:
    """Return what classes give, by model type."""
    found: dict[str, Keys] = {}
    for row in small_configs("distinct_counts.jsonl"):
        for model_type, key in _needed(row["config"]):
            fields = _fields(model_type)
            given = next((name for name in also(model_type, (key,)) if name in fields), None)
            if given is not None:
                found.setdefault(model_type, {})[given] = fields[given]
        for model_type, _, place in _places(row["config"], {}):
            windows = {key: _fields(model_type)[key] for key in WINDOWS if _fields(model_type).get(key)}
            sections = {key: value for key, value in _built(model_type).items() if key in place}
            if windows or sections:
                found.setdefault(model_type, {}).update(windows | sections)
            for key in sections:
                if put_in := _put_in(model_type, key):
                    found[f"{model_type}.{key}"] = put_in
    return found


def main() -> None:
    """Write the table anew."""
    kept = [tuple(row.values()) for row in table("type_defaults") if not row["source"].startswith(SOURCE)]
    source = f"{SOURCE} {importlib.import_module('transformers').__version__}"
    rows = [
        (model_type, json.dumps(dict(sorted(given.items())), separators=(",", ":")), source, sys.argv[1])
        for model_type, given in _found().items()
    ]
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["model_type", "defaults", "source", "retrieved"])
        lines.writerows(sorted([*rows, *kept]))


if __name__ == "__main__":
    main()
