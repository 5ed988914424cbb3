"""What `sizebook data check` finds in a row of each table, word for word, and nothing in those shipped."""

import tomllib
from pathlib import Path

import pytest

from sizebook.core.tables import Row, by_key, shipped
from sizebook.validation.data_checks import findings

KNOWN = tomllib.loads(Path(__file__).with_name("findings.toml").read_text(encoding="utf-8"))
SAID = [(table, cells, said) for table, found in KNOWN["findings"].items() for cells, said in found["said"]]


def row_of(table: str) -> Row:
    """Return the row of a table in which nothing is found."""
    if key := KNOWN["findings"][table].get("key"):
        return by_key(table, "key")[key]
    return {**dict.fromkeys(shipped(table)[0], ""), **KNOWN["rows"][table]}


def named(table: str, row: Row) -> str:
    columns = {"prices": ("provider", "instance", "term"), "api_prices": ("provider", "model", "date")}
    return " ".join(row[column] for column in columns.get(table, ("key",)))


@pytest.mark.parametrize("table", KNOWN["findings"])
def test_nothing_is_found_in_what_is_shipped(table: str) -> None:
    assert findings(table, shipped(table)) == findings(table, [row_of(table)]) == []


@pytest.mark.parametrize(("table", "cells", "said"), SAID)
def test_a_finding_says_its_line_and_what_to_do(table: str, cells: dict[str, str], said: str) -> None:
    row = {**row_of(table), **cells}
    assert findings(table, [row]) == [f"line 2 ({named(table, row)}): {said}"]
