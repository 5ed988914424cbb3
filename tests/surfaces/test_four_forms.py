"""What the reference shows of each function is typed as it stands: a cell, a command, Python, a request; one answer."""

import re
import shlex
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.formula import ArrayFormula

import sizebook as sb
from sizebook.calculation import Calculated, recalculate
from sizebook.cli.functions import cell_text
from sizebook.core.coercion import as_rows
from sizebook.core.registry import Function
from sizebook.functions import load
from sizebook.scheduling.slots import Slots
from sizebook.tables.prices import valuation_day, valued_on
from sizebook.web.app import Service, create_app
from tests.api.test_calls import same
from tests.commands import run

DOCS = Path(__file__).resolve().parents[2] / "docs"
FUNCTIONS = load()
ENTRY = re.compile(
    r"(?ms)^## (\w+)$.*?^- cell: `(?P<cell>[^\n]+)`\n- command: `(?P<command>[^\n]+)`\n- Python: `(?P<python>[^\n]+)`\n"
    r"- HTTP: `POST (?P<address>\S+) (?P<body>[^\n]+)`$"
)
SHOWN = {
    found[1]: found for page in sorted((DOCS / "functions").glob("*.md")) for found in ENTRY.finditer(page.read_text())
}
each_function = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The service, its work done in this process, which knows the day on which the tests judge prices."""
    with pytest.MonkeyPatch.context() as patch, valued_on(None):
        day = valuation_day()
        patch.setattr(Slots, "call", lambda _, task, item: on_day(day, task, item))
        service = create_app(Service(1, tmp_path_factory.mktemp("batches")))
        with TestClient(service, base_url="http://127.0.0.1") as found:
            yield found


def on_day(day: date | None, task: Callable[[Any], Any], item: Any) -> Any:
    with valued_on(day):
        return task(item)


@pytest.fixture(scope="module")
def calculated(tmp_path_factory: pytest.TempPathFactory) -> Calculated:
    """A workbook with a sheet for each function: its cell, a table as the array formula that it spills over."""
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, found in SHOWN.items():
        rows = as_rows(FUNCTIONS[name].example[1])
        corner = f"{get_column_letter(len(rows[0]))}{len(rows)}" if rows else "A1"
        book.create_sheet(name)["A1"] = ArrayFormula(f"A1:{corner}", found["cell"]) if rows else found["cell"]
    path = tmp_path_factory.mktemp("cells") / "cells.xlsx"
    book.save(path)
    return recalculate(path)


def test_every_function_is_shown_once() -> None:
    assert SHOWN.keys() == FUNCTIONS.keys()


@each_function
def test_as_a_cell(function: Function, calculated: Calculated) -> None:
    rows = as_rows(function.example[1]) or [[function.example[1]]]
    for row, wanted in enumerate(rows, 1):
        for column, each in enumerate(wanted, 1):
            got = calculated.values.get((function.name, f"{get_column_letter(column)}{row}"))
            assert same(got, "" if each is None and rows != [[None]] else each), (row, column, calculated.problems)


@each_function
def test_as_a_command(function: Function) -> None:
    program, *words = shlex.split(SHOWN[function.name]["command"])
    done = run(*words)
    assert (program, done.exception) == ("sizebook", None)
    assert same(cells_of(done.stdout), cells_of(cell_text(function.example[1])))


def cells_of(text: str) -> list[float | str]:
    """Return what a command prints, numbers as such."""
    words = re.split(r"[\t\n]", text.rstrip("\n"))
    return [float(word) if re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", word) else word for word in words]


@each_function
def test_in_python(function: Function) -> None:
    assert same(eval(SHOWN[function.name]["python"], {"sb": sb}), function.example[1])


@each_function
def test_over_http(function: Function, client: TestClient) -> None:
    shown = SHOWN[function.name]
    answer = client.post(shown["address"], content=shown["body"], headers={"Content-Type": "application/json"})
    assert answer.status_code == 200, answer.text
    assert same(answer.json()["value"], function.example[1])
