"""`sizebook sweep` answers every row of a table with a serving estimate or a training plan."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sizebook.cli.messages import print_error
from sizebook.cli.options import ANY_PATH, progress, rates_option, run_options, scheduler_option
from sizebook.core.errors import InputError
from sizebook.core.extras import need
from sizebook.core.hints import suggestion

if TYPE_CHECKING:
    from sizebook.batch.journal import Outcome
    from sizebook.sweeps.kinds import Kind


@click.command("sweep")
@click.argument("table", type=ANY_PATH)
@click.option("-o", "--output", type=ANY_PATH, required=True, help="Table to write, or a folder.")
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Into a folder: number of processes; one per processor if left out."
)
@scheduler_option
@click.option("--resume", is_flag=True, help="Into a folder: continue an earlier run.")
@rates_option
def sweep_table(table: Path, output: Path, rates: Path | None, **asked: Any) -> None:
    """Estimate time to first token, time per token and throughput for every row of TABLE.

    TABLE is CSV, Parquet or xlsx with the columns model, gpu, input_tokens, output_tokens and concurrency, and where
    they matter engine, weight_dtype, kv_dtype, tp, pp, dp, ep. OUTPUT has the same rows with columns of results; a
    row that cannot be estimated stays and says why. error_low and error_high are the p10 and p90 of measured over
    predicted TPOT, minus 1.

    A table with the columns model, gpu, gpus, batch and tokens describes training runs: it gets memory, time, cost,
    energy, carbon and the band of the step time. Every key of a training scenario, except tables, can be a column.

    If OUTPUT is a folder (a name without an ending), TABLE is a Parquet table or a folder of them. Partitions are
    answered in several processes, or by the workers of a Dask scheduler that share both folders, under a journal.
    """
    need("sweep")
    if table.is_dir() or not output.suffix:
        _partitions(table, output, rates, asked)
        return
    for name in ("jobs", "scheduler", "resume"):
        if asked[name]:
            raise InputError(
                f"output is one table: got --{name} for {output.name}, want a folder to write partitions into. "
                "Give -o a name without an ending."
            )
    _one(table, output, rates)


def _one(table: Path, output: Path, rates: Path | None) -> None:
    """Answer one table into another, in this process."""
    import polars as pl

    from sizebook.scenarios.scenario_files import RATES
    from sizebook.sweeps import streaming
    from sizebook.sweeps.kinds import kind_of

    for path in (table, output):
        streaming.check_kind(path)
    _refuse_absent(table)
    columns, n_rows = streaming.columns_and_rows(table)
    kind = kind_of(columns)
    _tell(columns, kind, rates)
    estimated = bad = 0

    def answered() -> Iterator[pl.DataFrame]:
        nonlocal estimated, bad
        for frame in streaming.pieces(table):
            if rates:
                frame = frame.with_columns(pl.lit(str(rates.resolve())).alias(RATES))
            found = kind.sweep(frame)
            estimated += found.height
            bad += found[kind.figure].null_count()
            yield found

    streaming.write(_tracked(answered(), n_rows), output)
    click.echo(f"{estimated - bad} of {estimated} rows estimated. Table: {output.resolve()}")
    if bad and bad == estimated:
        print_error("no row could be estimated: the column reason says why.")
        sys.exit(1)


def _tracked(frames: Iterable[Any], n_rows: int) -> Iterator[Any]:
    """Pass frames on and show progress; a CSV file may have a few more lines than rows."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as progress:
        task, done = progress.add_task("Rows", total=n_rows), 0
        for frame in frames:
            done += frame.height
            progress.update(task, completed=done)
            yield frame
        progress.update(task, total=done)


def _partitions(table: Path, output: Path, rates: Path | None, asked: dict[str, Any]) -> None:
    """Answer a Parquet table, or a folder of such, into a folder, partition by partition."""
    from sizebook.batch.partitions import KIND, partitions, run_sweep
    from sizebook.sweeps.kinds import kind_of

    order = run_options(asked, (KIND,))
    _refuse_absent(table)
    if output.resolve() == table.resolve():
        raise InputError(f"same folder: got {output} for both, want another one for the results. Change -o.")
    given = partitions(table, rates)
    _tell(given.columns, kind_of(list(given.columns)), rates)
    outcomes, n_before = run_sweep(given.rows, output, order, shown=progress("Partitions"))
    _tell_partitions(outcomes, f", {n_before} of them before" if order.resume else "", output)


def _tell_partitions(outcomes: Sequence[Outcome], before: str, output: Path) -> None:
    done = [outcome.outputs for outcome in outcomes if outcome.outputs]
    n_rows, n_answered = (sum(int(each.figures[at].value or 0) for each in done) for at in (0, 1))
    click.echo(
        f"{n_answered} of {n_rows} rows estimated in {len(done)} of {len(outcomes)} partitions{before}. "
        f"Folder: {output.resolve()}"
    )
    for outcome in outcomes:
        if outcome.outputs is None:
            print_error(f"failed: {outcome.problem}")
    if len(done) < len(outcomes):
        sys.exit(1)


def _refuse_absent(table: Path) -> None:
    if not table.exists():
        raise InputError(f"cannot read: got no file {table}, want a table. Check the path.")


def _tell(columns: Sequence[str], kind: Kind, rates: Path | None) -> None:
    """Name the columns that are not read; refuse rates that are given twice."""
    from sizebook.scenarios.scenario_files import RATES

    if rates and RATES in columns:
        raise InputError(f"rates given twice: got a column {RATES} and --rates, want one of them. Remove the other.")
    print_unread(kind.unread(columns), kind.inputs)


def print_unread(unread: Sequence[str], known: Iterable[str]) -> None:
    """Name the columns that are kept but not read: one may be misspelt."""
    if unread:
        names = list(known)
        hints = {name: suggestion(name, names).strip() for name in unread}
        shown = ", ".join(f"{name} ({hint})" if hint else name for name, hint in hints.items())
        click.echo(f"columns kept but not read: {shown}", err=True)
