"""Staged tables: what a plan gives, put on a sheet by one array formula, for the other sheets to show and to check.

A plan's function takes its inputs as a range of two columns, names and values (`options`), so that no formula names
forty arguments by position. Its result fills an array formula of a fixed area: that works alike in Excel, in
LibreOffice, whose spills do not grow, and in the calculation without either, and costs one call. An area that is
larger than the result would show #N/A; functions of ledgers therefore take ``rows`` and give blank ones up to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.formula import ArrayFormula

from sizebook.errors import InputError
from sizebook.functions import find
from sizebook.registry import Argument
from sizebook.workbooks import look
from sizebook.workbooks.building import FIRST_COLUMN, LABELS, Place, quoted
from sizebook.workbooks.declaring import label_of, number_format
from sizebook.workbooks.page import Page
from sizebook.workbooks.rules import sentence


@dataclass(frozen=True)
class Options:
    """Inputs of a plan as two columns, names and values; on a sheet of cases each case has a column of values."""

    names: tuple[str, ...]
    sheet: str
    first: int
    right: str

    def call(self, function: str, *before: str) -> str:
        """Return the call of a function with these options, those up to the last that it knows."""
        known = [argument.name for argument in find(function).arguments]
        n_known = sum(name in known for name in self.names)
        if any(name not in known for name in self.names[:n_known]):
            raise InputError(
                f"options apart: got {', '.join(self.names)} for {function}, want first those that it knows. "
                "Put the others last."
            )
        area = f"{quoted(self.sheet)}!${LABELS}${self.first}:${self.right}${self.first + n_known - 1}"
        return f"{function}({','.join((*before, area))})"


def options(page: Page, arguments: Sequence[Argument], **given: Any) -> Options:
    """Write options from the inputs of their names, blank where an input is; ``given`` are formulas or values instead.

    What is given under a name that no argument bears is an option of its own at the end.
    """
    first, named = page.row, {argument.name: argument for argument in arguments}
    for name in (*named, *(name for name in given if name not in named)):
        value = given.get(name, f'=IF({{{name}}}="","",{{{name}}})')
        unit, meaning, shown = "", "", look.GENERAL
        if name in named:
            quantity = named[name].quantity
            unit, meaning, shown = quantity.unit, label_of(named[name]), number_format(quantity)
        page.staged_line(name, value, unit, meaning, shown)
    right = get_column_letter(FIRST_COLUMN + len(page.cases) - 1)
    return Options((*named, *(name for name in given if name not in named)), page.sheet.title, first, right)


@dataclass(frozen=True)
class Figures:
    """Staged figures, names in the first column: the condition that they are those that the workbook was made for."""

    as_declared: str


def figures(page: Page, call: str, declared: Sequence[Argument], *, heads: Sequence[str] = ()) -> Figures:
    """Stage a function that gives names and values, one figure a row; formulas name one ``plan_`` and its name.

    ``heads`` are names of rows that come before the figures, such as those of services.
    """
    first = page.row
    for name in heads:
        page.staged_line("", None, "", name, look.GENERAL)
    for argument in declared:
        page.book.place(f"plan_{argument.name}", Place(page.sheet.title, page.row, page.cases))
        meaning, shown = sentence(argument.quantity.meaning), number_format(argument.quantity)
        page.staged_line("", None, argument.quantity.unit, meaning, shown)
    right = get_column_letter(FIRST_COLUMN + len(page.cases) - 1)
    _fill(page, f"{LABELS}{first}:{right}{page.row - 1}", call)
    top = first + len(heads)
    names = f"{quoted(page.sheet.title)}!${LABELS}${top}:${LABELS}${page.row - 1}"
    return Figures(_matches(names, [argument.name for argument in declared], ";"))


@dataclass(frozen=True)
class Ledger:
    """A staged ledger: its sheet, the row of the names at its head, that of its last month, and its columns."""

    sheet: str
    head: int
    last: int
    letters: Mapping[str, str]

    def months(self, name: str) -> str:
        """Return a reference to a column, all months of it."""
        letter = self.letters[name]
        return f"{quoted(self.sheet)}!${letter}${self.head + 1}:${letter}${self.last}"

    def month(self, name: str, number: int) -> str:
        """Return a reference to a figure of one month, the first is 1."""
        return f"{quoted(self.sheet)}!${self.letters[name]}${self.head + number}"

    def label(self, name: str) -> str:
        """Return a reference to what a column is called."""
        return f"{quoted(self.sheet)}!${self.letters[name]}${self.head - 2}"

    @property
    def as_declared(self) -> str:
        """The condition that its columns are those that the workbook was made for, in their order."""
        first, *_, last = self.letters.values()
        names = f"{quoted(self.sheet)}!${first}${self.head}:${last}${self.head}"
        return _matches(names, list(self.letters), ",")


def ledger(page: Page, call: str, declared: Sequence[Argument], n_months: int) -> Ledger:
    """Stage a ledger of so many months, with labels and units above the names that the function gives."""
    letters = {argument.name: get_column_letter(number) for number, argument in enumerate(declared, 2)}
    page.staged_row([label_of(argument) for argument in declared], "Figure head")
    page.staged_row([argument.quantity.unit for argument in declared], "Staged unit")
    head = page.row
    page.staged_row([None] * len(declared), "Staged unit")
    formats = [number_format(argument.quantity) for argument in declared]
    for _ in range(n_months):
        page.staged_row([None] * len(declared), "Figure", formats)
    first, *_, last = letters.values()
    _fill(page, f"{first}{head}:{last}{page.row - 1}", call)
    return Ledger(page.sheet.title, head, page.row - 1, letters)


def _fill(page: Page, area: str, call: str) -> None:
    cell: Any = page.sheet[area.partition(":")[0]]
    cell.value = ArrayFormula(area, page.resolve(f"={call}"))


def _matches(reference: str, names: Sequence[str], separator: str) -> str:
    """Return the condition that cells hold these names; ``separator`` is a comma in a row, a semicolon in a column."""
    listed = separator.join(f'"{name}"' for name in names)
    return f"SUMPRODUCT(--({reference}={{{listed}}}))={len(names)}"
