"""SIZEBOOK_SOURCE: where a value of a table was read, and when, asked in a cell."""

from typing import Annotated, Any

from sizebook.core.hints import unknown_key
from sizebook.core.registry import function
from sizebook.core.sections import DEFAULT, Quantity
from sizebook.core.tables import table as rows_of

# The tables that cells look things up in: the columns that a key is searched in, and what tells its rows apart.
LOOKED_UP = {
    "hardware": (("key", "name"), ("key",)),
    "prices": (("gpu",), ("gpu", "provider", "instance", "region", "term", "date")),
    "api_prices": (("model", "catalog_model"), ("provider", "model", "date")),
    "grid": (("key", "name"), ("key", "name", "year")),
    "models": (("key", "name", "aliases"), ("key",)),
    "dtypes": (("dtype",), ("dtype",)),
    "engines": (("key", "engine"), ("key",)),
    "engine_releases": (("engine",), ("engine", "release", "gpus", "memory_from_gib")),
    "optimizers": (("optimizer",), ("optimizer",)),
}
CITED = ("source", "retrieved")

TableName = Annotated[str, Quantity("table that the value stands in", choices=tuple(LOOKED_UP))]
Key = Annotated[str, Quantity("key of the row, such as h100-sxm or deu")]
Column = Annotated[str | None, Quantity("column of the value, such as tdp_watts; blank for all", default=None)]
Sources = Annotated[list[list[Any]], Quantity("a line each row of the table, under its headings", unit="lines")]


@function(category="help", source="data/*.csv, each row with its source and the day it was read")
def sizebook_source(table: TableName, key: Key, column: Column = DEFAULT) -> Sources:
    """Return the rows of a table that a key names, with the source of each and the day it was read.

    Of prices every row of an accelerator: provider, instance, region, term and date, the rows of your own table first.
    Errors: a key or a column that the table does not have.
    """
    searched, identity = LOOKED_UP[table]
    known = rows_of(table)
    rows = [row for row in known if any(_names(row[name], key) for name in searched)]
    if not rows:
        held = list(dict.fromkeys(row[searched[0]] for row in known))
        raise unknown_key("key", key, held, where=f"a {searched[0]} of data/{table}.csv")
    columns = list(dict.fromkeys(name for row in (known[0], known[-1]) for name in row))  # own rows first, then shipped
    if column is not None and column not in columns:
        raise unknown_key("column", column, columns, where=f"a column of data/{table}.csv")
    shown = columns if column is None else list(dict.fromkeys((*identity, column, *CITED)))
    return [shown, *([_value(row.get(name, "")) for name in shown] for row in rows)]


def _names(cell: str, key: str) -> bool:
    """Return whether a cell, of aliases several, is the word asked for."""
    return key.casefold() in (word.strip().casefold() for word in cell.split("|"))


def _value(cell: Any) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return str(cell)
