"""How a figure came about: its formula, the numbers put into it, the result, its unit and its source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sizebook.cells import call
from sizebook.registry import Function
from sizebook.units import in_unit

_WORD = re.compile(r"[a-z_]\w*")
_CALL = re.compile(r"\b([A-Z][A-Z0-9_]+)\(([^()]*)\)")


@dataclass(frozen=True)
class Step:
    """One traceable figure; ``substituted`` is the formula with its numbers, or the arguments where it has none."""

    label: str
    formula: str
    substituted: str
    value: Any
    unit: str
    source: str

    @property
    def shown(self) -> str:
        """The value with its unit, as a person reads it."""
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            return str(self.value)
        return in_unit(self.value, self.unit)


def substitute(formula: str, values: Mapping[str, Any]) -> str:
    """Return a formula with numbers for names; a flag becomes 1 or 0, a call of another function its value."""

    def number(match: re.Match[str]) -> str:
        value = values.get(match[0], match[0])
        return str(int(value)) if isinstance(value, bool) else str(value)

    def called(match: re.Match[str]) -> str:
        arguments = (values.get(name.strip(), name.strip()) for name in match[2].split(","))
        return f"{call(match[1], *arguments):.10g}"

    return _WORD.sub(number, _CALL.sub(called, formula))


def filled(function: Function, bound: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with those that were left blank replaced by what they stand for in the formula."""
    return {name: bound[function.blanks.get(name, name)] if value is None else value for name, value in bound.items()}


def explain(function: Function, bound: Mapping[str, Any], value: Any) -> Step:
    """Return the derivation of one evaluated function from its registry entry."""
    formula = function.formula or function.summary.removeprefix("Return ")
    if function.formula:
        substituted = substitute(function.formula, filled(function, bound))
    else:
        substituted = ", ".join(f"{name} = {given}" for name, given in bound.items() if given is not None)
    return Step(function.name, formula, substituted, value, function.result.unit, function.source)
