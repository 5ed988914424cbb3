"""Several edits that go together: layers and their lists, sizes in step, switches at once, factors, halves of files.

`edits` changes a key or two; these reach what lies behind keys that contradict each other alone. Run as a program, with
the extra ``torch``, it counts such configs by transformers and freezes them into ``deep_counts.jsonl``:

    python -m tests.models.deep_edits SEED NUMBER
"""

import importlib
import json
import random
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.models.edits import bases, freshly_counted
from tests.models.odd_edits import DROPPED, Changes, Config_, Kind

FROZEN = "deep_counts.jsonl"
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers", "depth")
SIZES = r"size|dim|rank|heads|experts|d_model|d_ff|n_embd|n_inner|vocab|buckets|state|conv|groups|channels|length"
WHICH = (
    r"freq|interval|step|period|every|offset|dense_replace|start|end_index|shared_layers|nextn|mtp|n_dense|num_dense"
)
_Place = tuple[str, Config_, Config_]  # the path to it, what the file says there, what the class gives


@cache
def _defaults(model_type: str) -> Config_:
    """Return every key that the class of a type has, at its default."""
    every = importlib.import_module("transformers").CONFIG_MAPPING[model_type]().to_dict()
    found: Config_ = json.loads(json.dumps(every, default=str))
    return found


def _places(config: Config_, given: Config_, path: str = "") -> Iterator[_Place]:
    """Yield the config and each of its sections."""
    yield path, config, given
    for key, value in config.items():
        if isinstance(value, dict) and ("config" in key or key in ("encoder", "decoder")) and key != "per_layer_config":
            inner = given.get(key)
            yield from _places(value, inner if isinstance(inner, dict) else {}, f"{path}{key}.")


def _found(config: Config_) -> Iterator[tuple[str, str, Any]]:
    """Yield path, key and value of everything that a file says or its class gives, but for names and token ids."""
    for path, said, given in _places(config, _defaults(config["model_type"])):
        for key in sorted(said.keys() | given.keys()):
            if key not in ("model_type", "architectures", "dtype") and not key.endswith("_id"):
                yield path + key, key, said.get(key, given.get(key))


def layers(chance: random.Random, config: Config_) -> Changes:
    """Another number of layers, and as many entries in the lists that have one a layer."""
    changes: Changes = {}
    for path, said, _ in _places(config, {}):
        for key in (key for key in LAYERS if isinstance(said.get(key), int)):
            n_layers = chance.choice([1, 2, 3, 5, 6, 7, 9])
            changes[path + key] = n_layers
            for name, value in said.items():
                if isinstance(value, list) and len(value) == said[key]:
                    changes[path + name] = [chance.choice(value) for _ in range(n_layers)]
    return changes


def in_step(chance: random.Random, config: Config_) -> Changes:
    """A third of the sizes, each doubled or each tripled."""
    times, changes = chance.choice([2, 3]), {}
    for path, said, _ in _places(config, {}):
        for key, value in said.items():
            if (
                isinstance(value, int)
                and re.search(SIZES, key)
                and not isinstance(value, bool)
                and chance.random() < 0.35
            ):
                changes[path + key] = times * value
    return changes


def switches(chance: random.Random, config: Config_) -> Changes:
    """A quarter of the switches, those that only the class knows too."""
    found = [(path, value) for path, _, value in _found(config) if isinstance(value, bool)]
    return {path: not value for path, value in found if chance.random() < 0.25}


def several_known(chance: random.Random, config: Config_) -> Changes:
    """Up to four numbers and switches that the class knows."""
    found = [(path, value) for path, _, value in _found(config) if value is None or isinstance(value, int)]
    chosen = chance.sample(found, min(len(found), chance.randint(1, 4)))
    return {path: _other(chance, value) for path, value in chosen}


def _other(chance: random.Random, value: bool | int | None) -> bool | int:
    if isinstance(value, bool):
        return not value
    return chance.choice([1, 2, 3, 4, 8] if value is None else [value + 1, 2 * value, max(value // 2, 1), 1, 2, 3])


def factors(chance: random.Random, config: Config_) -> Changes:
    """A ratio or factor that is no round number."""
    found = [path for path, _, value in _found(config) if isinstance(value, float)]
    return {path: chance.choice([0.3, 0.5, 0.66, 1.31, 1.5, 2.5, 3]) for path in found and [chance.choice(found)]}


def which_layers(chance: random.Random, config: Config_) -> Changes:
    """Half of what says which layers are of another kind."""
    found = [path for path, key, value in _found(config) if re.search(WHICH, key) and value.__class__ is int]
    return {path: chance.choice([0, 1, 2, 3, 4, 5, -1]) for path in found if chance.random() < 0.5}


def lists(chance: random.Random, config: Config_) -> Changes:
    """A list that is shorter, longer, turned round, of one value, empty."""
    found = [(path, value) for path, _, value in _found(config) if isinstance(value, list) and value]
    for path, value in found and [chance.choice(found)]:
        return {
            path: chance.choice([value[:-1], [*value, value[-1]], value[::-1], value[:1] * len(value), [], value * 2])
        }
    return {}


def half_a_file(chance: random.Random, config: Config_) -> Changes:
    """A fifth of the keys left out."""
    gone = [path + key for path, said, _ in _places(config, {}) for key in said if chance.random() < 0.2]
    kept = ("model_type", "architectures")
    outer = [path for path in gone if not any(path.startswith(f"{other}.") for other in gone)]
    return {path: DROPPED for path in outer if not path.endswith(kept)}


KINDS: tuple[Kind, ...] = (layers, in_step, switches, several_known, factors, which_layers, lists, half_a_file)


def deep(chance: random.Random, config: Config_) -> Changes:
    """Return the changes of one kind."""
    changes: Changes = {}
    while not changes:
        changes = chance.choice(KINDS)(chance, config)
    return changes


def main() -> None:
    """Freeze so many configs that transformers builds, anew."""
    lines = freshly_counted(int(sys.argv[1]), int(sys.argv[2]), sorted(bases()), deep)
    (Path(__file__).parent / FROZEN).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
