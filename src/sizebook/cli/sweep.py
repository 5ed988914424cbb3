"""`sizebook sweep`: a serving estimate or a training plan for every row of a table, streamed in batches."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sizebook.cli.telling import told
from sizebook.core.errors import InputError, suggestion
from sizebook.core.names import Renamed, notes

if TYPE_CHECKING:
    import polars as pl


@click.command("sweep")
@click.argument("table", type=click.Path(dir_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Table to write.")
def sweep_table(table: Path, output: Path) -> None:
    """Estimate time to first token, time per token and throughput for every row of TABLE.

    TABLE is CSV, Parquet or xlsx with the columns model, gpu, input_tokens, output_tokens and concurrency, and where
    they matter engine, weight_dtype, kv_dtype, tp, pp, dp, ep. OUTPUT holds the same rows with the results beside
    them; a row that cannot be estimated keeps its place and says why. error_low and error_high are the p10 and p90 of
    measured over predicted TPOT, less 1.

    A table with the columns model, gpu, gpus, batch and tokens is one of training runs: it gets memory, time, cost,
    energy and carbon, and the band of its step time. Every key of a training scenario but a table is a column.
    """
    from rich.console import Console
    from rich.progress import Progress

    from sizebook.plans.training import rows as training_rows
    from sizebook.sweeps import cases, streaming
    from sizebook.sweeps import serving as sweeping
    from sizebook.sweeps import training as sweeping_training

    for path in (table, output):
        if path.suffix.casefold() not in streaming.KINDS:
            raise InputError(
                f"unknown kind of table: got '{path.name}', want one of {', '.join(streaming.KINDS)}. Rename it."
            )
    if not table.is_file():
        raise InputError(f"cannot read: got no file {table}, want a table. Check the path.")
    columns, n_rows = streaming.look(table)
    training = sweeping_training.is_training(columns)
    required = sweeping_training.REQUIRED if training else cases.REQUIRED
    streaming.check_columns(columns, required, training_rows.OUTPUTS if training else sweeping.RESULTS)
    renamed = sweeping_training.renamed(columns) if training else {}
    _tell_unread(columns, training_rows.INPUTS if training else cases.INPUTS, renamed)
    figure = sweeping_training.FIGURE if training else "tpot_seconds"
    estimated = bad = 0
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("Rows", total=n_rows)

        def answered() -> Iterator[pl.DataFrame]:
            nonlocal estimated, bad
            for frame in streaming.pieces(table):
                found = sweeping_training.sweep(frame) if training else sweeping.sweep(frame)
                estimated += found.height
                bad += found[figure].null_count()
                progress.update(task, completed=estimated)
                yield found

        streaming.write(answered(), output)
        progress.update(task, total=estimated)
    click.echo(f"{estimated - bad} of {estimated} rows estimated. Table: {output.resolve()}")


def _tell_unread(columns: list[str], inputs: Collection[str], renamed: Mapping[str, str]) -> None:
    """Name the columns that are kept but change nothing, for one may be a slip of the pen, and those of old names."""
    told(notes((Renamed(old, new) for old, new in renamed.items()), "table"))
    unread = [name for name in columns if name not in inputs and name not in renamed]
    if unread:
        hints = {name: suggestion(name, inputs).strip() for name in unread}
        shown = ", ".join(f"{name} ({hint})" if hint else name for name, hint in hints.items())
        click.echo(f"columns kept but not read: {shown}", err=True)
