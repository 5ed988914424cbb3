"""A whole batch as four long tables, in Parquet, CSV or DuckDB: a value a line with its unit.

They are figures, months, inputs and notes. ``months`` holds every table of the plans, ``table`` says which. What one
scenario gives waits in the journal until all are done, so that 10 000 plans are four files and a batch that was killed
goes on.
"""

from __future__ import annotations

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
from sizebook.core.extras import need
from sizebook.core.sections import flat, leaves
from sizebook.plans.contents import Value, split

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
    """Return what a planned scenario gives to the tables, as JSON for the journal."""
    record = made.record
    newest = max(each["retrieved"] for each in record["data"].values())
    found = {
        "head": [record["hash"], made.kind, __version__, newest],
        FIGURES: [(f.name, f.label, f.unit, *split(f.value)) for f in made.contents.figures],
        MONTHS: [
            (table.name, number, column.name, column.label, column.quantity.unit, *split(value))
            for table in made.contents.tables
            for number, row in enumerate(table.rows, 1)
            for column, value in zip(table.columns, row, strict=True)
        ],
        INPUTS: list(_inputs(made)),
        NOTES: [("note", note) for note in made.notes] + [("warning", said) for said in made.warnings],
    }
    return json.dumps(found)


def _inputs(made: PlannedScenario) -> Iterator[tuple[Any, ...]]:
    """Yield the inputs of a scenario with their defaults, then what it says in tables of its own, as it was given."""
    known = {leaf.name: leaf for leaf in leaves(type(made.scenario))}
    for name, value in flat(made.scenario).items():
        yield name, known[name].label, known[name].quantity.unit, *split(json_values(value))
    for name, value in _dotted(made.values):
        if name.rpartition(".")[2] not in known:
            yield name, "", "", *split(json_values(value))


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
        problems = failed if table == NOTES else {}
        rows = itertools.chain(_rows(done, read, table), _problems(problems))
        write(_frames(((run, *row) for row in rows), (*HEADS, *COLUMNS[table])), path)

    written = []
    for ending in endings:
        if ending == DATABASE:
            from sizebook.batch.database import write_database

            written.append(write_database(COLUMNS, write_table, folder / f"batch{ending}"))
            continue
        for table in COLUMNS:
            written.append(folder / f"{table}{ending}")
            write_table(table, written[-1])
    return written


def _rows(scenarios: Iterable[str], read: Read, table: str) -> Iterator[tuple[Value, ...]]:
    for name in scenarios:
        found = json.loads(read(name))
        yield from ((name, *found["head"], *line) for line in found[table])


def _problems(failed: Mapping[str, str]) -> Iterator[tuple[Value, ...]]:
    return ((name, None, None, __version__, None, "failed", problem) for name, problem in failed.items())


def _frames(rows: Iterator[tuple[Value, ...]], columns: Sequence[str]) -> Iterator[Any]:
    """Yield rows in pieces, at least one."""
    import polars as pl

    schema = {name: getattr(pl, _NUMBERS.get(name, "String")) for name in columns}
    piece = list(itertools.islice(rows, _PIECE_ROWS))
    yield pl.DataFrame(piece, schema=schema, orient="row")
    while piece := list(itertools.islice(rows, _PIECE_ROWS)):
        yield pl.DataFrame(piece, schema=schema, orient="row")
