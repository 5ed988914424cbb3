"""What CSV files hold in place of keys of a scenario: hours of a day, histograms, traces, tables of months."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.intake.text_formats import csv_rows

TRACE_COLUMNS = ("seconds", "input_tokens", "output_tokens")


def with_csv_files(values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the values of a scenario with what CSV files hold in place of their names: hours and histograms."""
    found = {key: _inside(inner, folder) for key, inner in values.items()}
    if "hours_csv" in found:
        if "shape" in found:
            raise InputError("hours given twice: got shape and hours_csv, want one of them. Remove the other.")
        found["shape"] = list(_hours_from(folder / str(found.pop("hours_csv"))))
    for name in ("input_histogram", "output_histogram"):
        if isinstance(path := found.get(name), str):
            found[name] = _bins_from(folder / path)
    for name in ("monthly_requests", "monthly_tokens"):
        if isinstance(path := found.get(name), str) and path.casefold().endswith(".csv"):
            found[name] = _months_from(folder / path, name.removeprefix("monthly_"))
    if isinstance(path := found.get("trace"), str) and path.casefold().endswith(".csv"):
        found["trace"] = _trace_from(folder / path)
    return found


def _inside(value: Any, folder: Path) -> Any:
    """Return a table, or each of several, with what CSV files hold."""
    if isinstance(value, Mapping):
        return with_csv_files(value, folder)
    if isinstance(value, list) and all(isinstance(each, Mapping) for each in value):
        return [with_csv_files(each, folder) for each in value]
    return value


def _months_from(path: Path, what: str) -> list[tuple[float, float]]:
    try:
        return [(float(row["month"]), float(row[what])) for row in csv_rows(path, "a table of months")]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"not a table of months: got {error} in {path.name}, want columns 'month' and '{what}' of numbers. Mend "
            "the file."
        ) from None


def _bins_from(path: Path) -> list[tuple[float, float]]:
    try:
        return [(float(row["tokens"]), float(row["share"])) for row in csv_rows(path, "a histogram")]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"not a histogram: got {error} in {path.name}, want columns 'tokens' and 'share' of numbers. Mend the file."
        ) from None


def _trace_from(path: Path) -> list[tuple[float, ...]]:
    try:
        rows = list(csv_rows(path, "a trace"))
        names = [name for name in TRACE_COLUMNS if rows and name in rows[0]]
        if "seconds" not in names or len(names) == 2:
            raise KeyError(", ".join(names) or "no column")
        return [tuple(float(row[name]) for name in names) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"not a trace: got {error} in {path.name}, want a column 'seconds' of numbers, and 'input_tokens' and "
            "'output_tokens' where lengths are known. Mend the file."
        ) from None


def _hours_from(path: Path) -> tuple[float, ...]:
    try:
        return tuple(float(row["requests"]) for row in csv_rows(path, "a day of traffic"))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"not a day of traffic: got {error} in {path.name}, want a column 'requests' of 24 numbers. Mend the file."
        ) from None
