"""`sizebook data` checks the tables of data, adds a planner's own rows to them, and hands them on in packs."""

import hashlib
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import click

from sizebook.cli.lazy import HintedGroup
from sizebook.cli.options import ANY_PATH
from sizebook.core.errors import InputError
from sizebook.core.hints import suggestion
from sizebook.core.tables import DATA, MOST_OWN_BYTES, OWN_TABLES, PACK, Row, newest_day, read, shipped, user_folder
from sizebook.core.units import number_of
from sizebook.intake.text_formats import refuse_repeated
from sizebook.market.answers import TABLES
from sizebook.market.packs import csv_bytes, is_pack, pack, unpacked
from sizebook.market.updating import updates
from sizebook.sources.writing import write_whole
from sizebook.tables.price_book import as_rows, table_rows
from sizebook.validation import data_checks
from sizebook.validation.data_differences import differences


@click.group("data", cls=HintedGroup)
def data() -> None:
    """Check the data tables, add your own rows, bring prices up to date, compare tables, or hand them on in a pack."""


@data.command("check")
@click.argument("file", required=False, type=ANY_PATH)
def check(file: Path | None) -> None:
    """Check FILE, or every shipped table: sources, dates, dense peaks, plausible prices. Exit code 1 on findings."""
    if file is not None:
        kind, rows = _loaded(file)
        sys.exit(_report(str(file), kind, rows))
    sys.exit(max(_report(f"data/{name}.csv", name, shipped(name)) for name in data_checks.KINDS))


def _loaded(file: Path, asked: str = "") -> tuple[str, list[Row]]:
    """Return the kind and rows of a user's file: CSV, TOML or a workbook; missing cells are blank.

    Where its columns are no table's, the message says those of the table asked for.
    """
    rows = list(_sheet(file) if file.suffix.casefold() == ".xlsx" else table_rows(file))
    if not rows:
        raise InputError(f"no rows: got {file}, want a header and at least one row. Fill the table.")
    heads = dict.fromkeys(name for row in rows for name in row)
    kind = data_checks.kind_of(list(heads), asked)
    columns = data_checks.KINDS[kind].columns
    for name in heads.keys() - set(columns):
        click.echo(f"{file}: column not read: '{name}' is none of a table of {kind}.{suggestion(name, columns)}")
    return kind, [{column: row.get(column, "") for column in columns} for row in rows]


