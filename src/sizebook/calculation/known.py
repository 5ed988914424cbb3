"""What is known of the functions of spreadsheets: how they take their arguments, and who works them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sizebook.calculation.tokens import Token
from sizebook.core.tables import table

# How an argument is taken. ONE: one value, of a range the cell in the row or column of the formula. RANGE: a reference
# as it is, while operators within it work on one value each. ARRAY: all of it, operators included. PASSED: as the call
# itself is taken.
ONE, RANGE, ARRAY, PASSED = "v", "r", "a", "p"
# What a function gives that may be more than one value: rows, a reference, or a reference where a place is blank or 0.
# What becomes of arguments that are written out: READ, texts become the numbers that they say, truths 1 and 0; TRUTH,
# "TRUE" is TRUE; CHECKED, a text that says no number is #VALUE!; COUNTED, an error counts for nothing; KEPT, an
# error counts like any value.
READ, TRUTH, CHECKED, COUNTED, KEPT = "read", "truth", "checked", "counted", "kept"
ROWS, REFERENCE, WHOLE = "rows", "reference", "whole"


@dataclass(frozen=True)
class Known:
    """A function of spreadsheets.

    Attributes:
        arguments: a letter for each argument; the letters behind a slash repeat.
        by: who works it out: the ``engine``, ``own`` for Python, ``exact`` for Python unless the look-up is an exact
            one, ``refused`` for nobody.
        many: what it gives that may be more than one value, of which an ordinary formula takes one.
        dates: takes or gives dates, so that the day from which a workbook counts matters.
        literals: what becomes of arguments that are written out in the formula.
    """

    arguments: str
    by: str
    many: str
    dates: bool
    literals: str

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
        if self.by != "exact":
            return self.by == "own"
        last = "".join(token.text for token in arguments[-1]).strip() if len(arguments) == len(self.arguments) else ""
        return last.upper() not in ("FALSE", "FALSE()", "0")

    def gives_rows(self, arguments: Sequence[Sequence[Token]]) -> bool:
        """Return whether a call may give more than one value."""
        if self.many != WHOLE:
            return bool(self.many)
        places = ["".join(token.text for token in part).strip() for part in arguments[1:3]]
        area_alone = len(places) == 1 and ":" in "".join(token.text for token in arguments[0])
        return area_alone or any(place in ("", "0") for place in places)


@cache
def known_functions() -> dict[str, Known]:
    """Return the functions of spreadsheets by name."""
    return {
        row["name"]: Known(
            row["arguments"],
            row["by"],
            row["many"],
            row["dates"] == "yes",
            row["literals"],
        )
        for row in table("spreadsheet_functions")
    }
