"""The calls shown in docs/data.md give the values printed beside them, and its counts are the tables'."""

import re
from pathlib import Path

import pytest

from sizebook.core.tables import table
from sizebook.tables import prices
from tests.commands import run

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
CALLS = re.findall(r"^sizebook (call \S+(?: \S+)*) {2,}(\S+(?: \S+)*)", PAGE, re.MULTILINE)


def test_there_are_calls_to_check() -> None:
    assert len(CALLS) == 9


@pytest.mark.parametrize(("words", "value"), CALLS)
def test_calls(words: str, value: str) -> None:
    shown = run(*words.split()).output.split()
    wanted = value.split()
    if len(wanted) == 1 and re.fullmatch(r"[\d.]+", value):
        assert float(shown[0]) == pytest.approx(float(value), rel=1e-9)
    else:
        assert shown == wanted


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
