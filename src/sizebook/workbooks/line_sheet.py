"""One sheet of lines of a planning workbook, written from the top down: lines, inputs, statements, facts, checks."""

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from openpyxl.cell import Cell
from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.cell_range import MultiCellRange
from openpyxl.worksheet.datavalidation import DataValidation

from sizebook.workbooks import styles
from sizebook.workbooks.addin_calls import NEEDS_ADDIN
from sizebook.workbooks.book import FIRST_COLUMN, UNLISTED, Book, Place
from sizebook.workbooks.canvas import FAILED, PASSED, Canvas
from sizebook.workbooks.data_validations import sentence
from sizebook.workbooks.print_layout import height_of, widest_letters
from sizebook.workbooks.references import quoted, text

_IS_LINK = re.compile(r"='?[\w ]+'?!\$?[A-Z]+\$?\d+")


# What to enter, and behind it: heads and widths, which A4 holds beside a label, a value and a unit.
_WIDEST = 40
_TAKES, _SOURCE = ("What it takes", 18), "Where its value comes from"
_WIDE, _NARROW = 37, 24  # of sources, by what others leave of a turned A4 page


@dataclass(frozen=True)
class InputLine:
    """An input that scenario files set by ``name``; see `declared_inputs` for one that a quantity declares.

    ``choices`` is the range of a drop-down list, ``rule`` any other data validation. ``takes`` says kind and bounds,
    ``source`` where its value comes from, ``own_source`` where any but the default does.
    """

    name: str
    label: str
    value: Any
    unit: str
    origin: str
    number_format: str = styles.GENERAL
    required: bool = False
    choices: str = ""
    per_case: tuple[Any, ...] = ()
    rule: DataValidation | None = None
    is_list: bool = False
    takes: str = "text"
    source: str = "Your own."
    own_source: str = ""


