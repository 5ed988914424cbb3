"""SIZEBOOK_WHY: the message behind an error value, for cells that have room for no more than ``#NUM!``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Annotated, Any, TypeVar

from sizebook.core import cells, coercion
from sizebook.core.errors import SizebookError
from sizebook.core.registry import Quantity, find, function

FunctionName = Annotated[str, Quantity("name of the function that shows the error, in quotation marks", kind="text")]
# Whole ranges: nothing is converted here, so that the function asked about sees what its own cell gave it.
AnyCells = Annotated[Any, Quantity("its argument in this place: a value, a cell or a range", kind="range")]
Message = Annotated[str, Quantity("what is wrong and what would mend it", kind="text")]

NO_ERROR = "no error"
# VBA takes at most 60 arguments; no function has more than 58.
PLACES = tuple(f"arg_{place}" for place in range(1, 59))


Asking = TypeVar("Asking", bound=Callable[..., Any])


def asks_about_a_call(python: Asking) -> Asking:
    """Give a function of a name and keywords the places arg_1 to arg_58: a spreadsheet function has no keywords."""
    python.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter("name", Parameter.POSITIONAL_OR_KEYWORD)]
        + [Parameter(place, Parameter.POSITIONAL_OR_KEYWORD, default=None) for place in PLACES]
    )
    python.__annotations__ |= dict.fromkeys(PLACES, AnyCells)
    return python


def in_places(arguments: Mapping[str, Any]) -> list[Any]:
    """Return the arguments of the call asked about in order, without the empty places at the end."""
    given = [arguments.get(place) for place in PLACES]
    while given and given[-1] in (None, [[None]]):
        given.pop()
    return given


@asks_about_a_call
@function(
    category="help",
    source="sizebook",
    example=(
        {"name": "PARAMS_LN", "arg_1": 0},
        "d_model is out of range: got 0, want at least 1 (hidden size: width of the residual stream). "
        "Correct the number.",
    ),
)
def sizebook_why(name: FunctionName, **arguments: AnyCells) -> Message:
    """Return why a function shows an error: repeats its call and gives the message, or 'no error'.

    In front of the failing cell's arguments goes the function's name: =PARAMS_MHA(B2, TRUE) becomes
    =SIZEBOOK_WHY("PARAMS_MHA", B2, TRUE). Ranges give one message for each result.
    """
    try:
        messages: Message = _messages(cells.evaluate(find(name), in_places(arguments)))
    except SizebookError as error:
        return str(error)
    return messages


def _messages(value: Any) -> Any:
    rows = coercion.as_rows(value)
    return _message(value) if rows is None else [[_message(cell) for cell in row] for row in rows]


def _message(cell: Any) -> str:
    return str(cell) if isinstance(cell, SizebookError) else NO_ERROR
