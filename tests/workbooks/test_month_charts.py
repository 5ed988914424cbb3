"""Charts of months draw every month of the plan, no other, and none where no month differs."""

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.calculation.package import Package
from sizebook.calculation.recalculation import recalculated
from sizebook.functions import load
from sizebook.plans.ledgers import LONGEST_PLAN
from sizebook.scenarios.scenario_files import parse
from sizebook.scenarios.serving import ServingScenario, plan_serving_scenario
from sizebook.workbooks.filling import fill, write_inputs
from sizebook.workbooks.sheet import Sheet
from tests.workbooks.filled import FilledOnce
from tests.workbooks.shipped import SHIPPED, opened, timeline
from tests.workbooks.sittings import CEILED
from tests.workbooks.test_charts import Drawn, charts

load()
BOOKS = {book.file: book.path for book in SHIPPED}
SERVING = BOOKS["serving_capacity.xlsx"]
GROWING: dict[str, Any] = {
    "model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 9_000_000, "input_tokens": 1000,
    "output_tokens": 200, "concurrency": 32, "start": date(2027, 3, 15), "months": 36, "growth_per_month": 0.05,
}  # fmt: skip
LONG_RUN = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 64, "tokens": 1e12, "batch": 1024}


def by_month(path: Path) -> list[Drawn]:
    """Return the charts whose categories are days."""
    return [drawn for drawn in charts(path) if drawn.categories and isinstance(drawn.categories[0], datetime)]


@pytest.mark.parametrize(
    ("file", "given", "n_charts"),
    [
        ("serving_capacity.xlsx", GROWING, 2),
        ("serving_capacity.xlsx", GROWING | {"months": 7}, 2),
        ("fleet_plan.xlsx", CEILED, 2),
        ("training_budget.xlsx", LONG_RUN, 1),
    ],
)
def test_every_month_is_drawn(file: str, given: dict[str, Any], n_charts: int, filled_once: FilledOnce) -> None:
    """On 0.13.0 a chart of 36 months had twelve bars; what readers that do not calculate find is the same."""
    path = filled_once(BOOKS[file], given).path
    n_months = timeline(path)["In the plan"][0]
    drawn = by_month(path)
    assert len(drawn) == n_charts
    for each in drawn:
        starts = each.categories
        assert [12 * (day.year - starts[0].year) + day.month - starts[0].month for day in starts] == [*range(n_months)]
        assert {len(values) for _, values in each.series} == {n_months}
        assert set(each.kept) == {n_months}


def test_a_filled_workbook_is_filled_again_with_other_months(filled_once: FilledOnce, tmp_path: Path) -> None:
    year = fill(filled_once(SERVING, GROWING).path, GROWING | {"months": 12}, tmp_path / "year.xlsx").path
    assert [(len(each.categories), set(each.kept)) for each in by_month(year)] == [(12, {12})] * 2
    longest = fill(year, GROWING | {"months": LONGEST_PLAN}, tmp_path / "longest.xlsx").path
    assert [(len(each.categories), set(each.kept)) for each in by_month(longest)] == [(60, {60})] * 2


@pytest.mark.parametrize(("months", "shown"), [(60, [*range(2, 61, 2)]), (36, [*range(1, 37)]), (12, [*range(1, 13)])])
def test_months_change_after_filling(months: int, shown: list[int], filled_once: FilledOnce) -> None:
    """36 rows are drawn: of 60 months every second, 60 / 36 rounded up, and the last; of 12 each, before blanks."""
    package = Package.read(filled_once(SERVING, GROWING).path)
    write_inputs(package, Sheet.all_of(package), GROWING | {"months": months})
    found, labels = recalculated(package), load_workbook(SERVING)["Basis"]["B"]
    head = next(cell.row for cell in labels if cell.value == "Month")
    days = [found["Basis", f"B{row}"] for row in range(head + 1, head + 37)]
    first = (GROWING["start"] - date(1899, 12, 30)).days
    numbers = [(day - first) / 30.4375 + 1 for day in days if day not in ("", None)]
    assert [round(number) for number in numbers] == shown
    assert set(days[len(shown) :]) <= {"", None}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"months": 1}, "11 GPUs at peak, for 9,000,000 requests a day"),
        ({"growth_per_month": 0}, "11 GPUs at peak in every month, for 9,000,000 requests a day"),
    ],
)
def test_nothing_is_drawn_where_no_month_differs(given: dict[str, Any], said: str, filled_once: FilledOnce) -> None:
    """The room of both charts is folded, and the message stands in their place; it unfolds with another plan."""
    sheet = load_workbook(filled_once(SERVING, GROWING | given).path, data_only=True)["Result"]
    folded = [row for row, settings in sheet.row_dimensions.items() if settings.hidden]
    for chart in sheet._charts:
        assert set(range(chart.anchor._from.row + 1, chart.anchor.to.row + 1)) <= set(folded)
    assert said in [sheet.cell(row, 2).value for row in range(1, sheet.max_row) if row not in folded]
    again = load_workbook(filled_once(SERVING, GROWING).path, data_only=True)["Result"]
    assert not any(settings.hidden for settings in again.row_dimensions.values())


def test_tiles_and_titles_name_the_busiest_month(filled_once: FilledOnce) -> None:
    season = {"months": 3, "growth_per_month": 0, "requests_per_day": None, "monthly_requests": [3e7, 3e8, 3e7]}
    path = filled_once(SERVING, GROWING | season).path
    given = {name: value for name, value in (GROWING | season).items() if value is not None}
    plan = plan_serving_scenario(parse(ServingScenario, {"plan": "serving", **given}, "season")).plan
    first, most, last = (month.peak_gpus for month in plan.months)
    assert most > max(first, last)
    rows = list(opened(path, data_only=True)["Result"].iter_rows(min_col=2, max_col=4, values_only=True))
    at = rows.index(("GPUs at peak, month 1", "GPUs at peak, month 3", "GPUs at peak, most: month 2"))
    assert rows[at + 1] == (first, last, most)
    titles = [cell.value for cell in opened(path, data_only=True)["Basis"]["C"]]
    per_day = f"{3e7 * 12 / 365:,.0f}"
    assert f"From {first} to {last} GPUs at peak, {most} in month 2, for {per_day} requests a day" in titles
