"""Data validation of input cells: written from a quantity, and read back from the file where values are filled in.

A spreadsheet refuses what the function behind the cell would refuse: whole numbers and decimals within their bounds,
days, one of a list. Where a quantity names keys but takes other texts too, the list is offered and others are asked
about. The prompt beside the cell says meaning, unit and range.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lxml import etree

from sizebook.calculation.package import tag
from sizebook.calculation.tokens import Area, area
from sizebook.core.sections import REQUIRED, Argument, Quantity

if TYPE_CHECKING:
    from openpyxl.worksheet.datavalidation import DataValidation

FLAGS = ("no", "yes")
_LONGEST_TITLE, _LONGEST_PROMPT, _LONGEST_ERROR = 32, 255, 225  # letters that Excel takes
_SMALLEST = sys.float_info.min  # a spreadsheet holds no smaller number above 0
_LARGEST_WHOLE, _LARGEST = 2**53, 1e307
_LARGE_NUMBERS = {"million": 10**6, "billion": 10**9, "trillion": 10**12}
_FEW = 5  # keys that are named one by one
_DAYS = (61, 2_958_465)  # 1900-03-01, the first day on which every spreadsheet agrees, to 9999-12-31
_X14 = "{http://schemas.microsoft.com/office/spreadsheetml/2009/9/main}"
_XM = "{http://schemas.microsoft.com/office/excel/2006/main}"
AddList = Callable[[str, tuple[str, ...]], str]  # puts a list on the sheet of lists; gives the reference to it


def validation_for(argument: Argument, label: str, choices: AddList) -> "DataValidation":
    """Return the validation of an input cell: what it takes, the prompt beside it, and what a refusal says."""
    from openpyxl.worksheet.datavalidation import DataValidation  # here and not above: filling needs no openpyxl

    quantity = argument.quantity
    made = DataValidation(allow_blank=True, showInputMessage=True, showErrorMessage=True)
    made.promptTitle, made.prompt = label[:_LONGEST_TITLE], _prompt(quantity)
    made.errorTitle, made.error = label[:_LONGEST_TITLE], _refusal(quantity)
    listed = FLAGS if quantity.kind == "flag" else quantity.allowed
    if listed:
        made.type, made.formula1 = "list", choices(label, listed)
        made.errorStyle = "stop" if quantity.kind in ("flag", "choice") else "warning"
    elif quantity.kind in ("integer", "number", "date"):
        made.type = "whole" if quantity.kind == "integer" else "date" if quantity.kind == "date" else "decimal"
        low, high = bounds(quantity)
        made.operator, made.formula1, made.formula2 = "between", repr(low), repr(high)
    else:
        made.showErrorMessage = False
    return made


def bounds(quantity: Quantity) -> tuple[float, float]:
    """Return the least and the largest value that a quantity takes, those that are excluded moved by a last digit."""
    if quantity.kind == "date":
        return _DAYS
    widest = _LARGEST_WHOLE if quantity.kind == "integer" else _LARGEST
    low = quantity.minimum if quantity.minimum is not None else _beyond(quantity, quantity.above, 1)
    high = quantity.maximum if quantity.maximum is not None else _beyond(quantity, quantity.below, -1)
    return -widest if low is None else low, widest if high is None else high


def _beyond(quantity: Quantity, bound: float | None, way: int) -> float | None:
    if bound is None:
        return None
    if quantity.kind == "integer":
        return math.floor(bound) + 1 if way > 0 else math.ceil(bound) - 1
    return way * _SMALLEST if bound == 0 else math.nextafter(bound, way * math.inf)


def bounds_text(quantity: Quantity, *, exact: bool = False) -> str:
    """Return the bounds in words, empty where there are none: 0 to 1 million; ``exact`` writes out every digit."""
    shown = _digits if exact else _in_words
    if quantity.minimum is not None and quantity.maximum is not None:
        return f"{shown(quantity.minimum)} to {shown(quantity.maximum)}"
    words = (
        ("at least", quantity.minimum),
        ("above", quantity.above),
        ("at most", quantity.maximum),
        ("below", quantity.below),
    )
    return ", ".join(f"{word} {shown(bound)}" for word, bound in words if bound is not None)


def _digits(bound: float) -> str:
    return f"{bound:,.15g}".replace(",", " ")


def _in_words(bound: float) -> str:
    for word, one in _LARGE_NUMBERS.items():
        if bound % one == 0 and one <= bound < 1000 * one:
            return f"{bound / one:.15g} {word}"
    return _digits(bound)


def accepted_values(quantity: Quantity) -> str:
    """Return what an input takes in a few words: kind and bounds, or how many keys there are to choose from."""
    listed = FLAGS if quantity.kind == "flag" else quantity.allowed
    if listed:
        few = len(listed) <= _FEW
        shown = ", ".join(listed) if few else f"{len(listed)} keys in the list"
        return f"{shown}, or another spelling" if quantity.kind not in ("flag", "choice") else shown
    kinds = {"integer": "whole", "number": "number", "date": "a day", "list": "1, 1, 2 or 100:0.5, 200:0.5"}
    return ", ".join(part for part in (kinds.get(quantity.kind, "text"), bounds_text(quantity)) if part)


def _prompt(quantity: Quantity) -> str:
    stated = [sentence(quantity.meaning)]
    if quantity.unit:
        stated.append(f"Unit: {quantity.unit}.")
    if limits := bounds_text(quantity):
        stated.append(f"{limits[0].upper()}{limits[1:]}.")
    return "\n".join(stated)[:_LONGEST_PROMPT]


def _refusal(quantity: Quantity) -> str:
    kinds = {
        "integer": "a whole number",
        "number": "a number",
        "flag": "yes or no",
        "date": "a day such as 2026-12-31",
        "choice": "one of the list",
        "list": "one of the list, or numbers with commas between",
    }
    wanted = kinds.get(quantity.kind, "one of the list, or another spelling")
    limits = bounds_text(quantity, exact=True)
    return f"Want {wanted}{f', {limits}' if limits else ''}: {quantity.meaning}."[:_LONGEST_ERROR]


def sentence(text: str) -> str:
    """Return a meaning as a sentence: a capital at its start, a full stop at its end."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


