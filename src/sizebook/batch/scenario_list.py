"""Reads the scenarios of a batch: a list in TOML or YAML, a table with one scenario a row, or a grid over one."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizebook.batch.file_names import file_stems
from sizebook.batch.record import json_values
from sizebook.batch.scenario_grid import Axis, grid_scenarios
from sizebook.core.errors import InputError, SizebookError
from sizebook.core.extras import need
from sizebook.intake.files import check_regular, refuse_over
from sizebook.intake.limits import limits
from sizebook.intake.text_formats import refuse_repeated
from sizebook.scenarios.dotted_keys import nested_values
from sizebook.scenarios.kinds import plan_of, quantities
from sizebook.scenarios.local_numbers import read_local_numbers
from sizebook.scenarios.scenario_files import read_toml
from sizebook.sources.spreadsheet_csv import read_spreadsheet_csv
from sizebook.sources.worksheets import sheet_rows


@dataclass(frozen=True)
class Row:
    """One scenario of a batch: where it stands, the stem of its files, and its values as JSON holds them."""

    where: str
    folder: Path
    name: str
    values: dict[str, Any]


@dataclass(frozen=True)
class ScenarioList:
    """The scenarios of a batch, and what reading them took for granted, to be said aloud."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


def read_batch(path: Path, axes: Sequence[Axis] = ()) -> ScenarioList:
    """Return the scenarios of a file; with ``axes`` the file holds one, which every point of the grid varies.

    Errors: `InputError` for a file of another kind, one without scenarios, and one with more than the limit
    ``scenarios`` allows.
    """
    reader = READERS.get(path.suffix.casefold())
    if reader is None:
        raise InputError(
            f"unknown table: got '{path.name}', want a name that ends in {', '.join(READERS)}. Save it so."
        )
    values, notes = reader(path, bool(axes))
    refuse_over("scenarios", len(values), f"or more scenarios in {path.name}")
    if not values:
        raise InputError(f"no scenario: got an empty table {path.name}, want one scenario a row. Add rows.")
    if axes and len(values) > 1:
        raise InputError(
            f"grid over a table: got {len(values)} scenarios in {path.name} and --grid, want one scenario to vary. "
            "Leave one row, or --grid out."
        )
    if axes:
        values = grid_scenarios(values[0], axes, path.name)
    return ScenarioList(tuple(_named(path, values, "point" if axes else "scenario")), notes)


def _named(table: Path, values: Sequence[dict[str, Any]], what: str) -> Iterator[Row]:
    for number, (keys, stem) in enumerate(zip(values, file_stems(values), strict=True), 1):
        held = json_values({key: value for key, value in keys.items() if key != "name"})
        yield Row(f"{table.name}, {what} {number}", table.parent, stem, held)


Rows = tuple[list[dict[str, Any]], tuple[str, ...]]


def _toml(path: Path, is_base: bool) -> Rows:
    return _listed(read_toml(path), path, is_base, "[[scenario]] tables only", "Write one each"), ()


def _yaml(path: Path, is_base: bool) -> Rows:
    from sizebook.sources.yaml_files import yaml_value

    value = yaml_value(path)
    keys = {"scenario": value} if isinstance(value, list) else value
    if not isinstance(keys, dict):
        raise InputError(
            f"not a list: got {keys!r} in {path.name}, want a list of scenarios. Write - model: ... lines."
        )
    return _listed(keys, path, is_base, "a list of scenarios only", "Write - before the first key of each"), ()


def _listed(keys: dict[str, Any], path: Path, is_base: bool, wanted: str, fix: str) -> list[dict[str, Any]]:
    """Return the scenarios of a file that lists them under ``scenario``, or the one that it is for a grid."""
    scenarios = keys.get("scenario")
    if is_base and scenarios is None:
        return [keys]
    others = [str(key) for key in keys if key != "scenario"]
    if not isinstance(scenarios, list) or others:
        found = ", ".join(others) or "no list of scenarios"
        raise InputError(
            f"not a list: got {found} in {path.name}, want {wanted}. {fix}, or give --grid to vary one scenario."
        )
    for number, each in enumerate(scenarios, 1):
        if not isinstance(each, dict):
            raise InputError(
                f"not a scenario: got {each!r} as number {number} of {path.name}, want keys and values. Correct it."
            )
    return scenarios


def _csv(path: Path, _: bool) -> Rows:
    """Return the rows of a CSV file as a spreadsheet of any country wrote it."""
    table = read_spreadsheet_csv(path)
    filled = ({key: cell for key, cell in row.items() if cell and cell.strip()} for row in table.rows())
    rows = _first(row for row in filled if row)
    kinds = [{key: str(each.kind) for key, each in quantities(_plan(row)).items()} for row in rows]
    read, notes = read_local_numbers(rows, kinds, path.name, has_decimals=table.separator != ",")
    return _nested(read, path), (*table.notes, *notes)


def _plan(row: dict[str, Any]) -> str:
    try:
        return plan_of(row)
    except SizebookError:
        return plan_of({})  # said of this scenario alone when it is its turn


def _xlsx(path: Path, _: bool) -> Rows:
    rows = sheet_rows(path)
    header = [str(cell).strip() if cell is not None else "" for cell in next(rows, ())]
    refuse_repeated(header, path)
    given = ({k: cell for k, cell in zip(header, cells, strict=False) if k and cell is not None} for cells in rows)
    return _nested(_first(row for row in given if row), path), ()


def _parquet(path: Path, _: bool) -> Rows:
    check_regular(path, "a table", "table_bytes")
    need("sweep", instead="save the table as CSV")
    import polars as pl

    try:
        frame = pl.scan_parquet(path).head(limits().scenarios + 1).collect()
    except pl.exceptions.PolarsError as error:
        said = " ".join(str(error).split())
        raise InputError(f"not Parquet: got {said} in {path.name}, want a Parquet table. Write it again.") from error
    given = ({k: cell for k, cell in row.items() if cell is not None} for row in frame.iter_rows(named=True))
    return _nested(_first(row for row in given if row), path), ()


def _first(rows: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows up to one more than a batch may have, so that more are refused without being read."""
    return list(itertools.islice(rows, limits().scenarios + 1))


def _nested(rows: Sequence[dict[str, Any]], path: Path) -> list[dict[str, Any]]:
    return [nested_values(row, f"{path.name}, scenario {number}") for number, row in enumerate(rows, 1)]


READERS: dict[str, Callable[[Path, bool], Rows]] = {
    ".toml": _toml,
    ".yaml": _yaml,
    ".yml": _yaml,
    ".csv": _csv,
    ".parquet": _parquet,
    ".xlsx": _xlsx,
}
