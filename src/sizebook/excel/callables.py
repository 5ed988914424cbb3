"""Builds what xlwings registers: one plain callable for every function of the registry, none written by hand.

The surfaces differ only in the decorator and in how a single call shows an error (`classic`, `officejs`). Every
argument is declared as a two-dimensional range, because xlwings hands over a 1x1 range as a scalar and converts nothing
itself; `sizebook.core.coercion` is the one place that turns cells into arguments.
"""

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Annotated, Any

from sizebook.core import cells, coercion
from sizebook.core.errors import SizebookError
from sizebook.core.registry import Function
from sizebook.core.wizard import argument_help
from sizebook.functions import load
from sizebook.intake.allowed_files import asked_by_a_cell

ExcelFunction = Callable[..., Any]
OnError = Callable[[SizebookError], Any]

# The error values that every Excel can hold; the newer ones (#SPILL!, #CALC!) arrive but cannot be written.
ERROR_VALUES = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")


def build_callables(on_error: OnError) -> dict[str, ExcelFunction]:
    """Return a callable for every function by its Excel name; `on_error` says what a failed single call does."""
    return {name: excel_function(function, on_error) for name, function in load().items()}


def excel_function(function: Function, on_error: OnError) -> ExcelFunction:
    """Return one callable with the signature, the help and the argument options that xlwings reads."""

    def evaluated(*given: Any) -> Any:
        try:
            with asked_by_a_cell():
                return _written(cells.evaluate(function, given))
        except SizebookError as error:
            return on_error(error)

    hints = {a.name: _hint(argument_help(a)) for a in function.arguments}
    parameters = [
        Parameter(a.name, Parameter.POSITIONAL_OR_KEYWORD, default=Parameter.empty if a.required else None)
        for a in function.arguments
    ]
    evaluated.__name__ = evaluated.__qualname__ = function.name
    evaluated.__doc__ = function.summary
    evaluated.__annotations__ = hints
    evaluated.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return evaluated


def _hint(doc: str) -> Any:
    """Return the argument options of xlwings; error cells arrive as text, or they would look blank."""
    return Annotated[list, {"ndim": 2, "err_to_str": True, "doc": doc}]


def error_value(error: SizebookError) -> str:
    """Return the error value that a cell shows, #VALUE! for the ones that Excel does not accept back."""
    return error.code if error.code in ERROR_VALUES else "#VALUE!"


def _written(value: Any) -> Any:
    if type(value) in (int, float):  # what most calls give
        return float(value)
    rows = coercion.as_rows(value)
    return _cell(value) if rows is None else [[_cell(cell) for cell in row] for row in rows]


def _cell(cell: Any) -> Any:
    """Return one result as Excel takes it: an integer as the double it becomes, as COM has none above 64 bits."""
    if isinstance(cell, SizebookError):
        return error_value(cell)
    return float(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell
