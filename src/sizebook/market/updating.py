"""Appends the prices of saved answers to a price table: a series gains a date, and no row is ever replaced.

An answer's newest date decides what a provider asks for an accelerator, so it is judged there. Where it lacks too many
of the provider's offers of that accelerator, or their median has moved too far, those rows stay as they were and the
list is named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from sizebook.core.errors import InputError
from sizebook.core.tables import Row, shipped
from sizebook.intake.files import read_bytes
from sizebook.market.answers import Offer, offers

_SERIES = ("provider", "instance", "gpu", "region", "term")
_LIST = ("provider", "gpu", "term")

Key = tuple[str, ...]


@dataclass
class Update:
    """What one saved answer gives a price table: rows to append, and what was left out and why."""

    file: str
    added: list[Row] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def updates(folder: Path, known: Sequence[Row], day: str, *, with_new: bool) -> list[Update]:
    """Return what the saved answers of a folder give a price table, file by file in order of their names.

    ``day`` is the day of reading. Offers of which the table has no series yet are taken ``with_new`` only.
    Errors: a folder without an answer of a known catalog.
    """
    found, table = [], list(known)
    for path in sorted(folder.iterdir()):
        for catalog in shipped("market_sources"):
            if named := re.fullmatch(catalog["file_pattern"], path.name):
                update = _update(path, catalog, named.groupdict(), table, day, with_new)
                table += update.added
                found.append(update)
    if not found:
        names = ", ".join(row["file_pattern"] for row in shipped("market_sources"))
        raise InputError(f"no answers: got no file of a known catalog in {folder}, want names like {names}. Save one.")
    return found


def _update(
    path: Path, catalog: Row, named: Mapping[str, str], known: Sequence[Row], day: str, with_new: bool
) -> Update:
    update = Update(path.name)
    try:
        listed = offers(catalog["importer"], read_bytes(path, "a saved answer"), path.name, named=named)
    except InputError as error:
        update.left.append(str(error))
        return update
    rows, unnamed = translated(catalog, listed, day)
    if unnamed:
        words = ", ".join(f"{name} ({n})" for name, n in sorted(unnamed.items()))
        update.left.append(f"not in data/market_offers.csv: {words}")
    _judge(update, rows, known, catalog, with_new)
    return update


def translated(catalog: Row, listed: Sequence[Offer], day: str) -> tuple[list[Row], Counter[str]]:
    """Return offers as rows of a price table, and how many offers have words that no row of market_offers.csv names."""
    names = [row for row in shipped("market_offers") if row["catalog"] == catalog["catalog"]]
    rows: dict[Key, Row] = {}
    unnamed = Counter[str]()
    for offer in listed:
        name = next((name for name in names if _fits(name, offer)), None)
        if name is None:
            unnamed[f"{offer.provider} {offer.model}"] += 1
            continue
        row = _row(name, offer) | {
            "source": f"{catalog['url']} (validated {offer.day}): {catalog['source']}",
            "retrieved": day,
        }
        rows.setdefault(_key(row, (*_SERIES, "date")), row)
    return list(rows.values()), unnamed


def _fits(name: Row, offer: Offer) -> bool:
    """Return whether a row of market_offers.csv names an offer; a blank cell stands for every word."""
    said = {"listed_provider": offer.provider, "listed_instance": offer.instance, "listed_model": offer.model}
    return all(name[column] in ("", word) for column, word in said.items())


def _row(name: Row, offer: Offer) -> Row:
    gpus = float(name["gpus"]) if name["gpus"] else offer.gpus
    gpu_hour = offer.usd_per_hour / offer.gpus
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


def _judge(update: Update, rows: Sequence[Row], known: Sequence[Row], catalog: Row, with_new: bool) -> None:
    """Fill in what an answer adds: the lists that drift are named and left, offers of new series only counted."""
    newest = _newest(known)
    dated = {_key(row, (*_SERIES, "date")) for row in known}
    series = {_key(row, _SERIES) for row in known}
    new = 0
    for name, group in _lists(rows).items():
        before = {key: row for key, row in newest.items() if _key(row, _LIST) == name}
        if reason := _drift(group, before, catalog):
            update.left.append(f"{' '.join(name)}: {reason}")
            continue
        fresh = [row for row in group if _key(row, (*_SERIES, "date")) not in dated]
        unknown = [row for row in fresh if _key(row, _SERIES) not in series]
        new += 0 if with_new else len(unknown)
        update.added += [row for row in fresh if with_new or row not in unknown]
    if new:
        update.left.append(f"{new} offers of series that the table does not have (--new takes them)")


def _newest(rows: Sequence[Row]) -> dict[Key, Row]:
    """Return the newest row of every series that stands at the newest date of its list."""
    dates = {name: max(row["date"] for row in group) for name, group in _lists(rows).items()}
    return {_key(row, _SERIES): row for row in rows if row["date"] == dates[_key(row, _LIST)]}


def _lists(rows: Sequence[Row]) -> dict[Key, list[Row]]:
    """Return rows by what one provider asks for one accelerator in one term."""
    found: dict[Key, list[Row]] = {}
    for row in rows:
        found.setdefault(_key(row, _LIST), []).append(row)
    return found


def _drift(group: Sequence[Row], before: Mapping[Key, Row], catalog: Row) -> str:
    """Return how far a list has drifted beyond the limits of its catalog, or nothing."""
    if not before:
        return ""
    shared = [(row, before[_key(row, _SERIES)]) for row in group if _key(row, _SERIES) in before]
    lost = 1 - len(shared) / len(before)
    if lost > float(catalog["most_rows_lost"]):
        return f"{len(before) - len(shared)} of {len(before)} offers are missing"
    now, then = (median(_prices(rows)) for rows in zip(*shared, strict=True))
    if abs(now / then - 1) > float(catalog["most_price_drift"]):
        return f"the median went from {then:g} to {now:g} USD a GPU-hour"
    return ""


def _prices(rows: Sequence[Row]) -> Iterator[float]:
    return (float(row["usd_per_gpu_hour"]) for row in rows)
