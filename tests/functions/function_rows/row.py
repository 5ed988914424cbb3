"""A test row of a spreadsheet function: a call with every argument by name, and what it gives by other means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sizebook.core.cells import evaluate
from sizebook.core.registry import Function

GIB = 2**30
EXACT = 1e-12


@dataclass(frozen=True)
class Row:
    """``how`` says how ``expected`` was worked out without the code: by hand, from a paper, measured.

    Arguments are named, those at their default too, so that neither their order nor a default matters. ``relative`` is
    how near the function must come. Of a table that spills, ``at`` names one figure: under that heading in its first
    row, or beside that name.
    """

    function: str
    arguments: Mapping[str, Any]
    expected: Any
    how: str
    relative: float = EXACT
    at: str = ""

    def value(self, function: Function) -> Any:
        """Return what the function gives for this row."""
        unknown = self.arguments.keys() - {argument.name for argument in function.arguments}
        assert not unknown, f"{self.function} has no argument {', '.join(sorted(unknown))}"
        found = evaluate(function, [self.arguments.get(argument.name) for argument in function.arguments])
        return named(found, self.at) if self.at else found


def named(table: list[list[Any]], name: str) -> Any:
    """Return the first figure under a heading of a table, or the one beside a name."""
    if name in table[0]:
        return table[1][table[0].index(name)]
    return next(line[1] for line in table if line[0] == name)
