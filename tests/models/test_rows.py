"""The rows of ``data/types.toml``: what a row says differs from the type it is like, and from what holds unsaid."""

from __future__ import annotations

from dataclasses import MISSING, fields
from tomllib import loads
from typing import Any

import pytest

from sizebook.core.tables import DATA
from sizebook.models.families.decoders.rows import Row, rows

SAID: dict[str, dict[str, Any]] = loads((DATA / "types.toml").read_text(encoding="utf-8"))
UNSAID = {f.name: f.default if f.default_factory is MISSING else f.default_factory() for f in fields(Row)}


@pytest.mark.parametrize("name", SAID)
def test_a_row_says_only_what_is_new(name: str) -> None:
    base = rows()[SAID[name]["like"]] if "like" in SAID[name] else None
    known = {key: getattr(base, key) for key in UNSAID} if base else UNSAID
    repeated = [key for key, value in SAID[name].items() if key != "like" and value == known[key]]
    assert repeated == []


def test_a_row_takes_over_what_it_is_like() -> None:
    """Granite with sinks, its head tied: windows, biases and ignored keys are Granite's."""
    granite, swa = rows()["granite"], rows()["granite_swa"]
    assert (swa.sinks, swa.tied) == (True, True)
    assert (granite.sinks, granite.tied) == (False, False)
    assert (swa.windows, swa.qkv_bias, swa.ignore) == ("pattern", "attention_bias", granite.ignore)
