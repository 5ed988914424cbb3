"""Counts to compare with: the truth table beside the checkout, and small configs counted on the meta device.

The `*_counts.jsonl` files hold configs made up for this suite, each with sizes and switches away from the type's
defaults, and what transformers 5.23 holds for them on PyTorch's meta device: total, active, buffers, parts. Parts are
left out where ours differ on purpose (docs say which). In `distinct_counts.jsonl` every type has a config in which no
two sizes are the same; `how` says where a row comes from when transformers does not know its type.
"""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from sizebook.core.errors import SizebookError
from sizebook.models.architecture import PARTS
from sizebook.models.config import Config, load
from sizebook.models.counting import count
from sizebook.models.huggingface import architecture
from tests.csv_files import rows_of


def counted(config: dict[str, Any]) -> dict[str, Any]:
    """Return what sizebook counts for the keys of a config."""
    return _as_dict(Config(config, "config.json"))


def total_or_none(config: dict[str, Any]) -> int | None:
    """Return the total of what sizebook counts, None where it refuses the config."""
    try:
        return int(counted(config)["total"])
    except SizebookError:
        return None


def _as_dict(config: Config) -> dict[str, Any]:
    result = count(architecture(config))
    parts = {part: number for part, number in result.parts.items() if number}
    return {"total": result.total, "active": result.active, "buffers": result.buffers, "parts": parts}


def small_configs(name: str) -> list[dict[str, Any]]:
    """Return the committed facts of one file."""
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def differences(shared: Path, model_types: Collection[str]) -> tuple[int, dict[str, Any]]:
    """Return how many truth rows of some types there are, and those whose count differs, by config."""
    rows = [row for row in rows_of(shared / "truth" / "params.csv") if row["model_type"] in model_types]
    differing = {}
    for row in rows:
        want = {
            "total": int(row["total"]),
            "active": int(row["active"]),
            "buffers": int(row["persistent_buffers"]),
            "parts": {part: int(row[part]) for part in PARTS if int(row[part])},
        }
        got = _as_dict(load(shared / row["config"]))
        if got != want:
            differing[row["config"]] = (got, want)
    return len(rows), differing
