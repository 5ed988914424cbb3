"""Writes the names of this release: functions with their arguments, keys of scenarios, columns of sweeps, inputs.

`python docs/freeze_names.py` writes ``docs/names/VERSION.json``. A test holds the code against that file, and every
name of an earlier release must still be known, under its own or a new name.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sizebook import __version__
from sizebook.core.reading import keys_of
from sizebook.functions import load
from sizebook.plans.serving.tables import RESULTS
from sizebook.plans.training.rows import INPUTS as TRAINING_INPUTS
from sizebook.plans.training.rows import OUTPUTS as TRAINING_RESULTS
from sizebook.scenarios.kinds import KINDS
from sizebook.sources.bundled import bundled
from sizebook.sweeps.cases import INPUTS
from sizebook.workbooks.filling import read_inputs

FOLDER = Path(__file__).resolve().parent / "names"

Names = dict[str, dict[str, list[str]]]


def names() -> Names:
    """Return every public name, in order where order counts."""
    books = sorted(bundled("workbooks").glob("*.xlsx"))
    return {
        "functions": {name: [a.name for a in function.arguments] for name, function in sorted(load().items())},
        "scenarios": {kind: sorted(keys_of(scenario)) for kind, scenario in KINDS.items()},
        "sweeps": {
            "serving": sorted(INPUTS),
            "serving.results": list(RESULTS),
            "training": sorted(TRAINING_INPUTS),
            "training.results": list(TRAINING_RESULTS),
        },
        "workbooks": {book.name: sorted(read_inputs(book)) for book in books},
    }


def text(found: Names) -> str:
    """Return names as JSON, a function, scenario or workbook a line."""
    groups: list[str] = []
    for group, entries in found.items():
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(listed)}" for name, listed in entries.items())
        groups.append(f" {json.dumps(group)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(groups) + "\n}\n"


def frozen(version: str) -> Any:
    """Return the names of a release."""
    return json.loads((FOLDER / f"{version}.json").read_text(encoding="utf-8"))


if __name__ == "__main__":
    (FOLDER / f"{__version__}.json").write_text(text(names()), encoding="utf-8")
