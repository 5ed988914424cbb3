"""Forms of a call, and classes of its arguments, that nothing stored by Excel proves: they are refused.

Some functions of the engine agree with Excel's documentation for numbers, but no stored value tells what they give for
texts, truths and blank cells, or for negative numbers in other bases. What they are handed is looked at first.
"""

from collections.abc import Sequence
from typing import Any

from sizebook.calculation.names import NotCalculableError
from sizebook.calculation.tokens import Token

_A1 = ("TRUE", "TRUE()", "1")
_SEARCH_MODE = {"XLOOKUP": 5, "XMATCH": 3}  # behind so many arguments stands how it searches
_LINEAR = ("", "1", "-1")
_LONGEST_UNSIGNED = 9  # ten digits of another base say a negative number


def refuse_form(name: str, parts: Sequence[Sequence[Token]]) -> None:
    """Raise for a call in a form that is not calculated."""
    if name == "INDIRECT" and len(parts) > 1 and _written(parts[1]) not in _A1:
        raise NotCalculableError("INDIRECT of a text in the style R1C1 is not calculated here")
    if name in _SEARCH_MODE and any(_written(part) not in _LINEAR for part in parts[_SEARCH_MODE[name] :]):
        raise NotCalculableError(f"{name} by binary search is not calculated here")


def _written(part: Sequence[Token]) -> str:
    return "".join(token.text for token in part).strip().upper()


def is_written_number(part: Sequence[Token]) -> bool:
    """Return whether an argument is a number or a truth that is written out."""
    return len(part) == 1 and (part[0].kind == "number" or part[0].text.upper() in ("TRUE", "FALSE"))


def proved_class(takes: str, number: int, n_arguments: int) -> str:
    """Return the class that the argument of that number must have; with places given, a number has no sign."""
    if takes in ("numbers", "unsigned", "no digits"):
        return takes
    if number:
        return "numbers"
    return f"unsigned {takes}" if n_arguments > 1 else takes


def is_proved(value: Any, kind: str) -> bool:
    """Return whether a value is of a class; an error is handed on, for the call shows it."""
    if isinstance(value, dict):
        return True
    if kind == "no digits":
        return not isinstance(value, str) or not any(sign.isdigit() for sign in value)
    if isinstance(value, str):
        return kind.endswith("digits") and 0 < len(value) <= (_LONGEST_UNSIGNED if kind.startswith("unsigned") else 10)
    return type(value) in (int, float) and (kind in ("numbers", "based") or value >= 0)
