"""Sheets on which time runs across: one row a figure, one formula a row, a column a month, its total before them.

A row is declared once: key, label, formula, unit, number format, what its total is. Formulas name rows and lines in
braces as on other pages; a row of any timeline stands for the same month, ``{usd.total}`` for its total and
``{usd.all}`` for all its months. The first rows are the calendar: the number of the month, the day on which it starts,
1 while it is in the plan, its quarter and its year. Every other row is 0 outside the plan.
"""

from itertools import zip_longest

from openpyxl.formatting.rule import Rule
from openpyxl.styles import Font
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.utils import get_column_letter

from sizebook.plans.ledgers import LONGEST_PLAN
from sizebook.workbooks import styles
from sizebook.workbooks.book import UNLISTED, Book, Place
from sizebook.workbooks.canvas import Canvas
from sizebook.workbooks.print_layout import break_between, years_a_page
from sizebook.workbooks.print_marks import fold_blank, print_to

MONTHS = tuple(str(month) for month in range(1, LONGEST_PLAN + 1))
SUM, BOLD_SUM, LAST, MOST, NONE = "sum", "bold sum", "last", "most", ""
_UNIT, _TOTAL, _FIRST = 3, 4, 5
_MANY = 10


def some_months(row: str, first: str, last: str) -> str:
    """Return the reference to a row from one month of the plan to another: a sum over it takes no other months."""
    return f"INDEX({{{row}.all}},{first}):INDEX({{{row}.all}},{last})"


class Timeline(Canvas):
    """One sheet with a column a month from E on; B holds labels, C units, D totals.

    ``before`` are columns of a row's own between unit and total: heads, for `fill_before` to fill.
    """

    def __init__(self, book: Book, name: str, subtitle: str, before: tuple[str, ...] = ()) -> None:
        widths = (33, 13, *(13,) * len(before), 15, *(13,) * len(MONTHS))
        super().__init__(book, book.workbook.create_sheet(name), subtitle, MONTHS, widths)
        self.before, self.total_column = before, _TOTAL + len(before)
        self.first = _FIRST + len(before)
        self._rows_of_each: list[int] = []
        self.unit_column = _UNIT  # sections and paragraphs stay to the left
        self.sheet.page_setup.orientation = "landscape"

    def calendar(self, start: str = "", months: str = "") -> None:
        """Write the heads of the columns, and with the first day and the number of months the calendar itself."""
        self.row += 1
        self._put(2, "Month", "Column head")
        for column, head in ((_UNIT, "Unit"), (self.total_column, "Total"), *enumerate(self.before, _UNIT + 1)):
            self._put(column, head, "Unit head" if column == _UNIT else "Wrapped head")
        if self.before:
            self.sheet.row_dimensions[self.row].height = 40
        for column in range(self.first, self.first + len(MONTHS)):
            letter = get_column_letter(column)
            shown = f"={letter}{self.row + 2}" if start else self.resolve("={starts}", MONTHS[column - self.first])
            self._put(column, shown, "Figure head").number_format = styles.MONTH
        self.sheet.freeze_panes = f"{get_column_letter(self.first)}{self.row + 1}"
        self.sheet.print_title_rows = f"{self.row}:{self.row}"
        self.row += 1
        if start:
            self._calendar_rows(start, months)

    def _calendar_rows(self, start: str, months: str) -> None:
        left = f"${get_column_letter(self.first)}$1"
        numbers = tuple(f"=COLUMNS({left}:{get_column_letter(self.first + at)}$1)" for at in range(len(MONTHS)))
        self.row_of("month", "Month of the plan", numbers, "", styles.WHOLE)
        self.row_of("starts", "Starts", f"=EDATE({{{start}}},{{month}}-1)", "", styles.DATE)
        self.row_of("on", "In the plan", f"=IF({{month}}<={{{months}}},1,0)", "", styles.WHOLE, SUM)
        for key in ("quarter", "year"):
            number = f"=ROUNDUP({{month}}/{{months_a_{key}}},0)*{{on}}"
            self.row_of(key, f"{key.capitalize()} of the plan", number, "", styles.WHOLE, MOST)

    def row_of(
        self,
        key: str,
        label: str,
        formula: str | tuple[str, ...],
        unit: str,
        number_format: str = styles.WHOLE,
        total: str = NONE,
    ) -> None:
        """Add a row: the same formula in each month, or one for each; one with a total of `BOLD_SUM` is in bold."""
        bold = total == BOLD_SUM
        if label.startswith("={"):  # the name of a service or a phase, blank where there is none
            self._rows_of_each.append(self.row)
        self.book.place(key, Place(self.sheet.title, self.row, MONTHS, first=self.first, total=self.total_column))
        self._put(2, self.resolve(label), "Total label" if bold else "Label")
        self._put(_UNIT, unit or None, "Total unit" if bold else "Unit")
        self.book.may_be_unlisted(key, str(formula))
        formulas = formula if isinstance(formula, tuple) else (formula,) * len(MONTHS)
        for column, (month, one) in enumerate(zip(MONTHS, formulas, strict=True), self.first):
            value = self.resolve(one.replace("§", str(self.row)), month)
            self._put(column, value, "Total" if bold else "Figure").number_format = number_format
        self._sum_up(key, total, number_format)
        self.row += 1

    def fill_before(self, formulas: tuple[str, ...], formats: tuple[str, ...] = ()) -> None:
        """Write the columns of the next row that stand before its total; those without a format show as figures."""
        for column, (own, shown) in enumerate(zip_longest(formulas, formats, fillvalue=styles.NUMBER), _UNIT + 1):
            value = self.resolve(own.replace("§", str(self.row))) or None
            self._put(column, value, "Figure").number_format = shown

    def _sum_up(self, key: str, total: str, number_format: str) -> None:
        first, last = (get_column_letter(self.first + n) for n in (0, len(MONTHS) - 1))
        months = f"{first}{self.row}:{last}{self.row}"
        formulas = {
            SUM: f"=SUM({months})",
            BOLD_SUM: f"=SUM({months})",
            LAST: f"=INDEX({months},{{months}})",
            MOST: f"=MAX({months})",
        }
        formula = formulas.get(total, total) or None  # a total of its own is a formula
        if formula and self.book.is_unlisted(key):
            formula = f"=IF(COUNT({months})=COUNTA({months}),{formula.removeprefix('=')},{UNLISTED})"
        cell = self._put(self.total_column, self.resolve(formula), "Total")
        cell.number_format = number_format

    def finish(self) -> None:
        """Hide what lies outside the plan, and print the months that lie in it, twelve a page."""
        first, last = (get_column_letter(self.first + n) for n in (0, len(MONTHS) - 1))
        outside = self.book.resolve("={on}=0", self.sheet.title, MONTHS[0]).removeprefix("=")
        hidden = DifferentialStyle(font=Font(color="FFFFFF"))
        rule = Rule(type="expression", formula=[outside], dxf=hidden)
        self.sheet.conditional_formatting.add(f"{first}4:{last}{self.row}", rule)
        self.sheet.print_area = f"B1:{last}{self.row}"
        years_a_page(self.sheet, _UNIT, first=self.first, last=self.first + len(MONTHS) - 1)
        if len(self._rows_of_each) < _MANY:  # else filling folds rows, and nobody knows yet what a page holds
            break_between(self.sheet, self._groups, self.row)
        print_to(self.sheet, first, self.book.resolve("{on.total}", ""))
        if self._rows_of_each:
            fold_blank(self.sheet, f"$B${self._rows_of_each[0]}:$B${self._rows_of_each[-1]}")
