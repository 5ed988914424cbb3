"""Finds models of the catalog by name, size, date and licence, and says which of their facts were read twice."""

from collections.abc import Mapping
from datetime import date
from functools import cache

from sizebook.core.sections import quantity, section
from sizebook.core.tables import table
from sizebook.models import catalog

_NAMES = ("key", "name", "family", "organisation", "hf_id", "aliases")
# No facts to read: names, what follows from other columns, and our own words.
_NO_FACTS = {
    "key", "name", "family", "organisation", "hf_id", "aliases", "architecture", "note", "link", "source", "retrieved",
    "explanation", "explained_parameters", "explanation_active", "total_scope", "active_scope",
}  # fmt: skip


@section
class Wanted:
    """What models to list. A blank asks for nothing; every condition that is given must hold."""

    search: str = quantity(
        "any part of a name, key, family, organisation or repository; of several words each", default=""
    )
    min_total: float = quantity("fewest parameters, such as 7B", "parameters", minimum=0, default=None)
    max_total: float = quantity("most parameters, such as 70B", "parameters", minimum=0, default=None)
    released_from: date = quantity("first day of release", default=None)
    released_until: date = quantity("last day of release", default=None)
    licence: str = quantity("any part of the licence's name", default="")


def matching(keys: tuple[str, ...], wanted: Wanted) -> tuple[str, ...]:
    """Return the models that fulfil every condition, in the order given; a blank fact fulfils none that asks for it."""
    return tuple(key for key in keys if _fits(catalog.facts(key), wanted))


def _fits(row: Mapping[str, str], wanted: Wanted) -> bool:
    text = " ".join(row[column] for column in _NAMES).casefold()
    if not all(word in text for word in wanted.search.casefold().split()):
        return False
    return wanted.licence.casefold() in row["licence"].casefold() and _sized(row, wanted) and _dated(row, wanted)


def _sized(row: Mapping[str, str], wanted: Wanted) -> bool:
    least: float | None = wanted.min_total
    most: float | None = wanted.max_total
    if least is None and most is None:
        return True
    if not row["architecture"]:
        return False
    total = catalog.counted(row["key"]).total
    return (least is None or least <= total) and (most is None or total <= most)


def _dated(row: Mapping[str, str], wanted: Wanted) -> bool:
    """Return whether a release lies within the days asked for; one known by its month must lie there wholly."""
    first: date | None = wanted.released_from
    last: date | None = wanted.released_until
    stated = row["release_date"]
    if not stated:
        return first is None and last is None
    earliest, latest = (stated, stated) if len(stated) > 7 else (f"{stated}-01", f"{stated}-31")
    return (first is None or first.isoformat() <= earliest) and (last is None or latest <= last.isoformat())


def facts_of(row: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns of a row that hold a published fact."""
    return tuple(column for column, cell in row.items() if cell and column not in _NO_FACTS)


@cache
def _readings() -> dict[str, frozenset[str]]:
    """Return which facts of each row a line of ``data/model_readings.csv`` names."""
    found: dict[str, frozenset[str]] = {}
    for line in table("model_readings"):
        found[line["key"]] = found.get(line["key"], frozenset()) | frozenset(line["facts"].split())
    return found


def read_again(row: Mapping[str, str]) -> tuple[str, ...]:
    """Return the facts of a row that were read from their source, on a page that opens, on a day that is known."""
    named = _readings().get(row["key"], frozenset())
    return tuple(column for column in facts_of(row) if column in named)


def unread_again(row: Mapping[str, str]) -> tuple[str, ...]:
    """Return the facts of a row that rest on its first source alone."""
    again = read_again(row)
    return tuple(column for column in facts_of(row) if column not in again)
