"""The printed formula is the function: on random admissible points, with its numbers put in, and in a workbook."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from sizebook.calculation import recalculate
from sizebook.core.cells import call, evaluate
from sizebook.core.errors import SizebookError
from sizebook.core.expression import Expression, parse
from sizebook.core.expression_tree import Call, walk
from sizebook.core.formula_text import expression, filled, javascript, with_numbers
from sizebook.core.registry import Function
from sizebook.functions import load
from tests.functions.points import Point, points

N_POINTS = 200
WITH_FORMULA = sorted((f for f in load().values() if f.formula), key=lambda f: f.name)
every_formula = pytest.mark.parametrize("function", WITH_FORMULA, ids=lambda f: f.name)

# Reserved in JavaScript, where the arguments are the parameters of an arrow function.
JAVASCRIPT_WORDS = (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends "
    "false finally for function if implements import in instanceof interface let new null package private protected "
    "public return static super switch this throw true try typeof var void while with yield"
)


def same(value: Any, result: Any) -> bool:
    """Whole numbers to the last digit, all others to 12: two ways to round a double differ in the 16th."""
    if isinstance(result, int) and (isinstance(value, int) or abs(result) < 2**53):
        return bool(value == result)
    return math.isclose(value, result, rel_tol=1e-12, abs_tol=0)


def worth(formula: Expression, values: dict[str, Any], result: Any) -> bool:
    """Return whether a formula gives the result: in doubles as surfaces compute, or else with every digit as by hand.

    By hand matters where doubles lose digits that the function keeps: 4.8944 bits times parameters, rounded up.
    """
    return any(same(formula.evaluate(values, call, read), result) for read in (None, Fraction))


@every_formula
def test_the_formula_is_its_function(function: Function) -> None:
    for point in points(function, N_POINTS):
        assert worth(parse(function.formula), filled(function, point.bound), point.result), point


@every_formula
def test_the_printed_numbers_are_worth_the_result(function: Function) -> None:
    for point in points(function, N_POINTS):
        printed = with_numbers(function, point.bound)
        text = parse(printed)
        assert text.names == ()
        # A count past 2^53 that came from doubles is one itself, and printed digits round in another place.
        from_doubles = isinstance(point.result, int) and any(isinstance(v, float) for v in point.bound.values())
        result = float(point.result) if from_doubles and abs(point.result) >= 2**53 else point.result
        assert worth(text, {}, result), (printed, point)


def _accepted(function: Function, name: str, choice: Any) -> bool:
    """Return whether the example with that choice is: a paper's closed form may not have every one."""
    given = {**function.example[0], name: choice}
    try:
        evaluate(function, [given.get(argument.name) for argument in function.arguments])
    except SizebookError:
        return False
    return True


@every_formula
def test_points_cover_choices_flags_and_blanks(function: Function) -> None:
    seen = list(points(function, N_POINTS))
    for argument in function.arguments:
        given = {point.given[argument.name] for point in seen}
        assert argument.required or (None in given and len(given) > 1)
        wanted: set[Any] = {True, False} if argument.quantity.kind == "flag" else set(argument.quantity.allowed)
        assert {choice for choice in wanted if _accepted(function, argument.name, choice)} <= given


@every_formula
def test_every_surface_can_print_it(function: Function) -> None:
    names = {a.name for a in function.arguments}
    assert set(parse(function.formula).names) == names, "an argument that the formula passes over"
    assert set(function.blanks) <= names
    assert not names & set(JAVASCRIPT_WORDS.split())
    assert javascript(function).startswith(f"({', '.join(a.name for a in function.arguments)}) => ")


@pytest.fixture(scope="module")
def calculated(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Point, Any, Any]]:
    """For a few points of every function: the value of its ordinary formula over cells, and of its LAMBDA."""
    book = Workbook()
    sheet = book["Sheet"]
    asked = [(function, point) for function in WITH_FORMULA for point in points(function, 4)]
    for row, (function, point) in enumerate(asked, 1):
        cells = {}
        values = filled(function, point.bound)
        for column, (name, value) in enumerate(values.items(), 3):
            cell = sheet.cell(row, column, value)
            cells[name] = cell.coordinate
        ordinary = {name: at for name, at in cells.items() if point.given[name] is not None}
        sheet.cell(row, 1, expression(function, ordinary).excel(ordinary))
        # Inside a LAMBDA the engine cannot look a table up: it works the calls out before the formula around them.
        if not any(isinstance(node, Call) and node.function.isupper() for node in walk(expression(function).tree)):
            names = [argument.name for argument in function.arguments]
            body = expression(function).excel({name: name for name in names}).removeprefix("=")
            sheet.cell(row, 2, f"=LAMBDA({','.join(names)},{body})({','.join(cells.values())})")
    path: Path = tmp_path_factory.mktemp("formulas") / "formulas.xlsx"
    book.save(path)
    values = recalculate(path).values
    return [
        (point, values["Sheet", f"A{row}"], values.get(("Sheet", f"B{row}"))) for row, (_, point) in enumerate(asked, 1)
    ]


def test_the_excel_formula_and_the_lambda_give_the_result(calculated: list[tuple[Point, Any, Any]]) -> None:
    assert sum(by_lambda is None for _, _, by_lambda in calculated) == 2 * 4  # MODEL_BYTES and WEIGHT_BYTES
    for point, *values in calculated:
        for value in values:
            assert value is None or math.isclose(value, point.result, rel_tol=1e-12), (value, point)
