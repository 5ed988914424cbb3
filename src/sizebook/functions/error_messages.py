"""SIZEBOOK_WHY: the message behind an error value, for cells that have room for no more than ``#NUM!``.

A cell has no room for the notes of a count either: asked of a call that succeeds, they are given with its model.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from inspect import Parameter, Signature
from typing import Annotated, Any, TypeVar

from sizebook.core import cells, coercion
from sizebook.core.errors import SizebookError
from sizebook.core.quantities import Model
from sizebook.core.registry import MOST_ARGUMENTS, Function, find, function
from sizebook.core.sections import Quantity, quantity_of
from sizebook.models.functions import NO_NOTES, CheckpointPath, ConfigPath

FunctionName = Annotated[str, Quantity("name of the function that the cell calls, in quotation marks")]
# Whole ranges: nothing is converted here, so that the function asked about sees what its own cell gave it.
AnyCells = Annotated[Any, Quantity("its argument in this place: a value, a cell or a range", kind="range")]
Message = Annotated[str, Quantity("what is wrong and what would mend it")]

NO_ERROR = "no error"
MODELS = (quantity_of(Model), quantity_of(ConfigPath), quantity_of(CheckpointPath))
PLACES = tuple(f"arg_{place}" for place in range(1, MOST_ARGUMENTS))  # one is the name


Asking = TypeVar("Asking", bound=Callable[..., Any])


def asks_about_a_call(python: Asking) -> Asking:
    """Give a function of a name and keywords the places arg_1 to arg_59: a spreadsheet function has no keywords."""
    python.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter("name", Parameter.POSITIONAL_OR_KEYWORD)]
        + [Parameter(place, Parameter.POSITIONAL_OR_KEYWORD, default=None) for place in PLACES]
    )
    python.__annotations__ |= dict.fromkeys(PLACES, AnyCells)
    return python


def arguments_in_order(arguments: Mapping[str, Any]) -> list[Any]:
    """Return the arguments of the call asked about in order, without the empty places at the end."""
    given = [arguments.get(place) for place in PLACES]
    while given and given[-1] in (None, [[None]]):
        given.pop()
    return given


@asks_about_a_call
@function(category="help", source="sizebook")
def sizebook_why(name: FunctionName, **arguments: AnyCells) -> Message:
    """Return why a function shows an error: repeats its call and gives the message, or 'no error'.

    In front of the failing cell's arguments goes the function's name: =PARAMS_MHA(B2, TRUE) becomes
    =SIZEBOOK_WHY("PARAMS_MHA", B2, TRUE). Ranges give one message for each result. Behind 'no error' stand the notes
    on the count of the model that was asked about, where it has any (MODEL_NOTES).
    """
    try:
        asked, given = find(name), arguments_in_order(arguments)
        messages: Message = _messages(cells.evaluate(asked, given), _notes(asked, given))
    except SizebookError as error:
        return str(error)
    return messages


def _notes(asked: Function, given: list[Any]) -> list[list[Any]]:
    """Return the notes of the models that a call names, as rows."""
    for argument, cell in zip(asked.arguments, given, strict=False):
        if argument.quantity in MODELS:
            with suppress(SizebookError):  # the sample of CONFIG_PARAMS is no model of the catalog
                found = cells.evaluate(find("MODEL_NOTES"), [cell])
                return coercion.as_rows(found) or [[found]]
    return [[NO_NOTES]]


def _messages(value: Any, notes: list[list[Any]]) -> Any:
    rows = coercion.as_rows(value)
    if rows is None:
        return _message(value, notes[0][0])
    return [[_message(cell, _spread(_spread(notes, r), c)) for c, cell in enumerate(row)] for r, row in enumerate(rows)]


def _spread(values: list[Any], at: int) -> Any:
    """Return the value in a place; a single one stands in every place."""
    return values[at if len(values) > 1 else 0]


def _message(cell: Any, note: Any) -> str:
    if isinstance(cell, SizebookError):
        return str(cell)
    return NO_ERROR if note == NO_NOTES or isinstance(note, SizebookError) else f"{NO_ERROR}; note: {note}"
