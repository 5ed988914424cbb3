"""Writes docs/scenario_keys.md: every key that a plan takes, read from the sections that declare it."""

from collections.abc import Iterator, Mapping
from typing import Any

from moved_figures import moved_by_key

from sizebook.core.scenario_keys import Keys, layout
from sizebook.core.sections import Argument
from sizebook.functions import load
from sizebook.scenarios.kinds import KINDS

Path = tuple[str, ...]  # names of tables, one within the other
_MOST_CHOICES = 12
INTRODUCTION = """# Keys of a scenario

Written from the declarations by `make generated`; do not edit. A key stands at the top of the file or in the table
that its heading names. `sizebook scenario template KIND` prints the same keys as a file to fill in,
`sizebook scenario schema` as a JSON Schema for an editor, and `--set KEY=VALUE` changes one on the command line.
A blank default is looked up, searched or left out; every other default says where it comes from. The last column names
the main figures that change with the key (cost, GPUs, latency and the like). If none does, it names up to three others,
in italics: figures by their labels, tables, or what page 1 warns of. `docs/moved_figures.py` finds them: it changes the
key in sample scenarios and plans again. A blank means that nothing changed: a title, or a file that samples lack.
"""


def scenario_keys_page() -> str:
    """Return the reference of the keys, a section for each kind of plan and a table for each table of its file."""
    load()
    return "\n".join([INTRODUCTION, *(line for name, kind in KINDS.items() for line in _plan(name, kind))])


def _plan(name: str, kind: Any) -> Iterator[str]:
    top = layout(kind)
    yield f"## {name.capitalize()}\n\n{top.meaning}\n"
    moved = moved_by_key(name, top)
    yield from _table(top, (), moved)
    for path, table in _within(top, ()):
        yield f"### {name.capitalize()}: `{table.head.replace(table.name, '.'.join(path))}`\n\n{table.meaning}\n"
        yield from _table(table, path, moved)


def _within(table: Keys, path: Path) -> Iterator[tuple[Path, Keys]]:
    for inner in table.tables:
        yield (*path, inner.name), inner
        yield from _within(inner, (*path, inner.name))


def _table(table: Keys, path: Path, moved: Mapping[tuple[Path, str], str]) -> Iterator[str]:
    if table.keys:
        yield "| key | meaning | type | default | where the default comes from | what it moves |"
        yield "|---|---|---|---|---|---|"
        yield from (_row(key, moved[path, key.name]) for key in table.keys)
        yield ""


def _row(key: Argument, moved: str) -> str:
    quantity = key.quantity
    meaning = quantity.meaning
    if 1 < len(quantity.allowed) <= _MOST_CHOICES:
        meaning += ": " + ", ".join(f"`{choice}`" for choice in quantity.allowed)
    elif len(quantity.allowed) > _MOST_CHOICES:
        meaning += f", one of {len(quantity.allowed)}"
    kind = f"{quantity.kind}, {quantity.unit}" if quantity.unit else quantity.kind
    cells = (f"`{key.name}`", meaning, kind, _default(key), quantity.source, moved)
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _default(key: Argument) -> str:
    if key.required:
        return "needed"
    if key.default is None or key.default == "":
        return "blank"
    if isinstance(key.default, bool):
        return f"`{str(key.default).lower()}`"
    return f"`{key.default}`"
