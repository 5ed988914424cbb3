"""`sizebook sweep`: a serving estimate or a training plan for every row of a table, streamed in batches."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sizebook.errors import InputError
from sizebook.files import unfinished

if TYPE_CHECKING:
    import polars as pl

BATCH_ROWS = 50_000
KINDS = (".csv", ".parquet", ".xlsx")


@click.command("sweep")
@click.argument("table", type=click.Path(dir_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Table to write.")
def sweep_table(table: Path, output: Path) -> None:
    """Estimate time to first token, time per token and throughput for every row of TABLE.

    TABLE is CSV, Parquet or xlsx with the columns model, gpu, input_tokens, output_tokens and concurrency, and where
    they matter engine, weight_dtype, kv_dtype, tp, pp, dp, ep. OUTPUT holds the same rows with the results beside
    them; a row that cannot be estimated keeps its place and says why. error_low and error_high are the p10 and p90 of
    measured over predicted TPOT, less 1.

    A table with the columns model, gpu, gpus, batch and tokens (and seq, tp, pp, mfu, price_usd_per_gpu_hour ... where
    they matter) is one of training runs: it gets memory, time, cost, energy and carbon, and the band of its step time.
    """
    from rich.console import Console
    from rich.progress import Progress

    from sizebook import sweeping, sweeping_training

    for path in (table, output):
        if path.suffix.casefold() not in KINDS:
            raise InputError(f"unknown kind of table: got '{path.name}', want one of {', '.join(KINDS)}. Rename it.")
    if not table.is_file():
        raise InputError(f"cannot read: got no file {table}, want a table. Check the path.")
    columns, n_rows = _looked_at(table)
    training = sweeping_training.is_training(columns)
    (sweeping_training if training else sweeping).check_columns(columns)
    figure = sweeping_training.FIGURE if training else "tpot_seconds"
    estimated = bad = 0
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("Rows", total=n_rows)

        def answered() -> Iterator[pl.DataFrame]:
            nonlocal estimated, bad
            for frame in _batches(table):
                found = sweeping_training.sweep(frame) if training else sweeping.sweep(frame)
                estimated += found.height
                bad += found[figure].null_count()
                progress.update(task, completed=estimated)
                yield found

        _write(answered(), output)
    click.echo(f"{estimated - bad} of {estimated} rows estimated. Table: {output.resolve()}")


def _scan(table: Path) -> pl.LazyFrame:
    import polars as pl

    if table.suffix.casefold() == ".parquet":
        return pl.scan_parquet(table)
    return pl.scan_csv(table, infer_schema=False)


def _looked_at(table: Path) -> tuple[list[str], int]:
    """Return the columns of a table and how many rows it has."""
    import polars as pl

    if table.suffix.casefold() == ".xlsx":
        first = next(_sheet_rows(table), [])
        return [str(cell) for cell in first], sum(1 for _ in _sheet_rows(table)) - 1
    lazy = _scan(table)
    return lazy.collect_schema().names(), int(lazy.select(pl.len()).collect().item())


def _sheet_rows(table: Path) -> Iterator[list[object]]:
    from openpyxl import load_workbook

    book = load_workbook(table, read_only=True, data_only=True)
    for row in book.worksheets[0].iter_rows(values_only=True):
        yield list(row)


def _batches(table: Path) -> Iterator[pl.DataFrame]:
    """Yield the table in pieces; cells of CSV and xlsx stay text, so a bad one can be shown as it stands."""
    import polars as pl

    if table.suffix.casefold() != ".xlsx":
        yield from _scan(table).collect_batches(chunk_size=BATCH_ROWS, maintain_order=True)
        return
    rows = _sheet_rows(table)
    columns = [str(cell) for cell in next(rows)]
    piece: list[list[object]] = []
    for row in rows:
        piece.append([None if cell is None else _plain(cell) for cell in row])
        if len(piece) == BATCH_ROWS:
            yield pl.DataFrame(piece, schema=dict.fromkeys(columns, pl.String), orient="row")
            piece = []
    if piece:
        yield pl.DataFrame(piece, schema=dict.fromkeys(columns, pl.String), orient="row")


def _plain(cell: object) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _write(frames: Iterator[pl.DataFrame], output: Path) -> None:
    """Write the pieces beside the target, then rename."""
    write = {".csv": _write_csv, ".parquet": _write_parquet, ".xlsx": _write_xlsx}[output.suffix.casefold()]
    with unfinished(output) as temporary:
        write(frames, temporary)


def _write_csv(frames: Iterator[pl.DataFrame], path: Path) -> None:
    with path.open("wb") as out:
        for at, frame in enumerate(frames):
            frame.write_csv(out, include_header=at == 0)


def _write_parquet(frames: Iterator[pl.DataFrame], path: Path) -> None:
    import polars as pl

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        for at, frame in enumerate(frames):
            frame.write_parquet(Path(folder) / f"{at:08d}.parquet")
        pl.scan_parquet(Path(folder) / "*.parquet").sink_parquet(path)


def _write_xlsx(frames: Iterator[pl.DataFrame], path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("sweep")
    for at, frame in enumerate(frames):
        if at == 0:
            sheet.append(frame.columns)
        for row in frame.iter_rows():
            sheet.append(row)
    book.save(path)
