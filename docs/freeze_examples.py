"""Writes what the examples of functions give into ``src/sizebook/data/examples.json``.

`python docs/freeze_examples.py` after a change of data or of an estimate, or once the arguments of a new function stand
there; look at what moved before it is committed.
"""

import json
from datetime import date
from math import isclose
from typing import Any

from sizebook.core.cells import evaluate
from sizebook.core.registry import Function, examples
from sizebook.core.tables import DATA
from sizebook.functions import load
from sizebook.tables.prices import valued_on

DAY = date(2026, 11, 26)  # on which prices are judged, as in the tests


def main() -> None:
    known, entries = load(), []
    with valued_on(DAY):
        for name, stated in sorted(examples().items()):
            arguments = json.dumps(stated["arguments"], ensure_ascii=False)
            value = _shown(_value(known[name], stated))
            entries.append(f'  {json.dumps(name)}: {{\n    "arguments": {arguments},\n    "value": {value}\n  }}')
    (DATA / "examples.json").write_text("{\n" + ",\n".join(entries) + "\n}\n", encoding="utf-8")


def _value(function: Function, stated: dict[str, Any]) -> Any:
    """Return what a function gives now, as it is stated where only the last digits differ."""
    known = stated.get("value")
    found = evaluate(function, [stated["arguments"].get(each.name) for each in function.arguments])
    numbers = isinstance(known, (int, float)) and isinstance(found, (int, float))
    return known if numbers and isclose(known, found, rel_tol=1e-12) else found


def _shown(value: Any) -> str:
    """Return a value, a table with its rows a line each, so that a difference shows which moved."""
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(f"      {json.dumps(row, ensure_ascii=False)}" for row in value) + "\n    ]"


if __name__ == "__main__":
    main()
