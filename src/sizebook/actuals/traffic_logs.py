"""Logs of requests as one table: when each came, its tokens, its conversation, and the blocks of its prompt.

Where a figure stands in a log is said by ``data/traffic_logs.toml``, so a new log is a table there and no code.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

import polars as pl

from sizebook.core.data_records import data_records
from sizebook.core.errors import InputError
from sizebook.intake.files import check_regular

KINDS = (".csv", ".jsonl", ".ndjson", ".parquet")
_SECONDS = {"seconds": 1.0, "milliseconds": 1e-3, "microseconds": 1e-6, "nanoseconds": 1e-9}
_ROWS_TO_LEARN_FROM = 1000  # of JSON: keys that come later than this are not seen
_PIECE = 250_000  # rows that are held at a time
_MOST_TOKENS = 10**9  # of a request: more is damage

_LACKS = (
    (~pl.col("seconds").is_finite().fill_null(value=False)).alias("time"),
    (~pl.col("input_tokens").is_between(1, _MOST_TOKENS).fill_null(value=False)).alias("prompt tokens"),
    (~pl.col("output_tokens").is_between(1, _MOST_TOKENS).fill_null(value=False)).alias("answer tokens"),
)
_ANY = pl.any_horizontal(*_LACKS)


@dataclass(frozen=True)
class LogFormat:
    """One table of ``data/traffic_logs.toml``: the columns of a log; an empty name is a figure that it lacks."""

    name: str
    source: str
    time: str
    time_unit: str
    input_tokens: str
    output_tokens: str
    conversation: str = ""
    blocks: str = ""
    block_tokens: int = 0


@dataclass(frozen=True)
class Log:
    """The rows of a log, with the columns ``seconds`` (since 1970, or since the log began), ``input_tokens``,
    ``output_tokens``, and where the log has them ``conversation`` and ``blocks``.

    A row without a time, or without a token of prompt or answer (a failed request), is no request. ``n_unreadable``
    lines are no rows at all.
    """

    name: str
    format: LogFormat
    rows: pl.LazyFrame
    n_unreadable: int = 0

    @property
    def requests(self) -> pl.LazyFrame:
        """The rows that are requests."""
        return self.rows.filter(~_ANY)

    def pieces(self) -> Iterator[tuple[dict[str, int], pl.DataFrame]]:
        """Yield the log piece by piece: how many rows there are and how many lack what, and those that are requests."""
        for piece in self.rows.collect_batches(chunk_size=_PIECE, maintain_order=True):
            yield (
                piece.select(pl.len().alias("rows"), *(e.sum() for e in _LACKS)).row(0, named=True),
                piece.filter(~_ANY),
            )


@cache
def log_formats() -> tuple[LogFormat, ...]:
    """Return the formats of ``data/traffic_logs.toml``, read once."""
    return data_records("traffic_logs", LogFormat)


def read_log(path: Path) -> Log:
    """Return a log, of which only the heads are read yet. Errors: another kind of file, columns that no format has."""
    if path.suffix.casefold() not in KINDS:
        raise InputError(f"unknown kind of log: got '{path.name}', want one of {', '.join(KINDS)}. Convert it.")
    check_regular(path, "a log of requests", "table_bytes")
    with readable(path.name):
        return _log(path)


@contextmanager
def readable(name: str, wanted: str = "a whole log in UTF-8. Mend the log") -> Iterator[None]:
    """Say in words of ours what polars finds wrong with a file."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        said = str(error).strip().partition("\n")[0]
        raise InputError(f"cannot read: got {said} in {name}, want {wanted}.") from error


def _whole(path: Path) -> tuple[Path | BytesIO, int]:
    """Return a log without the lines that are no object of JSON, and how many those are; only then it is held."""
    if path.suffix.casefold() not in (".jsonl", ".ndjson"):
        return path, 0
    line = pl.col("line").str.strip_chars()
    broken = (line != "") & ~(line.str.starts_with("{") & line.str.json_path_match("$").is_not_null())
    lines = pl.scan_lines(path)
    n_broken = int(lines.select(broken.sum()).collect(engine="streaming").item())
    if not n_broken:
        return path, 0
    return BytesIO("\n".join(lines.filter(~broken).collect(engine="streaming")["line"]).encode()), n_broken


