"""`sizebook data` checks tables of hardware, prices and grids, and adds the user's own prices."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import click

from sizebook.cli.options import ANY_PATH
from sizebook.core.errors import InputError
from sizebook.core.tables import Row, table, user_folder
from sizebook.core.units import number_of
from sizebook.intake.texts import csv_rows
from sizebook.sources.writing import unfinished
from sizebook.validation import data_checks

_PRICE_IDENTITY = ("provider", "instance", "gpu", "region", "term", "date")


@click.group("data")
def data() -> None:
    """Check the data tables, or add your own prices to them."""


@data.command("check")
@click.argument("file", required=False, type=ANY_PATH)
def check(file: Path | None) -> None:
    """Check FILE, or every shipped table: sources, dates, dense peaks, plausible prices. Exit code 1 on findings."""
    if file is not None:
        kind, rows = _loaded(file)
        sys.exit(_report(str(file), kind, rows))
    sys.exit(max(_report(f"data/{name}.csv", name, table(name)) for name in data_checks.KINDS))


def _loaded(file: Path) -> tuple[str, list[Row]]:
    """Return the kind and rows of a user's file; cells missing at the end of a line are blank."""
    rows = list(csv_rows(file, "a CSV file", comments=True))
    if not rows:
        raise InputError(f"no rows: got {file}, want a header and at least one row. Fill the table.")
    kind = data_checks.kind_of(list(rows[0]))
    columns = data_checks.KINDS[kind].columns
    return kind, [{column: (row[column] or "").strip() for column in columns} for row in rows]


def _report(name: str, kind: str, rows: tuple[Row, ...] | list[Row]) -> int:
    found = data_checks.findings(kind, rows)
    for finding in found:
        click.echo(f"{name} {finding}")
    click.echo(f"{name}: {number_of(len(rows), 'row')} of {kind}, {number_of(len(found), 'finding')}")
    return 1 if found else 0


@data.group("add")
def add() -> None:
    """Add your own rows to a table."""


@add.command("prices")
@click.argument("file", type=ANY_PATH)
def add_prices(file: Path) -> None:
    """Check the prices of FILE and add them to your own table; nothing is written if there is a finding.

    Your rows take precedence over the shipped ones. A row for the same provider, instance, accelerator, region, term
    and date replaces the one you added before. Columns that a price table does not have are dropped.
    """
    kind, rows = _loaded(file)
    if kind != "prices":
        raise InputError(f"not a price table: got a table of {kind} in {file}, want prices. Give a price table.")
    if _report(str(file), kind, rows):
        click.echo("nothing added: correct the findings first")
        sys.exit(1)
    target = user_folder() / "prices.csv"
    kept = {_identity(row): row for row in (_loaded(target)[1] if target.is_file() else [])}
    replaced = sum(_identity(row) in kept for row in rows)
    kept.update((_identity(row), row) for row in rows)
    _write(target, list(kept.values()))
    click.echo(f"{number_of(len(rows), 'row')} added to {target}, {replaced} replacing an earlier one")


def _identity(row: Row) -> tuple[str, ...]:
    return tuple(row[column] for column in _PRICE_IDENTITY)


def _write(target: Path, rows: list[Row]) -> None:
    """Write a price table in one step, so that readers never see half of it."""
    with unfinished(target) as temporary, temporary.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, data_checks.KINDS["prices"].columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
