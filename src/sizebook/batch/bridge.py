"""The bridge from one plan to another: what each input, month, version and table that differs adds to the cost.

A plan is a scenario file, or an output of one, whose own record says with which version and data it was made. Changes
are made one after another in the order of the keys; the first and the last step are what version and data moved.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from sizebook.batch.inspection import causes_of, read_record
from sizebook.batch.plan_kinds import PlannedScenario, plan_scenario
from sizebook.core.errors import InputError, RangeError, SizebookError
from sizebook.core.texts import text
from sizebook.plans.bridges import Bridge, Step, value_after
from sizebook.plans.contents import Ledger
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.scenarios.dotted_keys import put
from sizebook.scenarios.kinds import plan_of, quantities
from sizebook.scenarios.scenario_files import read_toml, resolve_files
from sizebook.scenarios.serving import ServingResult

# The figure that a bridge explains, the first that a plan has: with people and all else of [money] where it is stated.
COST = ("whole_usd", "programme_cost_usd", "cost_usd", "usd", "weight_bytes")
DATA = text("version and data")
KeyPath = tuple[str, ...]


@dataclass(frozen=True)
class Side:
    """One end of a bridge: a scenario, the month of it that is meant where not all are, and its output's record."""

    name: str
    values: Mapping[str, Any]
    folder: Path
    record: Mapping[str, Any] | None = None
    month: int | None = None

    @property
    def written(self) -> float | None:
        """The cost that its output states; None without an output, and for one month."""
        return cost_of(self.record["figures"])[1] if self.record and self.month is None else None

    def planned(self, values: Mapping[str, Any]) -> PlannedScenario:
        """Return the plan of values in place of its own, today."""
        return plan_scenario(values, self.name, self.folder)

    def cost(self, planned: PlannedScenario) -> float:
        """Return the cost of a plan: of all months, or of the one that is meant. Errors: a plan without one."""
        if self.month is None:
            found = cost_of({figure.name: figure.value for figure in planned.contents.figures})[1]
        else:
            found = _number(dict(_parts(_months(planned), self.month))["usd"])
        if found is None:
            raise InputError(f"no cost: got a plan without one in {self.name}, want a price. State it.")
        return found


def side_of(path: Path, month: int | None = None) -> Side:
    """Return the end of a bridge that a scenario file or an output is. Errors: an output without a scenario."""
    if path.suffix.casefold() == ".toml":
        return Side(path.name, read_toml(path), path.parent, month=month)
    record = read_record(path)
    if "scenario" not in record:
        raise InputError(f"no plan: got {path.name}, which shows several, want the output of one. Give its own file.")
    return Side(path.name, record["scenario"], path.parent, record, month)


def bridge(one: Side, other: Side) -> Bridge:
    """Return the bridge between two plans of one kind. Errors: plans of two kinds, an end without a cost."""
    kinds = plan_of(one.values), plan_of(other.values)
    if kinds[0] != kinds[1]:
        raise InputError(f"other plans: got {kinds[0]} and {kinds[1]}, want two of one kind. Choose others.")
    if one.folder != other.folder:  # each names its files relative to its own folder
        one, other = (replace(side, values=resolve_files(side.folder, dict(side.values))) for side in (one, other))
    planned = one.planned(one.values)
    today = one.cost(planned)
    start = today if one.written is None else one.written
    steps = [Step(DATA, one.name, "today", value=today)] if start != today else []
    steps += steps_between(one, other)
    steps += _months_between(one, other, value_after(today, steps))
    if other.written not in (None, value_after(today, steps)):
        steps.append(Step(DATA, "today", other.name, value=other.written))
    figures = {figure.name: figure for figure in planned.contents.figures}
    name = cost_of({name: figure.value for name, figure in figures.items()})[0]
    ends = tuple(side.name if side.month is None else f"{side.name}, month {side.month}" for side in (one, other))
    remarks = tuple(_remarks(one, other, steps))
    return Bridge(name, figures[name].unit, (ends[0], ends[1]), start=start, steps=tuple(steps), remarks=remarks)


def cost_of(figures: Mapping[str, Any]) -> tuple[str, float | None]:
    """Return the name of the cost among the figures of a plan, and the cost; None where nothing has a price."""
    name = next((each for each in COST if each in figures), "")
    return name, _number(figures.get(name))


def different_keys(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, list[KeyPath]]:
    """Return the keys whose values differ, behind the name of their table; a row that one side lacks is one key."""
    flat_one, flat_other = _flat(one), _flat(other)
    rows = {path[:2] for path in flat_one} & {path[:2] for path in flat_other}
    found: dict[str, list[KeyPath]] = {}
    for path in {**flat_one, **flat_other}:
        if flat_one.get(path) != flat_other.get(path):
            found.setdefault(".".join(path if path[:2] in rows else path[:2]), []).append(path)
    return found


