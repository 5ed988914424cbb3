"""SIZEBOOK_WHY: the message behind an error value, for cells that have room for no more than ``#NUM!``."""

from __future__ import annotations

from typing import Annotated, Any

from sizebook import cells
from sizebook.errors import SizebookError
from sizebook.registry import Quantity, find, function

FunctionName = Annotated[str, Quantity("name of the function that shows the error, in quotation marks", kind="text")]
# Whole ranges: nothing is converted here, so that the function asked about sees what its own cell gave it.
AnyCells = Annotated[Any, Quantity("its argument in this place: a value, a cell or a range", kind="range")]
Message = Annotated[str, Quantity("what is wrong and what would mend it", kind="text")]

NO_ERROR = "no error"


@function(
    category="help",
    source="sizebook",
    example=(
        {"name": "PARAMS_LN", "arg_1": 0},
        "d_model is out of range: got 0, want at least 1 (hidden size: width of the residual stream). "
        "Correct the number.",
    ),
)
def sizebook_why(
    name: FunctionName,
    arg_1: AnyCells = None,
    arg_2: AnyCells = None,
    arg_3: AnyCells = None,
    arg_4: AnyCells = None,
    arg_5: AnyCells = None,
    arg_6: AnyCells = None,
    arg_7: AnyCells = None,
    arg_8: AnyCells = None,
    arg_9: AnyCells = None,
    arg_10: AnyCells = None,
    arg_11: AnyCells = None,
    arg_12: AnyCells = None,
    arg_13: AnyCells = None,
    arg_14: AnyCells = None,
    arg_15: AnyCells = None,
    arg_16: AnyCells = None,
    arg_17: AnyCells = None,
    arg_18: AnyCells = None,
    arg_19: AnyCells = None,
    arg_20: AnyCells = None,
) -> Message:
    """Return why a function shows an error: repeats its call and gives the message, or 'no error'.

    In front of the failing cell's arguments goes the function's name: =PARAMS_MHA(B2, TRUE) becomes
    =SIZEBOOK_WHY("PARAMS_MHA", B2, TRUE). Ranges give one message for each result.
    """
    given = [
        *(arg_1, arg_2, arg_3, arg_4, arg_5, arg_6, arg_7, arg_8, arg_9, arg_10),
        *(arg_11, arg_12, arg_13, arg_14, arg_15, arg_16, arg_17, arg_18, arg_19, arg_20),
    ]
    while given and given[-1] in (None, [[None]]):
        given.pop()
    try:
        messages: Message = _messages(cells.evaluate(find(name), given))
    except SizebookError as error:
        return str(error)
    return messages


def _messages(value: Any) -> Any:
    rows = cells.as_rows(value)
    return _message(value) if rows is None else [[_message(cell) for cell in row] for row in rows]


def _message(cell: Any) -> str:
    return str(cell) if isinstance(cell, SizebookError) else NO_ERROR
