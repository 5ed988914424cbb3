"""Texts that Excel reads as numbers where the engine does not, as ``$5``, ``1,000`` and ``(5)``, or where only Excel
knows of which year a day is (``1/2``).

Written out in a formula they become their number; what works with a cell that holds one is refused. Criteria
(``COUNTIF(A1:A9,"$7")``) are read in ways that Excel does not document, and refused as well.
"""

import re
from collections.abc import Sequence

from sizebook.calculation.names import NotCalculableError
from sizebook.calculation.spreadsheet.argument_values import LONGEST_NUMBER, number_of_text
from sizebook.calculation.tokens import Token
from sizebook.core.errors import CellError

_ARITHMETIC = ("+", "-", "*", "/", "^", "%")
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_OF_NO_YEAR = re.compile(
    rf"(?:\d+ )?\d+/\d+|\d\d?-\d\d?|\d\d?[ -]?{_MONTH}|{_MONTH}[ -]?\d\d?", re.IGNORECASE | re.ASCII
)
_MAY_BE = re.compile(r"\s*[-+(]*\s*\$?\s*[-+(]*\d[\d,.\s/%)$eE+-]*|\s*\d*[ -]?[A-Za-z]{3,9}[ -]?\d*\s*", re.ASCII)


def is_doubtful(text: str) -> bool:
    """Return whether Excel reads a text as a number that the engine does not read."""
    if len(text) > LONGEST_NUMBER or _MAY_BE.fullmatch(text) is None:
        return False
    stripped = text.strip()
    return _OF_NO_YEAR.fullmatch(stripped) is not None or (
        any(sign in stripped for sign in "$,(") and _number(stripped) is not None
    )


def as_criterion_is_doubtful(text: str) -> bool:
    """Return whether Excel may read a text as another criterion than the engine: percent, money, thousands."""
    body = text.lstrip("<>=")
    return is_doubtful(body) or (body.rstrip().endswith("%") and _number(body) is not None)


def written_out(tokens: Sequence[Token]) -> list[Token]:
    """Return an expression with the texts that stand in its arithmetic as the numbers that they read as."""
    found = list(tokens)
    for index, token in enumerate(found):
        if token.kind != "text" or not in_arithmetic(tokens, index):
            continue
        text = token.text[1:-1]
        if not is_doubtful(text):
            continue
        if (number := _number(text)) is None:
            raise NotCalculableError(f"{token.text} is a number or a day of a year that only Excel knows")
        found[index] = Token("number", repr(number)) if number >= 0 else Token("text", f'"{number!r}"')
    return found


def in_arithmetic(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a token is an operand of an arithmetic sign, also one of a group."""
    before, after = index - 1, index + 1
    while before >= 0 and after < len(tokens) and (tokens[before].kind, tokens[after].kind) == ("open", "close"):
        before, after = before - 1, after + 1
    while before >= 0 and tokens[before].kind == "space":
        before -= 1
    while after < len(tokens) and tokens[after].kind == "space":
        after += 1
    beside = [*tokens[max(before, 0) : before + 1], *tokens[after : after + 1]]
    return any(token.kind == "operator" and token.text in _ARITHMETIC for token in beside)


def _number(text: str) -> float | None:
    try:
        return number_of_text(text)
    except CellError:
        return None
