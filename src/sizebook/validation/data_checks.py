"""Whether a table can be trusted: one set of checks for the shipped tables, the tests and a user's own file.

A finding is one line, ``line 3 (h100-sxm): problem: got X, want Y. Fix.``; the line is counted from the header. No
findings means that every row has its source and date, that peaks are dense, and that prices are plausible.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields

from sizebook.core.errors import InputError
from sizebook.core.hints import suggestion, want_one_of
from sizebook.core.tables import Row, by_key, shipped
from sizebook.tables import api_prices
from sizebook.tables.grid import BASES, Grid
from sizebook.tables.hardware import Accelerator, accelerators, price_bounds, spec_fields
from sizebook.tables.price_rows import AMOUNTS, COLUMNS, TERMS, completed_row, is_day, problems
from sizebook.tables.price_tables import completed

_KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_RATIO_TOLERANCE = 0.03
_CEILING_TOLERANCE = 0.005


@dataclass(frozen=True)
class Kind:
    """What a table must hold: its columns, and the checks of one row and of all rows together.

    ``identity`` are the columns that tell rows apart; columns of ``optional`` may be left out of a file.
    """

    columns: tuple[str, ...]
    identity: tuple[str, ...]
    row: Callable[[Row], Iterator[str]]
    rows: Callable[[Sequence[Row]], Iterator[tuple[Row, str]]] = lambda rows: iter(())
    shown: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    def name_of(self, row: Row) -> str:
        """Return the words that name a row in a finding."""
        return " ".join(filter(None, (row.get(column) for column in self.shown or self.identity)))


def kind_of(columns: Sequence[str], asked: str = "") -> str:
    """Return which table a file is from its columns, or raise with those that the table asked for, or the nearest,
    lacks."""
    missing = {
        name: [c for c in kind.columns if c not in columns and c not in kind.optional] for name, kind in KINDS.items()
    }
    nearest = min(missing, key=lambda name: len(missing[name]))
    if missing[nearest]:
        raise InputError(
            f"not a table of sizebook: got columns {', '.join(columns)}, want those of {asked or ', '.join(KINDS)}. "
            f"For {asked or nearest} add {', '.join(missing[asked or nearest])}; separate columns by commas."
        )
    return nearest


def findings(kind: str, rows: Sequence[Row]) -> list[str]:
    """Return what is wrong with the rows of one kind of table, in order of lines."""
    checks = KINDS[kind]
    lines = {id(row): number for number, row in enumerate(rows, start=2)}
    found = [(row, text) for row in rows for text in checks.row(row)]
    found += [*_unique(rows, *checks.identity), *checks.rows(rows)]
    found.sort(key=lambda pair: lines[id(pair[0])])
    return [f"line {lines[id(row)]} ({checks.name_of(row)}): {text}" for row, text in found]


def provenance(row: Row) -> Iterator[str]:
    """Yield what the source and date of a row lack; every table's rows carry both."""
    if not (row.get("source") or "").strip():
        yield "no source: got a blank, want where the figures come from. Name the page, paper or file."
    retrieved = row.get("retrieved") or ""
    if not is_day(retrieved):
        yield f"no date: got retrieved '{retrieved}', want the day it was read as YYYY-MM-DD. Fill it in."


def _number(row: Row, column: str) -> float | None:
    """Return the number of a cell, or None where it is blank or no number."""
    try:
        value = float(row[column])
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _numbers(row: Row, columns: Sequence[str], required: Sequence[str]) -> Iterator[str]:
    for column in columns:
        value = _number(row, column)
        if value is None and (row[column] or column in required):
            yield f"no number: got {column} '{row[column]}', want digits. Correct the cell."
        elif value is not None and value <= 0:
            yield f"not positive: got {column} {row[column]}, want a number above 0. Leave it blank if it is not known."


# Hardware ------------------------------------------------------------------------------------------------------------