def _scanned(path: Path, source: Path | BytesIO, types: Mapping[str, type[pl.DataType]]) -> pl.LazyFrame:
    """Return a log of which nothing is read yet; cells of CSV that are not of the type of their column are null."""
    if path.suffix.casefold() == ".parquet":
        return pl.scan_parquet(path)
    if path.suffix.casefold() == ".csv":
        return pl.scan_csv(
            path, infer_schema=False, schema_overrides=types, ignore_errors=True, truncate_ragged_lines=True
        )
    return pl.scan_ndjson(source, infer_schema_length=_ROWS_TO_LEARN_FROM, ignore_errors=True)


def _log(path: Path) -> Log:
    source, n_unreadable = _whole(path)
    schema = _scanned(path, source, {}).collect_schema()
    found = next((each for each in log_formats() if _has(schema, each)), None)
    if found is None:
        wanted = "; ".join(f"{each.time}, {each.input_tokens}, {each.output_tokens}" for each in log_formats())
        raise InputError(
            f"unknown log: got the columns {', '.join(schema.names()[:20])} in {path.name}, want those of one of: "
            f"{wanted}. Rename the columns."
        )
    types: dict[str, type[pl.DataType]] = {found.input_tokens: pl.Int64, found.output_tokens: pl.Int64}
    if found.time_unit != "iso":
        types[found.time] = pl.Float64
    rows = _scanned(path, source, types).select(_columns(schema, found))
    return Log(path.name, found, rows, n_unreadable)


def _has(schema: pl.Schema, wanted: LogFormat) -> bool:
    return all(_dtype(schema, each) is not None for each in (wanted.time, wanted.input_tokens, wanted.output_tokens))


def _dtype(schema: pl.Schema, place: str) -> pl.DataType | None:
    """Return the type of a column, or of a place within its objects; None where there is none."""
    head, *inner = place.split(".")
    found = schema.get(head)
    for name in inner:
        fields = {each.name: each.dtype for each in found.fields} if isinstance(found, pl.Struct) else {}
        inside = fields.get(name)
        found = inside() if isinstance(inside, type) else inside
    return found


def _at(place: str) -> pl.Expr:
    head, *inner = place.split(".")
    found = pl.col(head)
    for name in inner:
        found = found.struct.field(name)
    return found


def _columns(schema: pl.Schema, wanted: LogFormat) -> list[pl.Expr]:
    columns = [
        _seconds(_at(wanted.time), wanted.time_unit, _dtype(schema, wanted.time)).alias("seconds"),
        _at(wanted.input_tokens).cast(pl.Int64, strict=False).alias("input_tokens"),
        _at(wanted.output_tokens).cast(pl.Int64, strict=False).alias("output_tokens"),
    ]
    for name, place in (("conversation", wanted.conversation), ("blocks", wanted.blocks)):
        if place and _dtype(schema, place) is not None:
            columns.append(_at(place).alias(name))
    return columns


def _seconds(column: pl.Expr, unit: str, dtype: pl.DataType | None) -> pl.Expr:
    if unit != "iso":
        return column.cast(pl.Float64, strict=False) * _SECONDS[unit]
    if dtype == pl.String:
        text = column.str.replace("T", " ", literal=True).str.replace(r"\s*(Z|UTC)$", "+0000")
        zoned = pl.when(text.str.contains(r"[+-]\d\d:?\d\d$")).then(text).otherwise(text + "+0000")  # else UTC
        column = zoned.str.to_datetime("%Y-%m-%d %H:%M:%S%.f%z", time_unit="us", strict=False)
    return column.dt.epoch("us") / 1e6