@dataclass(frozen=True)
class ValidationRule:
    """The validation of some cells as a file holds it: kind, source of a list, and the quantity that bounds give."""

    areas: tuple[Area, ...]
    source: str
    quantity: Quantity | None


class SheetRules:
    """The validations of a sheet, to be asked cell by cell: most stand on one cell each, and there may be hundreds."""

    def __init__(self, rules: list[ValidationRule]) -> None:
        self._alone: dict[tuple[int, int], list[tuple[int, ValidationRule]]] = {}
        self._wide: list[tuple[int, Area, ValidationRule]] = []
        for order, rule in enumerate(rules):
            for each in rule.areas:
                if each.is_cell:
                    self._alone.setdefault((each.top, each.left), []).append((order, rule))
                else:
                    self._wide.append((order, each, rule))

    def of(self, at: Area) -> list[ValidationRule]:
        """Return the rules that hold for a cell, in the order of the file."""
        wide = [
            (order, rule)
            for order, each, rule in self._wide
            if each.top <= at.top <= each.bottom and each.left <= at.left <= each.right
        ]
        found = dict([*self._alone.get((at.top, at.left), []), *wide])
        return [found[order] for order in sorted(found)]


def read_rules(root: etree._Element, sheet: str) -> list[ValidationRule]:
    """Return the validations of a sheet that refuse something, those of Excel 2010's extension included."""
    settings = [part for part in root if part.tag != tag("sheetData")]
    plain = [
        _rule(element, element.get("sqref", ""), element.findtext(tag("formula1"), ""), sheet)
        for part in settings
        for element in part.iter(tag("dataValidation"))
    ]
    extended = [
        _rule(element, element.findtext(f"{_XM}sqref", ""), element.findtext(f"{_X14}formula1/{_XM}f", ""), sheet)
        for part in settings
        for element in part.iter(f"{_X14}dataValidation")
    ]
    return [found for found in (*plain, *extended) if found is not None]


def _rule(element: etree._Element, where: str, first: str, sheet: str) -> ValidationRule | None:
    areas = tuple(found for part in where.split() if (found := area(part, sheet)) is not None)
    kind = element.get("type", "none")
    if element.get("errorStyle", "stop") != "stop":
        return None
    if kind == "list":
        return ValidationRule(areas, first, None)
    if kind == "date":
        return ValidationRule(areas, "", Quantity(_meaning(element), kind="date", default=None))
    if kind not in ("whole", "decimal"):
        return None
    return ValidationRule(areas, "", _quantity(element, kind, first, element.findtext(tag("formula2"), "")))


def _meaning(element: etree._Element) -> str:
    """Return what a rule says of its cell, as a refusal would say it."""
    meaning = element.get("prompt", "").split("\n")[0].rstrip(".")
    return f"{meaning[:1].lower()}{meaning[1:]}" or "as the cell's data validation says"


def _quantity(element: etree._Element, kind: str, first: str, second: str) -> Quantity:
    """Return the quantity that a rule of numbers describes; a bound that a formula gives is left to the spreadsheet."""
    operator = element.get("operator", "between")
    low = _constant(first) if operator in ("between", "greaterThanOrEqual") else None
    high = _constant({"between": second, "lessThanOrEqual": first}.get(operator, ""))
    limits: dict[str, Any] = {}
    if low is not None and low > -_LARGEST_WHOLE:
        limits |= _stated("minimum", "above", low, -1)
    if high is not None and high < _LARGEST_WHOLE:
        limits |= _stated("maximum", "below", high, 1)
    return Quantity(_meaning(element), kind="integer" if kind == "whole" else "number", default=None, **limits)


def _constant(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _stated(inclusive: str, exclusive: str, bound: float, way: int) -> dict[str, float]:
    """Return a bound as it was declared: `bounds` moves one that is excluded by a last digit."""
    beside = 0.0 if abs(bound) == _SMALLEST else math.nextafter(bound, way * math.inf)
    is_moved = not bound.is_integer() and beside.is_integer()
    return {exclusive: beside} if is_moved else {inclusive: bound}


def as_argument(name: str, quantity: Quantity) -> Argument:
    """Return an input's value as an argument, for the one coercion of cells."""
    return Argument(name, quantity, REQUIRED)
