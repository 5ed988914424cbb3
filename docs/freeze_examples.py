"""Writes the tables that functions' examples give into ``src/sizebook/data/table_examples.json``.

`python docs/freeze_examples.py` after a change of data or of an estimate; look at what moved before it is committed.
Examples of one value stand beside their functions.
"""

import json
from datetime import date
from typing import Any

from sizebook.core.cells import evaluate
from sizebook.core.registry import table_examples
from sizebook.core.tables import DATA
from sizebook.functions import load
from sizebook.tables.prices import valued_on

DAY = date(2026, 11, 26)  # on which prices are judged, as in the tests


def main() -> None:
    known, found = load(), {}
    with valued_on(DAY):
        for name in table_examples():
            function = known[name]
            arguments, _ = function.example
            found[name] = evaluate(function, [arguments.get(argument.name) for argument in function.arguments])
    tables = (f"  {json.dumps(name)}: [\n{_rows(rows)}\n  ]" for name, rows in found.items())
    (DATA / "table_examples.json").write_text("{\n" + ",\n".join(tables) + "\n}\n", encoding="utf-8")


def _rows(rows: Any) -> str:
    """Return rows a line each, so that a difference shows which moved."""
    return ",\n".join(f"    {json.dumps(row)}" for row in rows)


if __name__ == "__main__":
    main()
