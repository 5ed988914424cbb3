"""Language models and towers of other types in the sections of a model that sees or hears: ``composed_counts.jsonl``.

Run with the extra ``torch``, on the first row of each type in ``distinct_counts.jsonl``:

    python -m tests.models.composed
"""

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.models.edits import bases, counted_by_transformers

FROZEN = "composed_counts.jsonl"
Config_ = dict[str, Any]


@cache
def parts() -> dict[str, dict[str, Config_]]:
    """Return what may stand in a section, by the section's name and by type: models without sections, towers."""
    first = {model_type: rows[0] for model_type, rows in bases().items()}
    texts = {name: config for name, config in first.items() if not any(key.endswith("_config") for key in config)}
    towers = [config["vision_config"] for config in first.values() if isinstance(config.get("vision_config"), dict)]
    seen = {tower["model_type"]: tower for tower in reversed(towers) if tower.get("model_type")}
    return {"text_config": {name: _part(config) for name, config in texts.items()}, "vision_config": seen}


def _part(config: Config_) -> Config_:
    return {key: value for key, value in config.items() if key != "architectures"}


def composed(model_type: str, section: str, other: str) -> Config_:
    """Return the first row of a type with a part of another in one of its sections."""
    return {**bases()[model_type][0], section: copy.deepcopy(parts()[section][other])}


def _sections() -> Iterator[tuple[str, str]]:
    """Yield each type and section that may hold a part of another type."""
    for model_type, rows in sorted(bases().items()):
        yield from ((model_type, section) for section in parts() if isinstance(rows[0].get(section), dict))


def main() -> None:
    """Write the file anew: what transformers builds."""
    lines = []
    for model_type, section in _sections():
        built = {other: counted_by_transformers(composed(model_type, section, other)) for other in parts()[section]}
        totals = {other: total for other, total in built.items() if total is not None}
        lines.append(json.dumps({"type": model_type, "section": section, "totals": totals}))
    (Path(__file__).parent / FROZEN).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
