"""A key that a config leaves out: the count is that of the type's default, or the file is refused; never a third."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sizebook.core.errors import SizebookError
from tests.models.counts import counted


def _count(config: dict[str, Any]) -> dict[str, Any] | None:
    try:
        return counted(config)
    except SizebookError:
        return None


def test_every_key_of_every_default_config_left_out(shared: Path) -> None:
    """The files hold every key at its default, so leaving one out must not change what is counted."""
    wrong, tried = [], 0
    for path in sorted((shared / "configs" / "defaults").glob("*.json")):
        config = json.loads(path.read_text(encoding="utf-8"))
        whole = _count(config)
        if whole is None:
            continue
        for key in config.keys() - {"architectures", "model_type"}:
            tried += 1
            without = _count({name: value for name, value in config.items() if name != key})
            if without not in (None, whole):
                wrong.append((path.name, key))
    assert tried > 5000
    assert wrong == []
