"""A grid over one scenario: every combination of some keys' values, `--grid gpu=h100-sxm,h200-sxm`."""

import copy
import csv
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sizebook.batch.file_names import scenario_name
from sizebook.core.errors import InputError, shown
from sizebook.core.hints import suggestion
from sizebook.core.scenario_keys import tables_by_key
from sizebook.intake.files import refuse_over, repeated
from sizebook.scenarios.dotted_keys import path_of
from sizebook.scenarios.kinds import KINDS, plan_of

_WANTED = "KEY=V1,V2,... or KEY=FIRST:LAST:N"


@dataclass(frozen=True)
class Axis:
    """One key of a grid and the values that it takes in turn."""

    key: str
    values: tuple[Any, ...]


def parse_axis(text: str) -> Axis:
    """Return what ``KEY=V1,V2`` or ``KEY=FIRST:LAST:N`` says: values as they stand, or N of them at equal distances."""
    key, equals, said = (part.strip() for part in text.partition("="))
    if not key or not equals or not said:
        raise InputError(f"bad grid: got {shown(text)}, want {_WANTED}. Correct it.")
    span = _numbers(said.split(":"))
    if span is not None:
        return Axis(key, _spaced(text, *span))
    values = _listed(text, said)
    if not all(values) or len(set(values)) < len(values):
        what = "a value twice" if all(values) else "an empty value"
        raise InputError(f"bad grid: got {what} in {shown(text)}, want {_WANTED}. Correct it.")
    return Axis(key, values)


def _listed(text: str, said: str) -> tuple[str, ...]:
    """Return the values between commas; one in quotation marks may hold commas itself, as in CSV."""
    try:
        [values] = csv.reader([said], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError) as error:
        raise InputError(f"bad grid: got an open quotation mark in {shown(text)}, want {_WANTED}. Close it.") from error
    return tuple(value.strip() for value in values)


def _numbers(words: Sequence[str]) -> tuple[float, float, float] | None:
    """Return three numbers, None for anything else."""
    try:
        first, last, n = (float(word) for word in words)
    except ValueError:
        return None
    return first, last, n


def _spaced(text: str, first: float, last: float, n: float) -> tuple[float | int, ...]:
    if not (n >= 2 and n == int(n) and math.isfinite(first) and math.isfinite(last) and first != last):
        raise InputError(
            f"bad grid: got {shown(text)}, want FIRST:LAST:N with two different ends and N of 2 or more. Correct it."
        )
    refuse_over("scenarios", int(n), f"values in {text}")
    points = (first + (last - first) * at / (n - 1) for at in range(int(n)))
    return tuple(int(point) if point == int(point) and abs(point) < 2**53 else point for point in points)


def grid_scenarios(base: Mapping[str, Any], axes: Sequence[Axis], where: str) -> list[dict[str, Any]]:
    """Return one scenario for every combination of the axes' values, named after them.

    Errors: `InputError` for a key that the plan has not, one on two axes, and more points than a batch may have.
    """
    if twice := repeated(each.key for each in axes):
        raise InputError(f"key twice: got --grid {', '.join(twice)} again, want it once. List all its values.")
    refuse_over("scenarios", math.prod(len(each.values) for each in axes), "points of the grid")
    refuse_unknown_keys(base, [each.key for each in axes], where, option="--grid")
    name = scenario_name(base)
    return [
        _point(base, [(each.key, value) for each, value in zip(axes, chosen, strict=True)], name, where)
        for chosen in itertools.product(*(each.values for each in axes))
    ]


def refuse_unknown_keys(base: Mapping[str, Any], keys: Iterable[str], where: str, option: str) -> None:
    """Refuse a key that the plan of a scenario has not, with the nearest one."""
    known = tables_by_key(KINDS[plan_of(base)])
    for key in keys:
        for name in (part for part in path_of(key, where) if not part.isdecimal() and part not in known):
            raise InputError(
                f"unknown key: got {option} {key}, want a key of a {plan_of(base)} scenario.{suggestion(name, known)}"
            )


def with_changes(base: Mapping[str, Any], changes: Sequence[str], where: str) -> dict[str, Any]:
    """Return a scenario with other values, ``KEY=VALUE`` each, in place of what it states.

    Errors: `InputError` for a text without a sign of equality, and a key that the plan has not.
    """
    values, given = copy.deepcopy(dict(base)), [text.partition("=") for text in changes]
    for text, (key, equals, value) in zip(changes, given, strict=True):
        if not key.strip() or not equals or not value.strip():
            raise InputError(f"bad change: got --set {shown(text)}, want KEY=VALUE. Correct it.")
    keys = [key.strip() for key, _, _ in given]
    refuse_unknown_keys(base, keys, where, option="--set")
    if twice := repeated(keys):
        raise InputError(f"changed twice: got --set {twice[0]} again, want each key once. Remove one.")
    for key, (_, _, value) in zip(keys, given, strict=True):
        _set(values, path_of(key, where), value.strip(), where)
    return values


def _point(base: Mapping[str, Any], chosen: Sequence[tuple[str, Any]], name: str, where: str) -> dict[str, Any]:
    values = copy.deepcopy(dict(base))
    for key, value in chosen:
        _set(values, path_of(key, where), value, where)
    said = ", ".join(f"{key.rpartition('.')[2]} {value}" for key, value in chosen)
    values["name"] = f"{name} {said}"
    if values.get("title"):
        values["title"] = f"{values['title']}: {said}"
    return values


def _set(values: dict[str, Any], path: Sequence[str], value: Any, where: str) -> None:
    """Put one value in place of what the base states: where its path says, or where the base has a key without one."""
    *outer, last = path
    stretches = [values, *(each for each in values.values() if isinstance(each, dict))]
    stated = [table for table in stretches if last in table]
    at: Any = stated[0] if stated and not outer else values
    for part in outer:
        at = _inner(at, part, outer, where)
    if len(outer) < 2:  # a key of a stretch such as [traffic] may stand at the top as well, but not twice
        for table in stated:
            del table[last]
    at[last] = value


def _inner(at: Any, part: str, path: Sequence[str], where: str) -> Any:
    if isinstance(at, list):
        if part.isdecimal() and 1 <= int(part) <= len(at) and isinstance(at[int(part) - 1], dict):
            return at[int(part) - 1]
    elif isinstance(at.get(part, {}), (dict, list)):
        return at.setdefault(part, {})
    raise InputError(
        f"{where}: no such table: got {'.'.join(path)} ..., want one that the scenario has. Correct the key."
    )
