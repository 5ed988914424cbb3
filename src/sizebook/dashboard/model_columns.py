"""The columns of the page: what each means, and the spreadsheet call that gives its value.

A value of the page is the value of that call, so the page, a cell and the command line cannot differ, and "copy as
Excel formula" copies what was computed.
"""

from dataclasses import dataclass
from typing import Any, Literal

from sizebook.core.cells import evaluate
from sizebook.core.data_records import data_records
from sizebook.core.errors import UnknownKeyError
from sizebook.functions import find

Kind = Literal["text", "count", "number", "date", "share"]


@dataclass(frozen=True)
class Column:
    """One column: the value of a function ``of`` something for a model, ``over`` what divides it.

    ``of`` is the column's own name where it is left out; ``over`` is another column or a number. ``shown`` columns
    stand in the table from the start, ``narrow`` ones also on a phone.
    """

    name: str
    title: str
    meaning: str
    kind: Kind = "text"
    function: str = "MODEL_SPEC"
    of: str | int = ""
    over: str | int = ""
    unit: str = ""
    shown: bool = False
    narrow: bool = False

    @property
    def call(self) -> tuple[str | int, ...]:
        """The function and what follows the model among its arguments, nothing where no call gives the value."""
        asked = self.of or (self.name if self.function == "MODEL_SPEC" else "")
        return tuple(word for word in (self.function, asked) if word)

    @property
    def given(self) -> bool:
        """Whether a table of own models may state it: a fact or dimension as it stands in the catalog."""
        return self.function == "MODEL_SPEC" and not self.over


COLUMNS = data_records("model_columns", Column)
BY_NAME = {column.name: column for column in COLUMNS}


def column_value(column: Column, model: str, known: dict[str, Any]) -> Any:
    """Return what a column holds for a model of the catalog or of a file; None where it was not published.

    ``known`` are the columns before it in the same row.
    """
    if not column.call:
        return known.get(column.name)
    name, *rest = column.call
    try:
        found = evaluate(find(str(name)), [model, *rest])
    except UnknownKeyError:  # not published, or a file that does not state it
        return None
    return column_quotient(column, found, known)


def column_quotient(column: Column, found: Any, known: dict[str, Any]) -> Any:
    """Return a value over what the column divides it by; None where either is unknown or no cache is kept at all."""
    if not column.over:
        return found
    divisor = known.get(column.over) if isinstance(column.over, str) else column.over
    return found / divisor if found and divisor else None


def column_formula(column: Column, model: str) -> str:
    """Return the Excel formula of a column for a model, US English; an empty text where no single call gives it."""
    if not column.call:
        return ""
    dividing = BY_NAME[column.over].call if isinstance(column.over, str) and column.over else ()
    over = f"/{_call(dividing, model)}" if dividing else f"/{column.over}" if column.over else ""
    return f"={_call(column.call, model)}{over}"


def _call(words: tuple[str | int, ...], model: str) -> str:
    name, *rest = words
    cells = [f'"{word}"' if isinstance(word, str) else str(word) for word in (model, *rest)]
    return f"{name}({','.join(cells)})"
