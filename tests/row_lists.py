"""Rows of parametrised tests that stand in ``rows.toml`` of a folder: many alike, of numbers and texts.

TOML has no word for nothing: ``(none)`` stands for it.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest


@cache
def _tables(folder: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads((Path(__file__).parent / folder / "rows.toml").read_text(encoding="utf-8"))


def listed(folder: str, test: str) -> tuple[str, list[Any]]:
    """Return the arguments of a test and its rows, as ``parametrize`` takes them."""
    found = _tables(folder)[test]
    names: list[str] = found["arguments"]
    return ",".join(names), [pytest.param(*map(_said, row)) for row in found["rows"]]


def _said(value: Any) -> Any:
    if isinstance(value, list):
        return [*map(_said, value)]
    if isinstance(value, dict):
        return {key: _said(each) for key, each in value.items()}
    return None if value == "(none)" else value
