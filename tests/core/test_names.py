"""The names of a release are frozen; those of the releases before still work, or are said to be gone."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from sizebook import __version__
from sizebook.core.names import GONE, RENAMED, REPLACED, current

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "freeze_names.py"
_SPEC = importlib.util.spec_from_file_location("freeze_names", SCRIPT)
assert _SPEC is not None and _SPEC.loader is not None
freeze: Any = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(freeze)
NOW = freeze.names()
EARLIER = [version for version in ("0.3.0",) if version != __version__]


def test_the_names_are_those_of_the_frozen_file() -> None:
    assert freeze.frozen(__version__) == NOW, "a name changed: keep the old one working, then docs/freeze_names.py"


def _lost(group: str, entry: str, names: list[str], known: list[str]) -> list[str]:
    lost = [name for name in names if name not in known and current(name, known) is None]
    return [f"{group} {entry}: {name}" for name in lost if name not in GONE and name not in REPLACED]


@pytest.mark.parametrize("version", EARLIER)
def test_every_name_of_an_earlier_release_is_known(version: str) -> None:
    lost = []
    for group, entries in freeze.frozen(version).items():
        for entry, names in entries.items():
            place = entry.partition(".")[0] if group == "scenarios" else entry
            assert place in NOW[group], f"{group}: {entry} is gone"
            lost += _lost(group, entry, names, NOW[group][place])
    assert lost == []


def test_no_rename_is_idle() -> None:
    known = {name for entries in NOW.values() for names in entries.values() for name in names}
    assert {new for names in RENAMED.values() for new in names} - known == set()
