"""Builds planning workbooks from lines: each has a label, a value or formula, a unit, and where it comes from.

Formulas name other lines in braces and the builder puts the references: ``=PARAMS_LN({d_model})``, from the first to
the last of several lines ``=SUM({embedding:other})``, and of one case ``{days.high}``. On a sheet with several cases
(low, middle, high) a formula is written once and stands in every column. `Book.call` writes the call of a function: its
arguments in the registry's order, those from the lines that bear their names.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName

from sizebook.calculation.tokens import tokenize
from sizebook.core.errors import InputError
from sizebook.core.hints import suggestion
from sizebook.functions import find, load
from sizebook.workbooks import styles
from sizebook.workbooks.addin_calls import AddinCalls, unless_waiting
from sizebook.workbooks.formula_calls import calls_sizebook
from sizebook.workbooks.formula_steps import FormulaSteps, has_steps
from sizebook.workbooks.held_values import CALLS
from sizebook.workbooks.input_cells import default_comment
from sizebook.workbooks.references import quoted

_PLACE = re.compile(r"\{([a-z]\w*)(?:\.(\w+))?(?::([a-z]\w*))?\}")
FIRST_COLUMN = 3  # A is a margin, B holds the labels
LABELS = "B"
MONEY = "¤"  # in a label, a unit or a text of a formula: the currency of Inputs
BASE = "middle"
TOTAL, ALL = "total", "all"  # of a line through time: {usd.total}, {usd.all}
UNLISTED = unless_waiting('""')  # what a figure shows that needs what nobody lists
LISTED = "listed"  # {power.listed} is {power.all} of a formula that asks whether it is known


@dataclass(frozen=True)
class Place:
    """The row of a line and the sheet it stands on, with the cases of that sheet, the first in column ``first``.

    ``total`` is the column of its total, where it has one.
    """

    sheet: str
    row: int
    cases: tuple[str, ...]
    first: int = FIRST_COLUMN
    total: int = 0


@dataclass
class Book:
    """A workbook being built: its pages and the lines that formulas may name."""

    title: str
    version: str
    workbook: Workbook = field(default_factory=Workbook)
    _places: dict[str, Place] = field(default_factory=dict)
    _lists: dict[str, str] = field(default_factory=dict)
    _replaced: dict[str, str] = field(default_factory=dict)
    _unlisted: set[str] = field(default_factory=set)
    descriptions: dict[str, list[str]] = field(default_factory=dict)
    headlines: list[tuple[str, str, str, str]] = field(default_factory=list)  # of the answer, for the cover
    addin_calls: AddinCalls = field(init=False)
    formula_steps: FormulaSteps = field(init=False)

    def __post_init__(self) -> None:
        self.workbook.remove(self.workbook.worksheets[0])
        self.addin_calls = AddinCalls(self.workbook)
        self.formula_steps = FormulaSteps(self.workbook)
        styles.apply_styles(self.workbook)

    def choices(self, name: str, values: Sequence[str]) -> str:
        """Put the values of a dropdown on a hidden sheet, once for each name; return the reference to them."""
        if name not in self._lists:
            self._lists[name] = self.addin_calls.put_words(values, across=False)
        return self._lists[name]

    def define_input(self, name: str, reference: str, default: Any, *, is_list: bool = False) -> None:
        """Give a cell a name that scenario files use, with its default as the name's comment.

        One that a function bears too gets an underscore at its end, which scenario files leave out: spreadsheets would
        take the call for the cell.
        """
        unlike = f"{name}_" if name.upper() in load() else name
        comment = default_comment(default, is_list=is_list)
        self.workbook.defined_names[unlike] = DefinedName(unlike, attr_text=reference, comment=comment)

    def describe_chart(self, sheet: str, text: str) -> None:
        """Give the next chart of a sheet its alternative text, which saving writes."""
        self.descriptions.setdefault(sheet, []).append(text)

    def replace_argument(self, argument: str, line: str) -> None:
        """Let calls take another line for an argument than the input of its name: `chosen` for the model."""
        self._replaced[argument] = line

    def call(self, function: str, /, **given: Any) -> str:
        """Return the call of a function as a formula's text, without the equals sign.

        Each argument is what is given (None for a blank), else the line of its name where one stands in the book, else
        blank: a blank, also a reference to an empty cell, means the default. The order is the registry's, which
        thus stands once.
        """
        arguments = find(function).arguments
        if unknown := set(given) - {argument.name for argument in arguments}:
            raise InputError(
                f"unknown argument: got {', '.join(sorted(unknown))} for {function}, want one of "
                f"{', '.join(argument.name for argument in arguments)}. Correct the call."
            )
        texts = [self._argument(argument.name, given) for argument in arguments]
        while texts and not texts[-1]:
            texts.pop()
        return f"{function}({','.join(texts)})"

    def _argument(self, name: str, given: Mapping[str, Any]) -> str:
        if name in given:
            return "" if given[name] is None else str(given[name])
        line = self._replaced.get(name, name)
        return f"{{{line}}}" if line in self._places else ""

    def place(self, key: str, place: Place) -> None:
        """Note where a line stands; a key stands once in a workbook."""
        if key in self._places:
            raise InputError(f"line twice: got '{key}' again on sheet {place.sheet}, want it once. Rename one.")
        self._places[key] = place

    def find(self, key: str) -> Place:
        """Return where a line stands, or raise with the nearest key."""
        if key not in self._places:
            raise InputError(
                f"unknown line: got '{key}', want the key of a line that stands already."
                f"{suggestion(key, self._places) or ' Add it first.'}"
            )
        return self._places[key]

    def may_be_unlisted(self, key: str, formula: str = "") -> None:
        """Let formulas that name a line be blank while it is no number, for nobody lists it or a figure that it needs.

        With ``formula``, that of the line, only where it names such a line and is not blank for reasons of its own.
        """
        if not formula or (self._unlisted_in(formula) and '""' not in formula):
            self._unlisted.add(key)

    def is_unlisted(self, key: str) -> bool:
        """Return whether a line may be blank because it needs what nobody lists."""
        return key in self._unlisted

    def _unlisted_in(self, formula: str) -> list[re.Match[str]]:
        return [found for found in _PLACE.finditer(formula) if found[1] in self._unlisted and found[2] != LISTED]

    def guard(self, formula: str, sheet: str, case: str = BASE) -> str:
        """Return the condition under which all that a formula names is listed, blank where it needs none."""
        places = dict.fromkeys(self._reference(found, case, sheet) for found in self._unlisted_in(formula))
        return f"COUNT({','.join(places)})=COUNTA({','.join(places)})" if places else ""

    def resolve(self, formula: str, sheet: str, case: str = BASE) -> str:
        """Return a formula for one case on one sheet, with references in place of the lines that it names.

        One that calls a function stands on the sheet of calls, and what is returned refers to its value there. One that
        needs a figure that nobody lists is blank: no error, and no 0.
        """
        guard = self.guard(formula, sheet, case) if formula.startswith("=") else ""
        if has_steps(formula):
            formula = self._with_steps(formula, sheet, case, guard)
        if guard:
            whole = _PLACE.sub(lambda match: self._reference(match, case, sheet), formula).removeprefix("=")
            return f"=IF({guard},{whole},{UNLISTED})"
        if sheet not in (CALLS, "") and formula.startswith("=") and calls_sizebook(formula):
            return f"={self.addin_calls.call(_on_sheet(self.resolve(formula, CALLS, case), sheet))}"
        return _PLACE.sub(lambda match: self._reference(match, case, sheet), formula)

    def _with_steps(self, formula: str, sheet: str, case: str, guard: str) -> str:
        """Return a formula that names its steps; what they compare or write is blank where the formula is."""

        def figure(expression: str) -> str:
            whole = _on_sheet(f"IF({guard},{expression},{UNLISTED})" if guard else expression, sheet)
            return self.addin_calls.call(whole) if calls_sizebook(whole) else whole.removeprefix("=")

        referred = _PLACE.sub(lambda match: self._reference(match, case, sheet), formula)
        return self.formula_steps.named(referred, figure, lambda name: self.resolve(f"{{{name}}}", CALLS))

    def in_currency(self, text: str, sheet: str) -> str:
        """Return a text of a cell with the currency of Inputs where it says `MONEY`."""
        if MONEY not in text:
            return text
        formula = text if text.startswith("=") else f'="{text}"'
        joined = formula.replace(MONEY, f'"&{self.resolve("{currency}", sheet)}&"')
        return joined.replace('""&', "").replace('&""', "")

    def _reference(self, match: re.Match[str], at: str, sheet: str) -> str:
        first, last = match[1], match[3]
        case = match[2] or at
        place = self.find(first)
        if case in (ALL, LISTED):
            return self.every_case(first, last or first)
        wanted = case if case in place.cases else BASE
        index = place.cases.index(wanted) if wanted in place.cases else 0
        column = get_column_letter(place.total if case == TOTAL else place.first + index)
        # Where a line has one value, or a case is named, the reference is fixed; else it moves with its column.
        column = f"${column}" if len(place.cases) == 1 or match[2] else column
        reference = f"{column}${place.row}" + (f":{column}${self.find(last).row}" if last else "")
        return reference if place.sheet == sheet else f"{quoted(place.sheet)}!{reference}"

    def labels(self, first: str, last: str, sheet: str) -> str:
        """Return a reference to the labels of the lines from one to another."""
        top, bottom = self.find(first), self.find(last)
        prefix = "" if top.sheet == sheet else f"{quoted(top.sheet)}!"
        return f"{prefix}${LABELS}${top.row}:${LABELS}${bottom.row}"

    def every_case(self, first: str, last: str) -> str:
        """Return a reference to all cases of the lines from one to another, with the sheet."""
        top, bottom = self.find(first), self.find(last)
        left, right = (get_column_letter(top.first + n) for n in (0, len(top.cases) - 1))
        return f"{quoted(top.sheet)}!${left}${top.row}:${right}${bottom.row}"


def _on_sheet(formula: str, sheet: str) -> str:
    """Return a formula as another sheet writes it: references without a sheet get that of this one."""
    return "=" + "".join(
        f"{quoted(sheet)}!{token.text}" if token.kind == "reference" and "!" not in token.text else token.text
        for token in tokenize(formula)
    )
