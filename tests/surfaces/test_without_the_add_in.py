"""Planning workbooks in LibreOffice without the add-in: what needs no function follows every edit, the rest says so."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.calculation.tokens import area
from sizebook.core.targets import Target
from sizebook.functions import load
from sizebook.workbooks.addin_calls import STAGED
from sizebook.workbooks.filling import fill, read_inputs
from sizebook.workbooks.held_values import CALLS
from sizebook.workbooks.print_ranges import FOLD_ROWS
from sizebook.workbooks.sheet import serial
from tests.libreoffice.office import Office, is_same
from tests.workbooks.shipped import SHIPPED
from tests.workbooks.sittings import SITTINGS, Sitting

load()
HIDDEN = {CALLS, STAGED}
every_sitting = pytest.mark.parametrize("sitting", SITTINGS, ids=lambda sitting: sitting.file)


@pytest.fixture(scope="module")
def office() -> Iterator[Office]:
    with Office(with_extension=False) as bare:
        yield bare


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Sitting], Path]:
    folder = tmp_path_factory.mktemp("bare")

    @cache
    def made(file: str) -> Path:
        sitting = next(each for each in SITTINGS if each.file == file)
        return fill(sitting.path, dict(sitting.given), folder / file).path

    return lambda sitting: made(sitting.file)


def entered(path: Path, edits: Mapping[str, Any]) -> dict[str, float | str]:
    """Return edits by the cells of their inputs."""
    inputs = read_inputs(path)
    return {
        inputs[name].place: serial(value) if isinstance(value, date) else value for name, value in edits.items()
    }  # fmt: skip


def errors(shown: dict[str, dict[str, float | str]], hidden: set[str] | frozenset[str]) -> dict[str, Any]:
    return {
        f"{sheet}!{at}": value
        for sheet, cells in shown.items()
        if sheet not in hidden
        for at, value in cells.items()
        if isinstance(value, str) and value.startswith(("#", "Err:"))
    }


def banner(shown: dict[str, dict[str, float | str]]) -> Any:
    return next((value for value in shown["Cover"].values() if "sizebook" in str(value).casefold()[:30]), "")


Filled = Callable[[Sitting], Path]


@every_sitting
def test_edits_of_traffic_money_and_time_are_followed(
    sitting: Sitting, filled: Filled, office: Office, tmp_path: Path
) -> None:
    shown = office.values(filled(sitting), entered(sitting.path, sitting.edits))
    hidden = HIDDEN | sitting.hidden
    assert errors(shown, hidden) == {}
    assert str(banner(shown)).startswith("Without the sizebook add-in: its functions show what was stored")
    wanted = fill(sitting.path, {**sitting.given, **sitting.edits}, tmp_path / "after.xlsx")
    assert wanted.problems == []
    compared, differing = 0, {}
    for sheet in load_workbook(wanted.path, data_only=True):
        if sheet.title in hidden:
            continue
        drawn = drawn_rows(sheet)
        for row in sheet.iter_rows():
            for cell in row:
                got = shown[sheet.title].get(cell.coordinate)
                compared += cell.value is not None
                if cell.row in drawn:
                    continue
                if not is_same(got, cell.value) and got != "needs sizebook" and got != banner(shown):
                    differing[f"{sheet.title}!{cell.coordinate}"] = (cell.value, got)
    assert differing == {}
    assert compared > sitting.n_cells


def drawn_rows(sheet: Any) -> range:
    """Return the rows of months that charts draw: of a longer plan every second and so on (`test_month_charts`)."""
    marked = sheet.defined_names.get(FOLD_ROWS) if sheet.title in ("Basis", "Charts", "Parts") else None
    at = area(marked.attr_text, "") if marked else None
    return range(at.top, at.bottom + 1) if at else range(0)


@pytest.mark.parametrize("file", ["serving_capacity.xlsx", "fleet_plan.xlsx"])
def test_contracts_found_for_other_traffic_are_not_counted(file: str, office: Office, tmp_path: Path) -> None:
    """A planner who types a twentieth of the traffic would pay twice for contracts that were found for all of it."""
    path = next(each.path for each in SITTINGS if each.file == file)
    edits: dict[str, Any] = {"months": 24, "scenario": "high"}
    given: dict[str, Any] = {
        "model": "llama-3.1-70b", "gpu": "h100-sxm", "weight_dtype": "fp8", "tp": 4, "requests_per_day": 900_000,
        "input_tokens": 2000, "output_tokens": 400, "tpot_target_seconds": 0.05,
    }  # fmt: skip
    demand: dict[str, Any] = {"requests_per_day": 45_000, "growth_per_month": 0.03}
    less = {**demand, "sign_terms": "none"}
    if file == "fleet_plan.xlsx":
        given, demand, less = ({f"{name}_1": value for name, value in each.items()} for each in (given, demand, less))
    given["months"] = 5
    signing = fill(path, given, tmp_path / "signing.xlsx").path
    assert "Contracts to sign wait" not in str(office.values(signing, {})["Result"].values())
    shown = office.values(signing, entered(path, {**demand, **edits}))
    wanted = load_workbook(fill(path, {**given, **less, **edits}, tmp_path / "none.xlsx").path, data_only=True)
    last = row_of(wanted["Cover"], "This copy")
    rows = [row for row in range(9, last) if wanted["Cover"].cell(row, 3).value is not None]
    assert len(rows) >= 6
    assert [shown["Cover"][f"C{row}"] for row in rows] == [
        pytest.approx(wanted["Cover"].cell(row, 3).value) for row in rows
    ]
    assert shown["Cover"][f"C{row_of(wanted['Cover'], 'Checks')}"] == "needs sizebook"
    assert ("Contracts to sign wait for sizebook, as traffic changed; all but what runs is on demand.") in shown[
        "Result"
    ].values()


def test_what_is_beside_renting_is_blank_for_other_inputs(office: Office, tmp_path: Path) -> None:
    """A purchase that is typed anew showed the cost of the one before, and the check beside it said OK."""
    sitting = next(each for each in SITTINGS if each.file == "serving_capacity.xlsx")
    path = fill(sitting.path, {**sitting.given, "capex_usd": 30_000}, tmp_path / "bought.xlsx").path
    months = load_workbook(path, data_only=True)["Months"]
    label = "Bought GPUs and the API are for this plan"
    check = f"C{row_of(load_workbook(path, data_only=True)['Checks'], label)}"
    shown = {capex: office.values(path, entered(path, {"capex_usd": capex})) for capex in (30_000, 40_000)}
    at = f"F{row_of(months, 'Bought')}"
    assert shown[30_000]["Months"][at] == pytest.approx(months[at].value) and months[at].value > 0
    assert shown[40_000]["Months"].get(at, "") == ""
    assert shown[40_000]["Checks"][check] == "needs sizebook"


@every_sitting
def test_what_cannot_follow_is_not_shown_and_said(
    sitting: Sitting, filled: Filled, office: Office, tmp_path: Path
) -> None:
    """On 0.13.0 the cost of a run doubled with its GPUs while its days stayed: half of it was the stored plan's.

    A figure is what the functions would give for what was entered, or not there at all; but for what says that it is.
    """
    name, value, label = sitting.asked
    path = filled(sitting)
    shown = office.values(path, entered(sitting.path, {name: value}))
    assert set(errors(shown, HIDDEN | sitting.hidden).values()) == {"#N/A"}
    assert banner(shown) == (
        f"NEEDS SIZEBOOK to follow a change of: {label}. What depends on it shows #N/A. Run sizebook "
        "fill, install the add-in, or change it back."
    )
    wanted = load_workbook(
        fill(sitting.path, {**sitting.given, name: value}, tmp_path / "after.xlsx").path, data_only=True
    )
    said = {"#N/A", "needs sizebook", "CHECK", banner(shown)}
    mixed = {
        f"{sheet.title}!{cell.coordinate}": (cell.value, got)
        for sheet in wanted
        if sheet.title not in HIDDEN | sitting.hidden
        for row in sheet.iter_rows()
        for cell in row
        if not is_same(got := shown[sheet.title].get(cell.coordinate), cell.value) and got not in said
    }
    assert mixed == {}


@pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)
def test_no_sheet_that_is_read_shows_a_missing_function(book: Any, office: Office) -> None:
    """On 0.3.0 one changed price turned 73 of 258 cells into #NAME?."""
    hidden = {sheet.title for sheet in load_workbook(book.path) if sheet.sheet_state == "hidden"}
    assert errors(office.values(book.path), hidden) == {}


