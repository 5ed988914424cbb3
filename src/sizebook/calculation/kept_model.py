"""Keeps the model of the template that this process fills: its formulas are read once, however many scenarios follow.

A model is read here the second time that formulas come: a guarded process has then worked them out within the limits.
Nothing is worked out here: each scenario is in a fork of this process, which has the model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sizebook.calculation.engine import Model, read_model
from sizebook.calculation.package import Package
from sizebook.functions import load

_MOST_BYTES = 10_000_000  # of all parts: the model of a larger workbook takes memory that the process needs
Given = dict[tuple[str, int, int], Any]  # values by sheet, row and column


@dataclass
class KeptModel:
    """The last workbook worked out, and once it came twice its model with the values that it holds."""

    digest: bytes = b""
    model: Model | None = None
    given: Given = field(default_factory=dict)

    def note(self, digest: bytes) -> None:
        """Note a workbook that was worked out."""
        if digest != self.digest:
            self.digest, self.model = digest, None

    def find(self, package: Package, digest: bytes) -> tuple[Model, Given] | None:
        """Return the model of a package, and the values that cells now hold; None where it has to be read anew."""
        if digest != self.digest or sum(len(data) for _, data in package.entries) > _MOST_BYTES:
            return None
        given = package.given()
        if self.model is None or given.keys() != self.given.keys():
            model = read_model(Package(package.path, list(package.parts())), load())
            if model.prepared.hang_on_values:
                self.digest = b""
                return None
            list(model.prepared.may_refer_to(""))  # notes their texts
            self.model, self.given = model.with_constants(given), given
        changed = {cell: value for cell, value in given.items() if not _same(value, self.given[cell])}
        return (self.model, changed) if all(map(_is_plain, changed.values())) else None


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


def _is_plain(value: Any) -> bool:
    """Return whether the engine takes a value as it would read it from a file: a text of no signs spelled out."""
    return value != "" and "_x" not in value if isinstance(value, str) else True


def put(model: Model, changed: Mapping[tuple[str, int, int], Any]) -> None:
    """Put values into cells of a model."""
    for (sheet, row, column), value in changed.items():
        model.engine.set_value(sheet, row, column, float(value) if type(value) is int else value)


KEPT = KeptModel()
