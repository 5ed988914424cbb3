"""Reads the tables of `data/`: CSV files whose every row names its source and the day it was retrieved."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"

Row = dict[str, str]


def read(path: Path) -> list[Row]:
    """Return the rows of a CSV file; lines that start with ``#`` are comments."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


@cache
def table(name: str) -> tuple[Row, ...]:
    """Return the rows of ``data/<name>.csv``, read once."""
    return tuple(read(DATA / f"{name}.csv"))


@cache
def by_key(name: str, key: str) -> dict[str, Row]:
    """Return the rows of ``data/<name>.csv`` by one column whose values are unique."""
    rows = table(name)
    indexed = {row[key]: row for row in rows}
    if len(indexed) != len(rows):
        raise ValueError(f"duplicate {key} in data/{name}.csv: got {len(rows) - len(indexed)} repeats, want none.")
    return indexed
