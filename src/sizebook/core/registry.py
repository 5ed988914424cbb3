"""What a quantity, a section and a spreadsheet function are: the one place from which every surface derives.

A `Quantity` declares what a value means, its unit, range and default. A `section` is a frozen dataclass of quantities
that belong together (what a replica is asked for, how it runs). A function is plain Python under the `function`
decorator; its parameters are quantities, or sections, which a cell sees spread into their fields. Scenario files,
sweeps, workbooks, the reference and the tests read the same declarations and nothing else.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache, cached_property
from typing import Annotated, Any, Literal, TypeVar, dataclass_transform

from sizebook.core.errors import UnknownFunctionError, suggestion

Python = TypeVar("Python", bound=Callable[..., Any])
Section = TypeVar("Section")
# What a call takes: some milliseconds, or longer because it searches layouts or simulates requests one by one.
Effort = Literal["formula", "search", "simulation"]
Kind = Literal["integer", "number", "flag", "choice", "text", "date", "list", "range"]

# VBA reserves these words, and a name that looks like a cell (KV8) is read as one.
_WORDS = (
    "as and boolean by byref byte byval call caller case close const currency date declare dim do double each else "
    "end enum erase error event exit false for friend function get global go if imp implements in input integer is "
    "let lib like local lock long loop lset me mod new next not nothing null object on open option optional or "
    "print private property public put redim rem resume return select set single static step stop string sub then "
    "time to true type until variant wend while width with write xor "
)
# VBA declares no more arguments; those beyond of a longer function are given among its options.
MOST_ARGUMENTS = 60
RESERVED = frozenset(_WORDS.split())
LOOKS_LIKE_CELL = re.compile(r"[A-Za-z]{1,3}[0-9]{1,7}|[Rr][0-9]*[Cc][0-9]*")
LONGEST_SUMMARY = 255

REQUIRED: Any = inspect.Parameter.empty
DEFAULT: Any = object()  # in a signature: the default that the quantity declares


@dataclass(frozen=True)
class Quantity:
    """What an argument, a key, a cell or a result stands for: its meaning, unit, allowed values and default.

    ``minimum`` is allowed itself, ``above`` and ``below`` are not. ``choices`` may be a function, for keys that a table
    holds. ``label`` is what a line of a workbook is called. ``predicted_by`` names the function that predicts, with a
    band, what callers otherwise assume. ``zero`` says what 0 stands for where it is no amount. Where ``default`` is
    `REQUIRED` a value must be given.
    """

    meaning: str
    unit: str = ""
    kind: Kind = "number"
    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None
    below: float | None = None
    choices: tuple[str, ...] | Callable[[], tuple[str, ...]] = ()
    default: Any = REQUIRED
    label: str = ""
    predicted_by: str = ""
    zero: str = ""

    @property
    def allowed(self) -> tuple[str, ...]:
        """The keys to choose from, empty where any value goes."""
        return self.choices() if callable(self.choices) else self.choices

    @property
    def never_negative(self) -> bool:
        """Whether no value of it is below 0."""
        return any(bound is not None and bound >= 0 for bound in (self.minimum, self.above))


@dataclass(frozen=True)
class Argument:
    """One argument of a function or field of a section: its name, quantity and default (`REQUIRED` for none)."""

    name: str
    quantity: Quantity
    default: Any

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    @property
    def label(self) -> str:
        """What a row or line of it is called: the quantity's label, else its meaning up to the first stop."""
        text = self.quantity.label or self.quantity.meaning.partition(",")[0].partition(";")[0]
        return text[:1].upper() + text[1:]


TABLE, TABLES = "table", "tables"  # how a section stands in a scenario file: under a key of its own, or several times


@dataclass_transform(frozen_default=True, kw_only_default=True)
def section(kind: type[Section]) -> type[Section]:
    """Make a frozen dataclass of quantities and of other sections; `DEFAULT` becomes what the quantity declares.

    A field that is a section spreads into its fields wherever names are flat: arguments, columns, inputs. In scenario
    files ``Annotated[Traffic, TABLE]`` stands under its own key, ``Annotated[tuple[Service, ...], TABLES]`` once for
    each.
    """
    hints = typing.get_type_hints(kind, include_extras=True)
    for name in inspect.get_annotations(kind):
        if kind.__dict__.get(name) is DEFAULT:
            within = nested(hints[name])
            default = within.kind() if within else _declared(kind.__name__, name, quantity_of(hints[name]))
            setattr(kind, name, default)
    return dataclass(frozen=True, kw_only=True)(kind)


@dataclass(frozen=True)
class Nested:
    """A section inside another: its class, and how it stands there.

    ``apart`` where its fields are no fields of the whole: it may be missing, unless ``required``, or stand several
    times.
    """

    kind: type[Any]
    place: str = ""
    apart: bool = False
    required: bool = False


def nested(hint: Any) -> Nested | None:
    """Return what section an annotation stands for, or None for a quantity."""
    if isinstance(hint, type) and is_dataclass(hint):
        return Nested(hint)
    if typing.get_origin(hint) is not Annotated or hint.__metadata__[0] not in (TABLE, TABLES):
        return None
    parts = [part for part in typing.get_args(hint.__origin__) if part not in (types.NoneType, Ellipsis)]
    return Nested(parts[0] if parts else hint.__origin__, hint.__metadata__[0], apart=bool(parts))


def hints_of(kind: Any) -> dict[str, Any]:
    """Return the annotations of a section or a function by name, in order."""
    return _hints(kind)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind, include_extras=True)


