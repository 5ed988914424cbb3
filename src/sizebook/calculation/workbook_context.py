"""What the formulas of a workbook may refer to."""

from collections.abc import Mapping
from dataclasses import dataclass

from sizebook.calculation.comparisons import ShortNumbers
from sizebook.calculation.links import Links
from sizebook.calculation.names import Names
from sizebook.calculation.tables import Table
from sizebook.calculation.used_cells import UsedCells
from sizebook.core.registry import Function


@dataclass(frozen=True)
class WorkbookContext:
    """What a formula of the workbook may refer to."""

    names: Names
    tables: list[Table]
    sheets: tuple[str, ...]
    functions: Mapping[str, Function]
    links: Links
    anchors: frozenset[tuple[str, int, int]]
    used: UsedCells
    short: ShortNumbers
    dates_from_1904: bool = False
