"""Published files that carry keys which their classes do not read: counted, and to the figure of their checkpoint."""

import json
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.models.key_names import _harmless_values
from tests.models.counts import counted, small_configs
from tests.models.edits import bases

BASES = bases()
COMMAND_A, NOMIC = (
    next(row["config"] for row in small_configs("published.jsonl") if row["of"].startswith(name))
    for name in ("c4ai-command-a", "nomic-embed-text")
)


def test_every_real_file_is_counted(shared: Path) -> None:
    paths = sorted((shared / "configs" / "real").glob("*.json"))
    assert len(paths) > 170
    for path in paths:
        assert counted(json.loads(path.read_text(encoding="utf-8")))["total"] > 0


def _with(model_type: str, key: str, value: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a config that is or holds one of the type, and the same with one more key in its place."""
    if model_type in BASES:
        return BASES[model_type][0], {**BASES[model_type][0], key: value}
    whole, name = next(
        (whole, name)
        for whole in (whole for wholes in BASES.values() for whole in wholes)
        for name, section in whole.items()
        if isinstance(section, dict) and section.get("model_type") == model_type
    )
    return whole, {**whole, name: {**whole[name], key: value}}


def test_every_harmless_value_is_needed_and_no_other_is_let_pass() -> None:
    for (model_type, key), value in _harmless_values().items():
        config, more = _with(model_type, key, 7 if value == "any" else json.loads(value))
        assert counted(more) == counted(config)
        if value != "any":
            with pytest.raises(SizebookError, match=f"^keys not understood: got {key} in config.json, want keys"):
                counted(_with(model_type, key, 7)[1])


def test_what_transformers_does_not_read_is_noted() -> None:
    """Nomic's published file is followed; with the names of its class there is nothing to note."""
    told = architecture(Config(dict(NOMIC), "config.json")).notes
    assert told == (
        "the sizes under n_embd, n_head, n_inner, n_layer, n_positions are followed: "
        "transformers 5 reads its own names alone",
    )
    assert architecture(Config(dict(BASES["nomic_bert"][0]), "config.json")).notes == ()
