"""From the keys of a scenario to a section: every value by the coercion of a cell, every problem said at once.

The sections say which keys there are. A key of a table may also stand at the top, so that a row of a CSV file can say
everything that a TOML file can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from sizebook.cells import coerce
from sizebook.errors import InputError, SizebookError, suggestion
from sizebook.names import Renamed, current, notes
from sizebook.registry import TABLES, Argument, Nested, declared, hints_of, leaves, nested, put_together, section


@section
class Told:
    """What a section read from a scenario knows beside its keys: which of them were stated, and what was remarked."""

    stated: frozenset[str] = field(default=frozenset(), metadata={"told": True})
    notes: tuple[str, ...] = field(default=(), metadata={"told": True})


Read = TypeVar("Read", bound=Told)


@dataclass
class _Findings:
    """What reading has met so far."""

    problems: list[str] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    stated: set[str] = field(default_factory=set)
    renamed: list[Renamed] = field(default_factory=list)


def read(kind: type[Read], values: Mapping[str, Any], where: str) -> Read:
    """Return the section that the values describe; raise one error that lists every problem by key."""
    found = _Findings()
    built: Read | None = _section(kind, values, "", found)
    if found.problems or built is None:
        raise InputError("\n".join(f"{where}: {problem}" for problem in found.problems))
    return replace(built, stated=frozenset(found.stated), notes=notes(found.renamed, where))


def _section(kind: Any, values: Mapping[str, Any], place: str, found: _Findings) -> Any:
    """Return a section, or None where something is wrong with it, which is then among the problems."""
    before, known = len(found.problems), _known(kind)
    given: dict[str, Any] = {}
    for key, value in values.items():
        _take(known, key, value, place, found, given)
    for name, entry in known.items():
        if isinstance(entry, Argument) and entry.required and name not in given and name not in found.refused:
            found.problems.append(
                f"{place}missing key: got no '{name}', want {entry.quantity.meaning}. Add a line '{name} = ...'."
            )
    return put_together(kind, given) if len(found.problems) == before else None


def _known(kind: Any) -> dict[str, Argument | Nested]:
    """Return what keys a section takes: its leaves, and the tables in it, those of a table at the top too."""
    known: dict[str, Argument | Nested] = {leaf.name: leaf for leaf in leaves(kind)}
    hints = hints_of(kind)
    for each in declared(kind):
        within = nested(hints[each.name])
        if within is not None and within.place:
            known[each.name] = within
        elif within is not None:
            known |= {name: entry for name, entry in _known(within.kind).items() if isinstance(entry, Nested)}
    return known


def _take(
    known: Mapping[str, Argument | Nested], key: str, value: Any, place: str, found: _Findings, given: dict[str, Any]
) -> None:
    """Put the value of one key among those given, or say what is wrong with it."""
    renamed = current(key, known)
    name = renamed.new if renamed else key
    if renamed:
        found.renamed.append(renamed)
    entry = known.get(name)
    if entry is None:
        hint = suggestion(key, known) or " Remove it."
        found.problems.append(f"{place}unknown key: got '{key}', want one of {', '.join(known)}.{hint}")
    elif name in given:
        found.problems.append(f"{place}key twice: got '{key}' again for '{name}', want it once. Remove one.")
    elif isinstance(entry, Argument):
        try:
            given[name] = coerce(entry, value)
            found.stated.add(name)
        except SizebookError as error:
            found.problems.append(f"{place}{error}")
            found.refused.add(name)
    elif entry.place == TABLES:
        given[name] = _several(entry, name, value, place, found)
        found.stated.add(name)
    elif entry.apart:
        given[name] = _section(entry.kind, _table(value, name, place, found), f"{place}{name}: ", found)
    else:
        inside = _known(entry.kind)
        for inner, one in _table(value, name, place, found).items():
            _take(inside, inner, one, f"{place}{name}: ", found, given)


def _several(entry: Nested, name: str, value: Any, place: str, found: _Findings) -> tuple[Any, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        found.problems.append(f"{place}no tables: got {name} = {value!r}, want one or more [[{name}]]. Add one.")
        return ()
    return tuple(
        _section(entry.kind, _table(each, name, place, found), f"{place}{name} {number}: ", found)
        for number, each in enumerate(value, 1)
    )


def _table(value: Any, name: str, place: str, found: _Findings) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    found.problems.append(
        f"{place}not a table: got {name} = {value!r}, want a table [{name}]. Write its keys under it."
    )
    return {}
