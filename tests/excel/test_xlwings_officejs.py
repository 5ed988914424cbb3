"""Every function of the registry through xlwings' custom functions, as Lite and Server call them."""

from collections.abc import Iterable
from typing import Any

import pytest
from xlwings import XlwingsError

from sizebook.core import cells
from sizebook.core.errors import SizebookError
from sizebook.core.registry import Function
from sizebook.core.sections import Argument
from sizebook.functions import load
from tests.excel.officejs_client import NOT_AVAILABLE, call, error, meta

Case = tuple[Function, int]
FUNCTIONS = list(load().values())


def one_of_each_name(cases: Iterable[Case]) -> list[Case]:
    """Return one function for each name of an argument: a quantity is read the same way wherever it stands."""
    return list({function.arguments[index].name: (function, index) for function, index in cases}.values())


EVERY = [(f, i) for f in FUNCTIONS for i, a in enumerate(f.arguments) if a.quantity.kind != "range"]
EVERY_NUMBER = [(f, i) for f, i in EVERY if f.arguments[i].quantity.kind in ("integer", "number")]
ARGUMENTS, NUMERIC = one_of_each_name(EVERY), one_of_each_name(EVERY_NUMBER)


def spread_over(case: Case) -> Any:
    """Return the number of the example that a range may repeat, None where there is none or the result is a table."""
    function, index = case
    argument = function.arguments[index]
    given = function.example[0].get(argument.name, None if argument.required else argument.default)
    return None if isinstance(function.example[1], (list, tuple)) else given


def example_cells(function: Function) -> list[Any]:
    given = function.example[0]
    return [given.get(a.name) for a in function.arguments]


def named(case: Any) -> str:
    if isinstance(case, Function):
        return case.name
    return str(case)


def argument_id(case: Case) -> str:
    return f"{case[0].name}-{case[0].arguments[case[1]].name}"


def same(got: Any, want: Any) -> bool:
    """Return whether a cell shows a value: Excel's numbers are doubles, so an integer is the nearest; None is blank."""
    want = "" if want is None else want
    if isinstance(want, int) and not isinstance(want, bool):
        return isinstance(got, float) and got == float(want)
    return bool(got == (pytest.approx(want, rel=1e-12) if isinstance(want, float) else want))


def outcome(function: Function, given: list[Any]) -> tuple[str, Any]:
    """Return what the registry says of a call: its value or its message."""
    try:
        return "value", cells.evaluate(function, given)
    except SizebookError as refused:
        return "message", str(refused)


def shown(function: Function, given: list[Any]) -> tuple[str, Any]:
    """Return what Excel shows for the same call."""
    try:
        rows = call(function.name, *given)
    except XlwingsError as refused:
        return "message", str(refused)
    return "value", rows if len(rows) > 1 or len(rows[0]) > 1 else rows[0][0]


def test_excel_lists_exactly_the_registry() -> None:
    assert sorted(meta()) == sorted(load())


@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
def test_wizard_shows_every_argument(function: Function) -> None:
    entry = meta()[function.name]
    assert entry["description"] == function.summary
    assert len(entry["description"]) <= 255
    assert [p["name"] for p in entry["parameters"]] == [a.name for a in function.arguments]
    assert [p.get("optional", False) for p in entry["parameters"]] == [not a.required for a in function.arguments]
    for parameter, argument in zip(entry["parameters"], function.arguments, strict=True):
        assert argument.quantity.meaning[:200] in parameter["description"]
        assert len(parameter["description"]) <= 255
        assert (parameter["dimensionality"], parameter["type"]) == ("matrix", "any")


@pytest.mark.parametrize("bare", [True, False], ids=["scalar", "1x1 range"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
def test_cell_shows_the_example_figure(function: Function, bare: bool) -> None:
    rows = call(function.name, *example_cells(function), bare=bare)
    wanted = cells.as_rows(function.example[1]) or [[function.example[1]]]
    assert len(rows) == len(wanted)
    assert all(same(a, b) for row, wants in zip(rows, wanted, strict=True) for a, b in zip(row, wants, strict=True))


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if not f.arguments[-1].required], ids=named)
def test_blank_optional_argument_takes_the_default(function: Function) -> None:
    given = [a if b.required else None for a, b in zip(example_cells(function), function.arguments, strict=True)]
    required = [a for a, b in zip(given, function.arguments, strict=True) if b.required]
    want = outcome(function, required)
    assert shown(function, given) == want, "Office.js null"
    assert shown(function, ["" if cell is None else cell for cell in given]) == want, "empty cell"


@pytest.mark.parametrize(
    "case", one_of_each_name(c for c in EVERY_NUMBER if spread_over(c) is not None), ids=argument_id
)
def test_range_spills_and_one_bad_cell_spoils_only_itself(case: Case) -> None:
    function, index = case
    given = example_cells(function)
    good = spread_over(case)
    given[index] = [[good, good], [good, "many"], [NOT_AVAILABLE, good]]
    value = function.example[1]
    rows = call(function.name, *given)
    assert [len(row) for row in rows] == [2, 2, 2]
    assert rows[1][1] == error("Value")
    assert rows[2][0] == error("NotAvailable")
    assert all(same(cell, value) for cell in (rows[0][0], rows[0][1], rows[1][0], rows[2][1]))


@pytest.mark.parametrize("case", NUMERIC, ids=argument_id)
def test_text_where_a_number_belongs_names_the_argument(case: Case) -> None:
    function, index = case
    argument = function.arguments[index]
    given = example_cells(function)
    given[index] = "many"
    assert shown(function, given) == ("message", not_a_number(argument, "many"))


def not_a_number(argument: Argument, got: str) -> str:
    kind = "a whole number" if argument.quantity.kind == "integer" else "a number"
    return (
        f"{argument.name} is not a number: got '{got}', want {kind} ({argument.quantity.meaning}). "
        "Type digits, or a number with M, B or T for 10^6, 10^9 or 10^12."
    )


@pytest.mark.parametrize("number", [-1, 0, 1e300], ids=["negative", "zero", "huge"])
@pytest.mark.parametrize("case", NUMERIC, ids=argument_id)
def test_negative_zero_and_huge_are_as_in_the_registry(case: Case, number: float) -> None:
    function, index = case
    given = example_cells(function)
    given[index] = number
    (kind, value), (want_kind, want) = shown(function, given), outcome(function, given)
    assert kind == want_kind
    assert same(value, want)
    minimum = function.arguments[index].quantity.minimum
    if minimum is not None and number < minimum:
        assert str(value).startswith(f"{function.arguments[index].name} is out of range: got {number}, want at least ")


@pytest.mark.parametrize("case", ARGUMENTS, ids=argument_id)
def test_error_cell_passes_through(case: Case) -> None:
    function, index = case
    given: list[Any] = example_cells(function)
    given[index] = [[NOT_AVAILABLE]]
    if function.name == "SIZEBOOK_WHY":
        assert call(function.name, *given)[0][0] == error("NotAvailable")
        return
    assert call(function.name, *given) == [[error("NotAvailable")]]