class LineSheet(Canvas):
    """One sheet of lines. Column B holds labels, then one column a case, the unit, and where the line comes from."""

    def input_heads(self, label: str = "Input", *, origin: str = "What to enter", cases: Sequence[str] = ()) -> None:
        """Write the heads of a page of inputs: behind what to enter stands what a cell takes, and its source."""
        self.beside = 2
        self.heads(label, origin=origin, cases=cases)
        entered = self.sheet.column_dimensions[get_column_letter(self.unit_column + 1)]
        entered.width = min(entered.width, _WIDEST)
        left = int(widest_letters()) - sum(self._width(at) for at in range(2, self.unit_column + 2)) - _TAKES[1]
        sources = _SOURCE, max(_NARROW, min(_WIDE, left))
        for column, (head, width) in enumerate((_TAKES, sources), self.unit_column + 2):
            self._put(column, head, "Column head", self.row - 1)
            self.sheet.column_dimensions[get_column_letter(column)].width = width

    def line(
        self, key: str, label: str, formula: Any, unit: str, origin: str, number_format: str = styles.WHOLE
    ) -> None:
        """Add a calculated line, the same formula in every case or one for each."""
        self._describe(key, label, unit, origin)
        self.book.may_be_unlisted(key, str(formula))
        self._figures(formula, number_format, "Figure")

    def constant(self, key: str, label: str, value: Any, unit: str, origin: str, number_format: str) -> None:
        """Add a line of one value, which holds for every case of the page."""
        self._describe(key, label, unit, "A constant that formulas name." if self.beside else origin, cases=("",))
        if self.beside:
            self._describe_beside("", origin)
        self.book.may_be_unlisted(key, str(value))
        self._put(FIRST_COLUMN, self.resolve(value), "Figure").number_format = number_format
        self.row += 1

    def total(
        self, key: str, label: str, formula: Any, unit: str, origin: str, number_format: str = styles.WHOLE
    ) -> None:
        """Add a calculated line in bold: what the lines above come to."""
        self._describe(key, label, unit, origin, total=True)
        self._figures(formula, number_format, "Total")

    def _figures(self, formula: Any, number_format: str, style: str) -> None:
        formulas = formula if isinstance(formula, tuple) else (formula,) * len(self.cases)
        for column, (case, one) in enumerate(zip(self.cases, formulas, strict=True), FIRST_COLUMN):
            value = self.resolve(one, case)
            linked = style == "Figure" and isinstance(value, str) and _IS_LINK.fullmatch(value)
            self._put(column, value, "Linked figure" if linked else style).number_format = number_format
        self.row += 1

    def input(self, given: InputLine) -> None:
        """Add an input.

        On a page of cases one cell across all columns holds for all. With ``per_case``, the values of the cases after
        the first, each of these cases has its own input: ``name_1``, ``name_2`` and so on; only the first can be
        required.
        """
        per_case = given.per_case
        cases = self.cases[: 1 + len(per_case)] if per_case else ("",)
        self._describe(given.name, given.label, given.unit, given.origin, cases=cases)
        if self.beside:
            self._say_source(given)
        if not per_case:
            cell = self._input_cell(FIRST_COLUMN, given, given.name, given.value, required=given.required)
            for column in range(FIRST_COLUMN + 1, self.unit_column):
                self._put(column, None, cell.style)
            self._across()
        else:
            for at, (case, start) in enumerate(zip(cases, (given.value, *per_case), strict=True)):
                required = given.required and at == 0
                self._input_cell(FIRST_COLUMN + at, given, f"{given.name}_{case}", start, required=required)
        self.row += 1

    def _input_cell(self, column: int, given: InputLine, name: str, value: Any, *, required: bool) -> Cell:
        rule = given.rule or _dropdown(given.choices)
        cell = self._put(column, self.resolve(value), "Input" if required else "Optional input")
        cell.number_format = given.number_format
        if given.is_list:
            cell.alignment = Alignment(horizontal="right", vertical="center", indent=1, wrap_text=True)
        place = f"{quoted(self.sheet.title)}!${cell.column_letter}${cell.row}"
        self.book.define_input(name, place, self.resolve(value), is_list=given.is_list)
        if rule is not None:
            rule = copy(rule)
            rule.sqref = MultiCellRange(cell.coordinate)
            self.sheet.add_data_validation(rule)
        return cell

    def _across(self) -> None:
        """Join the cells of all cases in this row."""
        if len(self.cases) > 1:
            self.sheet.merge_cells(
                start_row=self.row, end_row=self.row, start_column=FIRST_COLUMN, end_column=self.unit_column - 1
            )

    def statement(self, key: str, label: str, formula: str, origin: str) -> None:
        """Add a calculated line that gives a text; it runs across figures and unit, on two lines where it must."""
        self._describe(key, label, "", origin, cases=("",))
        self._put(FIRST_COLUMN, self.resolve(formula), "Statement")
        self.sheet.merge_cells(
            start_row=self.row, end_row=self.row, start_column=FIRST_COLUMN, end_column=self.unit_column
        )
        self.sheet.row_dimensions[self.row].height = 28
        self.row += 1

    def staged_line(self, name: str, values: Sequence[Any], unit: str, meaning: str, number_format: str) -> None:
        """Add a line of a staged table: the name that a function knows it by, a value in each case, what it means."""
        self._put(2, name, "Fact")
        for column, (case, value) in enumerate(zip(self.cases, values, strict=False), FIRST_COLUMN):
            self._put(column, self.resolve(value, case), "Linked figure").number_format = number_format
        self._put(self.unit_column, unit or None, "Unit")
        self._put(self.unit_column + 1, meaning, "Origin")
        self.row += 1

    def fact(self, label: str, value: Any, number_format: str = styles.GENERAL, style: str = "Fact") -> Cell:
        """Add a label with a text or value beside it, without unit or origin; return the cell of the value."""
        self._put(2, label, "Label")
        for column in range(FIRST_COLUMN + 1, self.unit_column + 2):
            self._put(column, None, "Fact")
        cell = self._put(FIRST_COLUMN, self.resolve(value), style)
        cell.number_format = number_format
        self.row += 1
        return cell

    def check(self, key: str, label: str, formula: str, origin: str, *, unless: str = "") -> None:
        """Add a check: a formula that is TRUE when all is well; it shows OK in grey or CHECK in red.

        ``unless`` is the condition under which it cannot be made without the functions of sizebook, and says so. One of
        figures that are blank, because what they need is not listed, is blank too.
        """
        self._describe(key, label, "", origin)
        for column, case in enumerate(self.cases, FIRST_COLUMN):
            guard = self.book.guard(formula, self.sheet.title, case)
            condition = self.resolve(formula, case).removeprefix("=")
            if guard:
                condition = condition.removeprefix(f"IF({guard},").removesuffix(f",{UNLISTED})")
            shown = f'IF({condition},"{PASSED}","{FAILED}")'
            shown = f'IF({self.resolve(unless, case)},"{NEEDS_ADDIN}",{shown})' if unless else shown
            shown = f"IF({guard},{shown},{UNLISTED})" if guard else shown
            self.mark_failure(self._put(column, f"={shown}", "Check").coordinate)
        self.row += 1

    def _describe(
        self, key: str, label: str, unit: str, origin: str, *, total: bool = False, cases: tuple[str, ...] = ()
    ) -> None:
        self.book.place(key, Place(self.sheet.title, self.row, cases or self.cases))
        self._put(2, label, "Total label" if total else "Label")
        self._put(self.unit_column, unit or None, "Total unit" if total else "Unit")
        self._put(self.unit_column + 1, origin, "Origin")
        self._fit(self.unit_column + 1, origin)
        self._fit(2, label, 10)

    def _describe_beside(self, takes: str, source: str) -> None:
        """Say beside an input what it takes and where its value comes from."""
        for column, said in enumerate((takes, source), self.unit_column + 2):
            self._put(column, said or None, "Origin")
            self._fit(column, said)

    def _say_source(self, given: InputLine) -> None:
        """Say where the value of an input comes from: another than the default is the reader's own.

        Where each case has a cell of its own, only the default's source is said, and the default with it.
        """
        of_all = {given.value, *given.per_case} == {given.value} and given.own_source.partition("; ")[2]
        self._describe_beside(given.takes, sentence(of_all) if given.per_case and of_all else given.source)
        if given.per_case or given.own_source in ("", given.source) or str(given.value).startswith("="):
            return
        column, value = self.last_column, given.value
        shown = "" if value is None else value
        default = text(shown) if isinstance(shown, str) else repr(shown)
        at = f"${get_column_letter(FIRST_COLUMN)}${self.row}"
        own, source = given.own_source, given.source
        said = f"=IF({at}={default},{text(source)},{text(own)})"
        if own.endswith(source):  # once is enough to read
            said = f'=IF({at}={default},"",{text(own.removesuffix(source))})&{text(source)}'
        self._put(column, said, "Origin")
        self._fit(column, max(given.source, given.own_source, key=len))

    def _width(self, column: int) -> float:
        return float(self.sheet.column_dimensions[get_column_letter(column)].width)

    def _fit(self, column: int, said: str, size: float = 9) -> None:
        """Make the row high enough for a text: Excel fits wrapped rows only when a person edits them."""
        height = height_of(said, self._width(column), size)
        if height is not None:
            row = self.sheet.row_dimensions[self.row]
            row.height = max(row.height or 0, height)


def _dropdown(source: str) -> DataValidation | None:
    if not source:
        return None
    made = DataValidation(type="list", formula1=source, allow_blank=True, showErrorMessage=True)
    made.errorTitle, made.error = "Not in the list", "Choose one of the values in the list."
    return made


def new_sheet(
    book: Book,
    name: str,
    subtitle: str,
    cases: Sequence[str] = ("",),
    widths: Sequence[float] = (),
    *,
    portrait: bool = False,
) -> LineSheet:
    """Add a sheet of lines; ``cases`` head its columns of figures, ``widths`` are those of the columns from B."""
    page = LineSheet(book, book.workbook.create_sheet(name), subtitle, tuple(cases), widths=widths)
    page.sheet.page_setup.orientation = "portrait" if portrait else "landscape"
    return page


def result_sheet(book: Book, name: str, subtitle: str, widths: Sequence[float], chart_rows: int) -> LineSheet:
    """Add a sheet of results, which prints on one upright page at its full size: widths from B, rows of each chart."""
    page = new_sheet(book, name, subtitle, ("",) * (len(widths) - 3), widths, portrait=True)
    page.chart_rows, page.is_one_page = chart_rows, True
    page.sheet.row_dimensions[2].height = 15  # its subtitle is one line
    return page
