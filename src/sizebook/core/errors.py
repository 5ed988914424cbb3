"""What can go wrong, one class per spreadsheet error code.

Every message reads ``problem: got X, want Y. Fix.`` so that the person who sees it in a cell comment, on the command
line or in a report knows what to change. Surfaces show ``code`` where a cell has room for nothing more.
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self, TypeVar

# What a message quotes may come from a hostile file: a word, and a line, longer than this is cut in its middle.
MOST_OF_A_WORD, MOST_OF_A_LINE = 300, 1_400
_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f-\x9f]"  # compiled when an error needs it, not at every start
_LONG_WORD = rf"\S{{{MOST_OF_A_WORD + 1},}}"


class SizebookError(Exception):
    """Any refusal of the library; ``code`` is what a spreadsheet cell shows."""

    code = "#VALUE!"

    def __init__(self, message: str = "") -> None:
        super().__init__(shortened(message))

    def with_message(self, message: str) -> Self:
        """Return the same refusal in other words, such as with the place before it; its code stays."""
        return _again(type(self), (shortened(message),), vars(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what another process makes the same refusal of, whatever its class is made of."""
        return _again, (type(self), self.args, vars(self))


@contextmanager
def named(place: str) -> Iterator[None]:
    """Put a name, such as that of a service, before what is wrong inside."""
    try:
        yield
    except SizebookError as error:
        raise error.with_message(f"{place}: {error}") from error


Refusal = TypeVar("Refusal", bound=SizebookError)


def _again(kind: type[Refusal], said: tuple[Any, ...], held: Mapping[str, Any]) -> Refusal:
    made = kind.__new__(kind, *said)
    vars(made).update(held)
    return made


class InputError(SizebookError):
    """An argument of the wrong kind: text where a number belongs, a required argument left blank."""


class RangeError(SizebookError):
    """A number outside what the quantity allows: negative, zero, too large, arguments that contradict each other."""

    code = "#NUM!"


class UnknownKeyError(SizebookError):
    """A key that no table holds: a model, GPU, dtype or region that is not known."""

    code = "#N/A"


class UnknownFunctionError(SizebookError):
    """A function name that the registry does not hold."""

    code = "#NAME?"


class TargetError(SizebookError):
    """A target that cannot be met; the message says which limit binds and what would meet it."""

    code = "#NUM!"


class CellError(SizebookError):
    """An error value that came in from another cell and passes through unchanged."""

    def __init__(self, code: str) -> None:
        super().__init__(f"error in an argument: got {code}, want a value. Mend the cell that this argument refers to.")
        self.code = code


CODES = ("#VALUE!", "#NUM!", "#N/A", "#NAME?", "#DIV/0!", "#REF!", "#NULL!", "#SPILL!", "#CALC!")


def shortened(message: str) -> str:
    """Return a message whose words and lines end somewhere: 5,000 digits become the first and the last of them."""
    message = printable(message)
    if len(message) <= MOST_OF_A_WORD:
        return message
    words = re.sub(_LONG_WORD, lambda match: _cut(match[0], MOST_OF_A_WORD), message)
    return "\n".join(_cut(line, MOST_OF_A_LINE) for line in words.split("\n"))


def printable(text: str) -> str:
    """Return a text with its control characters spelled out, line ends and tabs aside: a terminal obeys the others."""
    return text if text.isprintable() else re.sub(_CONTROL, lambda found: f"\\x{ord(found[0]):02x}", text)


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - tail - 40]} ... ({len(text)} characters) ... {text[-tail:]}"


_LONGEST_SHOWN = 120  # characters of a value that a message quotes
_MOST_DIGITS = 40


def shown(value: Any) -> str:
    """Return a value as a message quotes it, on one line: of a long one the beginning, and how long it is."""
    if isinstance(value, int) and abs(value) >= 10**_MOST_DIGITS:
        return f"a whole number of about {round(math.log10(abs(value)))} digits"
    try:
        text = f"'{value}'" if isinstance(value, str) and value.isprintable() else repr(value)
    except ValueError:  # Python writes no whole number of more than some thousand digits, lists of them included
        return f"a {type(value).__name__} of very long numbers"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}... ({len(text)} characters)"


def require_columns(columns: Collection[str], required: Iterable[str]) -> None:
    """Raise an `InputError` unless a table has every column that it needs."""
    if missing := [name for name in required if name not in columns]:
        raise InputError(
            f"missing column: got {', '.join(columns)}, want {', '.join(missing)} too. Add the column to the table."
        )


def require(holds: object, message: str) -> None:
    """Raise a `RangeError` unless the condition holds, for one number or for every element of an array."""
    every = getattr(holds, "all", None)
    if not (every() if every is not None else holds):
        raise RangeError(message)
