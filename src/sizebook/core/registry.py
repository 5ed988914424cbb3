"""What a spreadsheet function is, and the one list of them from which every surface derives.

A function is plain Python under the `function` decorator; its parameters are quantities, or sections, which a cell sees
spread into their fields (`sizebook.core.sections`).
"""

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Literal, TypeVar

from sizebook.core.errors import UnknownFunctionError
from sizebook.core.hints import suggestion
from sizebook.core.sections import (
    DEFAULT,
    REQUIRED,
    Argument,
    Quantity,
    ReadSection,
    default_of,
    hints_of,
    nested,
    put_together,
    quantity_of,
    spread,
)

Python = TypeVar("Python", bound=Callable[..., Any])
# What a call takes: some milliseconds, or longer because it searches layouts or simulates requests one by one.
Effort = Literal["formula", "search", "simulation"]

# VBA declares no more arguments; those beyond of a longer function are given among its options.
MOST_ARGUMENTS = 60


@dataclass(frozen=True)
class Function:
    """One function as every surface sees it."""

    python: Callable[..., Any]
    category: str
    source: str
    formula: str
    blanks: Mapping[str, str]
    terms: Callable[..., Any] | None = None

    @property
    def name(self) -> str:
        """The name in a spreadsheet: the Python name in upper case."""
        return self.python.__name__.upper()

    @cached_property
    def example(self) -> tuple[Mapping[str, Any], Any]:
        """Arguments by name, and the value that they give."""
        stated = examples()[self.name]
        return stated["arguments"], stated["value"]

    @cached_property
    def summary(self) -> str:
        """The first paragraph of the docstring on one line, as a function wizard shows it."""
        return " ".join((inspect.getdoc(self.python) or "").split("\n\n")[0].split())

    @cached_property
    def description(self) -> str:
        """The docstring after its first paragraph."""
        return (inspect.getdoc(self.python) or "").partition("\n\n")[2]

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments in order; a section stands for its fields."""
        hints, parameters = hints_of(self.python), inspect.signature(self.python).parameters.values()
        return tuple(leaf for p in parameters for leaf in spread(p.name, hints[p.name], p.default))

    def call(self, bound: Mapping[str, Any], stated: frozenset[str] = frozenset()) -> Any:
        """Return the result for arguments by name, fields put together into the sections that declare them.

        ``stated`` are those that were given, which a section may ask for.
        """
        return self.python(**self._given(bound, stated))

    def terms_of(self, bound: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the terms that add up to the result, none where the function does not tell them apart."""
        return tuple(self.terms(**self._given(bound))) if self.terms else ()

    def band_of(self, bound: Mapping[str, Any]) -> tuple[float, float, str] | None:
        """Return measured over predicted, low and high, and what that rests on; None where nothing says how sure."""
        band = getattr(self.python, "band", None)
        return band(**self._given(bound)) if band else None

    @property
    def no_band(self) -> str:
        """Why an estimate has no band; blank where it has one, or is no estimate.

        What follows from an assumed figure, such as a utilisation, is as sure as that one.
        """
        if stated := getattr(self.python, "no_band", ""):
            return str(stated)
        assumed = [] if hasattr(self.python, "band") else [a for a in self.arguments if a.quantity.predicted_by]
        if not assumed or self.result.kind == "range":  # tables carry bands in columns of their own
            return ""
        return f"as sure as the {assumed[0].name} that is given; {assumed[0].quantity.predicted_by} has a band"

    @property
    def holds(self) -> str:
        """A comparison that the arguments must fulfil beyond their ranges; blank where there is none."""
        return getattr(self.python, "holds", "")

    def _given(self, bound: Mapping[str, Any], stated: frozenset[str] = frozenset()) -> Mapping[str, Any]:
        if not self.sections:
            return bound
        given = {name: put_together(kind, bound) if kind else bound[name] for name, kind in self._parameters}
        return given | {name: replace(given[name], stated=stated) for name in self.asking}

    @cached_property
    def sections(self) -> tuple[str, ...]:
        """The parameters in Python that are sections, of whose fields a cell sees arguments."""
        return tuple(name for name, kind in self._parameters if kind)

    @cached_property
    def asking(self) -> tuple[str, ...]:
        """The parameters in Python that are sections which ask what was stated."""
        return tuple(name for name, kind in self._parameters if kind and issubclass(kind, ReadSection))

    @cached_property
    def _parameters(self) -> tuple[tuple[str, type[Any] | None], ...]:
        """The parameters in Python, each with the section that its fields make; a cell waits for every call."""
        hints = hints_of(self.python)
        within = ((name, nested(hints[name])) for name in inspect.signature(self.python).parameters)
        return tuple((name, each.kind if each else None) for name, each in within)

    @property
    def signature(self) -> str:
        """The call as a function wizard shows it: ``NAME(required, [optional])``."""
        shown = (a.name if a.required else f"[{a.name}]" for a in self.arguments)
        return f"{self.name}({', '.join(shown)})"

    @property
    def effort(self) -> Effort:
        """What a call takes: a formula unless `takes` says otherwise."""
        return getattr(self.python, "effort", "formula")

    @cached_property
    def result(self) -> Quantity:
        """What the function returns; kind ``range`` for a table that spills."""
        return quantity_of(hints_of(self.python)["return"])


