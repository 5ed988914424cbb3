"""Arguments stand in one order and have one default each."""

from collections.abc import Iterator
from importlib import import_module
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import sizebook
from sizebook.core.sections import Argument, declared, hints_of, nested, quantity_of
from sizebook.functions import load

SOURCE = Path(sizebook.__file__).parent
FUNCTIONS = sorted(load().values(), key=lambda function: function.name)


def modules() -> Iterator[ModuleType]:
    """Yield the modules that declare quantities or compute with them."""
    for layer in ("core", "formulas", "tables", "models", "serving", "training", "plans"):
        for path in sorted((SOURCE / layer).rglob("*.py")):
            name = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
            yield import_module(name.removesuffix(".__init__"))


MODULES = tuple(modules())


def sections() -> Iterator[type[Any]]:
    """Yield the sections of all modules."""
    for module in MODULES:
        for kind in vars(module).values():
            if isinstance(kind, type) and kind.__module__ == module.__name__ and _is_section(kind):
                yield kind


def _is_section(kind: type[Any]) -> bool:
    try:
        return bool(own(kind))
    except (TypeError, NameError, StopIteration):
        return False


def own(kind: type[Any]) -> tuple[Argument, ...]:
    """Return the quantities that a section declares itself, with their defaults."""
    hints = hints_of(kind)
    fields = [field for field in declared(kind) if nested(hints[field.name]) is None]
    return tuple(Argument(field.name, quantity_of(hints[field.name]), field.default) for field in fields)


def test_there_is_enough_to_compare() -> None:
    assert len(FUNCTIONS) > 100
    assert {"Layout", "Run", "Recipe", "Demand", "Replica"} <= {kind.__name__ for kind in sections()}


def test_no_two_functions_take_two_arguments_in_reversed_order() -> None:
    before: dict[tuple[str, str], str] = {}
    for function in FUNCTIONS:
        for first, second in combinations([argument.name for argument in function.arguments], 2):
            before[first, second] = function.name
    reversed_pairs = {
        f"{first}, {second}: {before[first, second]}, but {before[second, first]}"
        for first, second in before
        if (second, first) in before and first < second
    }
    assert reversed_pairs == set()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_what_must_be_given_stands_before_what_may_be(function: Any) -> None:
    required = [argument.required for argument in function.arguments]
    assert required == sorted(required, reverse=True)


def test_an_argument_has_one_default_wherever_it_stands() -> None:
    found: dict[str, dict[str, str]] = {}
    places = [(function.name, function.arguments) for function in FUNCTIONS]
    places += [(kind.__name__, own(kind)) for kind in sections()]
    for where, arguments in places:
        for argument in arguments:
            if not argument.required and "dataclasses" not in repr(argument.default):
                found.setdefault(argument.name, {})[repr(argument.default)] = where
    assert {name: defaults for name, defaults in found.items() if len(defaults) > 1} == {}
