"""Staged tables: what a plan gives, put on a hidden sheet by one array formula, for the other sheets to show and check.

A plan's function takes its inputs as a range of two columns, names and values (`stage_options`): no formula names
forty arguments by position. Its result fills an array formula of a fixed area: that works alike in Excel, in
LibreOffice, whose spills do not grow, and in the calculation without either, and costs one call. An area larger than
the result would show #N/A; functions of ledgers therefore take ``rows`` and give blank ones up to it.

The array stands on a hidden sheet, and what readers see refers to it cell by cell (`addin_calls`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openpyxl.utils import get_column_letter

from sizebook.core.errors import InputError
from sizebook.core.sections import Argument
from sizebook.functions import find
from sizebook.workbooks import styles
from sizebook.workbooks.addin_calls import Kept, StagedBlock
from sizebook.workbooks.book import FIRST_COLUMN, LABELS, Book
from sizebook.workbooks.data_validations import sentence
from sizebook.workbooks.declared_inputs import number_format
from sizebook.workbooks.held_values import CALLS
from sizebook.workbooks.line_sheet import LineSheet
from sizebook.workbooks.references import quoted


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
                f"options in the wrong order: got {', '.join(self.names)} for {function}, want first those that it "
                "knows. Put the others last."
            )
        return f"{function}({','.join((*before, self.area(n_known)))})"

    def area(self, n_rows: int = 0) -> str:
        """Return a reference to the options, or to so many of the first."""
        last = self.first + (n_rows or len(self.names)) - 1
        return f"{quoted(self.sheet)}!${LABELS}${self.first}:${self.right}${last}"


def stage_options(
    page: LineSheet, arguments: Sequence[Argument], *, per_case: bool = True, compared: bool = False, **given: Any
) -> Options:
    """Write options from the inputs of their names, blank where an input is; ``given`` are formulas or values instead.

    What is given under a name that no argument bears is an option of its own at the end. On a page of cases each has a
    column of values, or with ``per_case`` false the first alone. A change of one is told where functions are missing,
    unless they are only ``compared`` with.
    """
    n_values = len(page.cases) if per_case else 1
    first, named = page.row, {argument.name: argument for argument in arguments}
    for name in (*named, *(name for name in given if name not in named)):
        value = given.get(name, f'=IF({{{name}}}="","",{{{name}}})')
        unit, meaning, shown = "", "", styles.GENERAL
        if name in named:
            quantity = named[name].quantity
            unit, meaning, shown = quantity.unit, named[name].label, number_format(quantity)
        page.staged_line(name, (value,) * n_values, unit, meaning, shown)
    if not compared:
        columns = range(FIRST_COLUMN, FIRST_COLUMN + n_values)
        page.book.addin_calls.watch(page.sheet.title, page.unit_column + 1, columns, (first, page.row - 1))
    right = get_column_letter(FIRST_COLUMN + n_values - 1)
    return Options((*named, *(name for name in given if name not in named)), page.sheet.title, first, right)


def watch_lines(book: Book, *keys: str) -> None:
    """Tell a change of lines that functions take beside their options, where these are missing."""
    for key in keys:
        place = book.find(key)
        columns = range(place.first, place.first + len(place.cases))
        book.addin_calls.watch(place.sheet, FIRST_COLUMN - 1, columns, (place.row, place.row))


@dataclass(frozen=True)
class StagedFigures:
    """Staged figures: the condition that they are those that the workbook was made for.

    ``cells`` are references to those of the first case, by name.
    """

    as_declared: str
    cells: Mapping[str, str] = field(default_factory=dict)


def stage_figures(
    page: LineSheet,
    call: str,
    declared: Sequence[Argument],
    *,
    heads: int = 0,
    blank_where: str = "",
    left_out: Collection[str] = (),
) -> StagedFigures:
    """Stage a function that gives names and values, one figure a row; formulas name one ``plan_`` and its name.

    The first ``heads`` rows, such as the names of services, are not shown, nor is what is ``left_out`` by name.
    ``blank_where`` is the condition of a case that has no figures.
    """
    n_cases = len(page.cases)
    names = [None] * heads + [argument.name for argument in declared]
    staged = stage_rows(page.book, call, (len(names), 1 + n_cases), names=names)
    rows = {argument.name: row for row, argument in enumerate(declared, heads + 1)}
    for argument in (each for each in declared if each.name not in left_out):
        row = rows[argument.name]
        cells = (staged.cell(row, 2 + n) for n in range(n_cases))
        values = tuple(f'=IF({blank_where},"",{cell})' if blank_where else f"={cell}" for cell in cells)
        quantity = argument.quantity
        page.line(
            f"plan_{argument.name}",
            argument.label,
            values,
            quantity.unit,
            sentence(quantity.meaning),
            number_format(quantity),
        )
        if quantity.kind == "text":
            page.wrap(page.row - 1, _LONGEST_TEXT)
    return StagedFigures(staged.are_as_declared(), {name: staged.cell(row, 2) for name, row in rows.items()})


_LONGEST_TEXT = 126  # letters of the longest basis of a price


@dataclass(frozen=True)
class StagedRows:
    """A staged block, and beside it the names that are expected in it.

    ``names`` and ``expected`` are references to those that the function gives and those that were declared.
    """

    block: StagedBlock
    names: str
    expected: str
    n_names: int

    @property
    def n_rows(self) -> int:
        return self.block.n_rows

    def cell(self, row: int, column: int) -> str:
        """Return a reference to a cell, both counted from 1."""
        return self.block.cell(row, column)

    def are_as_declared(self) -> str:
        """Return the condition that the function gives the names that the workbook was made for, in their order."""
        # LibreOffice takes a text of an add-in's array for equal to no other until a formula has made it anew.
        return f'SUMPRODUCT(--({self.names}&""={self.expected}))={self.n_names}'


def stage_rows(
    book: Book,
    call: str,
    size: tuple[int, int],
    *,
    names: Sequence[str | None] = (),
    heads: Sequence[str] = (),
    kept: Kept = "held",
) -> StagedRows:
    """Stage a function that gives rows, and the declared names beside them.

    ``names`` are those of its rows, None where a row has none; ``heads`` those of its columns instead. What is only
    ``compared`` with holds no values; what is ``decided`` keeps them where inputs change.
    """
    n_rows, n_columns = size
    block = book.addin_calls.block(book.resolve(call, CALLS), n_rows, n_columns, kept)
    n_unnamed = sum(name is None for name in names)
    expected = [name for name in names if name is not None] or list(heads)
    places = book.addin_calls.put_words(expected, across=bool(heads))
    given = block.row(1, n_columns) if heads else block.column(1, 1 + n_unnamed)
    return StagedRows(block, given, places, len(expected))


def found_for_these(book: Book, decided: StagedRows, keys: Sequence[str]) -> str:
    """Return the condition that what is decided was found for lines as they stand: its function is there, or none of
    them changed since filling."""
    places = [book.find(key) for key in keys]
    changed = book.addin_calls.changed(
        (place.sheet, range(place.first, place.first + len(place.cases)), place.row) for place in places
    )
    return f"{decided.block.missing}*SUM({changed})=0"
