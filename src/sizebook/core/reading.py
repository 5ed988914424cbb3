"""Reads the keys of a scenario into a section: values are coerced as in cells, all problems are reported at once.

The sections declare the keys. A key of a table may also stand at the top level, so that a row of a CSV file can state
everything that a TOML file can.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, replace
from typing import Any, TypeVar

from sizebook.core.coercion import coerce, is_blank
from sizebook.core.errors import InputError, SizebookError
from sizebook.core.hints import likely_words, other_words, suggestion, want_one_of
from sizebook.core.scenario_keys import tables_by_key
from sizebook.core.sections import (
    TABLES,
    Argument,
    Nested,
    ReadSection,
    declared,
    hints_of,
    kept,
    leaves,
    nested,
    put_together,
)

Read = TypeVar("Read", bound=ReadSection)


@dataclass
class _Findings:
    """The problems found so far, the places of all keys, and the page or command that lists them."""

    tables_by_key: Mapping[str, tuple[str, ...]]
    lists: str
    problems: list[str] = field(default_factory=list)


def read(kind: type[Read], values: Mapping[str, Any], where: str, *, lists: str = "docs/reports.md") -> Read:
    """Return the section that the values describe; raise one error that lists every problem by key.

    ``lists`` is the page or the command that lists the keys.
    """
    found = _Findings(tables_by_key(kind), lists)
    built: Read | None = _section(kind, values, "", found)
    if found.problems or built is None:
        raise InputError("\n".join(f"{where}: {problem}" for problem in found.problems))
    return built


def _section(kind: Any, values: Mapping[str, Any], place: str, found: _Findings) -> Any:
    """Return a section, or None if it has problems, which are added to the findings."""
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
    except SizebookError as error:  # values that contradict each other
        found.problems.append(f"{place}{error}")
        return None
    return replace(built, stated=frozenset(given)) if isinstance(built, ReadSection) else built


def _wanted(name: str, entry: Argument | Nested) -> str:
    if isinstance(entry, Argument):
        return f"{entry.quantity.meaning}. Add a line '{name} = ...'."
    return f"one or more [[{name}]]. Add one." if entry.place == TABLES else f"a table [{name}]. Add one."


def keys_of(kind: Any) -> tuple[str, ...]:
    """Return every key that a kind of scenario takes, including those in its tables."""
    known = _known(kind)
    apart = (
        each for entry in known.values() if isinstance(entry, Nested) and entry.apart for each in keys_of(entry.kind)
    )
    return (*known, *apart)


@kept
def _known(kind: Any) -> Mapping[str, Argument | Nested]:
    """Return the keys of a section: its leaves and its tables, including tables of sections spread into it."""
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
    """Add the value of one key to those given, or its problem to the findings; a blank counts as left out.

    A refused value counts as given, so that the key is not reported as missing too.
    """
    entry = known.get(key)
    if entry is None:
        found.problems.append(f"{place}{_unknown(key, known, found)}")
    elif key in given:
        found.problems.append(f"{place}key twice: got '{key}' again, want it once. Remove one.")
    elif isinstance(entry, Argument):
        if entry.required or not is_blank(value):
            given[key] = _value(entry, value, place, found)
    elif entry.place == TABLES:
        given[key] = _several(entry, key, value, place, found)
    elif not isinstance(value, Mapping):
        given[key] = _no_table(value, key, place, found)
    elif entry.apart:
        given[key] = _section(entry.kind, value, f"{place}{key}: ", found)
    else:
        inside = _known(entry.kind)
        for inner, one in value.items():
            _take(inside, inner, one, f"{place}{key}: ", found, given)


def _unknown(key: str, known: Mapping[str, Argument | Nested], found: _Findings) -> str:
    """Return the message for a key that is unknown in its place: it names the right table, if there is one."""
    if key in found.tables_by_key:
        return f"key in the wrong table: got '{key}', want it {_place(key, found)}. Move it."
    if not likely_words(key, known) and (meant := likely_words(key, found.tables_by_key)):
        elsewhere = " or ".join(f"'{each}' {_place(each, found)}" for each in meant)
        return f"unknown key: got '{key}', want {elsewhere}. {found.lists} lists all keys."
    return f"unknown key: got '{key}', want {want_one_of(key, known, lists=found.lists)}"


def _place(key: str, found: _Findings) -> str:
    places = found.tables_by_key[key]
    return " or ".join(f"under {place}" if place else "at the top of the scenario" for place in places)


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
    hint = suggestion(name, found.tables_by_key) if other_words(name) else ""
    found.problems.append(
        f"{place}not a table: got {name} = {value!r}, want a table [{name}].{hint or ' Write its keys under it.'}"
    )
    return None
