"""Where the keys of a scenario stand: its tables and what each holds, read from the sections that declare them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass
from types import MappingProxyType
from typing import Any

from sizebook.core.sections import TABLES, Argument, declared, hints_of, kept, leaves, nested


@dataclass(frozen=True)
class Keys:
    """One table of a scenario file: its keys, and the tables within it.

    ``name`` is empty for the top of the file. ``several`` tables of one name stand as ``[[name]]``. ``apart`` is one
    whose keys may not stand at the level above, as they may for a mere stretch of keys such as ``[traffic]``.
    """

    name: str
    meaning: str
    keys: tuple[Argument, ...]
    tables: tuple[Keys, ...] = ()
    several: bool = False
    apart: bool = False
    required: bool = False

    @property
    def head(self) -> str:
        """The line that begins the table in a TOML file."""
        return f"[[{self.name}]]" if self.several else f"[{self.name}]"


def layout(kind: Any) -> Keys:
    """Return the tables of a scenario of a kind, the top of the file first."""
    return Keys("", _meaning(kind), tuple(_own(kind)), tuple(_tables(kind)))


@kept  # every scenario that is read asks for it
def tables_by_key(kind: Any) -> Mapping[str, tuple[str, ...]]:
    """Return every key of a scenario with the tables in which it stands: ``[traffic]``, empty for the top."""
    found: dict[str, tuple[str, ...]] = {}
    for place, key in _places(layout(kind)):
        found[key] = (*found.get(key, ()), place)
    return MappingProxyType(found)


def _places(table: Keys) -> Iterator[tuple[str, str]]:
    place = table.head if table.name else ""
    for key in table.keys:
        yield place, key.name
    for inner in table.tables:
        yield place, inner.name
        yield from _places(inner)


def _own(kind: Any) -> Iterator[Argument]:
    """Yield the keys that stand in the table of a section itself, those of sections without a table included."""
    by_name = {leaf.name: leaf for leaf in leaves(kind)}
    for each in declared(kind):
        within = nested(hints_of(kind)[each.name])
        if within is None:
            yield by_name[each.name]
        elif not within.place:
            yield from _own(within.kind)


def _tables(kind: Any) -> Iterator[Keys]:
    for each in declared(kind):
        within = nested(hints_of(kind)[each.name])
        if within is None:
            continue
        inner = layout(within.kind)
        if not within.place:
            yield from inner.tables
            continue
        is_required = each.default is MISSING and (within.apart or any(key.required for key in inner.keys))
        yield Keys(
            each.name,
            inner.meaning,
            inner.keys,
            inner.tables,
            several=within.place == TABLES,
            apart=within.apart,
            required=is_required,
        )


def _meaning(kind: Any) -> str:
    """Return what a section says of itself in its first sentence."""
    return " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split())
