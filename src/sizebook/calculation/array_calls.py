"""Functions that the engine works out for one value, over arrays: value by value, in a model of their own.

The engine takes of an array the first value, or gives #VALUE!, where a function asks for one; in an array formula and
inside SUMPRODUCT Excel works such a function out for each. So the call is handed here with its name: what it asks one
value for is spread over the shape of its arrays, and each place is a formula of one row of a second model.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import formualizer

from sizebook.calculation.callback_names import OMITTED
from sizebook.calculation.spreadsheet.argument_values import rows_of
from sizebook.calculation.spreadsheet_functions import ARRAY, RANGE, spreadsheet_functions
from sizebook.calculation.tokens import Area, absolute, address
from sizebook.calculation.values import NOT_CALCULABLE, error, placed

# Functions of one number that Python works out alike, without a model of their own.
_OF_A_NUMBER: dict[str, Callable[[float], float]] = {"INT": math.floor, "ABS": abs}
# What may hand on a blank cell, which would be 0 once it is the result of a formula.
_HAND_ON = frozenset(("CHOOSE", "HLOOKUP", "IFNA", "IFS", "INDEX", "SWITCH", "VLOOKUP", "XLOOKUP"))
_MOST_PLACES = 200_000  # some 6 s; the rows of a whole column would take half a minute each time
_PLACES = "places"  # the sheet with a row for each place; an array that is taken whole stands on a sheet of its own


def called_for_each(name: str, *given: Any) -> Any:
    """Return what a function gives for each place of its arrays; of one place a value, otherwise rows."""
    if len(given) == 1 and name in _OF_A_NUMBER:
        rows, worked_out = rows_of(given[0]), _OF_A_NUMBER[name]
        types = {type(value) for row in rows for value in row}
        if types <= {int, float}:
            return [list(map(float, map(worked_out, row))) for row in rows]
        if types <= {int, float, dict}:  # an error is a dict
            return [[v if type(v) is dict else float(worked_out(v)) for v in row] for row in rows]
    function = spreadsheet_functions()[name]
    whole = [function.kind(number) in (RANGE, ARRAY) for number in range(len(given))]
    arrays = [rows_of(value) for value in given]
    spread = [rows for rows, is_whole in zip(arrays, whole, strict=True) if not is_whole]
    height, width = max(len(rows) for rows in spread), max(len(rows[0]) for rows in spread)
    if height * width > _MOST_PLACES:
        return error(NOT_CALCULABLE)
    model = formualizer.Workbook()
    model.set_temporal_egress("serial")
    model.add_sheet(_PLACES)
    texts = [_whole(model, rows, number) if is_whole else "" for number, (rows, is_whole)
             in enumerate(zip(arrays, whole, strict=True))]  # fmt: skip
    last = len(given) + 1
    for place in range(height * width):
        row, column = divmod(place, width)
        parts = [text or _one(model, placed(rows, row, column), (place + 1, number)) for number, (text, rows)
                 in enumerate(zip(texts, arrays, strict=True), 1)]  # fmt: skip
        call = f"{name}({','.join(parts)})"
        model.set_formula(_PLACES, place + 1, last, f"=IF(ISBLANK({call}),{OMITTED},{call})" if name in _HAND_ON
                          else f"={call}")  # fmt: skip
    model.evaluate_all()
    found = [_shown(model.get_value(_PLACES, place + 1, last)) for place in range(height * width)]
    return found[0] if len(found) == 1 else [found[at : at + width] for at in range(0, len(found), width)]


def _one(model: Any, value: Any, place: tuple[int, int]) -> str:
    """Put one value into its place and return the reference to it; nothing for an argument that is left out."""
    if value == OMITTED[1:-1]:
        return ""
    if value is not None:
        model.set_value(_PLACES, *place, 0.0 if value == 0 and type(value) is float else value)  # not -0
    return address(*place)


def _whole(model: Any, rows: Sequence[Sequence[Any]], number: int) -> str:
    """Put an array on a sheet of its own and return the reference to it."""
    sheet = f"array{number}"
    model.add_sheet(sheet)
    for row, values in enumerate(rows, 1):
        for column, value in enumerate(values, 1):
            if value is not None:
                model.set_value(sheet, row, column, value)
    model.set_value(sheet, len(rows), len(rows[0]) + 1, 0.0)  # COUNTIFS counts blank cells down to the last used row
    return absolute(Area(sheet, 1, 1, bottom=len(rows), right=len(rows[0])))


def _shown(value: Any) -> Any:
    """Return a place as the engine takes it back; a blank is blank to what reads it."""
    if value == OMITTED[1:-1]:
        return None
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
