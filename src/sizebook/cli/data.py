"""`sizebook data` checks the tables of data and adds a planner's own rows to them."""

from __future__ import annotations

import csv
import sys
from datetime import date
from pathlib import Path

import click

from sizebook.cli.options import ANY_PATH
from sizebook.core.errors import InputError, suggestion
from sizebook.core.tables import DATA, MOST_OWN_BYTES, OWN_TABLES, Row, read, shipped, user_folder
from sizebook.core.units import number_of
from sizebook.intake.text_formats import csv_rows
from sizebook.market.updating import updates
from sizebook.sources.writing import unfinished
from sizebook.validation import data_checks
from sizebook.validation.data_differences import differences


@click.group("data")
def data() -> None:
    """Check the data tables, add your own rows to them, compare them, or bring prices up to date."""


@data.command("check")
@click.argument("file", required=False, type=ANY_PATH)
def check(file: Path | None) -> None:
    """Check FILE, or every shipped table: sources, dates, dense peaks, plausible prices. Exit code 1 on findings."""
    if file is not None:
        kind, rows = _loaded(file)
        sys.exit(_report(str(file), kind, rows))
    sys.exit(max(_report(f"data/{name}.csv", name, shipped(name)) for name in data_checks.KINDS))


def _loaded(file: Path) -> tuple[str, list[Row]]:
    """Return the kind and rows of a user's file; cells missing at the end of a line are blank."""
    rows = list(csv_rows(file, "a CSV file", comments=True))
    if not rows:
        raise InputError(f"no rows: got {file}, want a header and at least one row. Fill the table.")
    kind = data_checks.kind_of(list(rows[0]))
    columns = data_checks.KINDS[kind].columns
    for name in rows[0].keys() - set(columns):
        click.echo(f"{file}: column not read: '{name}' is none of a table of {kind}.{suggestion(name, columns)}")
    return kind, [{column: (row.get(column) or "").strip() for column in columns} for row in rows]


def _report(name: str, kind: str, rows: tuple[Row, ...] | list[Row]) -> int:
    found = data_checks.findings(kind, rows)
    for finding in found:
        click.echo(f"{name} {finding}")
    click.echo(f"{name}: {number_of(len(rows), 'row')} of {kind}, {number_of(len(found), 'finding')}")
    return 1 if found else 0


@data.command("add")
@click.argument("kind", metavar="TABLE", type=click.Choice(tuple(OWN_TABLES)))
@click.argument("file", type=ANY_PATH)
def add(kind: str, file: Path) -> None:
    """Check the rows of FILE and add them to your own TABLE; nothing is written if there is a finding.

    Your rows take precedence over the shipped ones. A row with the same key (of prices: the same provider, instance,
    accelerator, region, term and date) replaces the one you added before. Columns that the table does not have are
    dropped.
    """
    found, rows = _loaded(file)
    if found != kind:
        raise InputError(
            f"another table: got a table of {found} in {file}, want {kind}. Use 'sizebook data add {found}', or give a "
            f"table of {kind}."
        )
    if _report(str(file), kind, rows):
        click.echo("nothing added: correct the findings first")
        sys.exit(1)
    target, identity = user_folder() / f"{kind}.csv", data_checks.KINDS[kind].identity
    kept = {tuple(map(row.get, identity)): row for row in (_loaded(target)[1] if target.is_file() else [])}
    added = {tuple(map(row.get, identity)): row for row in rows}
    replaced = len(kept.keys() & added.keys())
    _write(target, data_checks.KINDS[kind].columns, list((kept | added).values()))
    click.echo(f"{number_of(len(rows), 'row')} added to {target}, {replaced} replacing an earlier one")


@data.command("update")
@click.option("--from", "folder", required=True, type=ANY_PATH, help="Folder of saved answers.")
@click.option("--table", default=DATA / "prices.csv", type=ANY_PATH, help="Price table to append to: the shipped one.")
@click.option("--new", "with_new", is_flag=True, help="Take offers too of which the table has no series yet.")
def update(folder: Path, table: Path, with_new: bool) -> None:
    """Append the prices of saved answers to the price table; data/market_sources.csv says what they are called.

    A series gains a date and keeps those before. A list of prices that drifts beyond the limits of its catalog leaves
    its rows as they were and is named. Nothing is written if a new row has a finding: exit code 1.
    """
    known = read(table)
    found = updates(folder, known, date.today().isoformat(), with_new=with_new)
    for answer in found:
        click.echo(f"{answer.file}: {number_of(len(answer.added), 'row')} added")
        for reason in answer.left:
            click.echo(f"  left as it was: {reason}")
    rows = [*known, *(row for answer in found for row in answer.added)]
    if _report(str(table), "prices", rows):
        click.echo("nothing written: correct the findings first")
        sys.exit(1)
    _write(table, tuple(known[0]), rows)


@data.command("diff")
@click.argument("before", type=ANY_PATH)
@click.argument("after", type=ANY_PATH)
def diff(before: Path, after: Path) -> None:
    """Say what two states of one table differ in: rows gone (-), changed (~) and new (+)."""
    (kind, old), (other, new) = _loaded(before), _loaded(after)
    if kind != other:
        raise InputError(
            f"two kinds of table: got {kind} in {before} and {other} in {after}, want one. Compare tables of one kind."
        )
    found = differences(kind, old, new)
    for line in found:
        click.echo(line)
    click.echo(f"{number_of(len(found), 'difference')} between {before} and {after}")


def _write(target: Path, columns: tuple[str, ...], rows: list[Row]) -> None:
    """Write a table in one step, so that readers never see half of it."""
    with unfinished(target) as temporary, temporary.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        lines.flush()
        if (n_bytes := temporary.stat().st_size) > MOST_OWN_BYTES:
            raise InputError(
                f"own table too large: got {n_bytes} bytes, want at most {MOST_OWN_BYTES}. Add fewer rows."
            )
