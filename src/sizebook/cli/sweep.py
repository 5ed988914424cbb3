"""`sizebook sweep`: a serving estimate or a training plan for every row of a table, streamed in batches."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import click

from sizebook.cli.rates import rates_option
from sizebook.cli.telling import told
from sizebook.core.errors import InputError, suggestion
from sizebook.core.extras import need
from sizebook.core.names import Renamed, notes


@click.command("sweep")
@click.argument("table", type=click.Path(dir_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Table to write.")
@click.option("--guard-formulas", is_flag=True, help="In CSV, put ' before text that a spreadsheet would calculate.")
@rates_option
def sweep_table(table: Path, output: Path, guard_formulas: bool, rates: Path | None) -> None:
    """Estimate time to first token, time per token and throughput for every row of TABLE.

    TABLE is CSV, Parquet or xlsx with the columns model, gpu, input_tokens, output_tokens and concurrency, and where
    they matter engine, weight_dtype, kv_dtype, tp, pp, dp, ep. OUTPUT holds the same rows with the results beside
    them; a row that cannot be estimated keeps its place and says why. error_low and error_high are the p10 and p90 of
    measured over predicted TPOT, less 1.

    A table with the columns model, gpu, gpus, batch and tokens is one of training runs: it gets memory, time, cost,
    energy and carbon, and the band of its step time. Every key of a training scenario but a table is a column.
    """
    need("sweep")
    import polars as pl
    from rich.console import Console
    from rich.progress import Progress

    from sizebook.plans.training import rows as training_rows
    from sizebook.scenarios.files import RATES
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
    if rates and RATES in columns:
        raise InputError(f"rates given twice: got a column {RATES} and --rates, want one of them. Remove the other.")
    told(notes((Renamed(old, new) for old, new in renamed.items()), "table"))
    known = training_rows.INPUTS if training else cases.INPUTS
    tell_unread([name for name in columns if name not in known and name not in renamed], known)
    figure = sweeping_training.FIGURE if training else "tpot_seconds"
    estimated = bad = 0
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("Rows", total=n_rows)

        def answered() -> Iterator[pl.DataFrame]:
            nonlocal estimated, bad
            for frame in streaming.pieces(table):
                if rates:
                    frame = frame.with_columns(pl.lit(str(rates.resolve())).alias(RATES))
                found = sweeping_training.sweep(frame) if training else sweeping.sweep(frame)
                estimated += found.height
                bad += found[figure].null_count()
                progress.update(task, completed=estimated)
                yield found

        n_risky = streaming.write(answered(), output, guard_formulas=guard_formulas)
        progress.update(task, total=estimated)
    if n_risky:
        click.echo(
            f"{n_risky} texts begin like a formula, and a spreadsheet that opens {output.name} would calculate them. "
            "Add --guard-formulas, or write .xlsx.", err=True,
        )  # fmt: skip
    click.echo(f"{estimated - bad} of {estimated} rows estimated. Table: {output.resolve()}")


def tell_unread(unread: list[str], known: Collection[str]) -> None:
    """Name the columns that are kept but change nothing, for one may be a slip of the pen."""
    if unread:
        hints = {name: suggestion(name, known).strip() for name in unread}
        shown = ", ".join(f"{name} ({hint})" if hint else name for name, hint in hints.items())
        click.echo(f"columns kept but not read: {shown}", err=True)
