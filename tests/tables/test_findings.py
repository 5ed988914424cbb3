"""What `sizebook data check` finds in a row of each table, word for word, and nothing in those shipped."""

import tomllib
from pathlib import Path

import pytest

from sizebook.core.tables import Row, shipped
from sizebook.validation.data_checks import findings

KNOWN = tomllib.loads(Path(__file__).with_name("findings.toml").read_text(encoding="utf-8"))
SAID = [(kind, cells, said) for kind, found in KNOWN["findings"].items() for cells, *said in found["said"]]


def table_of(kind: str) -> str:
    """Return the table that a kind of row stands in: rows of price books stand among prices."""
    return str(KNOWN["findings"][kind].get("table", kind))


def row_of(kind: str) -> Row:
    """Return the row of a kind in which nothing is found."""
    if key := KNOWN["findings"][kind].get("key"):
        return next(row for row in shipped(kind) if row["key"] == key)
    return {**dict.fromkeys(shipped(table_of(kind))[0], ""), **KNOWN["rows"][kind]}


def named(table: str, row: Row) -> str:
    columns = {"prices": ("provider", "instance", "term"), "api_prices": ("provider", "model", "date")}
    return " ".join(filter(None, (row[column] for column in columns.get(table, ("key",)))))


@pytest.mark.parametrize("kind", KNOWN["findings"])
def test_nothing_is_found_in_what_is_shipped(kind: str) -> None:
    table = table_of(kind)
    assert findings(table, shipped(table)) == findings(table, [row_of(kind)]) == []


@pytest.mark.parametrize(("kind", "cells", "said"), SAID)
def test_a_finding_says_its_line_and_what_to_do(kind: str, cells: dict[str, str], said: list[str]) -> None:
    table, row = table_of(kind), {**row_of(kind), **cells}
    assert findings(table, [row]) == [f"line 2 ({named(table, row)}): {each}" for each in said]
