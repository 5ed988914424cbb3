"""Charts of every shipped workbook: each series has figures, each title states its message from them."""

import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from openpyxl import Workbook, load_workbook

from sizebook.functions import load
from sizebook.workbooks.filling import fill
from tests.workbooks.filled import FilledOnce
from tests.workbooks.shipped import SHIPPED, Shipped, opened
from tests.workbooks.sittings import CEILED, CEILINGS, SITTINGS, searched

load()
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
(BUDGET,) = [book for book in SHIPPED if book.file == "training_budget.xlsx"]
every_book = pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)


@dataclass(frozen=True)
class Drawn:
    """A chart as it is drawn: the reference to its title, its categories, and what name and values of series show.

    Excel and LibreOffice leave out what stands in folded rows and columns. ``kept`` counts the values that the file
    keeps of each series, for readers that do not look at cells.
    """

    title: str
    categories: list[Any]
    series: list[tuple[Any, list[Any]]]
    kept: list[int]


def charts(path: Path) -> Iterator[Drawn]:
    book = opened(path, data_only=True)
    with zipfile.ZipFile(path) as archive:
        for name in sorted(each for each in archive.namelist() if each.startswith("xl/charts/chart")):
            root = etree.fromstring(archive.read(name))
            assert root.find(f".//{_C}plotVisOnly").get("val") == "1", name
            title = root.findtext(f"{_C}chart/{_C}title//{_C}f")
            series, kept, categories = [], [], list[Any]()
            for one in root.iter(f"{_C}ser"):
                values = visible(book, one.findtext(f"{_C}val//{_C}f"))
                if values:
                    series.append((cells(book, one.findtext(f"{_C}tx//{_C}f"))[0].value, values))
                    kept.append(len(one.findall(f"{_C}val//{_C}pt")))
                    categories = visible(book, one.findtext(f"{_C}cat//{_C}f"))
            yield Drawn(title or "", categories, series, kept)


def cells(book: Workbook, reference: str) -> list[Any]:
    sheet, _, at = reference.replace("'", "").replace("$", "").rpartition("!")
    found = book[sheet][at]
    return [cell for row in found for cell in row] if isinstance(found, tuple) else [found]


def visible(book: Workbook, reference: str) -> list[Any]:
    return [
        cell.value
        for cell in cells(book, reference)
        if not cell.parent.column_dimensions[cell.column_letter].hidden
        and not cell.parent.row_dimensions[cell.row].hidden
    ]


def empty(path: Path) -> list[tuple[str, Any]]:
    """Return the series with a blank, and those without a name, by the title of their chart; a figure may be 0."""
    return [
        (drawn.title, name)
        for drawn in charts(path)
        for name, values in drawn.series
        if name in (None, "") or not all(isinstance(value, int | float) for value in values)
    ]


@every_book
def test_every_series_has_figures_and_a_name(book: Shipped) -> None:
    assert sum(len(drawn.series) for drawn in charts(book.path)) >= 2
    assert empty(book.path) == []


@every_book
def test_titles_are_formulas_that_state_a_figure(book: Shipped) -> None:
    formulas, values = opened(book.path), opened(book.path, data_only=True)
    for drawn in charts(book.path):
        (made,), (said,) = cells(formulas, drawn.title), cells(values, drawn.title)
        assert str(made.value).startswith("="), drawn.title
        assert any(letter.isdigit() for letter in said.value), said.value


# One service, a run of one month, no target: the least that each workbook draws.
LEAST: dict[str, dict[str, Any]] = {
    "fleet_plan.xlsx": CEILED,
    "serving_capacity.xlsx": {
        "months": 3, "model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 9_000_000, "input_tokens": 1000,
        "output_tokens": 200, "concurrency": 32,
    },
    "training_budget.xlsx": next(dict(each.given) for each in SITTINGS if each.file == "training_budget.xlsx"),
    "training_programme.xlsx": next(dict(each.given) for each in SITTINGS if each.file == "training_programme.xlsx"),
}  # fmt: skip


@pytest.mark.parametrize("file", LEAST)
def test_a_small_plan_draws_no_empty_series(file: str, filled_once: FilledOnce) -> None:
    """On 0.11.0 a fleet of two services had four series without a name, and a line named Ceiling where none was."""
    (book,) = [each for each in SHIPPED if each.file == file]
    assert empty(filled_once(book.path, LEAST[file]).path) == []


def test_a_ceiling_is_drawn_where_one_is_given(filled_once: FilledOnce) -> None:
    (book,) = [each for each in SHIPPED if each.file == "fleet_plan.xlsx"]
    for given, names in (
        (searched(), ["GPUs paid for: no ceiling", "Power, kW: no ceiling"]),
        (CEILED, ["Ceiling, GPUs", "Ceiling, kW"]),
    ):
        path = filled_once(book.path, given).path
        drawn_last = [drawn.series[-1] for drawn in charts(path)]
        lines = sorted((name, values) for name, values in drawn_last if "ceiling" in name.casefold())
        assert [name for name, _ in lines] == names
        if given is CEILED:
            assert [set(values) for _, values in lines] == [{ceiling} for ceiling in CEILINGS.values()]


def test_other_programs_read_charts_of_a_plan_without_a_price(tmp_path: Path) -> None:
    """No H800 is for hire, so that costs are errors: openpyxl reads a chart's #N/A as no number, and refuses others."""
    asked = {"model": "llama-3.1-8b", "gpu": "h800-sxm", "gpus": 8, "tokens": 1e9, "batch": 64}
    path = fill(BUDGET.path, asked, tmp_path / "out.xlsx").path
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = load_workbook(path)
    with zipfile.ZipFile(path) as archive:
        drawn = [archive.read(name) for name in archive.namelist() if name.startswith("xl/charts/chart")]
    assert sum(len(sheet._charts) for sheet in read) == len(drawn)
    assert any(b"<v>#N/A</v>" in chart for chart in drawn)
