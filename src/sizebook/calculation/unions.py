"""Several areas in one: unions in parentheses, areas over several sheets, and what two areas have in common."""

from collections.abc import Sequence

from sizebook.calculation.names import NotCalculableError
from sizebook.calculation.operands import intersection, operands_meet
from sizebook.calculation.spreadsheet_functions import RANGE, SpreadsheetFunction
from sizebook.calculation.tokens import Area, Token, absolute, area, arguments, closing, unquoted
from sizebook.calculation.used_cells import UsedCells

_ORDERED = ("CONCAT",)


def spliced_arguments(
    parts: Sequence[list[Token]], function: SpreadsheetFunction, sheet: str, sheets: Sequence[str]
) -> list[list[Token]]:
    """Return the arguments with unions and areas over several sheets as arguments of their own, where many go."""
    found: list[list[Token]] = []
    for number, part in enumerate(parts):
        more = _several(part, sheet, sheets) if function.kind(number) == RANGE and function.repeats else None
        found += [part] if more is None else more
    return found


def with_used_columns(
    name: str, parts: Sequence[list[Token]], function: SpreadsheetFunction, sheet: str, used: UsedCells
) -> list[list[Token]]:
    """Return the arguments with areas that span too many cells as their used columns, where no order counts."""
    found: list[list[Token]] = []
    for number, part in enumerate(parts):
        place = area(part[0].text, sheet) if len(part) == 1 and part[0].kind == "reference" else None
        takes_many = function.arguments == "r/r" and name not in _ORDERED and function.kind(number) == RANGE
        pieces = used.split(place) if place is not None and takes_many else None
        found += [part] if pieces is None else [[Token("reference", absolute(piece))] for piece in pieces]
    return found


def _several(part: list[Token], sheet: str, sheets: Sequence[str]) -> list[list[Token]] | None:
    """Return the references that a union or an area over several sheets consists of, None for another argument."""
    if len(part) == 1 and part[0].kind == "reference":
        place = area(part[0].text, sheet)
        if place is not None and ":" in place.sheet:
            return [[Token("reference", text)] for text in _through(place, sheets)]
    if part and part[0].kind == "open" and closing(part, 0) == len(part) - 1:
        inner = arguments(part, 0, len(part) - 1)
        if len(inner) > 1:
            return [piece for each in inner for piece in (_several(each, sheet, sheets) or [each])]
    return None


def _through(place: Area, sheets: Sequence[str]) -> list[str]:
    """Return an area on each sheet from the first that it names to the last."""
    names = [name.casefold() for name in sheets]
    first, _, last = unquoted(place.sheet).partition(":")
    if first.casefold() not in names or last.casefold() not in names:
        raise NotCalculableError(f"{place.sheet} names a sheet that is not there")
    low, high = sorted((names.index(first.casefold()), names.index(last.casefold())))
    return [absolute(place._replace(sheet=sheet)) for sheet in sheets[low : high + 1]]


def intersected(tokens: Sequence[Token], sheet: str) -> list[Token]:
    """Return the tokens with each intersection of two areas worked out, and other spaces left out."""
    found: list[Token] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.kind == "space":
            continue
        if before is not None and before.kind == "space" and found and operands_meet(found[-1], token):
            found[-1] = intersection(found[-1], token, sheet)
        else:
            found.append(token)
    return found
