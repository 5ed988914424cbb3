"""What is known of the functions of spreadsheets: how they take their arguments, and who works them out."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cache

from sizebook.calculation.names import without_prefixes
from sizebook.calculation.tokens import LAST_COLUMN, LAST_ROW, Token, area, arguments, called_name, closing
from sizebook.core.tables import record, table

# How an argument is taken. ONE: one value, of a range the cell in the row or column of the formula. RANGE: a reference
# as it is, while operators within it work on one value each. ARRAY: all of it, operators included. PASSED: as the call
# itself is taken.
ONE, RANGE, ARRAY, PASSED = "v", "r", "a", "p"
# What a function gives that may be more than one value: rows, a reference, or a reference where a place is blank or 0.
# What becomes of arguments that are written out: READ, texts become the numbers that they say, truths 1 and 0; TRUTH,
# "TRUE" is TRUE; CHECKED, a text that says no number is #VALUE!; COUNTED, an error counts for nothing; KEPT, an
# error counts like any value.
READ, TRUTH, CHECKED, COUNTED, KEPT = "read", "truth", "checked", "counted", "kept"
NUMBERING = {"ROW": "ROWS", "COLUMN": "COLUMNS"}  # number all of an area in an array; what counts its numbers
ROWS, REFERENCE, WHOLE = "rows", "reference", "whole"


@dataclass(frozen=True)
class SpreadsheetFunction:
    """A function of spreadsheets.

    Attributes:
        arguments: a letter for each argument; the letters behind a slash repeat.
        by: who works it out: the ``engine``, ``own`` for Python, ``exact`` for Python unless the look-up is an exact
            one, ``alike`` for Python unless its arguments are areas of one size, ``refused`` for nobody.
        many: what it gives that may be more than one value, of which an ordinary formula takes one.
        dates: takes or gives dates, so that the day from which a workbook counts matters.
        literals: what becomes of arguments that are written out in the formula.
        lifts: "yes" where the engine itself works it out for each value of an array where it takes one; "values" where
            Excel takes of an area no value at all, but each of an array (``+A1:A3``).
        takes: which values the engine may be handed, where no value stored by Excel proves the others: ``numbers``,
            ``based`` for numbers that it writes in another base, ``digits`` for what it reads in one,
            ``unsigned`` for numbers from 0 on, ``no digits`` for all but texts that may say a number; nothing for all.
    """

    arguments: str
    by: str
    many: str
    dates: bool
    literals: str
    lifts: str
    takes: str

    @property
    def repeats(self) -> bool:
        """Whether its last arguments may be given again."""
        return "/" in self.arguments

    def kind(self, number: int) -> str:
        """Return how the argument of that number, from 0, is taken."""
        fixed, _, repeated = self.arguments.partition("/")
        if number < len(fixed):
            return fixed[number]
        return repeated[(number - len(fixed)) % len(repeated)] if repeated else ONE

    def is_own(self, arguments: Sequence[Sequence[Token]]) -> bool:
        """Return whether a call is worked out in Python."""
        if self.by == "alike":
            return len(arguments) > 1 and not are_alike(arguments)
        if self.by != "exact":
            return self.by == "own"
        last = "".join(token.text for token in arguments[-1]).strip() if len(arguments) == len(self.arguments) else ""
        return last.upper() not in ("FALSE", "FALSE()", "0")

    def must_be_lifted(self, arguments: Sequence[Sequence[Token]], variables: Container[str], *, areas: bool) -> bool:
        """Return whether one value is asked for where an array may stand, and the engine would not take each of it.

        An array written out is one everywhere, an area (or what gives one) only where ``areas`` are taken as arrays.
        """
        return self.lifts != "yes" and any(
            self.kind(number) == ONE
            and (any(token.kind == "array" for token in part) or (areas and may_be_many(part, variables)))
            for number, part in enumerate(arguments)
        )

    def gives_rows(self, arguments: Sequence[Sequence[Token]]) -> bool:
        """Return whether a call may give more than one value."""
        if self.many != WHOLE:
            return bool(self.many)
        places = ["".join(token.text for token in part).strip() for part in arguments[1:3]]
        area_alone = len(places) == 1 and ":" in "".join(token.text for token in arguments[0])
        return area_alone or any(place in ("", "0") for place in places)


def is_area(tokens: Sequence[Token]) -> bool:
    """Return whether an expression is a reference to several cells, and nothing else."""
    return len(tokens) == 1 and tokens[0].kind == "reference" and (":" in tokens[0].text or tokens[0].text[-1] == "#")


def are_alike(arguments: Sequence[Sequence[Token]]) -> bool:
    """Return whether arguments are areas of as many rows and columns, or whole columns or rows somewhere among them.

    Of a whole column only the used rows are taken, so that arrays made of it are of another size than the column. Areas
    of one cell are not: a text in one is an error, which the engine would take for a number.
    """
    sizes = set()
    for part in arguments:
        for token in part:
            place = area(token.text, "") if token.kind == "reference" else None
            if place is not None and (place.bottom == LAST_ROW or place.right == LAST_COLUMN):
                return True
        place = area(part[0].text, "") if is_area(part) else None
        sizes.add(None if place is None else (place.bottom - place.top, place.right - place.left))
    return len(sizes) == 1 and not sizes & {None, (0, 0)}


def may_be_many(tokens: Sequence[Token], variables: Container[str]) -> bool:
    """Return whether an expression may be more than one value: an area, a variable, or a call that gives rows.

    What stands in a call counts only where the function asks for one value, and would be worked out for each.
    """
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if is_area([token]) or (token.kind == "name" and token.text.casefold() in variables) or token.text == ":":
            return True
        if token.kind == "call":
            end = closing(tokens, index)
            if _call_may_be_many(token, arguments(tokens, index, end), variables):
                return True
            index = end
        index += 1
    return False


def _call_may_be_many(call: Token, parts: Sequence[Sequence[Token]], variables: Container[str]) -> bool:
    name = without_prefixes(called_name(call)).upper()
    function = spreadsheet_functions().get(name)
    if function is None or function.many:
        return True
    spread = (RANGE,) if name in NUMBERING else (ONE, PASSED)
    return any(function.kind(number) in spread and may_be_many(part, variables) for number, part in enumerate(parts))


@cache
def spreadsheet_functions() -> dict[str, SpreadsheetFunction]:
    """Return the functions of spreadsheets by name."""
    return {row["name"]: record(SpreadsheetFunction, row) for row in table("spreadsheet_functions")}
