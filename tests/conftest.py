"""Fixtures of the whole suite."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

# Speed is measured in benchmarks; a busy machine must not fail a test. CI draws the same examples every time, so that
# what fails there is the change; by hand they are new ones.
settings.register_profile("untimed", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("untimed")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of truth tables and configs beside the checkout; tests that need it run wherever it exists."""
    folder = ROOT.parent / "shared"
    if not (folder / "truth").is_dir():
        pytest.skip("no ../shared folder beside this checkout")
    return folder


def calibration(name: str) -> ModuleType:
    """Return a module of `calibration/`, which is no package."""
    if (folder := str(ROOT / "calibration")) not in sys.path:
        sys.path.append(folder)  # as its scripts find each other
    return importlib.import_module(name)


@pytest.fixture(scope="session")
def recipes() -> ModuleType:
    """What `calibration/serving_recipes.py` knows of the measured runs."""
    return calibration("serving_recipes")


@pytest.fixture(scope="session")
def readings() -> ModuleType:
    """What `calibration/catalog_readings.py` reads again in the published files."""
    return calibration("catalog_readings")
