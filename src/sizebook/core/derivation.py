"""How a figure came about: its formula, the numbers put into it, the result, its unit and its source."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sizebook.core.formula_text import with_numbers
from sizebook.core.registry import Function
from sizebook.core.sections import leaves
from sizebook.core.texts import text
from sizebook.core.units import in_unit

DEFINITION = text("definition")


@dataclass(frozen=True, slots=True)
class Term:
    """One of the terms that add up to a value, and what it rests on: measurements, a fit, an assumption."""

    name: str
    value: float
    basis: str


@dataclass(frozen=True)
class Step:
    """One traceable figure; ``substituted`` is the formula with its numbers, or the arguments where it has none."""

    label: str
    formula: str
    substituted: str
    value: Any
    unit: str
    source: str = DEFINITION

    @property
    def shown(self) -> str:
        """The value with its unit, as a person reads it."""
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            return str(self.value)
        return in_unit(self.value, self.unit)


def step_of(
    section: Any, figure: str, formula: str, *, numbers: str, source: str = DEFINITION, label: str = ""
) -> Step:
    """Return how a figure of a section came about: with its value, its unit and, where none is given, its label."""
    leaf = next(each for each in leaves(type(section)) if each.name == figure)
    value, unit = getattr(section, figure), leaf.quantity.unit
    return Step(label or text(leaf.label), formula, numbers, value=value, unit=unit, source=source)


def explain(function: Function, bound: Mapping[str, Any], value: Any) -> Step:
    """Return the derivation of one evaluated function from its registry entry."""
    formula = function.formula or function.summary.removeprefix("Return ")
    if function.formula:
        substituted = with_numbers(function, bound)
    else:
        substituted = ", ".join(f"{name} = {given}" for name, given in bound.items() if given is not None)
    return Step(function.name, formula, substituted, value, function.result.unit, function.source)


def derivation_lines(steps: Iterable[Step]) -> list[str]:
    """Return how figures were worked out, as lines: formula, numbers, result, source."""
    lines = []
    for step in steps:
        lines += ["", step.label, f"  formula  {step.formula}"]
        lines += [f"  numbers  {step.substituted}"] if step.substituted else []
        lines += [f"  result   {step.shown}", f"  source   {step.source}"]
    return lines
