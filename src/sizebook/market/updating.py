"""Appends saved answers to their tables: a series gains a date, a blank cell a figure, and no figure is ever replaced.

An answer's newest date decides what a provider asks for an accelerator, so it is judged there. Where it lacks too many
of the provider's offers of that accelerator, or their median has moved too far, those rows stay as they were and the
list is named.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from sizebook.core.errors import InputError
from sizebook.core.tables import Row, shipped
from sizebook.intake.files import read_bytes
from sizebook.market.accelerators import compared
from sizebook.market.answers import Catalog, Offer, catalogs, filled_cells, offers, reading_of
from sizebook.market.token_prices import token_prices

Key = tuple[str, ...]


@dataclass(frozen=True)
class Series:
    """The columns of a table whose cells name a series, and a list of series that is judged as one; its figure."""

    columns: tuple[str, ...]
    lists: tuple[str, ...]
    figure: str
    unit: str
    date: str = "date"


SERIES = {
    "prices": Series(
        ("provider", "instance", "gpu", "region", "term"),
        ("provider", "gpu", "term"),
        "usd_per_gpu_hour",
        "USD a GPU-hour",
    ),
    "api_prices": Series(("provider", "model"), ("provider",), "output_usd_per_mtok", "USD a million output tokens"),
    "grid": Series(("key",), ("key",), "g_co2e_per_kwh", "g CO2e/kWh", date="year"),
}


@dataclass
class Update:
    """What one saved answer gives a table: rows to append, rows that had blanks, and what was left out and why."""

    file: str
    table: str
    added: list[Row] = field(default_factory=list)
    filled: list[Row] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def applied(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows of the table with this in it."""
        filled = {row["key"]: row for row in self.filled}
        return [*(filled.get(row.get("key", ""), row) for row in rows), *self.added]


def updates(folder: Path, known: Mapping[str, Sequence[Row]], day: str, *, with_new: bool) -> list[Update]:
    """Return what the saved answers of a folder give the known tables, file by file in order of their names.

    ``day`` is the day of reading. Offers of which a table has no series yet are taken ``with_new`` only.
    Errors: a folder without an answer of a known catalog.
    """
    found: list[Update] = []
    tables = dict(known)
    for path in sorted(folder.iterdir()):
        for catalog in catalogs():
            if named := re.fullmatch(catalog.file, path.name):
                update = _update(path, catalog, named.groupdict(), tables[catalog.table], day, with_new)
                tables[catalog.table] = update.applied(tables[catalog.table])
                found.append(update)
    if not found:
        names = ", ".join(catalog.file for catalog in catalogs())
        raise InputError(f"no answers: got no file of a known catalog in {folder}, want names like {names}. Save one.")
    return found


def _update(
    path: Path, catalog: Catalog, named: Mapping[str, str], known: Sequence[Row], day: str, with_new: bool
) -> Update:
    update = Update(path.name, catalog.table)
    try:
        content = read_bytes(path, "a saved answer")
        if catalog.table == "hardware":
            update.filled, update.left = compared(catalog, content, path.name, named=named, known=known, day=day)
            return update
        rows, unnamed = _rows(catalog, content, path.name, named, day)
    except InputError as error:
        update.left.append(str(error))
        return update
    if unnamed:
        words = ", ".join(f"{name} ({n})" for name, n in sorted(unnamed.items()))
        update.left.append(f"not in data/market_offers.csv: {words}")
    _judge(update, rows, known, catalog, with_new)
    return update


def _rows(
    catalog: Catalog, content: bytes, where: str, named: Mapping[str, str], day: str
) -> tuple[list[Row], Counter[str]]:
    """Return the rows of an answer, and the offers that no row of market_offers.csv names."""
    if catalog.table == "api_prices":
        return token_prices(catalog, content, where, named=named, day=day), Counter()
    if catalog.table == "grid":
        return _grid_rows(catalog, content, where, named=named, day=day), Counter()
    return offers_as_rows(catalog, offers(catalog, content, where, named=named), day)


def offers_as_rows(catalog: Catalog, listed: Sequence[Offer], day: str) -> tuple[list[Row], Counter[str]]:
    """Return offers as rows of a price table, and how many offers have words that no row of market_offers.csv names."""
    names = [row for row in shipped("market_offers") if row["catalog"] in ("", catalog.name)]
    rows: dict[Key, Row] = {}
    unnamed = Counter[str]()
    for offer in listed:
        name = next((name for name in names if _fits(name, offer)), None)
        if name is None:
            unnamed[f"{offer.provider} {offer.model or offer.instance}"] += 1
            continue
        row = _row(name, offer) | {
            "source": f"{catalog.url} (validated {offer.day}): {catalog.source}",
            "retrieved": day,
        }
        rows.setdefault(_key(row, (*SERIES["prices"].columns, "date")), row)
    return list(rows.values()), unnamed


