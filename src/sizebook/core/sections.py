"""What a quantity and a section are: the declarations from which every surface derives its inputs and results.

A `Quantity` declares what a value means, its unit, range and default. A `section` is a frozen dataclass of quantities
that belong together (what a replica is asked for, how it runs); a cell sees it spread into its fields. Scenario files,
sweeps, workbooks, the reference and the tests read the same declarations and nothing else.
"""

import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from datetime import date
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, TypeVar, dataclass_transform

from sizebook.core.errors import InputError

Section = TypeVar("Section")
Kept = TypeVar("Kept")
Kind = Literal["integer", "number", "flag", "choice", "text", "date", "list", "range"]

REQUIRED: Any = inspect.Parameter.empty
DEFAULT: Any = object()  # in a signature: the default that the quantity declares


SMALLEST = 1e-12  # what divides by less gives figures that no number holds


@dataclass(frozen=True)
class Quantity:
    """What an argument, a key, a cell or a result stands for: its meaning, unit, allowed values and default.

    ``minimum`` is allowed itself, ``above`` and ``below`` are not; of what is above 0, and so divides, nothing below
    `SMALLEST` is taken. Where ``kind`` is left out, the type of its annotation says it. ``choices`` may be a function,
    for keys that a table holds. ``label`` is what a line of a workbook is called. ``predicted_by`` names the function
    that predicts, with a band, what callers otherwise assume. ``zero`` says what 0 stands for where it is no amount.
    ``check`` raises for a text that names nothing, such as a file that is not there, even where no figure depends on
    it. Where ``default`` is `REQUIRED` a value must be given. ``source`` says where the default, or what stands in for
    a blank, comes from: a
    table (``data/grid.csv``), a paper, or ``assumption``, ``neutral``, ``rule`` with the reason. ``also`` pairs other
    words that people use with the choice that stands for them, which its refusal names; ``means`` those that are
    taken for a choice, as they mean it and nothing else.
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
    source: str = ""
    check: Callable[[str], object] | None = None
    also: tuple[tuple[str, str], ...] | Callable[[], tuple[tuple[str, str], ...]] = ()
    means: tuple[tuple[str, str], ...] = ()

    @property
    def other_words(self) -> dict[str, str]:
        """The choices that stand for other words, by those in lower case."""
        return {word.casefold(): choice for word, choice in (self.also() if callable(self.also) else self.also)}

    @property
    def allowed(self) -> tuple[str, ...]:
        """The keys to choose from, empty where any value goes."""
        return self.choices() if callable(self.choices) else self.choices

    @property
    def lowest(self) -> float | None:
        """The least number that is taken of what has a minimum or divides, None of all else."""
        return SMALLEST if self.above == 0 else self.minimum

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


def quantity(meaning: str, unit: str = "", **rest: Any) -> Any:
    """Declare a field of a section: `section` puts the `Quantity` into its annotation, whose type says its kind."""
    return Quantity(meaning, unit, **rest)


def _kind_of(hint: Any, declared: Quantity) -> Kind:
    """Return the kind of values that an annotation takes, None among them or not."""
    if typing.get_origin(hint) is list:
        return "range"
    kind = next((part for part in typing.get_args(hint) if part is not types.NoneType), hint)
    if kind is str:
        return "choice" if declared.choices else "text"
    return _KINDS.get(kind, declared.kind)


_KINDS: dict[Any, Kind] = {int: "integer", float: "number", bool: "flag", date: "date", Any: "list"}


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(quantity,))
def section(kind: type[Section]) -> type[Section]:
    """Make a frozen dataclass of quantities and of other sections.

    A field that only this section has is declared by `quantity`; one that others share is annotated with the name of
    its quantity, and `DEFAULT` becomes what that declares.

    A field that is a section spreads into its fields wherever names are flat: arguments, columns, inputs. In scenario
    files ``Annotated[Traffic, TABLE]`` stands under its own key, ``Annotated[tuple[Service, ...], TABLES]`` once for
    each.
    """
    hints = typing.get_type_hints(kind, include_extras=True)
    for name in inspect.get_annotations(kind):
        said = kind.__dict__.get(name)
        if isinstance(said, Quantity):
            kind.__annotations__[name] = Annotated[hints[name], said]
            if said.default is REQUIRED:
                delattr(kind, name)
            else:
                setattr(kind, name, said.default)
        elif said is DEFAULT:
            within = nested(hints[name])
            default = within.kind() if within else default_of(kind.__name__, name, quantity_of(hints[name]))
            setattr(kind, name, default)
    return dataclass(frozen=True, kw_only=True)(kind)


@section
class ReadSection:
    """A section read from a scenario or from cells, which knows what was stated.

    Keys of its tables count as its own, except those of tables that may be missing or repeated.
    """

    stated: frozenset[str] = field(default=frozenset(), metadata={"not_a_key": True})


class AskedBy:
    """A section that says nothing while one of its keys is blank or off; what is stated beside that is refused.

    Where off is a number that a sweep passes through, as one turn of a conversation, a remark says it instead.
    """

    asked_by: ClassVar[str]
    refused: ClassVar[bool]

    def __init_subclass__(cls, key: str, *, refused: bool = True) -> None:
        cls.asked_by, cls.refused = key, refused

    def __post_init__(self) -> None:
        given, key = self.stated_in_vain, self.asked_by
        if given and self.refused:
            raise InputError(
                f"no effect: got {', '.join(given)} and no {key}, want {key} with it. State {key}, or leave out "
                "what needs it."
            )

    @property
    def stated_in_vain(self) -> tuple[str, ...]:
        """The keys that differ from their defaults while the section says nothing."""
        values = flat(self)
        given = tuple(leaf.name for leaf in leaves(type(self)) if values[leaf.name] != leaf.default)
        return () if self.asked_by in given else given


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


def kept(work: Callable[[Any], Kept]) -> Callable[[Any], Kept]:
    """Cache a function of a class or function, which type checkers do not take as hashable for `functools.cache`."""
    return cache(work)


@kept
def hints_of(kind: Any) -> dict[str, Any]:
    """Return the annotations of a section or a function by name, in order."""
    return typing.get_type_hints(kind, include_extras=True)


def declared(kind: Any) -> tuple[Field[Any], ...]:
    """Return the fields of a section that a user sets; those that its reader fills in are marked ``not_a_key``."""
    return tuple(field for field in fields(kind) if not field.metadata.get("not_a_key"))


@kept
def leaves(kind: Any) -> tuple[Argument, ...]:
    """Return the quantities of a section, those of the sections inside it in their place."""
    hints = hints_of(kind)
    return tuple(leaf for f in declared(kind) for leaf in spread(f.name, hints[f.name], f.default))


def spread(name: str, hint: Any, default: Any) -> tuple[Argument, ...]:
    """Return a parameter or field as surfaces see it: itself, or the leaves of the section that it is."""
    within = nested(hint)
    if within is not None:
        return () if within.apart else leaves(within.kind)
    return (Argument(name, quantity_of(hint), REQUIRED if default is MISSING else default),)


def put_together(kind: type[Section], values: Mapping[str, Any]) -> Section:
    """Return a section from the values of its leaves by name; those left out take their defaults."""
    known: Any = kind
    given: dict[str, Any] = {}
    for name, within in _parts(known):
        if within is not None and not within.apart:
            given[name] = put_together(within.kind, values)
        elif name in values:
            given[name] = values[name]
    return kind(**given)


def flat(instance: Any) -> dict[str, Any]:
    """Return the values of a section by the names of its leaves: the reverse of `put_together`."""
    found: dict[str, Any] = {}
    kind: Any = type(instance)
    for name, within in _parts(kind):
        if within is None:
            found[name] = getattr(instance, name)
        elif not within.apart:
            found |= flat(getattr(instance, name))
    return found


def leaves_without_effect(instance: Any) -> frozenset[str]:
    """Return the leaves of a section that say nothing, as nobody asked by the key of theirs."""
    found: set[str] = set()
    kind: Any = type(instance)
    for name, within in _parts(kind):
        if within is not None and not within.apart:
            part = getattr(instance, name)
            silent = isinstance(part, AskedBy) and part == within.kind()
            found |= flat(part).keys() - {within.kind.asked_by} if silent else leaves_without_effect(part)
    return frozenset(found)


def sections_without_effect(instance: Any) -> Iterator[tuple[AskedBy, tuple[str, ...]]]:
    """Yield each section inside another that says nothing, with the keys that are stated there."""
    kind: Any = type(instance)
    for name, within in _parts(kind):
        if within is not None and not within.apart:
            part = getattr(instance, name)
            if isinstance(part, AskedBy) and (given := part.stated_in_vain):
                yield part, given
            yield from sections_without_effect(part)


@cache
def _parts(kind: Any) -> tuple[tuple[str, Nested | None], ...]:
    """Return the fields of a section by name, with the section that each is, if it is one."""
    hints = hints_of(kind)
    return tuple((each.name, nested(hints[each.name])) for each in declared(kind))


def quantity_of(hint: Any) -> Quantity:
    """Return the `Quantity` in an annotation, also inside ``X | None``."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(quantity_of(part) for part in typing.get_args(hint) if part is not types.NoneType)
    if typing.get_origin(hint) is Annotated:
        return _of_its_type(hint)
    raise TypeError(f"annotation without a quantity: got {hint!r}, want Annotated[..., Quantity(...)]. Annotate it.")


@cache
def _of_its_type(hint: Any) -> Quantity:
    """Return the `Quantity` of an annotation, whose type says the kind of its values where the quantity does not."""
    said = next(part for part in hint.__metadata__ if isinstance(part, Quantity))
    return replace(said, kind=_kind_of(hint.__origin__, said)) if said.kind == "number" else said


def default_of(where: str, name: str, quantity: Quantity) -> Any:
    """Return what stands for `DEFAULT` in a signature or section; a quantity without a default is refused."""
    if quantity.default is REQUIRED:
        raise TypeError(
            f"no default: got DEFAULT for {name} of {where}, want a quantity that declares one. Declare it."
        )
    return quantity.default
