"""Every spreadsheet function gives the figures of its rows, and none is without one; nothing outside the checkout."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from sizebook.functions import load
from sizebook.tables import prices
from tests.functions.function_rows import ROWS
from tests.functions.function_rows.row import Row

FUNCTIONS = load()
BY_FUNCTION: dict[str, list[Row]] = defaultdict(list)
for row in ROWS:
    BY_FUNCTION[row.function].append(row)


@pytest.fixture(autouse=True)
def no_prices_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(prices, "user_prices", tuple)
    prices.quoted_on.cache_clear()
    yield
    prices.quoted_on.cache_clear()


@pytest.mark.parametrize("name", sorted(BY_FUNCTION))
def test_a_function_gives_the_figures_of_its_rows(name: str) -> None:
    for row in BY_FUNCTION[name]:
        wanted = row.expected
        if isinstance(wanted, int | float) and not isinstance(wanted, bool):
            wanted = pytest.approx(wanted, rel=row.relative, abs=0)
        assert row.value(FUNCTIONS[name]) == wanted, row.how


def test_every_function_has_a_row() -> None:
    assert sorted(FUNCTIONS.keys() - BY_FUNCTION.keys()) == []
    assert sorted(BY_FUNCTION.keys() - FUNCTIONS.keys()) == []


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_row_is_not_the_example_and_would_notice_five_per_cent(name: str) -> None:
    example = FUNCTIONS[name].example[1]
    assert any(row.expected != example and row.relative < 0.05 for row in BY_FUNCTION[name])
    assert all(row.how for row in BY_FUNCTION[name])


@pytest.mark.parametrize("file", sorted((Path(__file__).parent / "function_rows").glob("*.py")), ids=lambda f: f.stem)
def test_rows_are_worked_out_without_the_functions(file: Path) -> None:
    """Tables hold inputs; whatever computes may not work out what it is checked against."""
    imported = re.findall(r"^(?:from|import) (sizebook[\w.]*)", file.read_text(encoding="utf-8"), re.MULTILINE)
    allowed = {
        "sizebook.core.tables",
        *(("sizebook.core.cells", "sizebook.core.registry") if file.stem == "row" else ()),
    }
    assert set(imported) <= allowed
