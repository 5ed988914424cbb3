# ruff: noqa: E402 - the extra is asked for before what stands on it
"""Sweeps of more rows than one process should have: stretches of Parquet tables, each a piece of work of its own.

A partition is to its sweep what a scenario is to its batch: a row of the same journal. Workers read and write the
folders themselves, so on a cluster they share them; what goes back is how many rows were answered.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sizebook.core.extras import need

need("sweep")

import polars as pl

from sizebook.batch.file_names import safe_stem
from sizebook.batch.formats import Outputs
from sizebook.batch.journal import Outcome, journal
from sizebook.batch.record import installation
from sizebook.batch.runner import RunOptions, ShowProgress, Work, run_remaining
from sizebook.batch.scenario_list import Row
from sizebook.batch.sent_scenarios import Data, failed_outcome, pack_without_files, run_on_worker
from sizebook.core.errors import InputError, SizebookError
from sizebook.plans.contents import Figure
from sizebook.scenarios.scenario_files import RATES
from sizebook.scheduling.processes import Processes
from sizebook.sources.writing import make_folder
from sizebook.sweeps.kinds import kind_of
from sizebook.sweeps.streaming import columns_and_rows, parquet_pieces, write

KIND = "parquet"
PARTITION_ROWS = 200_000


@dataclass(frozen=True)
class Partitions:
    """The stretches of a folder of Parquet tables, or of one, with the columns that all of them have."""

    rows: tuple[Row, ...]
    columns: tuple[str, ...]


def partitions(table: Path, rates: Path | None = None) -> Partitions:
    """Return the stretches of at most `PARTITION_ROWS` rows of a Parquet table, or of all that a folder holds.

    Errors: `InputError` for a folder without any, tables of different columns, and columns that a sweep cannot take.
    """
    tables = sorted(table.glob(f"*.{KIND}")) if table.is_dir() else [table]
    if not tables or tables[0].suffix.casefold() != f".{KIND}":
        raise InputError(
            f"no partitions: got {table.name}, want a .{KIND} table or a folder of such. Write the table as Parquet."
        )
    found = [(each, *columns_and_rows(each)) for each in tables]
    columns = found[0][1]
    for each, its_columns, _ in found:
        if its_columns != columns:
            raise InputError(
                f"other columns: got {', '.join(its_columns)} in {each.name}, want {', '.join(columns)} as in "
                f"{tables[0].name}. Write all partitions alike."
            )
    kind_of(columns)
    rows = tuple(row for each, _, n in found for row in _stretches(each.resolve(), n, rates))
    return Partitions(rows, tuple(columns))


def _stretches(table: Path, n_rows: int, rates: Path | None) -> Iterator[Row]:
    own = {RATES: str(rates.resolve())} if rates else {}
    for first in range(0, max(n_rows, 1), PARTITION_ROWS):
        last = min(first + PARTITION_ROWS, n_rows)
        name = safe_stem(table.stem) + (f"-{first // PARTITION_ROWS:05d}" if n_rows > PARTITION_ROWS else "")
        where = f"{table.name}, rows {first + 1} to {last}" if n_rows > PARTITION_ROWS else table.name
        yield Row(where, table.parent, name, values={"table": table.name, "first": first, "last": last, **own})


def run_sweep(
    rows: Sequence[Row], folder: Path, order: RunOptions, shown: ShowProgress
) -> tuple[tuple[Outcome, ...], int]:
    """Answer partitions into a folder under its journal; return every outcome and how many stood finished before."""
    folder = folder.resolve()
    work = _work(order, folder)
    make_folder(folder)
    with journal(folder, (KIND,)) as record:
        return run_remaining(rows, record, work, shown=shown, resume=order.resume)


def _work(order: RunOptions, folder: Path) -> Work:
    outcome = partial(_outcome, folder=folder)
    if order.scheduler:
        from sizebook.scheduling.cluster import Cluster

        cluster = Cluster(order.scheduler, order.notify, pack_without_files)
        cluster.check(installation)
        return Work(cluster, partial(sweep_on_worker, folder=str(folder)), outcome)
    return Work(Processes(order.jobs), partial(sweep_partition, folder=folder), outcome)


def sweep_on_worker(sent: Data, folder: str) -> Any:
    """Return what `sweep_partition` does, where the partition is the same as where it is from. A worker calls this."""
    return run_on_worker(sent, partial(sweep_partition, folder=Path(folder)))


def sweep_partition(row: Row, folder: Path) -> tuple[int, int] | str:
    """Write the answers of a partition into a folder; return its rows and how many were answered, or the problem."""
    asked = row.values
    n_rows = n_answered = 0
    try:
        kind = kind_of(columns_and_rows(row.folder / asked["table"])[0])

        def answered() -> Iterable[pl.DataFrame]:
            nonlocal n_rows, n_answered
            for frame in parquet_pieces(row.folder / asked["table"], asked["first"], asked["last"]):
                rated = frame.with_columns(pl.lit(asked[RATES]).alias(RATES)) if RATES in asked else frame
                found = kind.sweep(rated)
                n_rows += found.height
                n_answered += found.height - found[kind.figure].null_count()
                yield found

        write(iter(answered()), folder / f"{row.name}.{KIND}")
    except SizebookError as error:
        return str(error)
    return n_rows, n_answered


def _outcome(row: Row, found: tuple[int, int] | str, folder: Path) -> Outcome:
    path = folder / f"{row.name}.{KIND}"
    if isinstance(found, str):
        return failed_outcome(row, found)
    if not path.is_file():
        return failed_outcome(
            row,
            f"not shared: got no {path} from the worker, want a folder that all workers write to. "
            "Choose one on a disk that they share.",
        )
    n_rows, n_answered = found
    counts = (
        Figure("rows", "Rows", "rows", value=n_rows),
        Figure("answered", "With an answer", "rows", value=n_answered),
    )
    return Outcome(row, Outputs({KIND: path}, counts))
