"""The functions for classic xlwings UDFs (Windows, BSD licence): the module that the add-in's VBA asks.

A failed call returns the text of its error value; the VBA wrapper turns that text into a true error, because xlwings'
own wrapper would leave a text that ISERROR does not see and SUM skips. Equal calls are answered from memory: Excel
recalculates a column cell by cell, and many cells of a sheet ask the same.
"""

from __future__ import annotations

import marshal
import re
from functools import lru_cache, wraps
from typing import Any

import xlwings as xw

from sizebook.core.tables import user_folder
from sizebook.core.wizard import category
from sizebook.excel.functions import ExcelFunction, build, error_value
from sizebook.functions import load
from sizebook.intake.places import set_workbook_folder

MOST_CALLS, LONGEST_CALL = 4_096, 10_000  # calls remembered, bytes of the arguments of one
# A path in an argument stands for a file, which may change between two calls.
_OF_PATHS = re.compile(rb"[/\\]|\.json|\.csv")

_BUILT = build(error_value)


@lru_cache(maxsize=MOST_CALLS)
def _answer(call: bytes) -> Any:
    name, given = marshal.loads(call)
    return _BUILT[name](*given)


def _remembering(name: str, evaluated: ExcelFunction) -> ExcelFunction:
    @wraps(evaluated)
    def answered(*given: Any) -> Any:
        try:
            call = marshal.dumps((name, given), 2)  # 1, 1.0 and TRUE are three calls, as they are for a function
        except ValueError:
            return evaluated(*given)  # a date, or another object of COM
        if len(call) > LONGEST_CALL or _OF_PATHS.search(call):
            return evaluated(*given)
        return _answer(call)

    return answered


_FUNCTIONS = {
    name: xw.func(category=category(load()[name]))(_remembering(name, evaluated)) for name, evaluated in _BUILT.items()
}


@xw.func
def FILES_BESIDE(folder: str) -> str:  # noqa: N802 - not a function of a cell: VBA calls it before those of a workbook
    """Take the folder of the workbook that asks from now on, beside which its cells may read files."""
    set_workbook_folder(folder or "")
    return ""


@xw.func
def PAGE_OF_MODELS() -> str:  # noqa: N802 - not a function of a cell: a macro calls it
    """Write the page of models beside the user's own tables, open it in the browser and return its path."""
    import webbrowser

    from sizebook.dashboard.page import write_page
    from sizebook.dashboard.rows import published

    folder = user_folder()
    folder.mkdir(parents=True, exist_ok=True)
    page = write_page(published(), folder / "models.html")
    webbrowser.open(page.as_uri())
    return str(page)


__all__ = [*_FUNCTIONS, "FILES_BESIDE", "PAGE_OF_MODELS"]
globals().update(_FUNCTIONS)
