"""Every formula of a workbook: those of cells, of rules, of the columns of tables and of names."""

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from sizebook.calculation.package import WORKBOOK, Package, tag
from sizebook.calculation.sheet_formulas import formulas

# Of validations, conditional formats (those of Excel 2010 in its own namespace) and columns of tables.
_OF_RULES = ("formula", "formula1", "formula2", "f")
_OF_TABLES = ("calculatedColumnFormula", "totalsRowFormula")


class FormulaText(NamedTuple):
    """A formula: the part that it stands in, the element whose text it is, and where that is, for messages."""

    part: str
    element: etree._Element
    place: str


def all_formulas(package: Package) -> Iterator[FormulaText]:
    """Yield every formula of a workbook that may call a function."""
    for sheet, part in package.sheets().items():
        root = package.xml(part)
        for cell, formula in formulas(root):
            yield FormulaText(part, formula, f"{sheet}!{cell.get('r', '')}")
        for child in [each for each in root if each.tag != tag("sheetData")]:
            for element in child.iter(*(f"{{*}}{name}" for name in _OF_RULES)):
                yield FormulaText(part, element, f"a rule of {sheet}")
    for part in [name for name in package.names() if name.startswith("xl/tables/") and name.endswith(".xml")]:
        for element in package.xml(part).iter(*map(tag, _OF_TABLES)):
            yield FormulaText(part, element, f"a column of the table {package.xml(part).get('displayName', '')}")
    for name in package.xml(WORKBOOK).iterfind(f"{tag('definedNames')}/{tag('definedName')}"):
        yield FormulaText(WORKBOOK, name, f"the name {name.get('name', '')}")
