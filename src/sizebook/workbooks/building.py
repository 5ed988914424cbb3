"""Builds planning workbooks from lines: each has a label, a value or formula, a unit, and where it comes from.

Formulas name other lines in braces, ``=PARAMS_LN({d_model})``, and the builder puts the references; on a sheet with
several cases (low, base, high) a formula is written once and stands in every column. openpyxl writes the cells; the
common look is in `sizebook.workbooks.look`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from openpyxl import Workbook
from openpyxl.cell import Cell
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Font
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.pagebreak import Break
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.errors import InputError, suggestion
from sizebook.workbooks import look

_PLACE = re.compile(r"\{([a-z]\w*)(?::([a-z]\w*))?\}")
_IS_LINK = re.compile(r"='?[\w ]+'?!\$?[A-Z]+\$?\d+")
_FIRST_COLUMN = 3  # A is a margin, B holds the labels
PASSED, FAILED = "OK", "CHECK"
BASE = "base"


@dataclass(frozen=True)
class Place:
    """The row of a line and the sheet it stands on."""

    page: Page
    row: int


@dataclass
class Book:
    """A workbook being built: its pages and the lines that formulas may name."""

    title: str
    version: str
    workbook: Workbook = field(default_factory=Workbook)
    places: dict[str, Place] = field(default_factory=dict)
    _lists: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.workbook.remove(self.workbook.worksheets[0])
        look.dress(self.workbook)

    def page(
        self,
        name: str,
        subtitle: str,
        cases: Sequence[str] = ("",),
        widths: Sequence[float] = (),
        *,
        portrait: bool = False,
    ) -> Page:
        """Add a sheet of lines; ``cases`` head its columns of figures, ``widths`` are those of the columns from B."""
        page = Page(self, self.workbook.create_sheet(name), subtitle, tuple(cases), widths)
        page.sheet.page_setup.orientation = "portrait" if portrait else "landscape"
        return page

    def choices(self, name: str, values: Sequence[str]) -> str:
        """Put the values of a dropdown on the hidden sheet of lists; return the reference to them."""
        if name not in self._lists:
            if "Lists" not in self.workbook.sheetnames:
                self.workbook.create_sheet("Lists").sheet_state = "hidden"
            sheet = self.workbook["Lists"]
            column = len(self._lists) + 1
            for row, value in enumerate([name, *values], 1):
                sheet.cell(row, column, value)
            letter = get_column_letter(column)
            sheet.column_dimensions[letter].width = 30
            self._lists[name] = f"Lists!${letter}$2:${letter}${len(values) + 1}"
        return self._lists[name]

    def define(self, name: str, reference: str) -> None:
        """Give a cell a name that scenario files use."""
        self.workbook.defined_names[name] = DefinedName(name, attr_text=reference)


class Page:
    """One sheet of lines, from the top down."""

    def __init__(
        self, book: Book, sheet: Worksheet, subtitle: str, cases: tuple[str, ...], widths: Sequence[float]
    ) -> None:
        self.book, self.sheet, self.cases = book, sheet, cases
        self.unit_column = _FIRST_COLUMN + len(cases)
        self.row = 1
        for column, width in enumerate((2, *(widths or self._widths())), 1):
            sheet.column_dimensions[get_column_letter(column)].width = width
        self.last_column = get_column_letter(self.unit_column + 1)
        self._put(2, sheet.title if sheet.title != "Cover" else book.title, "Sheet title")
        sheet.row_dimensions[1].height = 30
        self.row = 2
        self.paragraph(subtitle, "Sheet subtitle", 28)
        self._set_up()

    def _widths(self) -> list[float]:
        return [40, *(20 if len(self.cases) == 1 else 17 for _ in self.cases), 16, 62]

    def _set_up(self) -> None:
        sheet = self.sheet
        sheet.sheet_view.showGridLines = False
        sheet.page_setup.paperSize = sheet.PAPERSIZE_A4
        sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
        sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
        sheet.page_margins.left = sheet.page_margins.right = 0.5
        sheet.page_margins.top, sheet.page_margins.bottom = 0.6, 0.7
        footer: Any = sheet.oddFooter
        for part, text in (
            (footer.left, f"{self.book.title} · {sheet.title}"),
            (footer.center, f"sizebook {self.book.version}"),
            (footer.right, "Page &P of &N"),
        ):
            part.text, part.size = text, 8

    def _put(self, column: int, value: Any, style: str, row: int | None = None) -> Cell:
        cell: Any = self.sheet.cell(self.row if row is None else row, column)
        cell.value = value
        cell.style = style
        return cast(Cell, cell)

    def paragraph(self, text: str, style: str = "Paragraph", height: float = 15) -> None:
        """Write a text across the page; give the height that its lines need."""
        self._put(2, text, style)
        self.sheet.merge_cells(f"B{self.row}:{self.last_column}{self.row}")
        self.sheet.row_dimensions[self.row].height = height
        self.row += 1

    def heads(self, label: str = "", *, freeze: bool = True, origin: str = "Where it comes from") -> None:
        """Write the heads of the columns; the rows down to here stay in view and on every printed page."""
        self.row += 1
        self._put(2, label, "Column head")
        for column, case in enumerate(self.cases, _FIRST_COLUMN):
            self._put(column, case or "Value", "Figure head")
        self._put(self.unit_column, "Unit", "Unit head")
        self._put(self.unit_column + 1, origin, "Column head")
        if freeze:
            self.sheet.freeze_panes = f"C{self.row + 1}"
            self.sheet.print_title_rows = f"{self.row}:{self.row}"
        self.row += 1

    def section(self, title: str, *, new_page: bool = False) -> None:
        """Start a group of lines, on paper at the top of a page if so wanted."""
        if new_page:
            self.sheet.row_breaks.append(Break(id=self.row))
        self.row += 1
        for column in range(2, self.unit_column + 2):
            self._put(column, title if column == 2 else None, "Section")
        self.row += 1

    def line(
        self, key: str, label: str, formula: Any, unit: str, origin: str, number_format: str = look.WHOLE, **kind: bool
    ) -> None:
        """Add a calculated line; ``total=True`` sets it in bold under a rule."""
        total = kind.get("total", False)
        self._describe(label, unit, origin, "Total label" if total else "Label")
        self._keep(key)
        for index in range(len(self.cases)):
            value = self.resolve(formula, index)
            linked = isinstance(value, str) and _IS_LINK.fullmatch(value)
            cell = self._put(
                _FIRST_COLUMN + index, value, "Total" if total else ("Linked figure" if linked else "Figure")
            )
            cell.number_format = number_format
        self.row += 1

    def input(
        self,
        name: str,
        label: str,
        values: Any,
        unit: str,
        origin: str,
        number_format: str = look.GENERAL,
        *,
        required: bool = False,
        choices: str = "",
    ) -> None:
        """Add an input that scenario files set by ``name``; on a page of cases by ``name_low`` and ``name_high`` too.

        ``values`` is one example value, or one for each case; a formula such as ``={mfu}`` may stand in for a case.
        """
        self._describe(label, unit, origin, "Label")
        self._keep(name)
        per_case = values if isinstance(values, tuple) else (values,) * len(self.cases)
        for index, (case, value) in enumerate(zip(self.cases, per_case, strict=True)):
            is_base = case in ("", BASE)
            style = "Input" if required and is_base else "Optional input"
            cell = self._put(_FIRST_COLUMN + index, self.resolve(value, self._base()), style)
            cell.number_format = number_format
            self.book.define(name if is_base else f"{name}_{case}", f"{quoted(self.sheet.title)}!{absolute(cell)}")
            if choices:
                self._dropdown(cell, choices)
        self.row += 1

    def statement(self, key: str, label: str, formula: str, origin: str) -> None:
        """Add a calculated line that gives a text; it runs across figures and unit, on two lines where it must."""
        self._describe(label, "", origin, "Label")
        self._keep(key)
        self._put(_FIRST_COLUMN, self.resolve(formula), "Statement")
        self.sheet.merge_cells(
            start_row=self.row, end_row=self.row, start_column=_FIRST_COLUMN, end_column=self.unit_column
        )
        self.sheet.row_dimensions[self.row].height = 28
        self.row += 1

    def fact(self, label: str, value: Any, number_format: str = look.GENERAL, style: str = "Fact") -> Cell:
        """Add a label with a text or value beside it, without unit or origin; return the cell of the value."""
        self._put(2, label, "Label")
        for column in range(_FIRST_COLUMN + 1, self.unit_column + 2):
            self._put(column, None, "Fact")
        cell = self._put(_FIRST_COLUMN, self.resolve(value), style)
        cell.number_format = number_format
        self.row += 1
        return cell

    def tiles(self, figures: Sequence[tuple[str, str, str, str]]) -> None:
        """Add headline figures side by side: label, formula, number format, and what stands under it."""
        self.row += 1
        for column, (label, formula, number_format, under) in enumerate(figures, 2):
            self._put(column, self.resolve(label), "Tile label", self.row)
            self._put(column, self.resolve(formula), "Tile", self.row + 1).number_format = number_format
            self._put(column, self.resolve(under), "Tile unit", self.row + 2)
        self.sheet.row_dimensions[self.row + 1].height = 30
        self.row += 3

    def table(
        self, heads: Sequence[str], rows: Sequence[Sequence[Any]], formats: Sequence[str], total: bool = False
    ) -> int:
        """Add a table: texts left, figures right; with ``total`` its last row is in bold. Return its first row."""
        for column, head in enumerate(heads, 2):
            self._put(column, self.resolve(head), "Column head" if column == 2 else "Figure head")
        self.row += 1
        first = self.row
        for number, values in enumerate(rows, 1):
            last = total and number == len(rows)
            for column, (value, number_format) in enumerate(zip(values, formats, strict=True), 2):
                style = ("Total label" if last else "Label") if column == 2 else ("Total" if last else "Figure")
                self._put(column, self.resolve(value), style).number_format = number_format
            self.row += 1
        return first

    def check(self, key: str, label: str, formula: str, origin: str) -> None:
        """Add a check: a formula that is TRUE when all is well; it shows OK in grey or CHECK in red."""
        self._describe(label, "", origin, "Label")
        self._keep(key)
        for index in range(len(self.cases)):
            condition = self.resolve(formula, index).removeprefix("=")
            cell = self._put(_FIRST_COLUMN + index, f'=IF({condition},"{PASSED}","{FAILED}")', "Check")
            self.mark_failure(cell.coordinate)
        self.row += 1

    def labels(self, first: str, last: str) -> str:
        """Return a reference to the labels of the lines from one to another."""
        top, bottom = self._find(first), self._find(last)
        sheet = "" if top.page is self else f"{quoted(top.page.sheet.title)}!"
        return f"{sheet}$B${top.row}:$B${bottom.row}"

    def whole_row(self, first: str, last: str) -> str:
        """Return a reference to every case of the lines from one to another."""
        top, bottom = self._find(first).row, self._find(last).row
        right = get_column_letter(self.unit_column - 1)
        return f"$C${top}:${right}${bottom}"

    def mark_failure(self, cells: str) -> None:
        """Show a failed check in red and bold."""
        failed = DifferentialStyle(font=Font(color=look.FAILED, bold=True))
        rule = Rule(type="cellIs", operator="equal", formula=[f'"{FAILED}"'], dxf=failed)
        self.sheet.conditional_formatting.add(cells, rule)

    def resolve(self, formula: Any, case: int = 0) -> Any:
        """Return a formula with references in place of the lines that it names in braces."""
        if not isinstance(formula, str):
            return formula
        return _PLACE.sub(lambda match: self._reference(match[1], match[2], case), formula)

    def _reference(self, first: str, last: str | None, case: int) -> str:
        place = self._find(first)
        column = get_column_letter(_FIRST_COLUMN + (case if len(place.page.cases) > 1 else 0))
        # From one column into every case the reference is fixed; within the cases it moves with its column.
        fixed = "$" if len(place.page.cases) == 1 else ""
        reference = f"{fixed}{column}${place.row}"
        if last is not None:
            reference += f":{fixed}{column}${self._find(last).row}"
        return reference if place.page is self else f"{quoted(place.page.sheet.title)}!{reference}"

    def _find(self, key: str) -> Place:
        if key not in self.book.places:
            raise InputError(
                f"unknown line: got '{key}' on sheet {self.sheet.title}, want the key of a line above."
                f"{suggestion(key, self.book.places)}"
            )
        return self.book.places[key]

    def _base(self) -> int:
        return self.cases.index(BASE) if BASE in self.cases else 0

    def _describe(self, label: str, unit: str, origin: str, style: str) -> None:
        total = style == "Total label"
        self._put(2, label, style)
        self._put(self.unit_column, unit or None, "Total unit" if total else "Unit")
        self._put(self.unit_column + 1, origin, "Origin")
        width = self.sheet.column_dimensions[get_column_letter(self.unit_column + 1)].width
        # Excel fits the heights of wrapped rows only when a person edits them.
        self.sheet.row_dimensions[self.row].height = 15 * max(1, -(-len(origin) // int(width * 1.35)))

    def _keep(self, key: str) -> None:
        if key in self.book.places:
            raise InputError(f"line twice: got '{key}' again on sheet {self.sheet.title}, want it once. Rename one.")
        self.book.places[key] = Place(self, self.row)

    def _dropdown(self, cell: Cell, source: str) -> None:
        rule = DataValidation(type="list", formula1=source, allow_blank=True, showErrorMessage=True)
        rule.errorTitle, rule.error = "Not in the list", "Choose one of the values in the list."
        self.sheet.add_data_validation(rule)
        rule.add(cell)

    def finish(self) -> None:
        """Set the print area to what the page holds."""
        self.sheet.print_area = f"A1:{self.last_column}{max(self.row, self.sheet.max_row)}"


def quoted(sheet: str) -> str:
    """Return a sheet name as formulas write it, in quotes only where it needs them."""
    return sheet if re.fullmatch(r"[A-Za-z_]\w*", sheet) else "'" + sheet.replace("'", "''") + "'"


def absolute(cell: Cell) -> str:
    """Return ``$C$7`` for the cell C7."""
    return f"${cell.column_letter}${cell.row}"
