"""Fixtures of the whole suite."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of truth tables and configs beside the checkout; tests that need it run wherever it exists."""
    folder = ROOT.parent / "shared"
    if not (folder / "truth").is_dir():
        pytest.skip("no ../shared folder beside this checkout")
    return folder
