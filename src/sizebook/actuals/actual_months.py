"""The table of what came: a row for each month and service, in the plan's currency."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from sizebook.core.errors import InputError, RangeError, require_columns
from sizebook.core.quantities import MONTHS_PER_YEAR
from sizebook.intake.text_formats import csv_rows

REQUIRED = ("month", "requests", "input_tokens", "output_tokens", "gpu_hours", "cost")
OTHERS = ("unused_cost", "untagged_cost", "no_gpu_cost")
OPTIONAL = ("service", "busy_share", "rate_per_usd", *OTHERS)


@dataclass(frozen=True)
class ActualMonth:
    """What came of a service in a month; ``cost`` is of GPU-hours that were used and tagged.

    ``busy_share`` is the share of GPU-hours in which GPUs worked, None where nobody measured it; ``rate_per_usd`` is
    what 1 USD was, None for the planned rate.
    """

    service: str
    month: int
    requests: float
    input_tokens: float
    output_tokens: float
    gpu_hours: float
    cost: float
    busy_share: float | None = None
    rate_per_usd: float | None = None
    unused_cost: float = 0.0
    untagged_cost: float = 0.0
    no_gpu_cost: float = 0.0

    @property
    def total(self) -> float:
        """All that the month cost."""
        return self.cost + self.unused_cost + self.untagged_cost + self.no_gpu_cost


def read_actuals(path: Path, start: date | None, services: Sequence[str]) -> tuple[ActualMonth, ...]:
    """Return the rows of a CSV table; a month is a number, the first of the plan is 1, or such as 2027-01.

    Errors: a missing column, a bad or repeated month, no number, a number out of its range.
    """
    rows = list(csv_rows(path, "a table of actuals"))
    require_columns(list(rows[0]) if rows else [], (*REQUIRED, *(["service"] if len(services) > 1 else [])))
    if unknown := [name for name in rows[0] if name not in (*REQUIRED, *OPTIONAL)]:
        raise InputError(
            f"unknown column: got {', '.join(unknown)} in {path.name}, want some of "
            f"{', '.join((*REQUIRED, *OPTIONAL))}. Rename or remove it."
        )
    found = [
        _month(row, row.get("service") or services[0], f"row {number} of {path.name}", start)
        for number, row in enumerate(rows, start=2)
    ]
    for service in dict.fromkeys(each.service for each in found):
        at = [each.month for each in found if each.service == service]
        if sorted(set(at)) != at:
            raise InputError(f"months out of order: got {at} in {path.name}, want each once, in order. Sort the table.")
    return tuple(found)


def _month(row: Mapping[str, str], service: str, where: str, start: date | None) -> ActualMonth:
    none_came = bool(row["requests"]) and not _number(row["requests"], "requests", where, 0)
    free = {*OTHERS, *(REQUIRED[1:] if none_came else ())}
    cells = {column: row[column] for column in row if column not in ("month", "service") and row[column]}
    values = {column: _number(text, column, where, 0 if column in free else None) for column, text in cells.items()}
    if none_came:
        values = {"input_tokens": 0.0, "output_tokens": 0.0, **values}
    if missing := [column for column in REQUIRED[1:] if column not in values]:
        raise InputError(f"blank cell: got no {missing[0]} in {where}, want a number. Fill it in.")
    if not 0 < values.get("busy_share", 1.0) <= 1:
        raise RangeError(
            f"busy_share is out of range: got {row['busy_share']} in {where}, want above 0, up to 1. Correct it."
        )
    return ActualMonth(service, _place(row["month"], where, start), **values)


def _number(text: str, column: str, where: str, least: int | None) -> float:
    """Return a number, from ``least`` on or above 0."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not (math.isfinite(found) and (found > 0 or found == least)):
        wanted = "above 0" if least is None else "0 or more"
        raise InputError(f"no number: got {column} '{text}' in {where}, want one {wanted}. Correct it.")
    return found


def _place(text: str, where: str, start: date | None) -> int:
    year, _, month = text.partition("-")
    if month and year.isdigit() and month.isdigit() and 1 <= int(month) <= MONTHS_PER_YEAR:
        if start is None:
            raise InputError(
                f"no first month: got month {text} in {where} and no start in the scenario, want the plan's first "
                "month. State start, or number the months from 1."
            )
        place = (int(year) - start.year) * MONTHS_PER_YEAR + int(month) - start.month + 1
    else:
        place = int(text) if text.isdigit() else 0
    if place < 1:
        raise InputError(
            f"no month of the plan: got '{text}' in {where}, want 1 or more, or such as 2027-01. Correct it."
        )
    return place
