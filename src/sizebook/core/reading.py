"""From the keys of a scenario to a section: every value by the coercion of a cell, every problem said at once.

The sections say which keys there are. A key of a table may also stand at the top, so that a row of a CSV file can say
everything that a TOML file can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, replace
from typing import Any, TypeVar

from sizebook.core.coercion import coerce, is_blank
from sizebook.core.errors import InputError, SizebookError, suggestion
from sizebook.core.layout import homes
from sizebook.core.names import Renamed, current, notes, replaced
from sizebook.core.sections import TABLES, Argument, Nested, declared, hints_of, leaves, nested, put_together, section


@section
class Told:
    """What a section read from a scenario knows beside its keys: which of them were stated, and what was remarked.

    Keys of its tables count as its own, but for tables that stand several times or may be missing.
    """

    stated: frozenset[str] = field(default=frozenset(), metadata={"told": True})
    notes: tuple[str, ...] = field(default=(), metadata={"told": True})


Read = TypeVar("Read", bound=Told)


@dataclass
class _Findings:
    """What reading has met so far."""

    homes: Mapping[str, tuple[str, ...]]
    problems: list[str] = field(default_factory=list)
    renamed: list[Renamed] = field(default_factory=list)


def read(kind: type[Read], values: Mapping[str, Any], where: str) -> Read:
    """Return the section that the values describe; raise one error that lists every problem by key."""
    found = _Findings(homes(kind))
    built: Read | None = _section(kind, values, "", found)
    if found.problems or built is None:
        raise InputError("\n".join(f"{where}: {problem}" for problem in found.problems))
    return replace(built, notes=notes(found.renamed, where))


def _section(kind: Any, values: Mapping[str, Any], place: str, found: _Findings) -> Any:
    """Return a section, or None where something is wrong with it, which is then among the problems."""
    before, known = len(found.problems), _known(kind)
    given: dict[str, Any] = {}
    for key, value in values.items():
        _take(known, key, value, place, found, given)
    for name, entry in known.items():
        if entry.required and name not in given:
            found.problems.append(f"{place}missing key: got no '{name}', want {_wanted(name, entry)}")
    if len(found.problems) > before:
        return None
    try:
        built = put_together(kind, given)
    except SizebookError as error:  # values that are right one by one and contradict each other
        found.problems.append(f"{place}{error}")
        return None
    return replace(built, stated=frozenset(given)) if isinstance(built, Told) else built


def _wanted(name: str, entry: Argument | Nested) -> str:
    if isinstance(entry, Argument):
        return f"{entry.quantity.meaning}. Add a line '{name} = ...'."
    return f"one or more [[{name}]]. Add one." if entry.place == TABLES else f"a table [{name}]. Add one."


def keys_of(kind: Any) -> tuple[str, ...]:
    """Return every key that a scenario of a kind takes, those inside its tables too."""
    known = _known(kind)
    apart = (
        each for entry in known.values() if isinstance(entry, Nested) and entry.apart for each in keys_of(entry.kind)
    )
    return (*known, *apart)


def _known(kind: Any) -> dict[str, Argument | Nested]:
    """Return what keys a section takes: its leaves, and the tables in it, those of a table at the top too."""
    known: dict[str, Argument | Nested] = {leaf.name: leaf for leaf in leaves(kind)}
    hints = hints_of(kind)
    for each in declared(kind):
        within = nested(hints[each.name])
        if within is not None and within.place:
            known[each.name] = replace(within, required=within.apart and each.default is MISSING)
        elif within is not None:
            known |= {name: entry for name, entry in _known(within.kind).items() if isinstance(entry, Nested)}
    return known


def _take(
    known: Mapping[str, Argument | Nested], key: str, value: Any, place: str, found: _Findings, given: dict[str, Any]
) -> None:
    """Put the value of one key among those given, or say what is wrong with it; blank is as good as left out.

    A value that is refused counts as given: it is neither missing nor free to be said again.
    """
    renamed = current(key, known)
    name = renamed.new if renamed else key
    if renamed:
        found.renamed.append(renamed)
    entry = known.get(name)
    if entry is None and (refused := replaced(key, known)):
        found.problems.append(f"{place}{refused}")
    elif entry is None:
        found.problems.append(f"{place}{_unknown(key, known, found)}")
    elif name in given:
        again = f"'{key}' again" if key == name else f"'{key}' again for '{name}'"
        found.problems.append(f"{place}key twice: got {again}, want it once. Remove one.")
    elif isinstance(entry, Argument):
        if entry.required or not is_blank(value):
            given[name] = _value(entry, value, place, found)
    elif entry.place == TABLES:
        given[name] = _several(entry, name, value, place, found)
    elif not isinstance(value, Mapping):
        given[name] = _no_table(value, name, place, found)
    elif entry.apart:
        given[name] = _section(entry.kind, value, f"{place}{name}: ", found)
    else:
        inside = _known(entry.kind)
        for inner, one in value.items():
            _take(inside, inner, one, f"{place}{name}: ", found, given)


def _unknown(key: str, known: Mapping[str, Argument | Nested], found: _Findings) -> str:
    """Return what to say of a key that has no place where it stands: the table that it belongs to, if any."""
    renamed = current(key, found.homes)
    places = found.homes.get(renamed.new if renamed else key, ())
    if places:
        wanted = " or ".join(f"under {place}" if place else "at the top of the scenario" for place in places)
        name = f" as '{renamed.new}'" if renamed else ""
        return f"key in the wrong table: got '{key}', want it {wanted}{name}. Move it."
    hint = suggestion(key, known) or " Remove it."
    return f"unknown key: got '{key}', want one of {', '.join(known)}.{hint}"


def _value(entry: Argument, value: Any, place: str, found: _Findings) -> Any:
    try:
        return coerce(entry, value)
    except SizebookError as error:
        found.problems.append(f"{place}{error}")
        return None


def _several(entry: Nested, name: str, value: Any, place: str, found: _Findings) -> tuple[Any, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        found.problems.append(f"{place}no tables: got {name} = {value!r}, want one or more [[{name}]]. Add one.")
        return ()
    return tuple(
        _section(entry.kind, each, f"{place}{name} {number}: ", found)
        if isinstance(each, Mapping)
        else _no_table(each, name, place, found)
        for number, each in enumerate(value, 1)
    )


def _no_table(value: Any, name: str, place: str, found: _Findings) -> Any:
    found.problems.append(
        f"{place}not a table: got {name} = {value!r}, want a table [{name}]. Write its keys under it."
    )
    return None
