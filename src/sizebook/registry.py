"""What a spreadsheet function is: the one place from which every surface derives.

A function is a plain Python function under the `function` decorator. Its arguments carry `Quantity` annotations, so one
quantity has one name, unit and range everywhere; the decorator adds what the signature cannot say. Excel, LibreOffice,
the command line, the calculation engine, the reference page and the tests read the registry and nothing else.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar

from sizebook.errors import UnknownFunctionError, suggestion

Python = TypeVar("Python", bound=Callable[..., Any])
Kind = Literal["integer", "number", "flag", "choice", "text", "range"]

# VBA reserves these words, and a name that looks like a cell (KV8) is read as one.
_WORDS = (
    "as and boolean by byref byte byval call caller case close const currency date declare dim do double each else "
    "end enum erase error event exit false for friend function get global go if imp implements in input integer is "
    "let lib like local lock long loop lset me mod new next not nothing null object on open option optional or "
    "print private property public put redim rem resume return select set single static step stop string sub then "
    "time to true type until variant wend while width with write xor "
)
RESERVED = frozenset(_WORDS.split())
LOOKS_LIKE_CELL = re.compile(r"[A-Za-z]{1,3}[0-9]{1,7}|[Rr][0-9]*[Cc][0-9]*")
LONGEST_SUMMARY = 255


@dataclass(frozen=True)
class Quantity:
    """What an argument or a result stands for: its meaning, unit and allowed values.

    ``minimum`` is allowed itself, ``above`` is not. ``choices`` may be a function, for keys that a table holds.
    """

    meaning: str
    unit: str = ""
    kind: Kind = "number"
    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] | Callable[[], tuple[str, ...]] = ()

    @property
    def allowed(self) -> tuple[str, ...]:
        """The keys to choose from, empty where any value goes."""
        return self.choices() if callable(self.choices) else self.choices


@dataclass(frozen=True)
class Argument:
    """One argument of a function: its name, quantity and default (`REQUIRED` when there is none)."""

    name: str
    quantity: Quantity
    default: Any

    @property
    def required(self) -> bool:
        return self.default is REQUIRED


REQUIRED: Any = inspect.Parameter.empty


@dataclass(frozen=True)
class Function:
    """One function as every surface sees it."""

    python: Callable[..., Any]
    category: str
    source: str
    formula: str
    example: tuple[Mapping[str, Any], Any]
    blanks: Mapping[str, str]

    @property
    def name(self) -> str:
        """The name in a spreadsheet: the Python name in upper case."""
        return self.python.__name__.upper()

    @cached_property
    def summary(self) -> str:
        """The first paragraph of the docstring on one line, as a function wizard shows it."""
        return " ".join((inspect.getdoc(self.python) or "").split("\n\n")[0].split())

    @cached_property
    def description(self) -> str:
        """The docstring after its first paragraph."""
        return (inspect.getdoc(self.python) or "").partition("\n\n")[2]

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return typing.get_type_hints(self.python, include_extras=True)

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments in order."""
        parameters = inspect.signature(self.python).parameters.values()
        return tuple(Argument(p.name, _quantity(self._hints[p.name]), p.default) for p in parameters)

    @property
    def signature(self) -> str:
        """The call as a function wizard shows it: ``NAME(required, [optional])``."""
        shown = (a.name if a.required else f"[{a.name}]" for a in self.arguments)
        return f"{self.name}({', '.join(shown)})"

    @cached_property
    def result(self) -> Quantity:
        """What the function returns; kind ``range`` for a table that spills."""
        return _quantity(self._hints["return"])


def _quantity(hint: Any) -> Quantity:
    """Return the `Quantity` in an annotation, also inside ``X | None``."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(_quantity(part) for part in typing.get_args(hint) if part is not types.NoneType)
    if typing.get_origin(hint) is Annotated:
        return next(part for part in hint.__metadata__ if isinstance(part, Quantity))
    raise TypeError(f"annotation without a quantity: got {hint!r}, want Annotated[..., Quantity(...)].")


_FUNCTIONS: dict[str, Function] = {}


def function(
    *,
    category: str,
    source: str,
    example: tuple[Mapping[str, Any], Any],
    formula: str = "",
    blanks: Mapping[str, str] | None = None,
) -> Callable[[Python], Python]:
    """Register a Python function as a spreadsheet function; a second one of the same name is refused.

    Args:
        category: the heading under which the reference and the function wizard list it.
        source: paper, standard or table that the formula comes from.
        example: arguments by name, and the value that they give.
        formula: the arithmetic in the arguments' names, with ``*`` and ``^``, where it fits a line; explanations
            substitute the numbers into it, and a test evaluates it against the function. Flags count as 0 or 1.
        blanks: optional arguments that, left blank, stand for another argument in the formula.
    """

    def register(python: Python) -> Python:
        entry = Function(python, category, source, formula, example, blanks or {})
        known = _FUNCTIONS.get(entry.name, entry)
        if (old := _defined(known.python)) != (new := _defined(python)):
            raise ValueError(
                f"function registered twice: got {entry.name} at {new} and at {old}, want one. Rename one of the two."
            )
        _FUNCTIONS[entry.name] = entry
        return python

    return register


def _defined(python: Callable[..., Any]) -> str:
    """Return where a function is defined; a module that is loaded again defines the same one in the same place."""
    return f"{python.__module__}:{inspect.unwrap(python).__code__.co_firstlineno}"


def registered() -> dict[str, Function]:
    """Return the functions registered so far by name; `sizebook.functions.load` registers them all."""
    return dict(sorted(_FUNCTIONS.items()))


def find(name: str) -> Function:
    """Return the function of that name in any case, or raise with the nearest name."""
    entry = _FUNCTIONS.get(name.upper())
    if entry is None:
        raise UnknownFunctionError(
            f"unknown function: got '{name}', want a name that 'sizebook functions' lists."
            f"{suggestion(name.upper(), _FUNCTIONS)}"
        )
    return entry
