"""Configs as people hand them over: keys changed, dropped, nulled, spelt otherwise, taken from other types.

`apply` makes such a config out of a row of ``distinct_counts.jsonl`` and changes by chance (`kinds_of_edits`). Run as a
program, with the extra ``torch``, it counts them by transformers and freezes them. Rows of ``edited_counts.jsonl`` that
say ``found`` were once counted wrong, when every key of every row was dropped, nulled, set to 0 or moved, or by other
seeds: they stay behind the new:

    python -m tests.models.edits edited|deep SEED NUMBER [TYPE ...]
"""

import copy
import importlib
import json
import random
import sys
from functools import cache
from pathlib import Path
from typing import Any

from sizebook.models.config import Config
from sizebook.sources.torch_engine import count_on_meta
from tests.models import kinds_of_edits
from tests.models.counts import small_configs
from tests.models.kinds_of_edits import DROPPED, Config_

FROZEN = {"edited": "edited_counts.jsonl", "deep": "deep_counts.jsonl"}


@cache
def bases() -> dict[str, list[Config_]]:
    """Return the configs to edit, by model type: those that transformers counted."""
    found: dict[str, list[Config_]] = {}
    for row in small_configs("distinct_counts.jsonl"):
        if "how" not in row:
            found.setdefault(row["config"]["model_type"], []).append(row["config"])
    return found


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


def counted_by_transformers(config: Config_) -> int | None:
    """Return the count of transformers, or None where it builds no such model, or lacks the class named."""
    named = config.get("architectures")
    if isinstance(named, list) and named and not hasattr(importlib.import_module("transformers"), str(named[0])):
        return None  # the second engine would build a class of its own choice
    try:
        return count_on_meta(Config(copy.deepcopy(config), "config.json")).total
    except Exception:  # noqa: BLE001, whatever a class makes of a config that contradicts itself
        return None


def main() -> None:
    """Freeze so many configs that transformers builds, anew, or of the types named, behind those frozen."""
    how, seed, wanted, *named = sys.argv[1:]
    edit, chance, lines = getattr(kinds_of_edits, how), random.Random(int(seed)), list[str]()
    types = named or sorted(bases())
    while len(lines) < int(wanted):
        model_type = types[len(lines) % len(types)]
        nth = chance.randrange(len(bases()[model_type]))
        changes = edit(chance, bases()[model_type][nth])
        total = counted_by_transformers(apply(bases()[model_type][nth], changes))
        if total is not None:
            lines.append(json.dumps({"type": model_type, "row": nth, "set": changes, "total": total}))
    frozen = small_configs(FROZEN[how])
    made = [json.dumps(row) for row in frozen if named and not row.get("found")]
    lines = [*made, *lines, *(json.dumps(row) for row in frozen if row.get("found"))]
    (Path(__file__).parent / FROZEN[how]).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
