"""A price, a power or a grid that nobody lists is said to be missing where it is read; it is no 0."""

from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import InputError
from sizebook.functions import load
from sizebook.workbooks.book import Book
from sizebook.workbooks.filling import fill
from sizebook.workbooks.line_sheet import new_sheet
from tests.refused import message_of
from tests.row_lists import listed
from tests.workbooks.shipped import opened
from tests.workbooks.sittings import SITTINGS

load()
UNLISTED = "h800-sxm"  # data/hardware.csv has it, data/prices.csv has no row of it


def shown(path: Path, sheet: str, label: str) -> list[Any]:
    """Return the cells beside a label, from the second column on."""
    rows = opened(path, data_only=True)[sheet].iter_rows(min_col=2, values_only=True)
    return next(list(row[1:]) for row in rows if row[0] == label)


@pytest.mark.parametrize(*listed("workbooks", "test_a_price_that_nobody_lists_is_said"))
def test_a_price_that_nobody_lists_is_said(file: str, key: str, sheet: str, tmp_path: Path) -> None:
    """It was 0 in 0.8.0, and so was the cost; only the comparison with the plan was red."""
    sitting = next(each for each in SITTINGS if each.file == file)
    given = {name: value for name, value in sitting.given.items() if not name.startswith("price_usd")} | {key: UNLISTED}
    found = fill(sitting.path, given, tmp_path / file)
    column = 1 if key == "gpu_2" else 0
    assert shown(found.path, sheet, "GPU-hour")[column] == "not listed"
    assert shown(found.path, sheet, "GPU-hour, scenario")[column] == "#VALUE!"
    assert any(problem.startswith(f"{sheet}!") for problem in found.problems)
    assert shown(found.path, "Checks", "Price, power and carbon are known")[0] == "CHECK"
    assert shown(found.path, "Checks", "All checks")[0] == "CHECK"
    result = opened(found.path, data_only=True)["Result"]
    assert (
        "NOT LISTED, and not given on Inputs: price_usd_per_gpu_hour. What needs it is blank or an error, not 0. Type "
        "it on Inputs."
    ) in [cell.value for (cell,) in result["B1:B8"]]
    priced = f"price_usd_per_gpu_hour{key.removeprefix('gpu')}"
    assert fill(sitting.path, {**sitting.given, key: UNLISTED, priced: 2.5}, tmp_path / file).problems == []


@pytest.mark.parametrize(
    ("file", "key", "sheet", "column"),
    [
        ("serving_capacity.xlsx", "gpu", "Basis", 0),
        pytest.param("fleet_plan.xlsx", "gpu_4", "Services", 3, marks=pytest.mark.ci),
    ],
)
def test_a_price_of_serving_that_nobody_lists_is_said(
    file: str, key: str, sheet: str, column: int, tmp_path: Path
) -> None:
    """The cell of the price was blank in 0.10.0, and the page of results showed errors without a word."""
    sitting = next(each for each in SITTINGS if each.file == file)
    found = fill(sitting.path, {**sitting.given, key: UNLISTED}, tmp_path / file)
    assert shown(found.path, sheet, "GPU-hour on demand")[column] == "not listed"
    assert shown(found.path, "Checks", "Price, power and carbon are known")[0] == "CHECK"
    result = opened(found.path, data_only=True)["Result"]
    said = next(str(cell.value) for (cell,) in result["B1:B8"] if str(cell.value).startswith("NOT LISTED"))
    assert "on_demand_usd_per_gpu_hour" in said


# data/hardware.csv has no power of this accelerator.
UNPOWERED = {"model": "llama-3.1-8b", "gpu": "tpu-v6e"}
RUN = {"gpus": 64, "tokens": "1T", "batch": 1024}
TRAFFIC = {"requests_per_day": 1_000_000, "input_tokens": 1_000, "output_tokens": 200}


@pytest.mark.parametrize(
    ("file", "given", "lookups"),
    [
        ("training_budget.xlsx", RUN, "Plan"),
        ("serving_capacity.xlsx", TRAFFIC | {"ttft_target_seconds": 2}, "Basis"),
    ],
)
def test_energy_is_blank_where_nobody_lists_a_power(
    file: str, given: dict[str, Any], lookups: str, tmp_path: Path
) -> None:
    """It was an error in 130 to 210 cells in 0.13.0: months, years, cases, result, checks."""
    path = next(each for each in SITTINGS if each.file == file).path
    found = fill(path, UNPOWERED | given, tmp_path / file)
    assert shown(found.path, "Months", "Energy")[1] in ("", None)
    assert shown(found.path, "Years", "Energy")[1] in ("", None)
    pages = [page for page in opened(found.path, data_only=True) if page.sheet_state == "visible"]
    errors = {page.title for page in pages for row in page.iter_rows() for cell in row if cell.data_type == "e"}
    assert errors <= {lookups}  # where it says that the power is not listed


def test_energy_follows_a_power_that_is_given(tmp_path: Path) -> None:
    path = next(each for each in SITTINGS if each.file == "training_budget.xlsx").path
    found = fill(path, UNPOWERED | RUN | {"watts": 300}, tmp_path / "out.xlsx")
    hours, energy = (shown(found.path, "Cases", label)[1] for label in ("Whole run, GPU-hours", "Whole run, energy"))
    share, pue = (shown(found.path, "Inputs", label)[0] for label in ("Host and network over GPU power", "PUE"))
    assert energy == pytest.approx(hours * 300 * (1 + share) * pue / 1000)


def test_a_price_of_a_comparison_that_nobody_lists_is_said(tmp_path: Path) -> None:
    """In 0.11.0 Result showed #N/A for the price and every cost, without a word."""
    sitting = next(each for each in SITTINGS if each.file == "model_comparison.xlsx")
    given = {name: value for name, value in sitting.given.items() if name != "usd_per_gpu_hour"} | {"gpu": UNLISTED}
    found = fill(sitting.path, given, tmp_path / "out.xlsx")
    assert shown(found.path, "Facts", "GPU-hour")[0] == "not listed"
    assert shown(found.path, "Checks", "Price, power and carbon are known")[0] == "CHECK"
    result = opened(found.path, data_only=True)["Result"]
    assert (
        "NOT LISTED, and not given on Inputs: usd_per_gpu_hour. What needs it is blank or an error, not 0. Type it on "
        "Inputs."
    ) in [cell.value for (cell,) in result["B1:B8"]]
    assert fill(sitting.path, given | {"usd_per_gpu_hour": 2.5}, tmp_path / "out.xlsx").problems == []


def test_a_description_cannot_write_one() -> None:
    page = new_sheet(Book("Book", "1"), "Plan", "")
    assert message_of(
        InputError, page.line, "price", "Price", '=IFERROR(PRICE_USD_PER_GPU_HOUR("h100-sxm"),0)', "USD", ""
    ) == (
        'silent fallback: got IFERROR(PRICE_USD_PER_GPU_HOUR("h100-sxm"),0), want a text that says what is missing, '
        'such as "not listed". Put one in its place.'
    )