@pytest.mark.parametrize("file", ["fine_tuning.xlsx", "model_comparison.xlsx"])
def test_an_empty_text_of_a_function_stays_empty_on_opening(file: str, office: Office) -> None:
    """Calc works out at once what stores an empty text, and no cell beside it: this showed #NAME?, or 0."""
    sitting = next(each for each in SITTINGS if each.file == file)
    formulas, values = load_workbook(sitting.path), load_workbook(sitting.path, data_only=True)
    empty = [
        f"{name}!{cell.coordinate}"
        for name in ("Ways", "Facts")
        if name in formulas.sheetnames
        for row in formulas[name].iter_rows(min_row=5, min_col=3, max_col=7)
        for cell in row
        if str(cell.value).startswith("=") and values[name][cell.coordinate].value is None
    ]
    assert empty
    assert set(office.planted(sitting.path, [], empty)[0]) == {""}


@pytest.mark.parametrize("target", ["lambda", "values"])
@pytest.mark.parametrize(
    "file", ["model_sizing.xlsx", "model_comparison.xlsx", "fine_tuning.xlsx", "training_budget.xlsx"]
)
def test_a_workbook_made_for_a_target_shows_its_figures(
    file: str, target: Target, office: Office, tmp_path: Path
) -> None:
    """LibreOffice reads no LAMBDA: a call of one was Err:509, and 91 to 204 cells of 0.10.0 showed #N/A."""
    sitting = next(each for each in SITTINGS if each.file == file)
    path = fill(sitting.path, dict(sitting.given), tmp_path / file, target=target).path
    shown, stored = office.values(path), load_workbook(path, data_only=True)
    hidden = {sheet.title for sheet in stored if sheet.sheet_state == "hidden"}
    assert errors(shown, hidden) == {}
    apart = {
        f"{sheet.title}!{cell.coordinate}": (cell.value, shown[sheet.title].get(cell.coordinate))
        for sheet in stored
        if sheet.title not in hidden
        for row in sheet.iter_rows()
        for cell in row
        if not is_same(shown[sheet.title].get(cell.coordinate), cell.value)
    }
    said = {"needs sizebook", banner(shown)} if target == "lambda" else set()
    assert {at: pair for at, pair in apart.items() if pair[1] not in said} == {}
    formulas = [c for sheet in load_workbook(path) for row in sheet.iter_rows() for c in row if c.data_type == "f"]
    assert bool(formulas) == (target == "lambda")


