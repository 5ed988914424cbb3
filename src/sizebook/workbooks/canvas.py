"""What every sheet of a planning workbook is made of: paragraphs, sections, tiles, tables, charts, print layout."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

from openpyxl.cell import Cell
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Alignment, Border, Font, Side
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.workbooks import styles
from sizebook.workbooks.book import BASE, FIRST_COLUMN, LABELS, Book
from sizebook.workbooks.native_charts import KINDS, ChartReferences, Kind, draw_chart
from sizebook.workbooks.print_layout import fit_one_page, set_print_area, set_up_printing
from sizebook.workbooks.print_marks import fold_blank
from sizebook.workbooks.references import quoted

RESULT = "Result"  # the sheet whose tiles the cover repeats
PASSED, FAILED = "OK", "CHECK"
_CHART_ROWS = 19
_GAP = 8  # points above a section
_TILE_HEIGHTS = (8, 26, 24, 26)  # gap, label, figure, what stands under it
_MOST_LABELS = 8  # columns that hold their figures above them
Tile = tuple[str, str, str, str]  # label, formula, number format, and what stands under the figure


@dataclass(frozen=True)
class Chart:
    """A chart of a table, on its own sheet or another: its rows, and its columns that are series, heads above.

    ``across`` says what the rows are where their labels are bare numbers, ``limits`` are columns drawn as lines,
    ``hatched`` those of what does not count, in the places of the others.
    """

    kind: Kind
    title: str
    unit: str
    number_format: str
    rows: tuple[int, int]
    columns: Sequence[str]
    of_sheet: str = ""
    across: str = ""
    limits: Sequence[str] = ()
    hatched: Sequence[str] = ()

    @property
    def drawn_columns(self) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
        """The columns that are drawn: series, hatched, limits."""
        return self.columns, self.hatched, self.limits


class Canvas:
    """One sheet written from the top down. Column B holds labels, then one column a case, the unit, and the origin."""

    def __init__(
        self, book: Book, sheet: Worksheet, subtitle: str, cases: tuple[str, ...], widths: Sequence[float]
    ) -> None:
        self.book, self.sheet, self.cases = book, sheet, cases
        self.unit_column = FIRST_COLUMN + len(cases)
        self.beside = 0  # columns behind that of where a line comes from
        self._groups: list[int] = []  # the rows in which sections start
        self._begins_part = False
        for column, width in enumerate((2, *(widths or self._widths())), 1):
            sheet.column_dimensions[get_column_letter(column)].width = width
        self.chart_rows, self.is_one_page = _CHART_ROWS, False
        self.unprinted_from: int | None = None  # the first row of what is for the screen alone
        self.row = 1
        self._put(2, sheet.title if sheet.title != "Cover" else book.title, "Sheet title")
        sheet.row_dimensions[1].height = 30
        self.row = 2
        self.paragraph(subtitle, "Sheet subtitle", 28)
        set_up_printing(sheet, book.title, book.version)

    @property
    def last_column(self) -> int:
        """The last column that lines fill."""
        return self.unit_column + 1 + self.beside

    def _widths(self) -> list[float]:
        return [40, *(20 if len(self.cases) == 1 else 17 for _ in self.cases), 16, 62]

    def _put(self, column: int, value: Any, style: str, row: int | None = None) -> Cell:
        cell: Any = self.sheet.cell(self.row if row is None else row, column)
        cell.value = self.book.in_currency(value, self.sheet.title) if isinstance(value, str) else value
        cell.style = style
        return cast(Cell, cell)

    def resolve(self, formula: Any, case: str = BASE) -> Any:
        """Return a formula with references in place of the lines that it names in braces."""
        return self.book.resolve(formula, self.sheet.title, case) if isinstance(formula, str) else formula

    def paragraph(self, text: str, style: str = "Paragraph", height: float = 15) -> None:
        """Write a text across the page; give the height that its lines need."""
        self._put(2, text, style)
        self.sheet.merge_cells(start_row=self.row, end_row=self.row, start_column=2, end_column=self.unit_column + 1)
        self.sheet.row_dimensions[self.row].height = height
        self.row += 1

    def banner(self) -> None:
        """Say across the page what figures do not follow, where the functions of sizebook are missing."""
        self.paragraph(self.book.addin_calls.banner, "Banner", height=30)

    def heads(self, label: str = "", *, origin: str = "Where it comes from", cases: Sequence[str] = ()) -> None:
        """Write the heads of the columns; the rows down to here stay in view and on every printed page.

        ``cases`` are what the columns of figures are called, where that is not the name of their case.
        """
        self.row += 1
        self._put(2, label, "Column head")
        for column, case in enumerate(cases or [case.capitalize() or "Value" for case in self.cases], FIRST_COLUMN):
            self._put(column, case, "Figure head")
        self._put(self.unit_column, "Unit", "Unit head")
        self._put(self.unit_column + 1, origin, "Column head")
        if self.sheet.freeze_panes is None:  # those of the first part
            self.sheet.freeze_panes = f"C{self.row + 1}"
            self.sheet.print_title_rows = f"{self.row}:{self.row}"
        self.row += 1

    def part(self, title: str, subtitle: str, cases: Sequence[str] = ()) -> None:
        """Begin another part of the sheet, which readers take together with what stands above it.

        ``cases`` are those of its columns of figures, where it has others.
        """
        self._groups.append(self.row)
        self._begins_part = True
        self.row += 1
        self._put(2, title, "Sheet title")
        self.sheet.row_dimensions[self.row].height = 30
        self.row += 1
        self.paragraph(subtitle, "Sheet subtitle", 28)
        self.cases = tuple(cases) or self.cases

    def section(self, title: str) -> None:
        """Start a group of lines; on paper a group stays on one page where it fits, under the title of its part."""
        if not self._begins_part:
            self._groups.append(self.row)
        self._begins_part = False
        self.sheet.row_dimensions[self.row].height = _GAP
        self.row += 1
        for column in range(2, self.last_column + 1):
            self._put(column, title if column == 2 else None, "Section")
        self.row += 1

    def wrap(self, row: int, n_letters: int) -> None:
        """Give the texts of a row the lines that so many letters need."""
        width = self.sheet.column_dimensions[get_column_letter(FIRST_COLUMN)].width
        self.sheet.row_dimensions[row].height = 14 * -(-n_letters // int(width))
        for column in range(FIRST_COLUMN, self.unit_column):
            self.sheet.cell(row, column).alignment = Alignment(
                horizontal="right", vertical="center", indent=1, wrap_text=True
            )

    def wrap_heads(self, row: int, n_columns: int) -> None:
        """Give the heads of a table's figures three lines."""
        for column in range(FIRST_COLUMN, FIRST_COLUMN + n_columns):
            self.sheet.cell(row, column).style = "Wrapped head"
        self.sheet.row_dimensions[row].height = 40

    def mark_failure(self, cells: str) -> None:
        """Show a failed check in red and bold."""
        failed = DifferentialStyle(font=Font(color=styles.FAILED, bold=True))
        rule = Rule(type="cellIs", operator="equal", formula=[f'"{FAILED}"'], dxf=failed)
        self.sheet.conditional_formatting.add(cells, rule)

    def tiles(self, figures: Sequence[Tile]) -> None:
        """Add headline figures side by side."""
        for row, height in enumerate(_TILE_HEIGHTS, self.row):
            self.sheet.row_dimensions[row].height = height
        self.row += 1
        for column, (label, formula, number_format, under) in enumerate(figures, 2):
            self._put(column, self.resolve(label), "Tile label", self.row)
            self._put(column, self.resolve(formula), "Tile", self.row + 1).number_format = number_format
            self._put(column, self.resolve(under), "Tile unit", self.row + 2)
            if self.sheet.title == RESULT:
                at = f"{RESULT}!${get_column_letter(column)}$"
                self.book.headlines.append(
                    (f"={at}{self.row}", f"={at}{self.row + 1}", number_format, f'={at}{self.row + 2}&""')
                )
        for column in range(2 + len(figures), self.unit_column + 2):
            for row, style in enumerate(("Tile label", "Tile", "Tile unit"), self.row):
                self._put(column, None, style, row)
        self.row += 3

    def table(
        self,
        heads: Sequence[str],
        rows: Sequence[Sequence[Any]],
        formats: Sequence[str] | Sequence[Sequence[str]],
        *,
        total: bool = False,
        blanks: bool = False,
    ) -> tuple[int, int]:
        """Add a table, texts left and figures right, a total in bold; return its first and last row.

        ``formats`` are the number formats of the columns, or for each row those of its columns. With ``blanks`` a row
        may be empty, and then has no rule below it.
        """
        for column, head in enumerate(heads, 2):
            self._put(column, self.resolve(head), "Column head" if column == 2 else "Figure head")
        self.row += 1
        first = self.row
        for number, values in enumerate(rows):
            is_total = total and number == len(rows) - 1
            own = formats if isinstance(formats[0], str) else formats[number]
            for column, (value, number_format) in enumerate(zip(values, own, strict=True), 2):
                style = ("Total label" if is_total else "Label") if column == 2 else ("Total" if is_total else "Figure")
                cell = self._put(column, self.resolve(value), style)
                cell.number_format = str(number_format)
                if blanks:
                    cell.border = Border()
            self.row += 1
        if blanks:
            self.rule_where_filled(first, len(heads))
        return first, self.row - 1

    def data_table(
        self, name: str, heads: Sequence[str], rows: Sequence[Sequence[Any]], formats: Sequence[str]
    ) -> tuple[int, int]:
        """Add a table that a spreadsheet knows by name, to sort and filter; return its first and last row.

        So that rows may be sorted, a cell refers to no other row of the table.
        """
        first, last = self.table(heads, rows, formats)
        for column in range(2, 2 + len(heads)):
            self._put(column, self.sheet.cell(first - 1, column).value, "Wrapped head", first - 1)
        self.sheet.cell(first - 1, 2).style = "Column head"
        made = Table(displayName=name, ref=f"B{first - 1}:{get_column_letter(1 + len(heads))}{last}")
        self.sheet.add_table(made)
        return first, last

    def rule_where_filled(self, first: int, n_columns: int) -> None:
        """Rule off the rows from one down to the last so far where they are filled, and no others."""
        last = get_column_letter(n_columns + 1)
        ruled = DifferentialStyle(border=Border(bottom=Side(style="thin", color=styles.HAIRLINE)))
        rule = Rule(type="expression", formula=[f'$B{first}<>""'], dxf=ruled)
        self.sheet.conditional_formatting.add(f"B{first}:{last}{self.row - 1}", rule)

    def room_for_chart(self, instead: str = "") -> int:
        """Leave room for a chart of a table that comes further down; return where it goes, for `chart`.

        Where ``instead``, a formula, gives a text, filling folds the room, and the text stands in place of the chart.
        """
        at = self.row
        if instead:
            self.paragraph(self.resolve(instead))
            room = range(self.row, self.row + self.chart_rows)
            for row in room:  # in the margin, where no other fold asks
                self._put(1, f'=IF($B${at}="",1,"")', "Normal", row).number_format = styles.UNSEEN
            fold_blank(self.sheet, f"$A${room[0]}:$A${room[-1]}")
        self.row = at + self.chart_rows + 1
        return at

    def chart(self, chart: Chart, at: int | None = None) -> None:
        """Add a chart of a table; ``at`` is room that was left for it."""
        first, last = chart.rows
        sheet = quoted(chart.of_sheet or self.sheet.title)
        series, hatched, limits = (
            [(f"{sheet}!${c}${first - 1}", f"{sheet}!${c}${first}:${c}${last}") for c in columns]
            for columns in chart.drawn_columns
        )
        labels = f"{sheet}!${LABELS}${first}:${LABELS}${last}"
        title = self.book.resolve(chart.title, "")
        drawn = ChartReferences(
            chart.kind,
            title,
            labels,
            series=series,
            limits=limits,
            hatched=hatched,
            unit=chart.unit,
            number_format=chart.number_format,
            across=chart.across,
            labelled=chart.kind == "bars" or last - first < _MOST_LABELS,
        )
        self.book.describe_chart(self.sheet.title, self._in_words(chart))
        # Charts of a kind are equally high, but a bar needs two rows for its name.
        n_rows = max(self.chart_rows, 2 * (last - first + 1) + 3) if chart.kind == "bars" else self.chart_rows
        draw_chart(self.sheet, self.row if at is None else at, self.unit_column + 1, n_rows=n_rows, drawn=drawn)
        if at is None:
            self.row += n_rows + 1

    def _in_words(self, chart: Chart) -> str:
        """Return the alternative text of a chart: its kind, what it draws, and where its table stands."""
        sheet, (first, last) = self.book.workbook[chart.of_sheet or self.sheet.title], chart.rows
        heads = [str(sheet[f"{column}{first - 1}"].value) for column in chain(*chart.drawn_columns)]
        named = ", ".join(head for head in heads if not head.startswith("="))
        drawn = f"{KINDS[chart.kind]} of {chart.unit}{f': {named}' if named else ''}"
        return f"{drawn}. Its title states the message; table {sheet.title}, rows {first} to {last}."

    def finish(self) -> None:
        """Set the print area to what the page holds, and break pages between sections; results print on one page."""
        if self.is_one_page:
            fit_one_page(self.sheet, self.row, last_column=self.unit_column + 1)
            return
        set_print_area(
            self.sheet,
            self._groups,
            self.row,
            last_column=self.last_column,
            unprinted_from=self.unprinted_from,
        )
