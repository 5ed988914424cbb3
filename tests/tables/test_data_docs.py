"""The counts that docs/data.md states are those of the tables; `tests/docs/test_shown_commands.py` runs its calls."""

from pathlib import Path

import pytest

from sizebook.core.tables import table
from sizebook.tables import prices

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("phrase", "count"),
    [
        ("67 accelerators", len(table("hardware"))),
        ("694 prices, 17 providers", len(table("prices"))),
        ("694 prices, 17 providers", len(prices.providers())),
        ("212 countries", sum(row["kind"] == "country" for row in table("grid"))),
        ("61 of the 67 rows", sum("; read again: " in row["source"] for row in table("hardware"))),
        ("24 generations", len(table("generations"))),
        ("filled in for 21 parts", sum(bool(row["usable_memory_bytes"]) for row in table("hardware"))),
    ],
)
def test_counts(phrase: str, count: int) -> None:
    assert phrase in PAGE
    assert str(count) in phrase