_FUNCTIONS: dict[str, Function] = {}


@cache
def examples() -> dict[str, Any]:
    """Return the arguments and the value of each function's example, by its name."""
    import json  # only a reader of examples needs them, and every call would pay

    from sizebook.core.tables import DATA

    found: dict[str, Any] = json.loads((DATA / "examples.json").read_text(encoding="utf-8"))
    return found


def takes(effort: Effort) -> Callable[[Python], Python]:
    """Mark a function that no formula answers: a ``search`` or ``simulation`` takes seconds, a formula 50 ms."""
    return _noting("effort", effort)


def _noting(name: str, value: Any) -> Callable[[Python], Python]:
    """Return a decorator that notes something of a function, under the name by which `Function` asks for it."""

    def note(python: Python) -> Python:
        setattr(python, name, value)
        return python

    return note


def function(
    *,
    category: str,
    source: str,
    formula: str = "",
    blanks: Mapping[str, str] | None = None,
    terms: Callable[..., Any] | None = None,
) -> Callable[[Python], Python]:
    """Register a Python function as a spreadsheet function; a second one of the same name is refused.

    Its example stands in ``data/examples.json``.

    Args:
        category: the heading under which the reference and the function wizard list it.
        source: paper, standard or table that the formula comes from.
        formula: the arithmetic in the arguments' names, conventions included, where it fits a few lines; see
            `sizebook.core.expression_tree` for what may be written. It is printed with its numbers and in Excel and
            JavaScript, and a test evaluates it against the function on random points. Flags count as 0 or 1.
        blanks: for optional arguments that are left blank, the formula of what they stand for: another argument, or
            a call.
        terms: of the same arguments, the terms that add up to the value; ``--explain`` prints them.
    """

    def register(python: Python) -> Python:
        _take_defaults(python)
        entry = Function(python, category, source, formula, blanks or {}, terms)
        known = _FUNCTIONS.get(entry.name, entry)
        if (old := _defined(known.python)) != (new := _defined(python)):
            raise ValueError(
                f"function registered twice: got {entry.name} at {new} and at {old}, want one. Rename one of the two."
            )
        _FUNCTIONS[entry.name] = entry
        return python

    return register


def estimated(band: Callable[..., tuple[float, float, str]]) -> Callable[[Python], Python]:
    """Say how far measurements lay from what a function returns: ``band`` of the same arguments, see `band_of`."""
    return _noting("band", band)


def unbanded(reason: str) -> Callable[[Python], Python]:
    """Say why nobody knows how far measurements lay from what a function estimates; it is said with its number."""
    return _noting("no_band", reason)


def holding(condition: str) -> Callable[[Python], Python]:
    """Name a comparison that the arguments of a formula must fulfil, beyond their ranges.

    The function refuses others in words of its own; a page that computes in the browser has only this.
    """
    return _noting("holds", condition)


def _defined(python: Callable[..., Any]) -> str:
    """Return where a function is defined; a module that is loaded again defines the same one in the same place."""
    return f"{python.__module__}:{inspect.unwrap(python).__code__.co_firstlineno}"


def _take_defaults(python: Callable[..., Any]) -> None:
    """Put what the quantities declare in place of `DEFAULT`; any other default would be a second one."""
    hints, found = typing.get_type_hints(python, include_extras=True), []
    for parameter in inspect.signature(python).parameters.values():
        hint, default = hints[parameter.name], parameter.default
        if default is REQUIRED:
            continue
        if default is not DEFAULT:
            raise TypeError(
                f"a default of its own: got {parameter.name} = {default!r} in {python.__name__}, want DEFAULT. "
                "Declare the default in the quantity."
            )
        within = nested(hint)
        found.append(within.kind() if within else default_of(python.__name__, parameter.name, quantity_of(hint)))
    python.__defaults__ = tuple(found) or None


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