_HARDWARE_NUMBERS = tuple(
    name for name in spec_fields() if name.endswith(("_bytes", "_per_s", "_watts", "_usd", "_node", "_domain"))
)
_HARDWARE_REQUIRED = ("memory_bytes", "memory_bandwidth_bytes_per_s", "gpus_per_node", "scale_up_domain")
_HALF = "16-bit peak"
_NO_HALF = "no 16-bit peak: got blanks, want peak_bf16_flop_per_s or peak_fp16_flop_per_s. Fill one in."
# Two peaks, and the column of generations.csv with the ratios between them that dense units have. Vector fp32 is never
# quoted sparse, so it gives away a data sheet of which every matrix peak is.
_RATIOS = (
    (_HALF, "peak_fp32_flop_per_s", "bf16_per_fp32"),
    ("peak_tf32_flop_per_s", _HALF, "tf32_per_bf16"),
    ("peak_fp8_flop_per_s", _HALF, "fp8_per_bf16"),
    ("peak_int8_op_per_s", _HALF, "int8_per_bf16"),
    ("peak_fp6_flop_per_s", "peak_fp8_flop_per_s", "fp6_per_fp8"),
    ("peak_fp4_flop_per_s", "peak_fp8_flop_per_s", "fp4_per_fp8"),
)


def _hardware_row(row: Row) -> Iterator[str]:
    yield from provenance(row)
    if not _KEY.fullmatch(row["key"]):
        yield f"not a key: got '{row['key']}', want lower-case words joined by '-'. Rename it."
    yield from _numbers(row, _HARDWARE_NUMBERS, _HARDWARE_REQUIRED)
    generations = by_key("generations", "generation")
    if row["generation"] in generations:
        yield from _dense(row, generations[row["generation"]])
    elif near := suggestion(row["generation"], generations):
        known = ", ".join(generations)
        yield f"unknown generation: got '{row['generation']}', want one of {known}, or a new one.{near}"
    elif not (_number(row, "peak_bf16_flop_per_s") or _number(row, "peak_fp16_flop_per_s")):
        yield _NO_HALF
    usable, nominal = _number(row, "usable_memory_bytes"), _number(row, "memory_bytes")
    if usable and nominal and not 0.9 * nominal <= usable <= nominal:
        yield (
            f"usable memory does not fit: got {usable:.0f} of {nominal:.0f} bytes, want 90 to 100 % of it. "
            "Take what the driver reports, in bytes."
        )


def _dense(row: Row, generation: Row) -> Iterator[str]:
    """Yield the peaks that only a sparse figure explains: above the generation's best part, or out of proportion."""
    half = _number(row, "peak_bf16_flop_per_s") or _number(row, "peak_fp16_flop_per_s")
    ceiling = float(generation["highest_bf16_flop_per_s"])
    if half is None:
        yield _NO_HALF
        return
    if half > ceiling * (1 + _CEILING_TOLERANCE):
        yield (
            f"sparse peak: got {half:.4g} FLOP/s in 16 bit, want at most {ceiling:.4g}, the dense peak of the best "
            f"{row['generation']} part. Halve a figure that the data sheet marks 'with sparsity'."
        )
    peaks = {_HALF: half} | {name: _number(row, name) for name in row if name.startswith("peak_")}
    for column, against, ratios in _RATIOS:
        peak, base = peaks[column], peaks[against]
        allowed = [float(ratio) for ratio in generation[ratios].split()]
        if peak and base and not any(abs(peak / base / ratio - 1) < _RATIO_TOLERANCE for ratio in allowed):
            wanted = " or ".join(f"{ratio:g}" for ratio in allowed) or "none"
            yield (
                f"sparse or wrong peak: got {column} {peak / base:.3g} x {against}, want {wanted} x on "
                f"{row['generation']}. Halve whichever the data sheet marks 'with sparsity'."
            )


def _unique(rows: Sequence[Row], *columns: str) -> Iterator[tuple[Row, str]]:
    seen = Counter[tuple[str, ...]]()
    for row in rows:
        identity = tuple(row.get(column) or "" for column in columns)
        seen[identity] += 1
        if seen[identity] > 1:
            yield row, f"repeated row: got {' '.join(filter(None, identity))} again, want it once. Keep the right one."


