"""Fixtures of the whole suite."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of truth tables and configs beside the checkout; tests that need it run wherever it exists."""
    folder = ROOT.parent / "shared"
    if not (folder / "truth").is_dir():
        pytest.skip("no ../shared folder beside this checkout")
    return folder


@pytest.fixture(scope="session")
def recipes() -> ModuleType:
    """What `calibration/serving_recipes.py` knows of the measured runs; that folder is no package."""
    spec = importlib.util.spec_from_file_location("recipes", ROOT / "calibration" / "serving_recipes.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
