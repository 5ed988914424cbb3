"""Public names are frozen: a function, argument, key, column or input changes only together with docs/names.json."""

import runpy
from pathlib import Path

FREEZE = runpy.run_path(str(Path(__file__).resolve().parents[2] / "docs" / "freeze_names.py"))


def test_the_names_are_those_of_the_frozen_file() -> None:
    assert FREEZE["frozen"]() == FREEZE["names"](), "a name changed: users must change theirs; docs/freeze_names.py"