# Prices --------------------------------------------------------------------------------------------------------------


def _price_row(given: Row) -> Iterator[str]:
    row = completed_row(given)
    try:
        row, _ = completed(given)
    except InputError as error:
        yield str(error)
    yield from problems(row)
    yield from provenance(row)
    if row["term"] not in TERMS:
        yield f"unknown term: got '{row['term']}', want {want_one_of(row['term'], TERMS)}"
    for column in ("provider", "instance", "region"):
        if not row[column]:
            yield f"blank {column}: got nothing, want the catalog's word, or 'all' for one price. Fill it in."
    gpus, hour, gpu_hour = (_number(row, column) for column in AMOUNTS)
    if gpus and hour and gpu_hour and abs(hour / gpus / gpu_hour - 1) > 0.001:
        yield (
            f"price does not divide: got {gpu_hour:g} USD a GPU-hour, want {hour:g} / {gpus:g} = {hour / gpus:g}. "
            "Correct one of the three."
        )
    if row["gpu"] not in accelerators():
        known = accelerators()
        yield f"unknown gpu: got '{row['gpu']}', want a key of data/hardware.csv.{suggestion(row['gpu'], known)}"
    elif gpu_hour:
        yield from _plausible(row["gpu"], row["term"], gpu_hour)


def _plausible(gpu: str, term: str, gpu_hour: float) -> Iterator[str]:
    bounds = price_bounds(accelerators()[gpu])
    if bounds is None:
        return
    low, high = bounds
    low = low / 3 if term == "spot" else low
    if not low <= gpu_hour <= high:
        yield (
            f"implausible price: got {gpu_hour:g} USD a GPU-hour, want {low:.3g} to {high:g} for {gpu} {term}. "
            "Check that host and accelerator are priced together, and the number of accelerators."
        )


def _price_rows(rows: Sequence[Row]) -> Iterator[tuple[Row, str]]:
    whole = [completed_row(row) for row in rows]
    on_demand = {_offer(row): _number(row, "usd_per_hour") for row in whole if row["term"] == "on_demand"}
    for given, row in zip(rows, whole, strict=True):
        price, full = _number(row, "usd_per_hour"), on_demand.get(_offer(row))
        if row["term"] != "on_demand" and price and full and price > full:
            yield (
                given,
                (
                    f"dearer than on demand: got {row['term']} {price:g} USD an hour, want at most {full:g}. "
                    "Check which column of the catalog it is."
                ),
            )


def _offer(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in ("provider", "instance", "gpu", "region", "date", "from_gpus"))


_DISCOUNTS = {
    "cached_input_usd_per_mtok": "input_usd_per_mtok",
    "batch_input_usd_per_mtok": "input_usd_per_mtok",
    "batch_output_usd_per_mtok": "output_usd_per_mtok",
}
_HIGHEST_USD_PER_MTOK = 1000


def _api_price_row(row: Row) -> Iterator[str]:
    yield from provenance(row)
    listed = ("input_usd_per_mtok", "output_usd_per_mtok")
    yield from _numbers(row, listed, listed)
    for column in ("provider", "model"):
        if not row[column].strip():
            yield f"blank {column}: got nothing, want the provider's word. Fill it in."
    if not is_day(row["date"]):
        yield f"no date: got date '{row['date']}', want the price's day, YYYY-MM-DD. Fill it in."
    for column in api_prices.NUMBERS:
        value = _number(row, column)
        if row[column] and (value is None or value < 0):
            yield f"no number: got {column} '{row[column]}', want 0 or more, or a blank. Correct the cell."
        elif value and column.endswith("_usd_per_mtok") and value > _HIGHEST_USD_PER_MTOK:
            yield (
                f"implausible price: got {column} {value:g}, want at most {_HIGHEST_USD_PER_MTOK} USD. "
                "Check that it is for a million tokens."
            )
    for column, full in _DISCOUNTS.items():
        price, listed_price = _number(row, column), _number(row, full)
        if price and listed_price and price > listed_price:
            yield f"dearer than listed: got {column} {price:g}, want at most {listed_price:g}. Check the columns."


