"""Dotted names in place of tables, for what has columns: ``traffic.requests_per_day``, ``service.1.model``."""

from collections.abc import Iterable, Mapping
from typing import Any

from sizebook.core.errors import InputError, shown
from sizebook.intake.limits import limits, raised

_EXAMPLES = "names such as traffic.requests_per_day or service.1.model"


def nested_values(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the values of a row in the tables that their dotted names say; numbered ones are tables of one name.

    Errors: `InputError` for a name without a word between dots, one that is both a value and a table, and numbers that
    are not 1, 2, 3 ... without a gap.
    """
    root: dict[str, Any] = {}
    for name, value in values.items():
        put(root, path_of(name, where), value, where)
    return {name: _numbered(value, name, where) for name, value in root.items()}


def path_of(name: str, where: str) -> list[str]:
    """Return the parts of a dotted name."""
    parts = [part.strip() for part in name.split(".")]
    if not all(parts):
        raise InputError(f"{where}: bad name: got {shown(name)}, want {_EXAMPLES}. Correct it.")
    if len(parts) > (most := limits().depth):
        raise InputError(f"{where}: nested too deep: got {len(parts)} parts, want at most {most}. {raised('depth')}")
    return parts


def put(tables: dict[str, Any], path: Iterable[str], value: Any, where: str) -> None:
    """Put a value into tables within tables, those that are missing are made."""
    *outer, last = path
    at = tables
    for part in outer:
        at = at.setdefault(part, {})
        if not isinstance(at, dict):
            raise InputError(
                f"{where}: value and table: got {part} as both, want {part} or {part}.{last}. Remove one column."
            )
    if last in at:
        raise InputError(f"{where}: value and table: got {last} as both or twice, want it once. Remove one column.")
    at[last] = value


def _numbered(value: Any, name: str, where: str) -> Any:
    """Return tables with lists in place of those whose every name is a number."""
    if not isinstance(value, dict):
        return value
    inner = {key: _numbered(each, f"{name}.{key}", where) for key, each in value.items()}
    if not all(key.isdecimal() for key in inner):
        return inner
    order = sorted(inner, key=int)
    if [int(key) for key in order] != list(range(1, len(order) + 1)):
        raise InputError(
            f"{where}: gap in {name}: got {', '.join(f'{name}.{key}' for key in order)}, want {name}.1, {name}.2 and "
            "so on. Number them without a gap."
        )
    return [inner[key] for key in order]
