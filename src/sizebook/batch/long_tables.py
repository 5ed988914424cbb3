"""A whole batch as four long tables, in Parquet, CSV or DuckDB: a value a line with its unit.

They are figures, months, inputs and notes. ``months`` holds every table of the plans, ``table`` says which. What one
scenario gives waits in the journal until all are done, so that 10 000 plans are four files and a batch that was killed
goes on.
"""

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sizebook import __version__
from sizebook.batch.file_names import FIGURES, INPUTS, MONTHS, NOTES
from sizebook.batch.plan_kinds import PlannedScenario
from sizebook.batch.record import json_values
from sizebook.core.errors import InputError
from sizebook.core.extras import need
from sizebook.core.sections import flat, leaves
from sizebook.plans.contents import Value, split
from sizebook.sources.writing import scratch_folder, unfinished

# The columns of each table after those that all have; ``value`` holds numbers, ``text`` everything else.
HEADS = ("run", "scenario", "hash", "plan", "sizebook", "data_date")
COLUMNS = {
    FIGURES: ("name", "label", "unit", "value", "text"),
    MONTHS: ("table", "row", "name", "label", "unit", "value", "text"),
    INPUTS: ("name", "label", "unit", "value", "text"),
    NOTES: ("kind", "text"),
}
DATABASE = ".duckdb"  # the ending of the one file that holds all four
_NUMBERS = {"row": "Int64", "value": "Float64"}
_PIECE_ROWS = 50_000

Read = Callable[[str], str]


def lines_of(made: PlannedScenario) -> str:
    """Return what a planned scenario gives to the tables, for the journal: a line of JSON for all, and one a table."""
    record = made.record
    newest = max(each["retrieved"] for each in record["data"].values())
    figures = [(each.name, each.label, each.unit, each.value) for each in made.contents.figures]
    months = [
        (
            table.name,
            [(column.name, column.label, column.quantity.unit) for column in table.columns],
            list(table.rows),
        )
        for table in made.contents.tables
    ]
    notes = [("note", note) for note in made.notes] + [("warning", said) for said in made.warnings]
    head = record["hash"], made.kind, __version__, newest
    return "\n".join(map(json.dumps, (head, figures, months, list(_inputs(made)), notes)))


def _inputs(made: PlannedScenario) -> Iterator[tuple[Any, ...]]:
    """Yield the inputs of a scenario with their defaults, then what it says in tables of its own, as it was given."""
    known = {leaf.name: leaf for leaf in leaves(type(made.scenario))}
    for name, value in flat(made.scenario).items():
        yield name, known[name].label, known[name].quantity.unit, json_values(value)
    for name, value in _dotted(made.values):
        if name.rpartition(".")[2] not in known:
            yield name, "", "", json_values(value)


def _dotted(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of tables within tables by their dotted names: ``service.1.model``."""
    inside: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, Mapping):
        inside = value.items()
    elif isinstance(value, list) and all(isinstance(each, Mapping) for each in value):
        inside = enumerate(value, 1)
    else:
        yield name, value
    for key, inner in inside:
        yield from _dotted(inner, f"{name}.{key}" if name else str(key))


def write_tables(
    done: Mapping[str, str], failed: Mapping[str, str], read: Read, *, folder: Path, endings: Sequence[str]
) -> list[Path]:
    """Write the four tables into a folder, each file whole or not at all; return where they are.

    ``done`` are the hashes of scenarios by name, of which ``read`` returns the lines; ``failed`` the problems, which
    stand among the notes. ``endings`` say which kinds of files; one of DuckDB holds all four.
    """
    need("sweep")
    from sizebook.sweeps.streaming import write

    run = hashlib.sha256(json.dumps(sorted(done.items())).encode()).hexdigest()[:16]

    def write_table(table: str, path: Path) -> None:
        parts = itertools.chain(_parts(done, read, table), _problems(failed) if table == NOTES else ())
        write(_frames(parts, run, COLUMNS[table]), path)

    written = []
    for ending in endings:
        if ending == DATABASE:
            written.append(write_database(COLUMNS, write_table, folder / f"batch{ending}"))
            continue
        for table in COLUMNS:
            written.append(folder / f"{table}{ending}")
            write_table(table, written[-1])
    return written


def write_database(tables: Iterable[str], write_table: Callable[[str, Path], None], output: Path) -> Path:
    """Write a file of DuckDB with some tables, whole or not at all; return where it is.

    ``write_table`` writes the table of a name to a Parquet file, from which DuckDB takes rows, order and kinds.
    """
    need("duckdb")
    import duckdb

    with unfinished(output) as temporary, scratch_folder(output.parent) as folder:
        temporary.unlink()  # DuckDB makes its file itself
        try:
            with duckdb.connect(temporary, config={"temp_directory": str(folder)}) as database:
                for table in tables:
                    write_table(table, rows := folder / f"{table}.parquet")
                    database.read_parquet(str(rows)).create(table)
        except duckdb.Error as error:
            raise InputError(
                f"cannot write: got {error} for {output}, want a disk with room for the tables. Make room."
            ) from error
    return output


# What stands before a stretch of rows, its scenario first, and the columns of that stretch.
_Part = tuple[Sequence[Value], Sequence[Sequence[Value]]]


def _parts(scenarios: Iterable[str], read: Read, table: str) -> Iterator[_Part]:
    at = 1 + tuple(COLUMNS).index(table)
    for name in scenarios:
        lines = read(name).split("\n")
        if rows := json.loads(lines[at]):
            yield [name, *json.loads(lines[0])], _COLUMNS_OF[table](rows)


def _problems(failed: Mapping[str, str]) -> Iterator[_Part]:
    return (([name, None, None, __version__, None], [["failed"], [said]]) for name, said in failed.items())


def _transposed(rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
    return list(zip(*rows, strict=True))


def _figures(rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    *heads, values = _transposed(rows)
    return [*heads, *_transposed(map(split, values))]


def _months(ledgers: Sequence[tuple[str, Sequence[Any], Sequence[Any]]]) -> list[list[Any]]:
    """Return the columns of all tables of a plan, a value a line, with the number of its row."""
    found: list[list[Any]] = [[] for _ in COLUMNS[MONTHS]]
    for table, heads, rows in (each for each in ledgers if each[2]):
        names = [each * len(rows) for each in _transposed(heads)]
        values = _transposed(split(value) for row in rows for value in row)
        numbers = [number for number in range(1, len(rows) + 1) for _ in heads]
        more: list[Sequence[Any]] = [[table] * len(numbers), numbers, *names, *values]
        for column, its in zip(found, more, strict=True):
            column += its
    return found


_COLUMNS_OF: Mapping[str, Callable[[Any], Sequence[Sequence[Value]]]] = {
    FIGURES: _figures,
    MONTHS: _months,
    INPUTS: _figures,
    NOTES: _transposed,
}


def _frames(parts: Iterable[_Part], run: str, columns: Sequence[str]) -> Iterator[Any]:
    """Yield all stretches in pieces, at least one."""
    import polars as pl

    schema = {name: getattr(pl, _NUMBERS.get(name, "String")) for name in (*HEADS, *columns)}
    piece: list[list[Value]] = [[] for _ in schema]
    is_first = True
    for heads, found in parts:
        n_rows = len(found[0])
        for column, more in zip(piece, (*([head] * n_rows for head in (run, *heads)), *found), strict=True):
            column += more
        if len(piece[0]) >= _PIECE_ROWS:
            yield pl.DataFrame(piece, schema=schema)
            piece, is_first = [[] for _ in schema], False
    if is_first or piece[0]:
        yield pl.DataFrame(piece, schema=schema)
