"""A bridge from one plan to another: what each thing that differs adds to the cost, in ten bars at most.

A plan is a scenario file, or an output of one, whose own record says with which version and data it was made. Changes
are made one after another in the order of the keys; the first and the last bar are what version and data moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sizebook.batch.inspection import read_record
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.core.errors import InputError, SizebookError
from sizebook.plans.contents import Value
from sizebook.scenarios.kinds import plan_of
from sizebook.scenarios.scenario_files import read_toml, resolve_files

# The figure that a bridge explains, the first that a plan has: with people and all else of [money] where it is stated.
COST = ("whole_usd", "programme_cost_usd", "cost_usd", "usd", "weight_bytes")
MOST_BARS = 10
OTHERS, DATA = "other inputs", "version and data"


@dataclass(frozen=True)
class Side:
    """One end of a bridge: a scenario, and where its output exists the figures that stand in it."""

    name: str
    values: Mapping[str, Any]
    folder: Path
    figures: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Step:
    """One thing that two plans have otherwise, and what the figure is once it is changed; None where none comes out."""

    key: str
    before: Any
    after: Any
    value: float | None


@dataclass(frozen=True)
class Bridge:
    """The figure, what it is at first, and the steps to what it is in the end."""

    figure: str
    start: float
    steps: tuple[Step, ...]

    @property
    def bars(self) -> list[tuple[str, float]]:
        """What each step adds, in their order, at most eight between the ends: the smallest together as other inputs.

        A step at which nothing comes out adds nothing; the next holds both.
        """
        at, added = self.start, []
        for step in self.steps:
            if step.value is not None:
                added.append((step.key, step.value - at))
                at = step.value
        between = MOST_BARS - 2
        if len(added) <= between:
            return added
        kept = {name for name, _ in sorted(added, key=lambda bar: -abs(bar[1]))[: between - 1]}
        rest = sum(value for name, value in added if name not in kept)
        return [*(bar for bar in added if bar[0] in kept), (OTHERS, rest)]


def side_of(path: Path) -> Side:
    """Return the end of a bridge that a scenario file or an output is. Errors: an output without a scenario."""
    if path.suffix.casefold() == ".toml":
        return Side(path.name, read_toml(path), path.parent)
    record = read_record(path)
    if "scenario" not in record:
        raise InputError(f"no plan: got {path.name}, which shows several, want the output of one. Give its own file.")
    return Side(path.name, record["scenario"], path.parent, record["figures"])


def bridge(one: Side, other: Side) -> Bridge:
    """Return the bridge between two plans of one kind. Errors: plans of two kinds, a plan without a cost."""
    kinds = plan_of(one.values), plan_of(other.values)
    if kinds[0] != kinds[1]:
        raise InputError(f"other plans: got {kinds[0]} and {kinds[1]}, want two of one kind. Choose others.")
    if one.folder != other.folder:  # each names its files relative to its own folder
        one, other = (replace(side, values=resolve_files(side.folder, dict(side.values))) for side in (one, other))
    name, start = cost_of(planned_figures(one.values, one.name, one.folder))
    if start is None:
        raise InputError(f"no cost: got a plan without one in {one.name}, want a price. State it.")
    steps = list(steps_between(one, other))
    (_, before), (_, after) = (cost_of(side.figures or {}) for side in (one, other))
    if before is not None and before != start:
        steps.insert(0, Step(DATA, one.name, "today", start))
        start = before
    if after is not None and after != (steps[-1].value if steps else start):
        steps.append(Step(DATA, "today", other.name, after))
    return Bridge(name, start, tuple(steps))


def cost_of(figures: Mapping[str, Any]) -> tuple[str, float | None]:
    """Return the cost among the figures of a plan, and its name; None where nothing has a price."""
    found = ((name, _number(figures.get(name))) for name in COST)
    return next(((name, value) for name, value in found if value is not None), ("", None))


def planned_figures(values: Mapping[str, Any], name: str, folder: Path) -> dict[str, Value]:
    """Return the figures of a scenario as it is planned today."""
    return {figure.name: figure.value for figure in plan_scenario(values, name, folder).contents.figures}


def different_keys(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the keys whose values differ; one of a table stands behind the table's name and a point."""
    flat_one, flat_other = _flat(one), _flat(other)
    return [key for key in {**flat_one, **flat_other} if flat_one.get(key) != flat_other.get(key)]


def steps_between(one: Side, other: Side) -> Iterator[Step]:
    """Yield the inputs in which two scenarios differ, each changed after those before it, and the cost then.

    Where the scenario in between is refused, the cost is None and the next step holds the change of both.
    """
    values, wanted = _flat(one.values), _flat(other.values)
    for key in different_keys(one.values, other.values):
        if key == "title":
            continue
        before, after = values.pop(key, None), wanted.get(key)
        if key in wanted:
            values[key] = after
        try:
            _, value = cost_of(planned_figures(_nested(values), other.name, other.folder))
        except SizebookError:
            value = None
        yield Step(key, before, after, value)


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        inner = {f"{key}.{name}": each for name, each in value.items()} if isinstance(value, Mapping) else {key: value}
        found |= inner
    return found


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        table, point, name = key.partition(".")
        if point:
            found.setdefault(table, {})[name] = value
        else:
            found[key] = value
    return found


def _number(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and value == value
    return float(value) if is_number else None


def as_lines(found: Bridge) -> Sequence[str]:
    """Return a bridge as lines of text."""
    lines = [f"{found.figure}: {found.start:,.0f}"]
    lines += [f"  {name:32} {value:+16,.0f}" for name, value in found.bars]
    return [*lines, f"  {'in the end':32} {found.start + sum(value for _, value in found.bars):16,.0f}"]
