"""Cost and usage in FOCUS: checked by the rules of the specification, then added up by month and service.

FOCUS is the open cost and usage specification of the FinOps Foundation. What it says of each column stands in
``data/focus_columns.csv``, what it says of several together in ``data/focus_conditions.csv``. Columns that it does not
know are left alone, and may stand in place of a tag.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from sizebook.actuals.traffic_logs import readable
from sizebook.core.errors import InputError
from sizebook.core.tables import Row, table
from sizebook.intake.files import check_regular

KINDS = (".csv", ".parquet")
# What this module works with beside what is mandatory; a bill may lack them.
_OPTIONAL = ("CommitmentDiscountStatus", "ConsumedQuantity", "ConsumedUnit", "SkuPriceDetails", "Tags")
_CODE = r"^[A-Z]{3}$"
_TIME = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?$"


@dataclass(frozen=True)
class BilledService:
    """What one service cost in one month, in the currency of the bill; ``tag`` is the value of the tag asked for.

    ``effective_cost`` spreads what was paid ahead over what used it, ``unused_cost`` of it is committed and was not
    used, ``untagged_cost`` of the rest has no value of the tag that was asked for. ``gpu_hours`` are consumed hours
    times the GpuCount of the SKU; ``no_gpu_cost`` is of the rest what counts no GPU: no cost is in two parts.
    """

    month: str
    service: str
    tag: str
    effective_cost: float
    billed_cost: float
    unused_cost: float
    untagged_cost: float
    no_gpu_cost: float
    gpu_hours: float


@dataclass(frozen=True)
class Bill:
    """A bill: its currency, its services by month, and the columns that FOCUS does not know."""

    currency: str
    services: tuple[BilledService, ...]
    unknown_columns: tuple[str, ...]


def read_bill(path: Path, tag: str = "") -> Bill:
    """Return a bill in FOCUS 1.2 or 1.3, CSV or Parquet; ``tag`` is your own key, or a column, to tell rows by.

    Errors: a column that FOCUS wants and the file lacks, a value that breaks the rule of its column, several
    currencies, no row.
    """
    if path.suffix.casefold() not in KINDS:
        raise InputError(f"unknown kind of bill: got '{path.name}', want one of {', '.join(KINDS)}. Export it as CSV.")
    check_regular(path, "a bill", "table_bytes")
    with readable(path.name, "a whole bill in UTF-8. Export it again"):
        return _bill(_scanned(path), path.name, tag)


def _scanned(path: Path) -> pl.LazyFrame:
    if path.suffix.casefold() == ".parquet":
        return pl.scan_parquet(path)
    return pl.scan_csv(path, infer_schema=False)


def _bill(raw: pl.LazyFrame, name: str, tag: str) -> Bill:
    columns = raw.collect_schema()
    version = f"FOCUS {'1.3' if any(row['instead'] in columns for row in table('focus_columns')) else '1.2'}"
    _refuse_missing(columns.names(), name, version)
    rules = {row["column"]: row for row in table("focus_columns")}
    known = [column for column in columns if column in rules or column == tag]
    texts = raw.select(_as_text(column, columns[column]) for column in known)
    _refuse_broken(texts, dict(_broken(known)), name, version)
    absent = [column for column in _OPTIONAL if column not in known]
    rows = texts.with_columns(pl.lit(None, pl.String).alias(column) for column in absent)
    currencies = rows.select(pl.col("BillingCurrency").unique()).collect().to_series().to_list()
    if len(currencies) != 1:
        raise InputError(
            f"not one currency: got {', '.join(sorted(currencies)) or 'no row'} in {name}, want one. Give a file for "
            "each currency."
        )
    unknown = tuple(column for column in columns if column not in rules)
    return Bill(currencies[0], tuple(_services(rows, tag, own=tag in columns)), unknown)


def _as_text(column: str, dtype: pl.DataType) -> pl.Expr:
    """Return a column as CSV would hold it; a blank cell is null, as FOCUS has it."""
    found = pl.col(column)
    if isinstance(dtype, (pl.Datetime, pl.Date)):
        return found.cast(pl.Datetime).dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(dtype, pl.Struct):  # tags as Parquet may hold them, with a field for each key
        return found.struct.json_encode().alias(column)
    if isinstance(dtype, pl.List):  # or as a map, pairs of key and value
        key, value = (pl.element().struct.field(name) for name in ("key", "value"))
        pair = pl.struct(key, value).map_elements(_pair, return_dtype=pl.String)
        return pl.concat_str(pl.lit("{"), found.list.eval(pair).list.join(", "), pl.lit("}")).alias(column)
    text = found.cast(pl.String).str.strip_chars()
    return pl.when(text.is_in(["", "null", "NULL"])).then(None).otherwise(text).alias(column)


def _pair(given: dict[str, Any]) -> str:
    return f"{json.dumps(given['key'])}: {json.dumps(given['value'])}"


def _refuse_missing(columns: Sequence[str], name: str, version: str) -> None:
    wanted = [row for row in table("focus_columns") if row["level"] == "mandatory"]
    missing = [row["column"] for row in wanted if row["column"] not in columns and row["instead"] not in columns]
    if missing:
        raise InputError(
            f"not {version}: got no column {', '.join(missing)} in {name}, want it: {missing[0]} MUST be present in a "
            "FOCUS dataset. Export cost and usage as FOCUS 1.2 or 1.3."
        )


def _refuse_broken(rows: pl.LazyFrame, broken: Mapping[str, pl.Expr], name: str, version: str) -> None:
    """Raise for the first row that breaks a rule, with how many there are."""
    numbered = rows.with_row_index("row", offset=2)
    asked = [
        pl.struct(bad.sum().alias("n"), pl.col("row").filter(bad).first().alias("row")).alias(said)
        for said, bad in broken.items()
    ]
    for said, found in numbered.select(asked).collect(engine="streaming").row(0, named=True).items():
        if found["n"]:
            column = said.partition(" ")[0]
            at = numbered.filter(pl.col("row") == found["row"]).select(column).collect().item()
            raise InputError(
                f"not {version}: got {'nothing' if at is None else repr(at)} in {column}, row {found['row']} of {name} "
                f"({found['n']} such rows), want what FOCUS says: {said}. Export it again, or mend these rows."
            )


def _broken(columns: Sequence[str]) -> Iterator[tuple[str, pl.Expr]]:
    """Yield the rules of columns in the words of the specification, and where a row breaks each."""
    for rule in table("focus_columns"):
        if rule["column"] in columns:
            yield from ((f"{rule['column']} {said}", bad) for said, bad in _broken_alone(rule))
    for rule in table("focus_conditions"):
        bad = pl.sql_expr(rule["broken"])
        if set(bad.meta.root_names()) <= set(columns):
            yield f"{rule['column']} {rule['rule']}", bad.fill_null(value=False)


def _broken_alone(rule: Row) -> Iterator[tuple[str, pl.Expr]]:
    """Yield what a column by itself has to be, and where a row breaks it."""
    cell = pl.col(rule["column"])
    if rule["nulls"] == "no":
        yield "MUST NOT be null", cell.is_null()
    if rule["kind"].startswith("decimal"):
        number = cell.cast(pl.Float64, strict=False)
        yield "MUST be of type Decimal", cell.is_not_null() & ~number.is_finite().fill_null(value=False)
        if rule["kind"].endswith("0"):
            yield "MUST be a valid non-negative decimal value", (number < 0).fill_null(value=False)
    if rule["kind"] == "time":
        yield "MUST conform to Date/Time Format", (~cell.str.contains(_TIME)).fill_null(value=False)
    if rule["kind"] == "currency":
        yield "MUST be a currency of ISO 4217", (~cell.str.contains(_CODE)).fill_null(value=False)
    if rule["kind"] == "object":
        whole = cell.str.starts_with("{") & cell.str.ends_with("}")
        yield "MUST conform to Key-Value Format", (~whole).fill_null(value=False)
    if rule["values"]:
        allowed = rule["values"].split(";")
        yield f"MUST be one of {', '.join(allowed)}", (~cell.is_in(allowed)).fill_null(value=False)


def _services(rows: pl.LazyFrame, tag: str, *, own: bool) -> Iterator[BilledService]:
    cost = pl.col("EffectiveCost").cast(pl.Float64)
    unused = (pl.col("CommitmentDiscountStatus") == "Unused").fill_null(value=False)
    of_tags = pl.col("Tags").str.json_path_match(f'$["{tag}"]')
    value = (pl.col(tag) if own else of_tags if tag else pl.lit("")).alias("tag")
    gpus = pl.col("SkuPriceDetails").str.json_path_match("$.GpuCount").cast(pl.Float64, strict=False)
    counts = pl.col("ConsumedUnit").str.contains("(?i)^hours?$").fill_null(value=False) & gpus.is_not_null()
    months = rows.group_by(pl.col("ChargePeriodStart").str.slice(0, 7).alias("month"), pl.col("ServiceName"), value)
    table_of = months.agg(
        cost.sum().alias("effective_cost"),
        pl.col("BilledCost").cast(pl.Float64).sum().alias("billed_cost"),
        cost.filter(unused).sum().alias("unused_cost"),
        cost.filter(~unused & value.is_null()).sum().alias("untagged_cost"),
        cost.filter(~unused & value.is_not_null() & ~counts).sum().alias("no_gpu_cost"),
        (pl.col("ConsumedQuantity").cast(pl.Float64) * gpus).filter(counts & ~unused).sum().alias("gpu_hours"),
    )
    for row in table_of.sort("month", "ServiceName", "tag").collect(engine="streaming").iter_rows(named=True):
        yield BilledService(service=row.pop("ServiceName"), tag=row.pop("tag") or "", **row)
