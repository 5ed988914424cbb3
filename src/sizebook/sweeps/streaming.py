"""Tables of any length, CSV, Parquet or xlsx, in pieces: memory does not grow with their rows.

polars' own streaming maps a CSV file into memory and reads several row groups of a Parquet file ahead; here a file is
read one piece at a time. Cells of CSV and xlsx stay text, so that a bad one can be shown as it stands.
"""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from contextvars import copy_context
from pathlib import Path
from typing import IO, Any

import polars as pl

from sizebook.core.errors import InputError, require_columns
from sizebook.core.extras import need
from sizebook.intake.files import check_regular
from sizebook.intake.text_formats import refuse_repeated
from sizebook.sources.cell_text import is_stored_as_is, neutralised, put_text
from sizebook.sources.worksheets import sheet_rows
from sizebook.sources.writing import scratch_folder, unfinished

KINDS = (".csv", ".parquet", ".xlsx")
PIECE_ROWS = 10_000
_CSV_BYTES = 1_000_000
_PARQUET_ROWS = 50_000  # each read unpacks the row group anew, so that several pieces come of one
_SHEET_ROWS = 2**20  # Excel opens no longer sheet
_GROUP_ROWS = 20_000  # rows of a row group that is written


def check_kind(table: Path) -> None:
    """Refuse a file whose name is not that of a table."""
    if table.suffix.casefold() not in KINDS:
        raise InputError(f"unknown kind of table: got '{table.name}', want one of {', '.join(KINDS)}. Rename it.")


def columns_and_rows(table: Path) -> tuple[list[str], int]:
    """Return the columns of a table and how many rows it has; of CSV its lines, which may be a few more."""
    with _readable(table):
        if _kind(table) == ".xlsx":
            first = next(sheet_rows(table), [])
            refuse_repeated([str(cell) for cell in first if cell is not None], table)
            return [str(cell) for cell in first], sum(1 for _ in sheet_rows(table)) - 1
        if _kind(table) == ".parquet":
            lazy = pl.scan_parquet(table)
            return lazy.collect_schema().names(), int(lazy.select(pl.len()).collect().item())
        with table.open("rb") as lines:
            record = _record(lines)
            separator = _separator(record, table)
            heads = pl.read_csv(record, has_header=False, infer_schema=False, separator=separator).row(0)
            columns = [head or "" for head in heads]
            refuse_repeated(columns, table)
            return columns, sum(block.count(b"\n") for block in iter(lambda: lines.read(_CSV_BYTES), b""))


def _separator(heads: bytes, table: Path) -> str:
    """Return what stands between the cells of CSV: a comma, else a semicolon or a tab that the heads hold.

    Errors: UTF-16, whose lines are not told apart by their bytes.
    """
    if heads.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise InputError(
            f"not UTF-8: got UTF-16 in {table.name}, want a table in UTF-8. Save it as xlsx, as Parquet, or as CSV in "
            "UTF-8."
        )
    return next((sign for sign in (",", ";", "\t") if sign.encode() in heads), ",")


def pieces(table: Path) -> Iterator[pl.DataFrame]:
    """Yield a table in pieces of at most `PIECE_ROWS` rows, an empty one where it has no rows."""
    return _in_pieces(table, {".csv": _csv, ".parquet": _parquet, ".xlsx": _xlsx}[_kind(table)](table))


def parquet_pieces(table: Path, first: int, last: int) -> Iterator[pl.DataFrame]:
    """Yield the rows of a Parquet table from ``first``, counted from 0, to before ``last``, as `pieces` does."""
    return _in_pieces(table, _stretches(table, first, last))


