"""The tables of prices: rows of the shipped catalog, and the planner's own price book before them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sizebook.core.errors import InputError
from sizebook.core.tables import Row, own_rows, record, shipped
from sizebook.core.texts import Text, text
from sizebook.intake.files import as_it_stands
from sizebook.tables.price_book import table_rows
from sizebook.tables.price_rows import (
    PriceRow,
    completed_row,
    in_usd,
    is_off_list,
    problems,
)


@dataclass(frozen=True, eq=False)
class Book:
    """Rows of prices under one name."""

    name: Text
    rows: tuple[PriceRow, ...]


def book_of(price_book: str) -> Book | None:
    """Return a file of prices, read again when it has changed; None where none is named. Errors: no such book."""
    return as_it_stands(Path(price_book), _read) if price_book else None


def _read(path: Path) -> Book:
    rows = []
    for row in table_rows(path):
        try:
            rows.append(_parsed(*completed(row)))
        except InputError as error:
            raise InputError(f"{path.name}: {error}") from error
    return Book(text("price book {name}", name=path.name), tuple(rows))


@cache
def prices() -> tuple[PriceRow, ...]:
    """Return every row of ``data/prices.csv``, read once."""
    return tuple(_parsed(completed_row(row)) for row in shipped("prices"))


@cache
def user_prices() -> tuple[PriceRow, ...]:
    """Return the planner's own prices (`sizebook data add prices`), read once."""
    return tuple(_parsed(*completed(row)) for row in own_rows("prices"))


def completed(row: Mapping[str, str]) -> tuple[Row, PriceRow | None]:
    """Return a row in full, and the list row that its per cent is off. Errors: no list row, or not one."""
    whole = completed_row(row)
    if not is_off_list(whole):
        return whole, None
    listed = _list_row(row, whole)
    return in_usd(whole, listed.usd_per_gpu_hour * (1 - float(whole["percent_off_list"]) / 100)), listed


def _list_row(given: Mapping[str, str], row: Row) -> PriceRow:
    """Return the newest row of the catalog that a per cent is off; a blank instance or region stands for any."""
    wanted = {"provider": row["provider"], "gpu": row["gpu"], "term": row["list_term"] or row["term"]}
    narrowed = {name: given.get(name) or "" for name in ("instance", "region")}
    wanted |= {name: cell for name, cell in narrowed.items() if cell not in ("", "all")}
    asked = " ".join(wanted.values())
    of_provider = [each for each in prices() if each.provider == row["provider"] and each.gpu == row["gpu"]]
    found = [each for each in of_provider if all(getattr(each, name) == cell for name, cell in wanted.items())]
    newest = [each for each in found if each.date == max(one.date for one in found)]
    if len(newest) == 1:
        return newest[0]
    near = newest or of_provider
    held = ", ".join(sorted({f"{each.instance} {each.region} {each.term}" for each in near})[:12]) or "none"
    number = f"{len(newest)} rows" if newest else "no row"
    raise InputError(
        f"not one list price: got {number} of data/prices.csv for {asked}, want one that {row['percent_off_list']} % "
        f"is off; listed are {held}. Name its instance, region and list_term, or state price_per_gpu_hour."
    )


def _parsed(whole: Row, listed: PriceRow | None = None) -> PriceRow:
    """Return a row of a price table. Errors: one that `sizebook data check` would find, with its first problem."""
    if problem := next(problems(whole), ""):
        named = " ".join(whole[name] for name in ("provider", "gpu", "term", "date"))
        raise InputError(f"row of a price table, {named}: {problem}")
    return record(PriceRow, whole, list_row=listed)