def _fits(name: Row, offer: Offer) -> bool:
    """Return whether a row of market_offers.csv names an offer; a blank cell stands for every word."""
    said = {"listed_provider": offer.provider, "listed_instance": offer.instance, "listed_model": offer.model}
    return all(name[column] in ("", word) for column, word in said.items())


def _row(name: Row, offer: Offer) -> Row:
    gpus = float(name["gpus"]) if name["gpus"] else offer.gpus
    gpu_hour = offer.usd_per_hour / (offer.gpus or gpus)  # a price list of instances may leave their size to the name
    return {
        "provider": name["provider"] or offer.provider,
        "instance": name["instance"] or offer.instance,
        "gpu": name["gpu"],
        "gpus": f"{gpus:g}",
        "region": name["region"] or offer.region,
        "term": offer.term,
        "usd_per_hour": f"{gpu_hour * gpus:.8g}",
        "usd_per_gpu_hour": f"{gpu_hour:.8g}",
        "currency": "USD",
        "date": offer.day,
    }


def _key(row: Row, columns: Sequence[str]) -> Key:
    return tuple(row[column] for column in columns)


def _judge(update: Update, rows: Sequence[Row], known: Sequence[Row], catalog: Catalog, with_new: bool) -> None:
    """Fill in what an answer adds: the lists that drift are named and left, offers of new series only counted."""
    series = SERIES[catalog.table]
    newest = _newest(known, series)
    dated = {_key(row, (*series.columns, series.date)) for row in known}
    held = {_key(row, series.columns) for row in known}
    new = 0
    for name, group in _lists(rows, series).items():
        before = {key: row for key, row in newest.items() if _key(row, series.lists) == name}
        if reason := _drift(group, before, catalog):
            update.left.append(f"{' '.join(name)}: {reason}")
            continue
        fresh = [row for row in group if _key(row, (*series.columns, series.date)) not in dated]
        unknown = [row for row in fresh if _key(row, series.columns) not in held]
        new += 0 if with_new else len(unknown)
        update.added += [row for row in fresh if with_new or row not in unknown]
    if new:
        update.left.append(f"{new} offers of series that the table does not have (--new takes them)")


def _newest(rows: Sequence[Row], series: Series) -> dict[Key, Row]:
    """Return the newest row of every series that stands at the newest date of its list."""
    dates = {name: max(row[series.date] for row in group) for name, group in _lists(rows, series).items()}
    return {_key(row, series.columns): row for row in rows if row[series.date] == dates[_key(row, series.lists)]}


def _lists(rows: Sequence[Row], series: Series) -> dict[Key, list[Row]]:
    """Return rows by what is judged together, such as what one provider asks for one accelerator in one term."""
    found: dict[Key, list[Row]] = {}
    for row in rows:
        found.setdefault(_key(row, series.lists), []).append(row)
    return found


def _drift(group: Sequence[Row], before: Mapping[Key, Row], catalog: Catalog) -> str:
    """Return how far a list has drifted beyond the limits of its catalog, or nothing."""
    if not before:
        return ""
    series = SERIES[catalog.table]
    shared = [(row, before[key]) for row in group if (key := _key(row, series.columns)) in before]
    lost = 1 - len(shared) / len(before)
    if lost > catalog.most_rows_lost:
        return f"{len(before) - len(shared)} of {len(before)} offers are missing"
    now, then = (median(float(row[series.figure]) for row in rows) for rows in zip(*shared, strict=True))
    if abs(now / then - 1) > catalog.most_drift:
        return f"the median went from {then:g} to {now:g} {series.unit}"
    return ""


def _grid_rows(catalog: Catalog, content: bytes, where: str, named: Mapping[str, str], day: str) -> list[Row]:
    """Return rows of ``data/grid.csv`` from an answer, of each country its newest year; ``day`` is that of reading.

    Errors: an answer without the columns of its catalog.
    """
    rows: dict[str, Row] = {}
    with reading_of(catalog, where):
        for reading in catalog.readings:
            for cells, _ in filled_cells(catalog, reading, content, where=where, named=named):
                row = {**cells, "key": cells["key"].casefold(), "kind": "country", "basis": "location"}
                if row["year"] > rows.get(row["key"], {"year": ""})["year"]:
                    rows[row["key"]] = row | {"carbon_free_share": "", "source": catalog.cited, "retrieved": day}
    return list(rows.values())
