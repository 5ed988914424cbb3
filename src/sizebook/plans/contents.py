"""What a plan of any kind holds for those who show it: figures and tables under their declared names."""

from __future__ import annotations

from dataclasses import dataclass

from sizebook.core.sections import Argument

Value = int | float | str | bool | None


@dataclass(frozen=True)
class Figure:
    """One figure of a plan: its name, label, unit (empty for none) and value."""

    name: str
    label: str
    unit: str
    value: Value


@dataclass(frozen=True)
class Ledger:
    """A table of a plan: a row a month, a case, a service, a phase or a part."""

    name: str
    columns: tuple[Argument, ...]
    rows: tuple[tuple[Value, ...], ...]


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
