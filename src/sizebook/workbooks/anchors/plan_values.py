"""The values, tables and pictures of a plan for the anchors of a workbook."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sizebook.plans.contents import Ledger, Value


@dataclass(frozen=True)
class Picture:
    """A picture to put into a named range: a PNG, and what it shows in words."""

    png: bytes
    alt: str


@dataclass(frozen=True)
class PlanValues:
    """What may be filled in.

    Attributes:
        inputs: values of input cells by name; those that a workbook lacks are left out.
        values: figures of the plan and words of its scenario, by name: for names and for texts in braces.
        tables: the tables of the plan.
        pictures: charts and the logo by name, drawn when a workbook asks for one.
    """

    inputs: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)
    tables: tuple[Ledger, ...] = ()
    pictures: Mapping[str, Callable[[], Picture]] = field(default_factory=dict)
