"""Arguments that are written out in a formula, where the engine would take them otherwise than Excel."""

from collections.abc import Sequence

from sizebook.calculation.names import NotCalculableError
from sizebook.calculation.spreadsheet.argument_values import number_of_text
from sizebook.calculation.spreadsheet_functions import (
    ARRAY,
    CHECKED,
    COUNTED,
    KEPT,
    RANGE,
    READ,
    TRUTH,
    SpreadsheetFunction,
)
from sizebook.calculation.tokens import Token
from sizebook.core.errors import CellError


def names_lost_range(parts: Sequence[list[Token]], function: SpreadsheetFunction) -> bool:
    """Return whether a range that a call needs is one that is gone; the engine works on without it."""
    return any(
        len(part) == 1 and part[0].text.upper() == "#REF!" and function.kind(number) in (RANGE, ARRAY)
        for number, part in enumerate(parts)
    )


def as_taken(part: list[Token], rule: str) -> list[Token]:
    """Return an argument that is written out as the function takes it, where the engine would take it otherwise."""
    if rule in ("", KEPT) or len(part) != 1 or part[0].kind not in ("text", "error", "name"):
        return part
    found = part[0].text[1:-1] if part[0].kind == "text" else part[0].text.upper()
    if part[0].kind == "error":
        return [Token("text", '""')] if rule == COUNTED else part
    if rule == COUNTED:
        return part
    if part[0].kind == "name":
        return [Token("number", str(int(found == "TRUE")))] if rule == READ and found in ("TRUE", "FALSE") else part
    if rule == TRUTH and found.upper() in ("TRUE", "FALSE"):
        return [Token("name", found.upper())]
    try:
        number = number_of_text(found)
    except CellError as problem:
        if problem.code != "#VALUE!":
            raise NotCalculableError(f"{part[0].text} is a number or a day of a year that only Excel knows") from None
        return [Token("error", "#VALUE!")]
    return part if rule == CHECKED else [Token("number", repr(number))]
