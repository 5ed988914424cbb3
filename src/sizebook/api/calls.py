"""A registered function as a Python function: arguments by place or name, sections by keyword, columns for numbers.

Every value goes through the coercion of a cell: ``sb.params_mha("4096")`` means what ``=PARAMS_MHA("4096")`` means, and
a bad one gets the same message. Numbers that are plainly within their bounds, as most are, skip it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from inspect import Parameter, Signature
from typing import Any

from sizebook.api.columns import Column, as_range, column_of
from sizebook.core import cells
from sizebook.core.coercion import LARGEST, LARGEST_COUNT, as_rows
from sizebook.core.errors import InputError, SizebookError
from sizebook.core.registry import Function
from sizebook.core.sections import SMALLEST, Quantity, flat

_TYPES: Mapping[str, tuple[Any, ...]] = {"integer": (int,), "number": (float, int), "flag": (bool,)}


def as_python(function: Function) -> Callable[..., Any]:
    """Return a registered function as Python calls it.

    NumPy arrays and Series of pandas and polars in place of a number give one of the same kind, element by element; a
    list gives a list. Errors: those of the cell, raised; of a column the first one, with its place.
    """
    python: Callable[..., Any] = function.python
    plain = tuple(_plain_values(a.quantity) for a in function.arguments)
    least: float = 0 if function.result.never_negative else -LARGEST
    fewest, most = sum(a.required for a in function.arguments), 0 if function.sections else len(plain)

    def call(*given: Any, **by_name: Any) -> Any:
        if fewest <= len(given) <= most and not by_name:
            for value, (kinds, low, high) in zip(given, plain, strict=False):
                if value.__class__ not in kinds or not low <= value <= high:
                    break
            else:
                result = _attempted(python, given)
                if isinstance(result, (int, float)) and least <= result <= LARGEST:
                    return result
        return _coerced(function, given, by_name)

    call.__name__ = call.__qualname__ = python.__name__
    call.__module__, call.__doc__ = "sizebook", python.__doc__
    call.__signature__ = signature_of(function)  # type: ignore[attr-defined]
    return call


def signature_of(function: Function) -> Signature:
    """Return the signature as an editor shows it: the arguments in order, sections by keyword after them."""
    arguments = [
        Parameter(a.name, Parameter.POSITIONAL_OR_KEYWORD, default=Parameter.empty if a.required else a.default)
        for a in function.arguments
    ]
    # A required argument may follow an optional one where a section stands before it: there by name only.
    for place in range(1, len(arguments)):
        if arguments[place].default is Parameter.empty and arguments[place - 1].default is not Parameter.empty:
            arguments[place:] = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in arguments[place:]]
            break
    sections = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in function.sections]
    return Signature([*arguments, *sections])


def _plain_values(quantity: Quantity) -> tuple[tuple[Any, ...], float, float]:
    """Return the types and the inclusive bounds of the values that the coercion of a cell hands on as they are."""
    most = LARGEST_COUNT if quantity.kind == "integer" else LARGEST
    low, high = quantity.minimum, quantity.maximum
    if quantity.above is not None:
        least = math.nextafter(quantity.above, math.inf) if quantity.above else SMALLEST
        low = max(least, -LARGEST if low is None else low)
    if quantity.below is not None:
        high = min(math.nextafter(quantity.below, -math.inf), most if high is None else high)
    return _TYPES.get(quantity.kind, ()), -most if low is None else low, most if high is None else min(high, most)


def _attempted(python: Callable[..., Any], given: Sequence[Any]) -> Any:
    """Return the result, None where it has none: the slower way says why."""
    try:
        return python(*given)
    except (ZeroDivisionError, OverflowError, SizebookError):
        return None


def _coerced(function: Function, given: Sequence[Any], by_name: Mapping[str, Any]) -> Any:
    """Return the result as a cell would, for arguments of any kind; errors are raised."""
    values = _in_places(function, given, _spread(function, by_name))
    columns = {
        place: column
        for place, (argument, value) in enumerate(zip(function.arguments, values, strict=False))
        if argument.quantity.kind not in ("range", "list") and (column := column_of(value)) is not None
    }
    if not columns:
        return _raised(cells.evaluate(function, [as_range(value) for value in values]))
    first, n_rows = next(iter(columns.values())), {len(column.values) for column in columns.values()}
    if len(n_rows) > 1:
        sizes = ", ".join(f"{len(c.values)} of {function.arguments[place].name}" for place, c in columns.items())
        raise InputError(f"columns do not match: got {sizes}, want the same number. Make them equally long.")
    return first.like(_rows(function, values, columns))


def _rows(function: Function, values: Sequence[Any], columns: Mapping[int, Column]) -> list[Any]:
    call, found = as_python(function), []
    row = [a.default if v is None and not a.required else v for a, v in zip(function.arguments, values, strict=True)]
    for at in range(len(next(iter(columns.values())).values)):
        for place, column in columns.items():
            row[place] = column.values[at]
        try:
            found.append(call(*row))
        except SizebookError as error:
            raise error.with_message(f"row {at}: {error}") from error
    return found


def _raised(value: Any) -> Any:
    """Return a result; the first error among its cells is raised instead."""
    for error in (each for row in as_rows(value) or () for each in row if isinstance(each, SizebookError)):
        raise error
    return value


def _spread(function: Function, by_name: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments by name, what stands in a section among them: ``demand={"input_tokens": 2000}``."""
    found: dict[str, Any] = {}
    for name, value in by_name.items():
        inside = {name: value}
        if name in function.sections:
            if value is None:
                continue
            if not isinstance(value, Mapping) and not is_dataclass(value):
                raise InputError(
                    f"{name} is no section: got {value!r}, want a dict of its arguments. Write {name}={{...}}."
                )
            inside = dict(value) if isinstance(value, Mapping) else flat(value)
        for each, inner in inside.items():
            if each in found:
                raise InputError(f"argument given twice: got {each} again, want it once. Remove one.")
            found[each] = inner
    return found


def _in_places(function: Function, given: Sequence[Any], by_name: Mapping[str, Any]) -> list[Any]:
    """Return the arguments in the function's order, None for those left out; refuse unknown and repeated ones."""
    known = [argument.name for argument in function.arguments]
    values = [*given, *[None] * (len(known) - len(given))]
    for name, value in by_name.items():
        place = known.index(cells.option_name(name, known))
        if place < len(given):
            raise InputError(f"argument given twice: got {name} by place and by name, want it once. Remove one.")
        values[place] = value
    return values
