"""The functions for classic xlwings UDFs (Windows, BSD licence): the module that the add-in's VBA asks.

A failed call returns the text of its error value; the VBA wrapper turns that text into a true error, because xlwings'
own wrapper would leave a text that ISERROR does not see and SUM skips. Equal calls are answered from memory, and a long
column later (`deferred_answers`): Excel recalculates a column cell by cell, and many cells of a sheet ask the same.

xlwings hands values over as COM has them (its converter ``raw``): its usual one goes over each argument and result in
several steps, most of the time of a short call, to make what `sizebook.core.coercion` makes of cells anyway.
"""

import marshal
from decimal import Decimal
from functools import wraps
from typing import Any

import xlwings as xw

from sizebook.core.tables import user_folder
from sizebook.core.wizard import category
from sizebook.excel.callables import ExcelFunction, build_callables, error_value
from sizebook.excel.deferred_answers import WAITING, DeferredAnswers
from sizebook.functions import load
from sizebook.intake.allowed_files import files_asked, set_workbook_folder

LONGEST_CALL = 10_000  # bytes of the arguments of a call that is remembered

# How COM hands over the error values of cells, by what is added to a code of Windows; a number of a cell is a double,
# or a decimal where the cell shows a currency, never an integer.
_OF_WINDOWS = -2146828288
_ERRORS = {
    _OF_WINDOWS + code: name
    for code, name in {
        2000: "#NULL!",
        2007: "#DIV/0!",
        2015: "#VALUE!",
        2023: "#REF!",
        2029: "#NAME?",
        2036: "#NUM!",
        2042: "#N/A",
        2045: "#SPILL!",
        2050: "#CALC!",
        **dict.fromkeys((2043, 2046, 2047, 2048, 2049), "#VALUE!"),  # of data types and of data under way
    }.items()
}


_answers = DeferredAnswers([[WAITING]])
_may_wait = False  # whether what asks shows `WAITING` as an error value and asks again


def _remembering(name: str, evaluated: ExcelFunction) -> ExcelFunction:
    @wraps(evaluated)
    def answered(*sent: Any) -> Any:
        given = [cell if type(cell) is float else _received(cell) for cell in sent]
        try:
            call = marshal.dumps((name, given), 2)  # 1, 1.0 and TRUE are three calls, as they are for a function
        except ValueError:
            return _rows(evaluated(*given))  # a date, or another object of COM
        if len(call) > LONGEST_CALL:
            return _rows(evaluated(*given))
        return _answers.answer(call, lambda: _computed(evaluated, given), may_wait=_may_wait)

    return answered


def _computed(evaluated: ExcelFunction, given: list[Any]) -> tuple[Any, bool]:
    """Return the answer to a call; one that follows from a file is not to be remembered, for files change."""
    asked = files_asked()
    return _rows(evaluated(*given)), files_asked() == asked


def _rows(value: Any) -> list[list[Any]]:
    """Return a result as COM takes it: rows, and nothing as an empty text."""
    if not isinstance(value, list):
        return [["" if value is None else value]]
    return [["" if cell is None else cell for cell in row] for row in value]


def _received(cell: Any) -> Any:
    """Return what COM hands over as cells hold it: errors as texts, amounts as numbers, an empty text as nothing."""
    if isinstance(cell, (tuple, list)):
        return [_received(each) for each in cell]
    if type(cell) is int:
        return _ERRORS.get(cell, cell)
    if isinstance(cell, Decimal):
        return float(cell)
    return None if cell == "" else cell


def _declared(name: str, evaluated: ExcelFunction) -> ExcelFunction:
    """Return a function as xlwings registers it, its values handed over as they are."""
    function = load()[name]
    for argument in function.arguments:
        evaluated = xw.arg(argument.name, convert="raw")(evaluated)
    registered: ExcelFunction = xw.func(category=category(function))(xw.ret(convert="raw")(evaluated))
    return registered


_FUNCTIONS = {
    name: _declared(name, _remembering(name, evaluated)) for name, evaluated in build_callables(error_value).items()
}


@xw.func
def FILES_BESIDE(folder: str, may_wait: bool = False) -> str:  # noqa: N802 - not a function of a cell: VBA calls it
    """Take the folder of the workbook that asks from now on, beside which its cells may read files.

    ``may_wait`` is true of a cell that is asked again: it may be told that its answer comes later.
    """
    global _may_wait
    set_workbook_folder(folder or "")
    _may_wait = may_wait
    return ""


@xw.func
def CALLS_WAITING() -> int:  # noqa: N802 - not a function of a cell: VBA asks until none is left
    """Return how many calls wait for their answers."""
    return _answers.waiting()


@xw.func
def PAGE_OF_MODELS() -> str:  # noqa: N802 - not a function of a cell: a macro calls it
    """Write the page of models beside the user's own tables, open it in the browser and return its path."""
    import webbrowser

    from sizebook.dashboard.catalog_models import published_models
    from sizebook.dashboard.html_page import write_page

    folder = user_folder()
    folder.mkdir(parents=True, exist_ok=True)
    page = write_page(published_models(), folder / "models.html")
    webbrowser.open(page.as_uri())
    return str(page)


__all__ = [*_FUNCTIONS, "CALLS_WAITING", "FILES_BESIDE", "PAGE_OF_MODELS"]
globals().update(_FUNCTIONS)
