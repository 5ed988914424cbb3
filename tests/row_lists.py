"""Rows of parametrised tests that stand in ``rows.toml`` of a folder: many alike, of numbers and texts."""

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
    return ",".join(names), [pytest.param(*row) for row in found["rows"]]
