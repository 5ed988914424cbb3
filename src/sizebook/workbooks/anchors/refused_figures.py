"""Figures that the data validation of their cell would refuse if a person typed them: filled, and reported."""

from functools import cache

from sizebook.calculation.package import Package
from sizebook.calculation.tokens import Area, address
from sizebook.core.coercion import coerce
from sizebook.core.errors import SizebookError
from sizebook.plans.contents import Value
from sizebook.workbooks.data_validations import SheetRules, as_argument, bounds_text, read_rules


class FigureRules:
    """The validations of numbers of a package's sheets, read once each."""

    def __init__(self, package: Package) -> None:
        self._of = cache(lambda sheet: SheetRules(read_rules(package.xml(package.sheets()[sheet]), sheet)))

    def refuses(self, sheet: str, at: tuple[int, int], value: Value) -> str:
        """Return what the cell's validation wants instead of a number, empty where it takes it."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return ""
        cell = Area(sheet, *at, bottom=at[0], right=at[1])
        for rule in self._of(sheet).of(cell):
            if rule.quantity is None:
                continue
            try:
                coerce(as_argument("figure", rule.quantity), value)
            except SizebookError:
                kind = "a whole number" if rule.quantity.kind == "integer" else "a number"
                wanted = f"{kind} {bounds_text(rule.quantity)}".strip()
                return f"{sheet}!{address(*at)} holds {value}, which its data validation refuses: want {wanted}"
        return ""
