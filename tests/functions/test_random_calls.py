"""No call, however wild, ends in anything but a value that a cell can hold or a refusal in words, in bounded time.

SIZEBOOK_RANDOM_CALLS says how many calls in all (a million before a release), SIZEBOOK_RANDOM_SEED which ones.
"""

import math
import os
import time
from typing import Annotated, Any

import pytest

from sizebook.core.cells import evaluate
from sizebook.core.errors import CODES, RangeError, SizebookError, shown
from sizebook.core.registry import Function
from sizebook.core.sections import Quantity
from sizebook.functions import load
from tests.functions.random_calls import calls
from tests.refused import message_of

N_CALLS = int(os.environ.get("SIZEBOOK_RANDOM_CALLS", "20000"))
SEED = int(os.environ.get("SIZEBOOK_RANDOM_SEED", "1"))
SECONDS = {"formula": 0.05, "search": 30.0, "simulation": 30.0}
SLOW_SHARE = 0.01  # searches and simulations get so much fewer calls
LONGEST_MESSAGE = 4000
FUNCTIONS = sorted(load().values(), key=lambda f: f.name)
MAY_BE_NEGATIVE = {"CACHE_BYTES_AVAILABLE"}  # how much is missing


def n_calls(function: Function) -> int:
    """The share of a function in all calls."""
    fast = sum(1 for each in FUNCTIONS if each.effort == "formula")
    each = math.ceil(N_CALLS / fast)
    return each if function.effort == "formula" else math.ceil(each * SLOW_SHARE)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_a_call_gives_a_value_or_a_refusal(function: Function) -> None:
    wrong = [f"{told} for {shown(cells)}" for cells in calls(function, n_calls(function), SEED)
             if (told := judged(function, cells))]  # fmt: skip
    assert not wrong


def judged(function: Function, cells: list[Any]) -> str:
    """Return what is wrong with the outcome of a call, an empty text where nothing is."""
    seconds, outcome = timed(function, cells)
    if seconds > SECONDS[function.effort]:  # again, for tables are read once and the machine may be busy
        seconds = min(timed(function, cells)[0] for _ in range(3))
    if seconds > SECONDS[function.effort]:
        return f"took {seconds:.3f} s"
    return refused_badly(outcome) if isinstance(outcome, SizebookError) else shown_badly(function, outcome)


def timed(function: Function, cells: list[Any]) -> tuple[float, Any]:
    """Return the processor time of a call and its value or refusal; any other exception is a failure of the test."""
    start = time.process_time()
    try:
        outcome = evaluate(function, cells)
    except SizebookError as error:
        outcome = error
    return time.process_time() - start, outcome


def refused_badly(error: SizebookError) -> str:
    message = str(error)
    if error.code not in CODES:
        return f"code {error.code}"
    if len(message) > LONGEST_MESSAGE:
        return f"message of {len(message)} characters"
    return "" if ": got " in message and ", want " in message else f"message {message!r}"


def shown_badly(function: Function, value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return next((told for each in value if (told := shown_badly(function, each))), "")
    if isinstance(value, SizebookError):
        return refused_badly(value)
    if not isinstance(value, (bool, int, float, str)) and value is not None:
        return f"a {type(value).__name__}"
    if isinstance(value, (int, float)) and not abs(value) <= 1.7976931348623157e308:
        return f"not finite: {value}"
    signed = function.name in MAY_BE_NEGATIVE or not function.result.unit.startswith(("USD", "bytes"))
    return "" if signed or isinstance(value, str) or value is None or value >= 0 else f"negative: {value}"


def test_results_in_money_and_bytes_are_declared_as_never_negative() -> None:
    units = ("USD", "bytes")
    signed = {f.name for f in FUNCTIONS if f.result.unit.startswith(units) and not f.result.never_negative}
    assert signed == MAY_BE_NEGATIVE


Number = Annotated[float, Quantity("any number")]
Money = Annotated[float, Quantity("money", unit="USD", minimum=0)]
Table = Annotated[list[list[float]], Quantity("numbers", kind="range")]


def refund(factor: Number) -> Money:
    """Return a negative amount."""
    return -1 * factor


def squares(factor: Number) -> Table:
    """Return a table whose last number is no double."""
    return [[factor, factor * factor]]


@pytest.mark.parametrize(
    ("python", "message"),
    [
        (refund, "result out of range: got -1e+200 from REFUND, want at least 0 (money). Correct the arguments."),
        (
            squares,
            "result out of range: got inf from SQUARES, want a number that a cell can hold. Use smaller arguments.",
        ),
    ],
)
def test_the_boundary_refuses_what_no_cell_should_show(python: Any, message: str) -> None:
    assert (
        message_of(RangeError, lambda: evaluate(Function(python, "test", "none", "", ({}, 0), {}), [1e200])) == message
    )
