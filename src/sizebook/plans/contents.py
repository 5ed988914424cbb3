"""The figures and tables of a plan of any kind, under their declared names, for every surface that shows them."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, overload

from sizebook.core.sections import Argument

Value = int | float | str | bool | None
Rows = Sequence[tuple[Value, ...]]


def or_blank(value: Value) -> Value:
    """Return a value, None for an amount that nobody lists: NaN within a plan, blank in every file."""
    return None if value != value else value


def split(value: Any) -> tuple[float | None, str | None]:
    """Return a value as a number, or as a text: a column of a table holds one kind."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value), None
    return None, value if value is None or isinstance(value, str) else json.dumps(value)


@dataclass(frozen=True)
class Figure:
    """One figure of a plan: its name, label, unit (empty for none) and value."""

    name: str
    label: str
    unit: str
    value: Value

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", or_blank(self.value))


@dataclass(frozen=True)
class Sensitivity:
    """What all of a plan costs at the low and the high end of one input, everything else as planned."""

    label: str
    low_usd: float
    high_usd: float

    @property
    def width_usd(self) -> float:
        return abs(self.high_usd - self.low_usd)


class LazyRows(Sequence[tuple[Value, ...]]):
    """Rows that are worked out once, when they are first read."""

    def __init__(self, made: Callable[[], Rows]) -> None:
        self._made = cache(made)

    def __len__(self) -> int:
        return len(self._made())

    @overload
    def __getitem__(self, at: int) -> tuple[Value, ...]: ...
    @overload
    def __getitem__(self, at: slice) -> Rows: ...
    def __getitem__(self, at: int | slice) -> tuple[Value, ...] | Rows:
        rows = self._made()
        if isinstance(at, slice):
            return [tuple(map(or_blank, row)) for row in rows[at]]
        return tuple(map(or_blank, rows[at]))


@dataclass(frozen=True)
class Ledger:
    """A table of a plan: a row a month, a case, a service, a phase or a part."""

    name: str
    columns: tuple[Argument, ...]
    rows: Rows

    def __post_init__(self) -> None:
        if not isinstance(self.rows, LazyRows):
            object.__setattr__(self, "rows", tuple(tuple(map(or_blank, row)) for row in self.rows))


@dataclass(frozen=True)
class Contents:
    """All figures of a plan, those that are shown first by name, and its tables."""

    figures: tuple[Figure, ...]
    headline: tuple[str, ...]
    tables: tuple[Ledger, ...]

    @property
    def first(self) -> tuple[Figure, ...]:
        """The figures that an index and a comparison show."""
        named = {figure.name: figure for figure in self.figures}
        return tuple(named[name] for name in self.headline if named[name].value is not None)
