"""Configs as people hand them over: keys changed, dropped, nulled, spelt otherwise, taken from other types.

`edited` makes such a config out of a row of ``distinct_counts.jsonl``. Run as a program, with the extra ``torch``, it
counts them by transformers and freezes them into ``edited_counts.jsonl``. Rows that say ``found`` were once counted
wrong, when every key of every row was dropped, nulled, set to 0 or moved, or by other seeds: they stay behind the new:

    python -m tests.models.edits SEED NUMBER [TYPE ...]
"""

import copy
import importlib
import json
import random
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.models.spellings import spellings
from sizebook.sources.torch_engine import count_on_meta
from tests.models.counts import small_configs
from tests.models.odd_edits import DROPPED, VALUES, Changes, Config_, keys, odd, place_of

FROZEN = "edited_counts.jsonl"
Edit = Callable[[random.Random, Config_], Changes]


@cache
def bases() -> dict[str, list[Config_]]:
    """Return the configs to edit, by model type: those that transformers counted."""
    found: dict[str, list[Config_]] = {}
    for row in small_configs("distinct_counts.jsonl"):
        if "how" not in row:
            found.setdefault(row["config"]["model_type"], []).append(row["config"])
    return found


def _other(chance: random.Random, old: Any) -> Any:
    """Return another value for a key that holds this one."""
    if isinstance(old, bool):
        return not old
    if isinstance(old, int):
        return chance.choice([0, 1, 2, 3, 2 * old, 3 * old, old + 1, max(old // 2, 1), None])
    if isinstance(old, list) and old:
        return chance.choice([old[:-1], [*old, old[-1]], old[::-1], [chance.choice(old) for _ in old], None])
    return None


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


@cache
def _known(model_type: str) -> Config_:
    """Return the keys that the class of a type has, at their defaults: numbers, switches, nothing."""
    every = importlib.import_module("transformers").CONFIG_MAPPING[model_type]().to_dict()
    plain = {key: value for key, value in every.items() if value is None or isinstance(value, bool | int)}
    return {key: plain[key] for key in keys(plain)}


@cache
def _read(config: str) -> dict[str, set[str]]:
    """Return the keys that our mapping asks a config for, by the path of the place: those that it lacks may be said."""
    asked = Config(json.loads(config), "config.json")
    architecture(asked)
    inner = {f"{name}.": section.read for name, section in asked.sections.items()}
    fixed = ("model_type", "architectures")
    return {
        path: {key for key in read if key not in fixed and not key.endswith("_config")}
        for path, read in {"": asked.read, **inner}.items()
    }


def _edit(chance: random.Random, config: Config_) -> dict[str, Any]:
    """Return one edit: the new value of each path."""
    place, path = place_of(chance, config)
    kind = chance.choice(
        [
            "size",
            "size",
            "null",
            "drop",
            "flip",
            "section",
            "spell",
            "disagree",
            "strange",
            "harmless",
            "class",
            "known",
            "known",
            "read",
        ]
    )
    if kind in ("size", "flip"):
        names = keys(place, bool) if kind == "flip" else keys(place, (int, list), but=bool)
        return {path + key: _other(chance, place[key]) for key in names and [chance.choice(names)]}
    if kind in ("null", "drop"):
        names = keys(place)
        return {path + key: None if kind == "null" else DROPPED for key in names and [chance.choice(names)]}
    if kind == "section":
        names = keys(config, dict)
        return {key: chance.choice([DROPPED, None, {}]) for key in names and [chance.choice(names)]}
    if kind in ("spell", "disagree"):
        pairs = [
            (a, b) if a in config else (b, a) for a, b in spellings(config["model_type"]) if a in config or b in config
        ]
        if not pairs:
            return {}
        have, other = chance.choice(pairs)
        return {have: DROPPED, other: config[have]} if kind == "spell" else {other: _other(chance, config[have])}
    if kind == "class":
        classes = classes_of(config["model_type"])
        return {"architectures": [chance.choice(classes)]} if classes else {}
    if kind == "known":
        known = _known(config["model_type"])
        names = sorted(known.keys() - config.keys())
        return {key: _other(chance, known[key]) for key in names and [chance.choice(names)]}
    if kind == "read":
        names = sorted(_read(json.dumps(config)).get(path, set()) - place.keys())
        return {path + key: chance.choice([True, False, 1, 2, 4]) for key in names and [chance.choice(names)]}
    if kind == "strange":
        return {path + chance.choice(VALUES["strange"]): chance.choice([0, 1, 2, 4, 16, None, True, False])}
    key, value = chance.choice(VALUES["harmless"])
    return {key: value}


def apply(config: Config_, changes: dict[str, Any]) -> Config_:
    """Return a config with the value of each path changed."""
    result = copy.deepcopy(config)
    for path, value in changes.items():
        *outer, key = path.split(".")
        place = result
        for name in outer:
            place = place[name]
        if value == DROPPED:
            place.pop(key, None)
        else:
            place[key] = copy.deepcopy(value)
    return result


def edited(chance: random.Random, config: Config_) -> dict[str, Any]:
    """Return the changes of one or two edits, of which every third is an odd one."""
    if chance.random() < 1 / 3:
        return odd(chance, config)
    changes: dict[str, Any] = {}
    while not changes:
        changes = _edit(chance, config)
    if chance.random() < 0.25:
        second = _edit(chance, config)
        if not any(path.split(".")[0] == done.split(".")[0] for path in second for done in changes):
            changes |= second
    return changes


def counted_by_transformers(config: Config_) -> int | None:
    """Return the count of transformers, or None where it builds no such model, or lacks the class named."""
    named = config.get("architectures")
    if isinstance(named, list) and named and not hasattr(importlib.import_module("transformers"), str(named[0])):
        return None  # the second engine would build a class of its own choice
    try:
        return count_on_meta(Config(copy.deepcopy(config), "config.json")).total
    except Exception:  # noqa: BLE001, whatever a class makes of a config that contradicts itself
        return None


def freshly_counted(seed: int, wanted: int, types: Sequence[str], edit: Edit) -> list[str]:
    """Return so many edits that transformers builds, as rows to freeze, of each type in turn."""
    chance, rows, lines = random.Random(seed), bases(), list[str]()
    while len(lines) < wanted:
        model_type = types[len(lines) % len(types)]
        nth = chance.randrange(len(rows[model_type]))
        changes = edit(chance, rows[model_type][nth])
        total = counted_by_transformers(apply(rows[model_type][nth], changes))
        if total is not None:
            lines.append(json.dumps({"type": model_type, "row": nth, "set": changes, "total": total}))
    return lines


def main() -> None:
    """Freeze so many configs that transformers builds, anew, or of the types named, behind those frozen."""
    lines = freshly_counted(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or sorted(bases()), edited)
    frozen = small_configs(FROZEN)
    made = [json.dumps(row) for row in frozen if sys.argv[3:] and not row.get("found")]
    lines = [*made, *lines, *(json.dumps(row) for row in frozen if row.get("found"))]
    (Path(__file__).parent / FROZEN).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
