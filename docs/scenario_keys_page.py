"""Writes docs/scenario_keys.md: every key that a plan takes, read from the sections that declare it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sizebook.core.scenario_keys import Keys, layout
from sizebook.core.sections import Argument
from sizebook.functions import load
from sizebook.scenarios.kinds import KINDS

_MOST_CHOICES = 12
INTRODUCTION = """# Keys of a scenario

Written from the declarations by `make generated`; do not edit. A key stands at the top of the file or in the table
that its heading names. `sizebook scenario template KIND` prints the same keys as a file to fill in,
`sizebook scenario schema` as a JSON Schema for an editor, and `--set KEY=VALUE` changes one on the command line.
Where a default comes from stands in the last column; a blank there means that there is no default to explain.
"""


def scenario_keys_page() -> str:
    """Return the reference of the keys, a section for each kind of plan and a table for each table of its file."""
    load()
    return "\n".join([INTRODUCTION, *(line for name, kind in KINDS.items() for line in _plan(name, kind))])


def _plan(name: str, kind: Any) -> Iterator[str]:
    top = layout(kind)
    yield f"## {name.capitalize()}\n\n{top.meaning}\n"
    yield from _table(top)
    for path, table in _within(top, ""):
        yield f"### {name.capitalize()}: `{table.head.replace(table.name, path)}`\n\n{table.meaning}\n"
        yield from _table(table)


def _within(table: Keys, path: str) -> Iterator[tuple[str, Keys]]:
    for inner in table.tables:
        yield f"{path}{inner.name}", inner
        yield from _within(inner, f"{path}{inner.name}.")


def _table(table: Keys) -> Iterator[str]:
    if table.keys:
        yield "| key | meaning | unit | default | where the default comes from |\n|---|---|---|---|---|"
        yield from map(_row, table.keys)
        yield ""


def _row(key: Argument) -> str:
    quantity = key.quantity
    meaning = quantity.meaning
    if 1 < len(quantity.allowed) <= _MOST_CHOICES:
        meaning += ": " + ", ".join(f"`{choice}`" for choice in quantity.allowed)
    elif len(quantity.allowed) > _MOST_CHOICES:
        meaning += f", one of {len(quantity.allowed)}"
    cells = (f"`{key.name}`", meaning, quantity.unit, _default(key), quantity.source)
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _default(key: Argument) -> str:
    if key.required:
        return "needed"
    if key.default is None or key.default == "":
        return "blank"
    if isinstance(key.default, bool):
        return f"`{str(key.default).lower()}`"
    return f"`{key.default}`"
