"""What CSV files hold in place of keys of a scenario: hours of a day, histograms, traces, months, contracts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.intake.text_formats import csv_rows
from sizebook.plans.commitments import CONTRACT_COLUMNS

_LISTS = {
    "input_histogram": (("tokens", "share"), "a histogram"),
    "output_histogram": (("tokens", "share"), "a histogram"),
    "monthly_requests": (("month", "requests"), "a table of months"),
    "monthly_tokens": (("month", "tokens"), "a table of months"),
    "contracts": (CONTRACT_COLUMNS, "a list of contracts"),
}
TRACE_COLUMNS = ("seconds", "input_tokens", "output_tokens")


def with_csv_files(values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the values of a scenario with what CSV files hold in place of their names: hours and histograms."""
    found = {key: _inside(inner, folder) for key, inner in values.items()}
    if "hours_csv" in found:
        if "shape" in found:
            raise InputError("hours given twice: got shape and hours_csv, want one of them. Remove the other.")
        found["shape"] = list(_hours_from(folder / str(found.pop("hours_csv"))))
    for name, (columns, what) in _LISTS.items():
        if isinstance(path := found.get(name), str) and path.casefold().endswith(".csv"):
            found[name] = _rows_from(folder / path, columns, what)
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


def _rows_from(path: Path, columns: Sequence[str], what: str) -> list[tuple[float, ...]]:
    try:
        return [tuple(float(row[name]) for name in columns) for row in csv_rows(path, what)]
    except (KeyError, TypeError, ValueError) as error:
        *first, last = (f"'{name}'" for name in columns)
        raise InputError(
            f"not {what}: got {error} in {path.name}, want columns {', '.join(first)} and {last} of numbers. Mend the "
            "file."
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