def _in_pieces(table: Path, frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    n_rows = 0
    with _readable(table):
        for frame in frames:
            n_rows += frame.height
            yield from frame.iter_slices(PIECE_ROWS)
    if n_rows == 0:
        yield pl.DataFrame(schema=dict.fromkeys(columns_and_rows(table)[0], pl.String))


def check_columns(columns: list[str], required: Iterable[str], results: Iterable[str]) -> None:
    """Refuse a table that lacks a column it needs, or has one where a result goes, before anything is written."""
    require_columns(columns, required)
    taken = [name for name in results if name in columns]
    if taken:
        raise InputError(
            f"column name taken: got {', '.join(taken)} in the table, want those names free for the results. "
            "Remove or rename the column."
        )


def write(frames: Iterator[pl.DataFrame], output: Path) -> None:
    """Write pieces to a table; it appears whole or not at all.

    In xlsx text is text. A CSV file cannot say so: there an apostrophe stands before every text that a spreadsheet
    would calculate.
    """
    to = {".csv": _write_csv, ".parquet": _write_parquet, ".xlsx": _write_xlsx}[_kind(output)]
    # Closed, so that no thread still answers when a failed write has been told.
    with unfinished(output) as temporary, _written(output), closing(prefetched(frames)) as coming:
        alike = _alike(coming)
        to(map(_neutralised, alike) if _kind(output) == ".csv" else alike, temporary)


def _alike(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Pass pieces on. Errors: one with other columns than the first, where a later row states another currency."""
    columns: list[str] = []
    for frame in frames:
        columns = columns or frame.columns
        if frame.columns != columns:
            raise InputError(
                f"columns differ: got {', '.join(set(frame.columns) ^ set(columns))} in some rows only, want the same "
                "currency in all. Split the table by currency."
            )
        yield frame


_SUSPECT = pl.col(pl.String).str.contains(r"^[\t\r\n=+\-@]").any()  # quick to ask, true of numbers too


def prefetched(frames: Iterator[pl.DataFrame]) -> Generator[pl.DataFrame, None, None]:
    """Yield pieces while a thread makes the next one: answering keeps one processor busy, writing another.

    One piece is ahead, so memory does not grow; what making one raises is raised here. Settings of the caller's
    context, such as the folders that it may read, hold in the thread.
    """
    context = copy_context()

    def next_frame() -> pl.DataFrame | None:
        return context.run(lambda: next(frames, None))

    with ThreadPoolExecutor(max_workers=1) as thread:
        coming = thread.submit(next_frame)
        while (frame := coming.result()) is not None:
            coming = thread.submit(next_frame)
            yield frame


def _neutralised(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a piece of a table whose texts no spreadsheet calculates."""
    suspect = [found.name for found in frame.select(_SUSPECT).iter_columns() if found[0]]
    return frame.with_columns(
        pl.Series(name, [cell and neutralised(cell) for cell in frame[name]], dtype=pl.String) for name in suspect
    )


def _kind(path: Path) -> str:
    return path.suffix.casefold()


@contextmanager
def _readable(table: Path) -> Iterator[None]:
    if _kind(table) != ".xlsx":
        check_regular(table, f"a {_kind(table)[1:]} table", "table_bytes")
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        said = str(error).strip().partition("\n")[0]
        raise InputError(
            f"cannot read: got {said} in {table.name}, want a whole {_kind(table)[1:]} table in UTF-8, the same number "
            "of cells in every row. Mend the table."
        ) from error


def _record(lines: IO[bytes]) -> bytes:
    """Return the next record of a CSV file; one whose cells hold line breaks has several lines."""
    record = lines.readline()
    while record.count(b'"') % 2 and (line := lines.readline()):
        record += line
    return record


def _csv(table: Path) -> Iterator[pl.DataFrame]:
    """Yield blocks of whole records, each parsed with the heads before it."""
    with table.open("rb") as lines:
        heads, rest = _record(lines), b""
        separator = _separator(heads, table)
        while block := lines.read(_CSV_BYTES):
            rest += block
            end = rest.rfind(b"\n") + 1
            while end and rest.count(b'"', 0, end) % 2:  # that line break stands within quotes
                end = rest.rfind(b"\n", 0, end - 1) + 1
            if end:
                yield pl.read_csv(heads + rest[:end], infer_schema=False, separator=separator)
                rest = rest[end:]
        if rest:
            yield pl.read_csv(heads + rest, infer_schema=False, separator=separator)


def _parquet(table: Path) -> Iterator[pl.DataFrame]:
    return _stretches(table, 0, columns_and_rows(table)[1])


def _stretches(table: Path, first: int, last: int) -> Iterator[pl.DataFrame]:
    lazy = pl.scan_parquet(table)
    for start in range(first, last, _PARQUET_ROWS):
        yield lazy.slice(start, min(_PARQUET_ROWS, last - start)).collect()


def _xlsx(table: Path) -> Iterator[pl.DataFrame]:
    rows = sheet_rows(table)
    columns = [str(cell) for cell in next(rows, [])]
    piece: list[list[str | None]] = []
    for row in rows:
        piece.append([None if cell is None else _plain(cell) for cell in row])
        if len(piece) == PIECE_ROWS:
            yield pl.DataFrame(piece, schema=dict.fromkeys(columns, pl.String), orient="row")
            piece = []
    if piece:
        yield pl.DataFrame(piece, schema=dict.fromkeys(columns, pl.String), orient="row")


def _plain(cell: object) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _write_csv(frames: Iterator[pl.DataFrame], path: Path) -> None:
    with path.open("wb") as out:
        for at, frame in enumerate(frames):
            frame.write_csv(out, include_header=at == 0)


def _write_parquet(frames: Iterator[pl.DataFrame], path: Path) -> None:
    with scratch_folder(path.parent) as folder:
        for at, frame in enumerate(frames):
            frame.write_parquet(folder / f"{at:08d}.parquet")
        pl.scan_parquet(folder / "*.parquet").sink_parquet(path, row_group_size=_GROUP_ROWS, maintain_order=True)


@contextmanager
def _written(output: Path) -> Iterator[None]:
    """Say what polars could not write, such as on a full disk."""
    try:
        yield
    except pl.exceptions.PolarsError as error:
        said = str(error).strip().partition("\n")[0]
        raise InputError(
            f"cannot write: got {said} for {output}, want a disk with room for the table. Make room."
        ) from error


def _write_xlsx(frames: Iterator[pl.DataFrame], path: Path) -> None:
    need("workbooks", instead="write a .csv or .parquet table")
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("sweep")
    n_rows = 1
    for at, frame in enumerate(frames):
        n_rows += frame.height
        if n_rows > _SHEET_ROWS:
            sheet.close()
            raise InputError(
                f"too many rows for a sheet: got {n_rows} or more with the heads, want at most {_SHEET_ROWS}. "
                "Write a .csv or .parquet table."
            )
        if at == 0:
            sheet.append(_as_cells(sheet, frame.columns))
        for row in frame.iter_rows():
            sheet.append(_as_cells(sheet, row))
    book.save(path)


def _as_cells(sheet: Any, values: Sequence[Any]) -> list[Any]:
    from openpyxl.cell import WriteOnlyCell

    return [value if is_stored_as_is(value) else put_text(WriteOnlyCell(sheet), value) for value in values]