def steps_between(one: Side, other: Side) -> Iterator[Step]:
    """Yield the inputs in which two scenarios differ, each changed after those before it, and the cost then.

    Where the scenario in between is refused, the cost is None and the next step holds the change of both. Errors: the
    other scenario itself is refused, or has no cost, and no output of it states one.
    """
    values, wanted = _flat(one.values), _flat(other.values)
    asked = replace(other, month=one.month)
    for key, paths in different_keys(one.values, other.values).items():
        before, after = ([held[path] for path in paths if path in held] for held in (values, wanted))
        for path in paths:
            values.pop(path, None)
        values |= {path: wanted[path] for path in paths if path in wanted}
        try:
            value = asked.cost(asked.planned(_nested(values)))
        except SizebookError:
            if values == wanted and other.written is None:
                raise
            value = None
        yield Step(key, _one(before), _one(after), value=value, label=_label(plan_of(one.values), paths[0], key))


def _label(plan: str, path: KeyPath, key: str) -> str:
    """Return what a report calls an input, that of a service or phase behind its name; a whole row by its name."""
    named = quantities(plan).get(path[-1])
    row = path[1] if len(path) > 2 else ""
    if row and key == ".".join(path[:2]):
        return row
    label = text(named.label) if named else path[-1]
    return text("{row}: {label}", row=row, label=label) if row else label


def _one(found: list[Any]) -> Any:
    """Return one value as itself, the cells of a row as a list, and none as None."""
    return found[0] if len(found) == 1 else found or None


def _months_between(one: Side, other: Side, start: float) -> Iterator[Step]:
    """Yield what moves the cost of a plan from one of its months to another: causes where it serves, else its parts."""
    if one.month is None or other.month is None or one.month == other.month:
        return
    planned = other.planned(other.values)
    if isinstance(planned.plan, (ServingResult, FleetPlan)):
        from sizebook.actuals.planned_services import between_months, services_of  # needs an extra

        added = list(between_months(services_of(planned.plan), one.month, other.month))
    else:
        months = _months(planned)
        before, after = (dict(_parts(months, month)) for month in (one.month, other.month))
        added = [(name, after[name] - before[name]) for name in before if name != "usd"]
    added = [(name, value) for name, value in added if value]
    costs = list(accumulate((value for _, value in added), initial=start))[1:]
    for (name, _), cost in zip(added, costs, strict=True):
        yield Step(name, f"month {one.month}", f"month {other.month}", value=cost)


def _months(planned: PlannedScenario) -> Ledger:
    found = next((table for table in planned.contents.tables if table.name == "months"), None)
    if found is None:
        raise InputError(f"no months: got a {planned.kind} plan, want one with months. Leave --months out.")
    return found


def _parts(months: Ledger, month: int) -> Iterator[tuple[str, float]]:
    """Yield what a month costs and what that consists of."""
    if not 1 <= month <= len(months.rows):
        raise RangeError(f"month out of range: got {month}, want 1 to {len(months.rows)}. Name another.")
    for column, value in zip(months.columns, months.rows[month - 1], strict=True):
        if column.name == "usd" or column.name.endswith("_usd"):
            number = _number(value)
            yield column.name, math.nan if number is None else number


def _remarks(one: Side, other: Side, steps: Sequence[Step]) -> Iterator[str]:
    for side in (one, other):
        if side.record and any(side.name in (step.before, step.after) for step in steps if step.key == DATA):
            yield from (f"{side.name}, {cause}" for cause in causes_of(side.record, side.folder))
        if side.record and side.month is not None:
            yield f"{side.name} states no cost by month: it is planned with today's version and data"


def _flat(values: Mapping[str, Any]) -> dict[KeyPath, Any]:
    """Return all values but the title by place: key, table and key, or list of tables, name of the row and key."""
    found: dict[KeyPath, Any] = {}
    for key, value in values.items():
        if key == "title":
            continue
        if isinstance(value, Mapping):
            found |= {(key, name): each for name, each in value.items()}
        elif isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
            rows = ((str(row.get("name", n)), row) for n, row in enumerate(value, start=1))
            found |= {(key, row, name): each for row, cells in rows for name, each in cells.items()}
        else:
            found[key,] = value
    return found


def _nested(values: Mapping[KeyPath, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path, value in values.items():
        put(found, path, value, where="bridge")
    lists = {path[0] for path in values if len(path) > 2}
    return {key: list(value.values()) if key in lists else value for key, value in found.items()}


def _number(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and value == value
    return float(value) if is_number else None


def as_lines(found: Bridge) -> Sequence[str]:
    """Return a bridge as lines of text."""
    bars, amounts = found.named_bars, ((found.ends[0], found.start), (found.ends[1], found.end))
    wide = max(32, *(len(name) for name, _ in bars), *(len(name) - 2 for name in found.ends))
    first, last = (f"{name:{wide + 2}} {value:16,.0f} {found.unit}" for name, value in amounts)
    steps = (f"  {name:{wide}} {value:+16,.0f}" for name, value in bars)
    return [first, *steps, last, *(f"note: {each}" for each in found.remarks)]
