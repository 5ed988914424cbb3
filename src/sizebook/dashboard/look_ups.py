"""The functions that the page looks up: their value for every model and every choice, as Python gives it.

A function is looked up where all that it asks for is a model or one of some words; a text that it takes besides, such
as a region, stays blank on the page.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any

from sizebook.core.cells import evaluate
from sizebook.core.errors import SizebookError
from sizebook.core.registry import Function
from sizebook.core.sections import Argument
from sizebook.dashboard.estimates import page_estimates
from sizebook.functions import load

_MOST_VALUES = 25_000


def look_ups(models: Sequence[str]) -> dict[str, Any]:
    """Return the values of every function that is looked up, its words turning the faster the later they stand."""
    estimated = {each.name for each in page_estimates()}
    asked = [each for each in load().values() if _is_looked_up(each) and each.name not in estimated]
    looked = [(each, _words(each, models)) for each in asked]
    return {
        function.name: {"axes": list(axes), "values": _values(function, axes)}
        for function, axes in looked
        if axes and math.prod(map(len, axes.values())) <= _MOST_VALUES
    }


def _is_looked_up(function: Function) -> bool:
    is_one_value = function.result.kind != "range" and function.effort == "formula" and not function.formula
    return is_one_value and all(_is_axis(each) or _stays_blank(each) for each in function.arguments)


def _is_axis(argument: Argument) -> bool:
    quantity = argument.quantity
    return argument.name == "model" or (bool(quantity.allowed) and (argument.required or quantity.kind == "choice"))


def _stays_blank(argument: Argument) -> bool:
    """Return whether a look-up goes without an argument: a text, or the GPUs that a tier of a book counts."""
    return not argument.required and (argument.quantity.kind == "text" or argument.name == "rented_gpus")


def _words(function: Function, models: Sequence[str]) -> dict[str, Sequence[str]]:
    return {
        each.name: models if each.name == "model" else each.quantity.allowed
        for each in function.arguments
        if _is_axis(each)
    }


def _values(function: Function, axes: dict[str, Sequence[str]]) -> list[Any]:
    return [_value(function, dict(zip(axes, chosen, strict=True))) for chosen in itertools.product(*axes.values())]


def _value(function: Function, given: dict[str, str]) -> Any:
    try:
        return evaluate(function, [given.get(argument.name) for argument in function.arguments])
    except SizebookError:  # not published, not measured, nowhere listed
        return None
