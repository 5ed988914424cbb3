"""The formulas that a worksheet holds, and where they stand."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from lxml import etree

from sizebook.calculation.package import tag
from sizebook.calculation.tokens import Area, area, cell_at
from sizebook.core.errors import InputError

_FORMULA = tag("f")
FormulaCell = tuple[etree._Element, etree._Element]  # a cell and its formula
# XML holds no NUL, so that one search goes through all addresses of a sheet.
_PLACES = re.compile(r"(?:[A-Z]{1,3}[1-9][0-9]{0,6}\0)*")


class ArrayFormula(NamedTuple):
    """The area that an array formula fills, and whether it may grow."""

    filled: Area
    dynamic: bool = False


def formulas(sheet: etree._Element) -> list[FormulaCell]:
    """Return every cell of a worksheet that holds a formula, with the formula; other cells cost nothing."""
    found = list(sheet.iter(_FORMULA))  # all at once: an element that is held is not made again
    return [(cell, formula) for formula in found if (cell := formula.getparent()) is not None]


def are_addresses(texts: Sequence[str]) -> bool:
    """Return whether each text is an address as files write it, ``C7``."""
    return _PLACES.fullmatch("\0".join([*texts, ""])) is not None


def cell_area(address: str, sheet: str) -> Area:
    """Return where a cell stands; Excel and every writer that we know name each cell."""
    place = cell_at(address)
    if place is None:
        raise InputError(
            f"cell without an address: got r={address!r} on sheet '{sheet}', want A1, B2 ... "
            "Open the workbook in Excel and save it again."
        )
    row, column = place
    return Area(sheet, row, column, bottom=row, right=column)


def array_formula(sheet: str, cell: etree._Element, formula: etree._Element) -> ArrayFormula:
    """Return what an array formula fills."""
    # cm points at the cell metadata that makes an array formula a dynamic one; Excel writes no other.
    return ArrayFormula(
        area(formula.get("ref", ""), sheet) or cell_area(cell.get("r", ""), sheet), cell.get("cm") is not None
    )