# Grids ---------------------------------------------------------------------------------------------------------------


def _grid_row(row: Row) -> Iterator[str]:
    yield from provenance(row)
    yield from _numbers(row, ("g_co2e_per_kwh",), ("g_co2e_per_kwh",))
    grams = _number(row, "g_co2e_per_kwh")
    if grams and not 1 <= grams <= 1500:
        yield (
            f"implausible intensity: got {grams:g} g CO2e/kWh, want 1 to 1500. "
            "Check the unit: kg/kWh is 1,000 times, metric tons/kWh 1,000,000 times smaller."
        )
    if row["basis"] not in BASES:
        yield f"unknown basis: got '{row['basis']}', want {want_one_of(row['basis'], BASES)}"
    share = _number(row, "carbon_free_share")
    if row["carbon_free_share"] and (share is None or not 0 <= share <= 1):
        yield f"share out of range: got '{row['carbon_free_share']}', want 0 to 1. Divide a percentage by 100."


# Nodes and engines ---------------------------------------------------------------------------------------------------

_ENGINE_NUMBERS = (
    *("utilization", "activation_bytes_per_vocab", "non_torch_bytes_alone", "non_torch_bytes_group", "block_tokens"),
    *("kept_bytes", "kept_bytes_per_token", "kept_bytes_per_graph", "kept_bytes_per_gpu", "kept_bytes_per_graph_rank"),
    *("kept_bytes_drafting", "kept_bytes_latent", "kept_share_vision"),
    *("state_share", "state_copies", "state_copies_drafting", "state_copies_per_draft", "window_share"),
)


def _node_row(row: Row) -> Iterator[str]:
    yield from provenance(row)
    required = ("gpus_per_node", "node_kw", "rack_units")
    yield from _numbers(row, (*required, "rack_nodes"), required)
    if row["gpu"] not in accelerators():
        yield (
            f"unknown gpu: got '{row['gpu']}', want a key of data/hardware.csv."
            f"{suggestion(row['gpu'], accelerators())} Add it first: 'sizebook data add hardware FILE.csv'."
        )


def _engine_row(row: Row) -> Iterator[str]:
    yield from provenance(row)
    for column in _ENGINE_NUMBERS:
        value = _number(row, column)
        if value is None or value < 0:
            yield f"no number: got {column} '{row[column]}', want 0 or more. Correct the cell."
    share = _number(row, "utilization")
    if share is not None and share > 1:
        yield f"share out of range: got utilization '{row['utilization']}', want 0 to 1. Divide a percentage by 100."
    engines = sorted({known["engine"] for known in shipped("engines")})
    if row["engine"] not in engines:
        yield f"unknown engine: got '{row['engine']}', want one of {', '.join(engines)}. Its times would be unknown."
    if row["key"] != f"{row['engine']} {row['version']}":
        yield f"not a key: got '{row['key']}', want engine and version, '{row['engine']} {row['version']}'. Rename it."


def _columns(record: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record))


_IN_EVERY_PRICE = ("provider", "gpu", "term", "source")

KINDS = {
    "hardware": Kind(_columns(Accelerator), ("key",), _hardware_row),
    "prices": Kind(
        COLUMNS,
        ("provider", "instance", "gpu", "region", "term", "date", "contract", "from_gpus"),
        _price_row,
        _price_rows,
        shown=("provider", "instance", "term"),
        optional=tuple(name for name in COLUMNS if name not in _IN_EVERY_PRICE),
    ),
    "grid": Kind(_columns(Grid), ("key", "year"), _grid_row, shown=("key",)),
    "nodes": Kind(tuple(shipped("nodes")[0]), ("gpu",), _node_row),
    "engines": Kind(tuple(shipped("engines")[0]), ("key",), _engine_row),
    "api_prices": Kind(
        api_prices.COLUMNS,
        ("provider", "model", "date"),
        _api_price_row,
        optional=tuple(name for name in api_prices.COLUMNS if name not in api_prices.REQUIRED),
    ),
}
