"""Writes the public names: functions with their arguments, keys of scenarios, columns of sweeps, inputs of workbooks.

`python docs/freeze_names.py` writes ``docs/names.json``, and the release of a new column to ``docs/names_since.json``.
A test compares the code with both files, so that no name changes by accident.
"""

import json
import sys
from pathlib import Path
from typing import Any

from sizebook.api.names import names as sizebook_names
from sizebook.batch.long_tables import COLUMNS, HEADS
from sizebook.batch.plan_contents import outlines
from sizebook.core.reading import keys_of
from sizebook.functions import load
from sizebook.plans.serving.tables import RESULTS
from sizebook.plans.training.rows import INPUTS as TRAINING_INPUTS
from sizebook.plans.training.rows import OUTPUTS as TRAINING_RESULTS
from sizebook.scenarios.kinds import KINDS
from sizebook.sources.bundled import bundled
from sizebook.sweeps.cases import INPUTS
from sizebook.workbooks.filling import read_inputs

sys.path.append(str(Path(__file__).resolve().parent))
from columns_page import NEXT, SINCE
from columns_page import names as columns

FILE = Path(__file__).resolve().parent / "names.json"

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
        "python": {"names": sizebook_names()},
        "json": {
            plan: [*(f.name for f in held.figures), *(f"{t.name}.{c.name}" for t in held.tables for c in t.columns)]
            for plan, held in outlines().items()
        },
        "tables": {name: [*HEADS, *columns] for name, columns in COLUMNS.items()},
        "workbooks": {book.name: sorted(read_inputs(book)) for book in books},
    }


def text(found: Names) -> str:
    """Return names as JSON, a function, scenario or workbook a line."""
    groups: list[str] = []
    for group, entries in found.items():
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(listed)}" for name, listed in entries.items())
        groups.append(f" {json.dumps(group)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(groups) + "\n}\n"


def frozen() -> Any:
    """Return the names in the file."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def since() -> dict[str, str]:
    """Return the release that each column came with; a new one comes after this release."""
    before = json.loads(SINCE.read_text(encoding="utf-8"))
    return {name: before.get(name, NEXT) for name in columns()}


if __name__ == "__main__":
    FILE.write_text(text(names()), encoding="utf-8")
    SINCE.write_text(json.dumps(since(), indent=1) + "\n", encoding="utf-8")