def declared(kind: Any) -> tuple[Field[Any], ...]:
    """Return the fields of a section that a user sets; those that its reader fills in are marked ``told``."""
    return tuple(field for field in fields(kind) if not field.metadata.get("told"))


def leaves(kind: Any) -> tuple[Argument, ...]:
    """Return the quantities of a section, those of the sections inside it in their place."""
    return _leaves(kind)


@cache
def _leaves(kind: Any) -> tuple[Argument, ...]:
    hints = hints_of(kind)
    return tuple(leaf for f in declared(kind) for leaf in _spread(f.name, hints[f.name], f.default))


def _spread(name: str, hint: Any, default: Any) -> tuple[Argument, ...]:
    within = nested(hint)
    if within is not None:
        return () if within.apart else leaves(within.kind)
    return (Argument(name, quantity_of(hint), REQUIRED if default is MISSING else default),)


def put_together(kind: type[Section], values: Mapping[str, Any]) -> Section:
    """Return a section from the values of its leaves by name; those left out take their defaults."""
    known: Any = kind
    hints, given = hints_of(known), {}
    for field in declared(known):
        within = nested(hints[field.name])
        if within is not None and not within.apart:
            given[field.name] = put_together(within.kind, values)
        elif field.name in values:
            given[field.name] = values[field.name]
    return kind(**given)


def flat(instance: Any) -> dict[str, Any]:
    """Return the values of a section by the names of its leaves: the reverse of `put_together`."""
    found: dict[str, Any] = {}
    kind: Any = type(instance)
    for field in declared(kind):
        within, value = nested(hints_of(kind)[field.name]), getattr(instance, field.name)
        if within is None:
            found[field.name] = value
        elif not within.apart:
            found |= flat(value)
    return found


@dataclass(frozen=True)
class Function:
    """One function as every surface sees it."""

    python: Callable[..., Any]
    category: str
    source: str
    formula: str
    example: tuple[Mapping[str, Any], Any]
    blanks: Mapping[str, str]
    terms: Callable[..., Any] | None = None

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
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments in order; a section stands for its fields."""
        hints, parameters = hints_of(self.python), inspect.signature(self.python).parameters.values()
        return tuple(leaf for p in parameters for leaf in _spread(p.name, hints[p.name], p.default))

    def call(self, bound: Mapping[str, Any]) -> Any:
        """Return the result for arguments by name, fields put together into the sections that declare them."""
        return self.python(**self._given(bound))

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

    def _given(self, bound: Mapping[str, Any]) -> dict[str, Any]:
        return {name: put_together(kind, bound) if kind else bound[name] for name, kind in self._parameters}

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


def quantity_of(hint: Any) -> Quantity:
    """Return the `Quantity` in an annotation, also inside ``X | None``."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(quantity_of(part) for part in typing.get_args(hint) if part is not types.NoneType)
    if typing.get_origin(hint) is Annotated:
        return next(part for part in hint.__metadata__ if isinstance(part, Quantity))
    raise TypeError(f"annotation without a quantity: got {hint!r}, want Annotated[..., Quantity(...)].")


def _declared(where: str, name: str, quantity: Quantity) -> Any:
    if quantity.default is REQUIRED:
        raise TypeError(f"no default: got DEFAULT for {name} of {where}, want a quantity that declares one.")
    return quantity.default


_FUNCTIONS: dict[str, Function] = {}


def takes(effort: Effort) -> Callable[[Python], Python]:
    """Mark a function that no formula answers: a ``search`` or ``simulation`` takes seconds, a formula 50 ms."""

    def mark(python: Python) -> Python:
        python.effort = effort  # type: ignore[attr-defined]
        return python

    return mark


def function(
    *,
    category: str,
    source: str,
    example: tuple[Mapping[str, Any], Any],
    formula: str = "",
    blanks: Mapping[str, str] | None = None,
    terms: Callable[..., Any] | None = None,
) -> Callable[[Python], Python]:
    """Register a Python function as a spreadsheet function; a second one of the same name is refused.

    Args:
        category: the heading under which the reference and the function wizard list it.
        source: paper, standard or table that the formula comes from.
        example: arguments by name, and the value that they give.
        formula: the arithmetic in the arguments' names, conventions included, where it fits a few lines; see
            `sizebook.core.expression_tree` for what may be written. It is printed with its numbers and in Excel and
            JavaScript, and a test evaluates it against the function on random points. Flags count as 0 or 1.
        blanks: for optional arguments that are left blank, the formula of what they stand for: another argument, or
            a call.
        terms: of the same arguments, the terms that add up to the value; ``--explain`` prints them.
    """

    def register(python: Python) -> Python:
        _take_defaults(python)
        entry = Function(python, category, source, formula, example, blanks or {}, terms)
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

    def note(python: Python) -> Python:
        python.band = band  # type: ignore[attr-defined]
        return python

    return note


def unbanded(reason: str) -> Callable[[Python], Python]:
    """Say why nobody knows how far measurements lay from what a function estimates; it is said with its number."""

    def note(python: Python) -> Python:
        python.no_band = reason  # type: ignore[attr-defined]
        return python

    return note


def holding(condition: str) -> Callable[[Python], Python]:
    """Name a comparison that the arguments of a formula must fulfil, beyond their ranges.

    The function refuses others in words of its own; a page that computes in the browser has only this.
    """

    def note(python: Python) -> Python:
        python.holds = condition  # type: ignore[attr-defined]
        return python

    return note


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
        found.append(within.kind() if within else _declared(python.__name__, parameter.name, quantity_of(hint)))
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
