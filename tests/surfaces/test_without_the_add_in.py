"""Planning workbooks in LibreOffice without the add-in: what needs no function follows every edit, the rest says so."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.functions import load
from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import fill, read_inputs
from sizebook.workbooks.held import CALLS, STAGED
from sizebook.workbooks.sheet import serial
from tests.surfaces.office import Office, is_same
from tests.workbooks.shipped import SHIPPED

load()
SERVING = bundled("workbooks") / "serving_capacity.xlsx"
GIVEN: dict[str, Any] = {
    "model": "llama-3.1-70b", "gpu": "h100-sxm", "weight_dtype": "fp8", "tp": 4, "requests_per_day": 900_000,
    "input_tokens": 2000, "output_tokens": 400, "shape": "office", "tpot_target_seconds": 0.05, "months": 5,
}  # fmt: skip
# Price, traffic, growth, PUE, terms, currency, scenario ...: 24 edits of one sitting.
EDITS: dict[str, Any] = {
    "requests_per_day": 3_100_000, "growth_per_month": 0.031, "months": 26, "burst_factor": 1.2, "target_load": 0.7,
    "spare": 2, "failure_domain": "node", "whole_nodes": "yes", "on_demand_usd_per_gpu_hour": 3.3,
    "reserved_usd_per_gpu_hour": 1.9, "pue": 1.12, "grams_per_kwh": 81.5, "start": date(2027, 11, 9),
    "currency": "EUR", "rate_date_1": date(2027, 1, 1), "rate_per_usd_1": 0.91, "rate_date_2": date(2028, 6, 1),
    "rate_per_usd_2": 0.88, "price_date_1": date(2028, 3, 1), "price_level_1": 0.85, "scenario": "own",
    "case_traffic_own": 1.3, "step_traffic_1": 0.4, "usd_per_mtok_in": 0.9, "usd_per_mtok_out": 3.1,
}  # fmt: skip
HIDDEN = {CALLS, STAGED, "Lists", "Compared"}


@pytest.fixture(scope="module")
def office() -> Iterator[Office]:
    with Office(with_extension=False) as bare:
        yield bare


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill(SERVING, GIVEN, tmp_path_factory.mktemp("bare") / "before.xlsx").path


def entered(edits: dict[str, Any]) -> dict[str, float | str]:
    """Return edits by the cells of their inputs."""
    inputs = read_inputs(SERVING)
    return {
        inputs[name].place: serial(value) if isinstance(value, date) else value for name, value in edits.items()
    }  # fmt: skip


def errors(shown: dict[str, dict[str, float | str]]) -> dict[str, Any]:
    return {
        f"{sheet}!{at}": value
        for sheet, cells in shown.items()
        if sheet not in HIDDEN
        for at, value in cells.items()
        if isinstance(value, str) and value.startswith(("#", "Err:"))
    }


def banner(shown: dict[str, dict[str, float | str]]) -> Any:
    return next((value for value in shown["Cover"].values() if "sizebook" in str(value).casefold()[:30]), "")


def test_edits_of_traffic_money_and_time_are_followed(filled: Path, office: Office, tmp_path: Path) -> None:
    shown = office.values(filled, entered(EDITS))
    assert errors(shown) == {}
    assert str(banner(shown)).startswith("Without the sizebook add-in: figures of its functions are those")
    wanted = fill(SERVING, GIVEN | EDITS, tmp_path / "after.xlsx")
    assert wanted.problems == []
    compared, differing = 0, {}
    for sheet in load_workbook(wanted.path, data_only=True):
        if sheet.title in HIDDEN:
            continue
        for row in sheet.iter_rows():
            for cell in row:
                got = shown[sheet.title].get(cell.coordinate)
                compared += cell.value is not None
                if not is_same(got, cell.value) and got != "needs sizebook" and got != banner(shown):
                    differing[f"{sheet.title}!{cell.coordinate}"] = (cell.value, got)
    assert differing == {}
    assert compared > 5000


def test_what_cannot_follow_says_what_was_changed(filled: Path, office: Office) -> None:
    shown = office.values(filled, entered({"tp": 8, "pue": 1.5}))
    assert errors(shown) == {}
    assert banner(shown) == (
        "NEEDS SIZEBOOK: Tensor parallel was changed after these figures were worked out. Run sizebook fill, or "
        "install the add-in."
    )


@pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)
def test_no_sheet_that_is_read_shows_a_missing_function(book: Any, office: Office) -> None:
    """On 0.3.0 one changed price turned 73 of 258 cells into #NAME?."""
    assert errors(office.values(book.path)) == {}


# A cell of a row, by sheet and label, and what a careless hand puts there; {} stands for the formula that was there.
PLANTED = (
    ("Months", "Requests", "3", "=1000000"),
    ("Months", "In the plan", "2", "=0"),
    ("Months", "Replicas that always run", "1", "=1"),
    ("Months", "GPUs reserved", "4", "=0"),
    ("Months", "GPUs at peak", "5", "=9999"),
    ("Months", "Replicas in the busiest hour", "5", "=3"),
    ("Months", "GPU-hours", "2", "=10"),
    ("Months", "of them on demand", "2", "=-5"),
    ("Months", "Reserved", "3", "=77"),
    ("Months", "On demand", "3", "=2*({})"),
    ("Months", "Cost", "4", "=123456"),
    ("Months", "Cost to date", "5", "=1"),
    ("Months", "Energy", "1", "=0"),
    ("Months", "Energy", "2", "=1000*({})"),
    ("Months", "Greenhouse gases, location-based", "1", "=1"),
    ("Months", "GPUs at peak, most", "1", "=0"),
    ("Hours", "10:00", "2", "=500"),
    ("Years", "Cost", "total", "=1"),
    ("Cases", "The scenario of the cover", "1", "=500"),
    ("Basis", "GPU-hour on demand, scenario", "value", "=99"),
    ("Basis", "Requests a day now", "value", "=5"),
    ("Basis", "Busy hours a day on demand", "value", "=1"),
    ("Rates", "Prices from", "value", "=5"),
    ("Calculation", "Requests that the cache holds", "value", "=0"),
)  # fmt: skip


def test_each_of_twenty_four_planted_errors_turns_the_checks_red(filled: Path, office: Office) -> None:
    book = load_workbook(filled)
    edits = [planted(book, *each) for each in PLANTED]
    state = f"Checks!C{row_of(book['Checks'], 'All checks')}"
    before, *after = office.planted(filled, edits, [state])
    assert before[0] in ("OK", "needs sizebook")
    assert {each: shown[0] for each, shown in zip(PLANTED, after, strict=True) if shown[0] != "CHECK"} == {}


def row_of(sheet: Any, label: str) -> int:
    return next(row for row in range(1, sheet.max_row + 1) if sheet.cell(row, 2).value == label)


def planted(book: Any, name: str, label: str, month: str, formula: str) -> tuple[str, str]:
    """Return the place and the formula of a planted error."""
    sheet = book[name]
    row = row_of(sheet, label)
    column = 3
    if month.isdigit():
        column = next(cell.column for cell in sheet[4] if cell.value == "Total") + int(month)
    elif month == "total":
        column = 5
    cell = sheet.cell(row, column)
    return f"{name}!{cell.coordinate}", formula.replace("{}", str(cell.value or "").removeprefix("="))