@every_sitting
def test_each_planted_error_turns_the_checks_red(sitting: Sitting, filled: Filled, office: Office) -> None:
    path = filled(sitting)
    book, shown = load_workbook(path), load_workbook(path, data_only=True)
    edits = [planted(book, shown, *each) for each in sitting.planted]
    assert edits
    state = f"Checks!C{row_of(shown['Checks'], 'All checks')}"
    before, *after = office.planted(path, edits, [state])
    assert before[0] in ("OK", "needs sizebook")
    assert {each: found[0] for each, found in zip(sitting.planted, after, strict=True) if found[0] != "CHECK"} == {}


def row_of(sheet: Any, label: str) -> int:
    return next(row for row in range(1, sheet.max_row + 1) if sheet.cell(row, 2).value == label)


def placed_at(sheet: Any, label: str) -> int:
    """Return the row with a label, the first below a title, or so many rows below the heads of a table to sort."""
    kind, _, rest = label.partition(" ")
    if kind == "below":  # the last of its name, which may be the sheet's too
        return max(row for row in range(1, sheet.max_row + 1) if sheet.cell(row, 2).value == rest) + 1
    return row_of(sheet, "Model") + int(rest) if kind == "row" else row_of(sheet, label)


def column_of(sheet: Any, row: int, head: str) -> int:
    """Return the column of a month, of a service by its number, of a total, of the first value, or under a head."""
    if head == "value":
        return 3
    above = [[cell.value for cell in sheet[at]] for at in range(row - 1, 0, -1) if sheet.cell(at, 2).value in HEADS]
    heads = next((each for each in above if head in each), above[0])
    if head == "total":
        return 5
    if head.isdigit() and head not in heads:
        return (heads.index("Total") + 1 if "Total" in heads else 2) + int(head)
    return heads.index(head) + 1


HEADS = ("Month", "Fact", "Figure", "Quantity", "Model", "Name", "Case")


def planted(book: Any, shown: Any, name: str, label: str, column: str, formula: str) -> tuple[str, str]:
    """Return the place and the formula of a planted error: labels as they are shown, some with the currency."""
    row = placed_at(shown[name], label)
    cell = book[name].cell(row, column_of(shown[name], row, column))
    written = formula.replace("{}", str(cell.value or "").removeprefix("=")).replace("{row}", str(row))
    return f"{name}!{cell.coordinate}", written
