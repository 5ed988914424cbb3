"""Functions of spreadsheets that Python works out: those that the engine lacks or gets wrong.

`data/spreadsheet_functions.csv` names them ``own``. Each is proved by values that Excel stored, or a shipped workbook
uses it. Each takes values as a formula gives them (None for a blank, rows for a range, a `CellError` for an error
value) and raises a `CellError` for an error of its own; ``#N/IMPL!`` refuses the cell.
"""

from collections.abc import Callable
from typing import Any

from sizebook.calculation.spreadsheet import aggregates, arithmetic, calendar, lookups, texts

FUNCTIONS: dict[str, Callable[..., Any]] = {}
for _topic in (aggregates, arithmetic, calendar, lookups, texts):
    FUNCTIONS |= _topic.FUNCTIONS
