"""Comparisons of numbers: Excel holds 15 digits of each, so that ``=0.1+0.2=0.3`` is TRUE; the engine would hold all.

A side that may be a number with more digits is therefore handed on with 15. Where that changes nothing it stays as it
is, for a call into Python takes some microseconds: numbers, texts and truths that are written out, functions that give
texts, truths and whole numbers, cells of sheets that hold no such number, and both sides where one is a text, a truth
or 0.
"""

from collections.abc import Sequence

from sizebook.calculation.callback_names import COMPARED
from sizebook.calculation.names import bare, without_prefixes
from sizebook.calculation.number_texts import gives_text
from sizebook.calculation.operands import stands_alone
from sizebook.calculation.package import Package, tag
from sizebook.calculation.tokens import Token, area, called_name

_SIGNS = ("=", "<", ">")
_GIVE_TRUTHS = frozenset(
    ("AND", "EXACT", "FALSE", "ISBLANK", "ISERR", "ISERROR", "ISEVEN", "ISFORMULA", "ISLOGICAL", "ISNA", "ISNONTEXT",
     "ISNUMBER", "ISODD", "ISREF", "ISTEXT", "NOT", "OR", "TRUE", "XOR")
)  # fmt: skip
_GIVE_15_DIGITS = frozenset(
    ("CODE", "COLUMN", "COLUMNS", "COUNT", "COUNTA", "COUNTBLANK", "COUNTIF", "COUNTIFS", "DAY", "FIND", "HOUR", "LEN",
     "MATCH", "MINUTE", "MONTH", "ROW", "ROWS", "SEARCH", "SECOND", "SIGN", "TODAY", "TYPE", "WEEKDAY", "WEEKNUM",
     "XMATCH", "YEAR")
)  # fmt: skip
_N_SIGNS = 15  # a number written with no more has no more digits


class ShortNumbers:
    """The sheets without formulas whose numbers have no more than 15 digits."""

    def __init__(self, package: Package, with_formulas: frozenset[str]) -> None:
        self._package = package
        self._parts = {sheet.casefold(): part for sheet, part in package.sheets().items() if sheet not in with_formulas}
        self.known: dict[str, bool] = {}

    def on(self, sheet: str) -> bool:
        """Return whether a sheet is such a one; of other workbooks and of several sheets nobody knows."""
        key = sheet.casefold()
        if key not in self._parts:
            return False
        if key not in self.known:
            values = self._package.xml(self._parts[key]).iter(tag("v"))
            self.known[key] = all(len(value.text or "") <= _N_SIGNS for value in values)
        return self.known[key]


def compared_sides(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return an expression as what it compares, with the signs between; as it is where it compares nothing."""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.kind in ("call", "open")) - (token.kind == "close")
        if depth == 0 and token.kind == "operator" and token.text in _SIGNS:
            found += [[token], []]
        else:
            found[-1].append(token)
    return found


def compared(parts: Sequence[Sequence[Token]], written: Sequence[str], short: ShortNumbers, *, sheet: str) -> list[str]:
    """Return the `compared_sides` of an expression, given as they are and as rewritten, such that 15 digits count."""
    given = [bare(part) for part in parts]
    if len(given) == 1 or any(map(_settles, given)):
        return list(written)
    return [
        text if not part or part[0].text in _SIGNS or _is_short(part, short, sheet) else f"{COMPARED}({text})"
        for part, text in zip(given, written, strict=True)
    ]


def _settles(side: Sequence[Token]) -> bool:
    """Return whether what stands against this side counts with all digits or none: a text, a truth, or 0."""
    if len(side) == 1 and side[0].kind in ("text", "name"):
        return side[0].kind == "text" or side[0].text.upper() in ("TRUE", "FALSE")
    return len(side) == 1 and side[0].text == "0"


def _is_short(side: Sequence[Token], short: ShortNumbers, sheet: str) -> bool:
    """Return whether a side has no number of more than 15 digits."""
    if any(token.kind == "operator" and token.text == "&" for token in outside_parentheses(side)):
        return True
    if all(token.kind == "number" or token.text in ("-", "+", "%") for token in side):
        numbers = [token.text for token in side if token.kind == "number"]
        return len(numbers) == 1 and len(numbers[0]) <= _N_SIGNS
    if not stands_alone(side):
        return False
    if side[0].kind == "reference":
        place = area(side[0].text, sheet)
        return place is not None and short.on(place.sheet)
    if side[0].kind == "call":
        name = without_prefixes(called_name(side[0])).upper()
        return name in _GIVE_TRUTHS or name in _GIVE_15_DIGITS or gives_text(side[0])
    return side[0].kind in ("error", "text")


def outside_parentheses(side: Sequence[Token]) -> list[Token]:
    """Return the tokens that stand in no parentheses."""
    found, depth = [], 0
    for token in side:
        depth += (token.kind in ("call", "open")) - (token.kind == "close")
        if depth == 0:
            found.append(token)
    return found
