"""The tables of `tests/published` rerun: one row a published figure, with its inputs, tolerance and source.

A table has the columns quantity, subject, inputs (JSON), expected, unit, relative_tolerance, source and retrieved. Each
quantity has a function in `TRAINING` (or another table of `CHECKS`) that computes it from the inputs alone, never from
the subject's name.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.hints import unknown_key
from sizebook.core.tables import Row, read
from sizebook.sources.bundled import bundled
from sizebook.validation.training import TRAINING

Check = Callable[[Mapping[str, Any]], float]
COLUMNS = {"quantity", "subject", "inputs", "expected", "unit", "relative_tolerance", "source", "retrieved"}


@cache
def checks() -> dict[str, Check]:
    """Return the function of every quantity that a published row may hold."""
    return dict(TRAINING)


@dataclass(frozen=True)
class Result:
    """One published figure with what was computed for it."""

    quantity: str
    subject: str
    published: float
    computed: float
    unit: str
    tolerance: float
    source: str

    @property
    def error(self) -> float:
        """Computed over published, less 1."""
        return self.computed / self.published - 1

    @property
    def within(self) -> bool:
        return abs(self.error) <= self.tolerance + 1e-12


@dataclass(frozen=True)
class Summary:
    """All results of one quantity."""

    quantity: str
    results: tuple[Result, ...]

    @property
    def within(self) -> int:
        return sum(result.within for result in self.results)

    @property
    def mean_error(self) -> float:
        """Mean of the absolute relative errors."""
        return sum(abs(result.error) for result in self.results) / len(self.results)

    @property
    def worst(self) -> Result:
        return max(self.results, key=lambda result: abs(result.error))


def tables() -> tuple[Path, ...]:
    """Return the published tables that this command can rerun; others of the folder have tests of their own."""
    return tuple(path for path in sorted(bundled("published").glob("*.csv")) if set(read(path)[0]) >= COLUMNS)


def validate(paths: Iterable[Path] | None = None) -> tuple[Summary, ...]:
    """Return the results of every row, by quantity in the order of the tables."""
    results: dict[str, list[Result]] = {}
    for path in tables() if paths is None else paths:
        for number, row in enumerate(read(path), start=2):
            results.setdefault(row["quantity"], []).append(_result(row, f"{path.name}, row {number}"))
    return tuple(Summary(quantity, tuple(each)) for quantity, each in results.items())


def _result(row: Row, where: str) -> Result:
    check = checks().get(row["quantity"])
    if check is None:
        raise unknown_key("quantity", row["quantity"], checks(), also=f" ({where})", lists="docs/accuracy.md")
    try:
        inputs = json.loads(row["inputs"])
        published, tolerance = float(row["expected"]), float(row["relative_tolerance"])
    except ValueError as error:
        raise InputError(f"broken row: got {error} in {where}, want JSON inputs and numbers. Correct it.") from error
    computed = float(check(inputs))
    return Result(row["quantity"], row["subject"], published, computed, row["unit"], tolerance, row["source"])