def _sheet(file: Path) -> Iterator[Row]:
    from sizebook.sources.worksheets import sheet_rows

    cells = sheet_rows(file)
    heads = next(cells, [])
    refuse_repeated(list(map(str, heads)), file)
    return as_rows(dict(zip(heads, row, strict=True)) for row in cells if any(cell is not None for cell in row))


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

    FILE is CSV, TOML or a workbook, whose first sheet is read; for prices also the contract commitments of FOCUS. Your
    rows take precedence over the shipped ones. A row with the same key (of prices: the same provider, instance,
    accelerator, region, term, date, contract and tier) replaces the one you added before. Columns that the table does
    not have are dropped.
    """
    found, rows = _loaded(file, kind)
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
@click.option("--tables", default=DATA, type=ANY_PATH, help="Folder of the tables to append to: that of the package.")
@click.option("--new", "with_new", is_flag=True, help="Take offers too of which the table has no series yet.")
def update(folder: Path, tables: Path, with_new: bool) -> None:
    """Append saved answers to the tables of prices, grids and hardware; data/catalogs.toml says what they are called.

    A series gains a date and keeps those before; a blank cell of hardware gains a figure. What drifts beyond the limits
    of its catalog leaves its rows as they were and is named. Nothing is written if there is a finding: exit code 1.
    """
    known = {name: _table_in(tables, name) for name in TABLES}
    found = updates(folder, known, date.today().isoformat(), with_new=with_new)
    for answer in found:
        added = f"{number_of(len(answer.added), 'row')} added to {answer.table}"
        filled = f"blanks filled in {number_of(len(answer.filled), 'row')} of {answer.table}"
        click.echo(f"{answer.file}: {filled if answer.filled else added}")
        for reason in answer.left:
            click.echo(f"  left as it was: {reason}")
    changed: dict[str, list[Row]] = {}
    for answer in found:
        changed[answer.table] = answer.applied(changed.get(answer.table, known[answer.table]))
    if max(_report(str(tables / f"{name}.csv"), name, rows) for name, rows in changed.items()):
        click.echo("nothing written: correct the findings first")
        sys.exit(1)
    for name, rows in changed.items():
        _write(tables / f"{name}.csv", tuple(known[name][0]), rows)


def _table_in(folder: Path, name: str) -> list[Row]:
    """Return the rows of a table of a folder, the shipped ones where the folder has none of that name."""
    path = folder / f"{name}.csv"
    return read(path) if path.is_file() else list(shipped(name))


@data.command("pack")
@click.argument("target", type=ANY_PATH)
@click.option("--tables", default=DATA, type=ANY_PATH, help="Folder of the tables to pack: that of the package.")
def pack_tables(target: Path, tables: Path) -> None:
    """Pack the tables of a day into TARGET, a .zip file for 'sizebook data use'; your own tables stay out of it.

    A table that the folder lacks is packed as it is shipped. Nothing is written if a row has a finding: exit code 1.
    """
    packed = {name: _table_in(tables, name) for name in data_checks.KINDS}
    if max(_report(f"{name}.csv", name, rows) for name, rows in packed.items()):
        click.echo("nothing written: correct the findings first")
        sys.exit(1)
    content = pack(packed, date.today().isoformat())
    click.echo(f"{write_whole(target, content)}: sha256 {hashlib.sha256(content).hexdigest()}")


@data.command("use")
@click.argument("path", metavar="PACK", type=ANY_PATH)
def use(path: Path) -> None:
    """Take the tables of a data pack in place of the shipped ones; your own tables still come first.

    Its hashes and its rows are checked, and nothing is taken if there is a finding. A table that this version of
    sizebook holds with later rows stays the shipped one. To go back, delete the file that is named.
    """
    day, packed = unpacked(path)
    if max(_report(f"{path.name} {name}.csv", name, _known_columns(name, rows)) for name, rows in packed.items()):
        click.echo("nothing taken: the pack has findings")
        sys.exit(1)
    target = write_whole(user_folder() / PACK, path.read_bytes())
    for name, rows in packed.items():
        if newest_day(rows) < newest_day(read(DATA / f"{name}.csv")):
            click.echo(f"{name}: the shipped table was read later and stays")
    click.echo(f"data pack of {day} in use: {target}; delete that file to go back to the shipped tables")


def _known_columns(name: str, rows: list[Row]) -> list[Row]:
    """Return the rows of a table of a pack, or refuse them where a table of that name has other columns here."""
    wanted = list(shipped(name)[0])
    if list(rows[0]) != wanted:
        raise InputError(
            f"data pack of another version: got {', '.join(rows[0])} in the table of {name}, want {', '.join(wanted)}. "
            "Make it with this version of sizebook, or install the version that made it."
        )
    return rows


@data.command("diff")
@click.argument("before", type=ANY_PATH)
@click.argument("after", type=ANY_PATH)
def diff(before: Path, after: Path) -> None:
    """Say what two states of a table, or two data packs, differ in: rows gone (-), changed (~) and new (+)."""
    old, new = _tables_of(before), _tables_of(after)
    if old.keys() != new.keys():
        raise InputError(
            f"two kinds of table: got {', '.join(old)} in {before} and {', '.join(new)} in {after}, want the same. "
            "Compare tables of one kind, or two packs."
        )
    n_found = 0
    for kind in old:
        found = differences(kind, old[kind], new[kind])
        n_found += len(found)
        for line in found:
            click.echo(f"{kind}: {line}" if len(old) > 1 else line)
    click.echo(f"{number_of(n_found, 'difference')} between {before} and {after}")


def _tables_of(path: Path) -> dict[str, list[Row]]:
    return unpacked(path)[1] if is_pack(path) else dict((_loaded(path),))


def _write(target: Path, columns: tuple[str, ...], rows: list[Row]) -> None:
    """Write a table in one step, so that readers never see half of it."""
    content = csv_bytes(columns, rows)
    if len(content) > MOST_OWN_BYTES:
        raise InputError(
            f"own table too large: got {len(content)} bytes, want at most {MOST_OWN_BYTES}. Add fewer rows."
        )
    write_whole(target, content)
