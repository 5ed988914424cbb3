"""Criteria that seek an error, as COUNTIF(A1:A9,"#N/A") and SUMIF(A1:A9,"<>#N/A"): the engine would find none."""

import re
from collections.abc import Sequence

from sizebook.calculation.callback_names import SAME_ERROR
from sizebook.calculation.names import NotCalculableError
from sizebook.calculation.tokens import LAST_COLUMN, LAST_ROW, Token, area

# Where the criteria begin; each stands behind its range, and every other argument is one.
_FIRST = {"COUNTIF": 1, "COUNTIFS": 1, "SUMIF": 1, "AVERAGEIF": 1} | dict.fromkeys(
    ("SUMIFS", "AVERAGEIFS", "MAXIFS", "MINIFS"), 2
)
_SUMS_ITS_RANGE = ("SUMIF", "AVERAGEIF")  # where no other is given
_SOUGHT = re.compile(r'"?(=|<>)?(#N/A|#[A-Z0-9/]+[!?])"?', re.IGNORECASE)


def is_criterion(name: str, number: int) -> bool:
    """Return whether the argument of that number, from 0, is a criterion."""
    first = _FIRST.get(name)
    return first is not None and number >= first and (number - first) % 2 == 0


def areas_of_one_size(name: str, parts: Sequence[list[Token]], sheet: str) -> bool:
    """Return whether the areas of a function of several criteria, as far as they are plain ones, are of one size."""
    first = _FIRST.get(name)
    if first is None or not name.endswith("IFS"):
        return True
    ranges = [part for number, part in enumerate(parts) if not is_criterion(name, number)]
    places = [area(part[0].text, sheet) for part in ranges if len(part) == 1 and part[0].kind == "reference"]
    return len({(place.bottom - place.top, place.right - place.left) for place in places if place is not None}) < 2


def with_errors_sought(name: str, parts: Sequence[list[Token]]) -> list[list[Token]]:
    """Return the arguments of a function of criteria; a range in which an error is sought is 1 where it stands."""
    found = list(parts)
    for number in range(_FIRST.get(name, len(parts)), len(parts), 2):
        criterion = parts[number]
        sought = _SOUGHT.fullmatch(criterion[0].text) if len(criterion) == 1 else None
        if sought is None:
            continue
        if any(_is_open(part) for part in parts):
            raise NotCalculableError(f"{name} seeks an error in whole columns or rows")
        found[number] = [Token("text", '"<>1"' if sought[1] == "<>" else '"=1"')]
        found[number - 1] = [
            Token("call", f"{SAME_ERROR}("), *parts[number - 1], Token("comma", ","),
            Token("text", f'"{sought[2].upper()}"'), Token("close", ")"),
        ]  # fmt: skip
        if name in _SUMS_ITS_RANGE and len(parts) == number + 1:
            found.append(parts[number - 1])
    return found


def _is_open(part: Sequence[Token]) -> bool:
    places = [area(token.text, "") for token in part if token.kind == "reference"]
    return any(place is not None and (place.bottom == LAST_ROW or place.right == LAST_COLUMN) for place in places)
