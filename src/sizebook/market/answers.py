"""What catalogs of prices answer: bytes of a saved answer in, listed offers out.

Where a figure stands in an answer is said by ``data/catalogs.toml``, so a new catalog is a table there and no code. An
offer keeps the catalog's own words. What they mean stands in ``data/market_offers.csv``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from sizebook.core.data_records import data_records
from sizebook.core.errors import InputError
from sizebook.intake.files import decoded
from sizebook.intake.text_formats import json_object, text_rows
from sizebook.market.pages import page_records


@dataclass(frozen=True)
class Offer:
    """One price as a catalog lists it: the whole instance for an hour, in USD, on a day."""

    provider: str
    instance: str
    model: str
    gpus: float
    region: str
    term: str
    usd_per_hour: float
    day: str


TABLES = ("prices", "api_prices", "grid", "hardware")  # that answers are read for


@dataclass(frozen=True)
class Catalog:
    """One table of ``data/catalogs.toml``: how its answers are called and read, and how far they may drift."""

    name: str
    url: str
    licence: str
    file: str
    most_rows_lost: float
    most_drift: float
    source: str
    retrieved: str
    heads: str | Sequence[str] = ""
    row: str = "tr"
    cell: str = "td th"
    prices: Sequence[Mapping[str, Any]] = ()
    api_prices: Sequence[Mapping[str, Any]] = ()
    grid: Sequence[Mapping[str, Any]] = ()
    hardware: Sequence[Mapping[str, Any]] = ()
    providers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not any(getattr(self, name) for name in TABLES):
            words = " or ".join((", ".join(TABLES[:-1]), TABLES[-1]))
            raise InputError(f"no reading: got [{self.name}] without, want {words}. Add it in data/catalogs.toml.")

    @property
    def table(self) -> str:
        """The table that takes its rows."""
        return next(name for name in TABLES if getattr(self, name))

    @property
    def cited(self) -> str:
        """Whose figures these are, as a row's source says it."""
        return f"{self.source} ({self.licence})"

    @property
    def readings(self) -> Sequence[Mapping[str, Any]]:
        """Where the cells of a row of that table stand in an answer."""
        found: Sequence[Mapping[str, Any]] = getattr(self, self.table)
        return found


@cache
def catalogs() -> tuple[Catalog, ...]:
    """Return the catalogs of ``data/catalogs.toml``, read once."""
    return data_records("catalogs", Catalog)


def offers(catalog: Catalog, content: bytes, where: str, named: Mapping[str, str]) -> list[Offer]:
    """Return the offers of a saved answer; ``named`` is what the file's name says.

    Errors: an answer without the columns or the numbers of its catalog.
    """
    with reading_of(catalog, where):
        return [
            Offer(
                usd_per_hour=_amount(cells["price"]) / reading.get("per", 1),
                gpus=float(cells["gpus"] or 0),
                **{name: cells[name] for name in _WORDS},
            )
            for reading in catalog.readings
            for cells, _ in filled_cells(catalog, reading, content, where, named=named)
            if cells["price"]  # a blank is no offer in that term
        ]


@contextmanager
def reading_of(catalog: Catalog, where: str) -> Iterator[None]:
    """Say of what goes wrong in the block that an answer is not what its catalog gives."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"broken answer: got {type(error).__name__} {error} in {where}, want the columns and numbers of "
            f"{catalog.name}. Save the answer again; if the catalog has changed, data/catalogs.toml must follow."
        ) from error


def filled_cells(
    catalog: Catalog, reading: Mapping[str, Any], content: bytes, where: str, *, named: Mapping[str, str]
) -> Iterator[tuple[dict[str, str], Mapping[str, Any]]]:
    """Yield the cells of a reading, filled from each record of an answer that it wants, and that record."""
    blank = dict.fromkeys(reading.get("blank", ()), "")
    cells = {name: says for name, says in reading.items() if name not in _ABOUT}
    for record in records(catalog, content, where, reading.get("records", "")):
        known = {**blank, **named, **record}
        if all(re.fullmatch(says, cell.format_map(known)) for cell, says in reading.get("only", {}).items()):
            yield {name: cell.format_map(known).strip() for name, cell in cells.items()}, record


def _amount(text: str) -> float:
    """Return a price, which a page writes with its currency and its unit: ``$88.49 / 1 hour``."""
    return float(text.removeprefix("$").partition(" ")[0].replace(",", ""))


_WORDS = ("provider", "instance", "model", "region", "term", "day")
_ABOUT = ("records", "only", "blank", "per")  # of a reading; the others are cells


def records(catalog: Catalog, content: bytes, where: str, way: str) -> Iterator[dict[str, Any]]:
    """Yield the records of an answer: rows of a CSV file or of a page below its heads, or what a way leads to."""
    if where.endswith(".csv"):
        text = decoded(content, where, "a CSV file")
        yield from text_rows(text[text.index(str(catalog.heads)) :], Path(where), "a CSV file")
    elif where.endswith(".html"):
        text = decoded(content, where, "a page")
        yield from page_records(text, row=catalog.row, cell=catalog.cell, heads=catalog.heads)
    else:
        yield from _found(json_object(content, where, "a saved answer"), way.split("."), {})


def _found(value: Any, way: Sequence[str], around: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects at the end of a way, each with the plain values of the objects around it."""
    if not way:
        yield {**around, **value}
        return
    name, is_list, is_object = way[0].rstrip("[]{}"), way[0].endswith("[]"), way[0].endswith("{}")
    around = {**around, **{key: each for key, each in value.items() if not isinstance(each, (dict, list))}}
    inner = value[name] if name else value
    if is_list:
        for each in inner:
            yield from _found(each, way[1:], around)
    elif is_object:
        for key, each in inner.items():
            yield from _found(each, way[1:], {**around, "key": key})
    else:
        yield from _found(inner, way[1:], around)
