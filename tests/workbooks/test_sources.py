"""Every input of a planning workbook says beside it what it takes and where its value comes from."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import InputError
from sizebook.core.sections import Argument, Quantity
from sizebook.core.tables import table
from sizebook.functions import load
from sizebook.workbooks.book import Book
from sizebook.workbooks.data_validations import bounds_text
from sizebook.workbooks.declared_inputs import declare
from sizebook.workbooks.filling import fill, read_inputs
from sizebook.workbooks.line_sheet import new_sheet
from tests.refused import message_of
from tests.workbooks.shipped import SHIPPED, Shipped, opened

load()
TAKES, SOURCE = "What it takes", "Where its value comes from"
every_workbook = pytest.mark.parametrize("shipped", SHIPPED, ids=lambda shipped: shipped.file)


@cache
def inputs_of(path: Path) -> dict[str, Any]:
    return dict(read_inputs(path))


@cache
def column_of(path: Path, sheet: str, head: str) -> int:
    rows = opened(path, data_only=True)[sheet].iter_rows(max_row=10)
    return next(int(cell.column or 0) for row in rows for cell in row if cell.value == head)


def beside(path: Path, name: str, head: str) -> Any:
    """Return what stands in the row of an input under a head of its sheet."""
    at = inputs_of(path)[name].at
    return opened(path, data_only=True)[at.sheet].cell(at.top, column_of(path, at.sheet, head)).value


@every_workbook
def test_every_input_has_a_source_and_its_bounds_beside_it(shipped: Shipped) -> None:
    seen = 0
    for name, entry in inputs_of(shipped.path).items():
        if entry.at.sheet == "Cover":  # the scenario in use, whose meaning stands beside it
            continue
        assert str(beside(shipped.path, name, SOURCE) or "").endswith("."), name
        takes = str(beside(shipped.path, name, TAKES) or "")
        assert takes, name
        if name in shipped.declared and not entry.choices:
            assert bounds_text(shipped.declared[name].quantity) in takes, name
        seen += 1
    assert seen >= 6


def test_what_a_table_gives_carries_the_tables_source_and_day() -> None:
    book = next(each.path for each in SHIPPED if each.file == "training_budget.xlsx")
    row = next(row for row in table("optimizers") if row["optimizer"] == "adamw")
    said = beside(book, "optimizer", SOURCE)
    assert said.startswith("data/optimizers.csv: Loshchilov and Hutter 2019 (arXiv:1711.05101)")
    assert said.endswith(f"retrieved {row['retrieved']}.")
    days = sorted({price["date"] for price in table("prices")})
    assert beside(book, "price_usd_per_gpu_hour", SOURCE) == (
        f"Blank: data/prices.csv, prices of {days[0]} to {days[-1]}, a source in each row."
    )
    assert beside(book, "pue", SOURCE) == (
        "Assumption: between hyperscale halls (1.1) and the industry's mean (1.56, Uptime Institute 2024), as "
        "colocation is built."
    )


def test_another_value_than_the_default_is_the_readers_own(tmp_path: Path) -> None:
    book = next(each.path for each in SHIPPED if each.file == "model_sizing.xlsx")
    assert fill(book, {"model": "gpt-2"}, tmp_path / "a.xlsx").problems == []
    assert beside(tmp_path / "a.xlsx", "dtype", SOURCE).startswith("data/dtypes.csv: ")
    assert fill(book, {"model": "gpt-2", "dtype": "fp8"}, tmp_path / "b.xlsx").problems == []
    assert beside(tmp_path / "b.xlsx", "dtype", SOURCE).startswith("Your own; default bf16: data/dtypes.csv: ")


@every_workbook
def test_a_default_reads_as_the_cell_shows_it(shipped: Shipped) -> None:
    """A cell that takes yes and no has no default False."""
    inputs = opened(shipped.path)["Inputs"]
    said = [str(cell.value) for row in inputs.iter_rows() for cell in row if "default " in str(cell.value)]
    assert said
    assert [each for each in said if "default False" in each or "default True" in each] == []


def test_a_default_without_a_source_is_refused() -> None:
    page = new_sheet(Book("Book", "1"), "Inputs", "")
    assert message_of(
        InputError, lambda: declare(page, Argument("share", Quantity("share of something", default=0.4), 0.4))
    ) == (
        "default without a source: got 0.4 for share, want where it comes from. Give its quantity a source: a table, "
        "a paper, or an assumption with its reason."
    )
