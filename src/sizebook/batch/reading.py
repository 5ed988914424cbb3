"""Reads the scenarios of a batch: a TOML list, a CSV file or a worksheet, one scenario a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.intake.texts import csv_rows, refuse_repeated
from sizebook.scenarios.files import read_toml
from sizebook.sources.files import sheet_rows

READABLE = (".toml", ".csv", ".xlsx")


@dataclass(frozen=True)
class Row:
    """One scenario of a batch as the table gives it: where it stands, the stem of its files and its values."""

    where: str
    folder: Path
    name: str
    values: dict[str, Any]


def read_rows(path: Path) -> list[Row]:
    """Return the scenarios of a TOML list (``[[scenario]]``), a CSV file or the first sheet of a workbook."""
    if path.suffix.lower() not in READABLE:
        raise InputError(
            f"unknown table: got '{path.name}', want a name that ends in {', '.join(READABLE)}. Save it so."
        )
    rows = {".toml": _toml, ".csv": _csv, ".xlsx": _xlsx}[path.suffix.lower()]
    values = list(rows(path))
    if not values:
        raise InputError(f"no scenario: got an empty table {path.name}, want one scenario a row. Add rows.")
    return _named(path, values)


def _toml(path: Path) -> Iterator[dict[str, Any]]:
    keys = read_toml(path)
    scenarios = keys.pop("scenario", None)
    if not isinstance(scenarios, list) or keys:
        found = ", ".join(keys) or "no [[scenario]]"
        raise InputError(f"not a list: got {found} in {path.name}, want [[scenario]] tables only. Write one each.")
    yield from scenarios


def _csv(path: Path) -> Iterator[dict[str, Any]]:
    for values in csv_rows(path, "a CSV file"):
        yield {key: value for key, value in values.items() if value}


def _xlsx(path: Path) -> Iterator[dict[str, Any]]:
    rows = sheet_rows(path)
    header = [str(cell) if cell is not None else "" for cell in next(rows, ())]
    refuse_repeated(header, path)
    for cells in rows:
        values = {key: cell for key, cell in zip(header, cells, strict=False) if key and cell is not None}
        if values:
            yield values


def _named(table: Path, values: Sequence[dict[str, Any]]) -> list[Row]:
    """Give each scenario the stem of its files: its ``name``, else its model; equal stems are told apart by number.

    Stems that differ by case only are equal, as Windows takes them; ``index`` is the batch's own.
    """
    rows, taken = [], {"index"}
    for number, given in enumerate(values, 1):
        keys = dict(given)
        wanted = str(keys.pop("name", None) or keys.get("model", "scenario"))
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", wanted).strip("-.") or "scenario"
        name = stem
        while name.casefold() in taken:
            name = f"{name}-{number}"
        taken.add(name.casefold())
        rows.append(Row(f"{table.name}, scenario {number}", table.parent, name, keys))
    return rows
