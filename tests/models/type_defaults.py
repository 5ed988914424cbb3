"""Writes ``data/type_defaults.csv``: what the classes of model types give to sizes and sections that a file leaves out.

A key is taken up where a mapping refuses a row of ``distinct_counts.jsonl`` without it. Run with the extra ``torch``:

    python -m tests.models.type_defaults DATE
"""

from __future__ import annotations

import csv
import dataclasses
import importlib
import json
import sys
from collections.abc import Iterator
from typing import Any

from sizebook.core.errors import SizebookError
from sizebook.core.tables import DATA
from sizebook.models import config as reading
from sizebook.models.key_names import cannot_matter
from sizebook.models.spellings import also
from tests.models.counts import counted, small_configs
from tests.models.edits import DROPPED, apply

# A mapping refuses no file without them: to it none may mean that every layer sees all.
WINDOWS = ("sliding_window", "attention_chunk_size", "attention_window_size", "max_window_layers")
DERIVED = "per_layer_config"  # classes make it of other keys where it is absent
TABLE = DATA / "type_defaults.csv"


def _places(config: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the config and each of its sections that says its type, with the path to it."""
    if "model_type" in config:
        yield path, config
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _places(value, f"{path}{key}.")


def _required(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield type and key of everything without which a row is refused."""
    for path, place in _places(row):
        for key in place.keys() - {"model_type", "architectures"}:
            try:
                counted(apply(row, {path + key: DROPPED}))
            except SizebookError as error:
                if str(error).startswith("missing key: got no '"):
                    yield place["model_type"], str(error).split("'")[1]
                    yield place["model_type"], key  # the message names the first of several words for it


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of a section that may matter."""
    kept = {key: value for key, value in values.items() if key == "model_type" or not cannot_matter(str(key), True)}
    kept.pop(DERIVED, None)
    return {key: _plain(value) if isinstance(value, dict) else value for key, value in kept.items()}


def _sections(row: dict[str, Any]) -> dict[str, Any]:
    """Return the sections that the class of a row's type builds where the file has none."""
    known = importlib.import_module("transformers").CONFIG_MAPPING
    inner = [key for key in row if isinstance(row[key], dict) and key.endswith("_config") and key != DERIVED]
    if not inner or row["model_type"] not in known:
        return {}
    every = known[row["model_type"]]().to_dict()
    return {key: _plain(every[key]) for key in inner if isinstance(every.get(key), dict)}


def _fields(model_type: str) -> dict[str, Any]:
    """Return what the class of a type gives to its whole numbers and switches."""
    known = importlib.import_module("transformers").CONFIG_MAPPING
    if model_type not in known:
        return {}
    return {f.name: f.default for f in dataclasses.fields(known[model_type]) if isinstance(f.default, int)}


def main() -> None:
    """Write the table anew."""
    reading.type_defaults = lambda model_type: {}  # type: ignore[assignment]
    found: dict[str, dict[str, Any]] = {}
    for row in small_configs("distinct_counts.jsonl"):
        for model_type, key in _required(row["config"]):
            fields = _fields(model_type)
            given = next((name for name in also(model_type, (key,)) if name in fields), None)
            if given is not None:
                found.setdefault(model_type, {})[given] = fields[given]
        for _, place in _places(row["config"]):
            given = _fields(place["model_type"])
            windows = {key: given[key] for key in WINDOWS if given.get(key)}
            if windows:
                found.setdefault(place["model_type"], {}).update(windows)
        if sections := _sections(row["config"]):
            found.setdefault(row["config"]["model_type"], {}).update(sections)
    version = importlib.import_module("transformers").__version__
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["model_type", "defaults", "source", "retrieved"])
        for model_type in sorted(found):
            kept = json.dumps(dict(sorted(found[model_type].items())), separators=(",", ":"))
            lines.writerow([model_type, kept, f"configuration class of transformers {version}", sys.argv[1]])


if __name__ == "__main__":
    main()
