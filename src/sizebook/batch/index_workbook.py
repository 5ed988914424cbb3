# ruff: noqa: E402 - the extra is asked for before what stands on it
"""The index of a batch as a workbook: a line a scenario with its files and figures, or what was wrong."""

import json
from collections.abc import Sequence
from pathlib import Path

from sizebook.core.extras import need

need("workbooks")

from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from sizebook import __version__
from sizebook.batch.file_names import INDEX
from sizebook.batch.index_table import Line, columns_of
from sizebook.batch.record import batch_record
from sizebook.calculation.package import Package
from sizebook.core.figure_label import FigureLabel
from sizebook.sources.cell_text import put_text
from sizebook.sources.writing import scratch_folder, write_whole
from sizebook.workbooks import print_layout, styles
from sizebook.workbooks.chart_caches import refresh_charts
from sizebook.workbooks.embedded_record import put_record
from sizebook.workbooks.native_charts import ChartReferences, draw_chart
from sizebook.workbooks.saving import settle

_LETTERS_A_LINE, POINTS_A_LINE = 58, 14  # spreadsheets do not grow a row by themselves when a program writes its text
_MOST_BARS = 40
_MOST_CHARTS = 6
_CHART_ROWS = 24  # at most: few bars need less, and so several charts stand on a page
_ROWS_AROUND_BARS = 9
_LAST_COLUMN = 11  # of a chart


def write_index(lines: Sequence[Line], folder: Path) -> Path:
    """Write the index workbook and return its path; it appears whole or not at all."""
    book = Workbook()
    styles.apply_styles(book)
    book.properties.creator = "sizebook"
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.title = "Index"
    kinds = list(dict.fromkeys(kind for line in lines for kind in line.files))
    columns = columns_of(lines)
    _heads(sheet, kinds, columns)
    for row, line in enumerate(lines, 2):
        _write_line(sheet, row, line, kinds, columns)
    styles.set_up_list_sheet(sheet, heading_row=1)
    sheet.auto_filter.ref = f"A1:{get_column_letter(sheet.max_column)}{len(lines) + 1}"
    _charts(book, sheet, lines, columns)
    with scratch_folder() as scratch:
        book.save(scratch / "index.xlsx")
        settle(scratch / "index.xlsx")
        _complete(book, scratch / "index.xlsx", json.dumps(batch_record(len(lines))))
        return write_whole(folder / f"{INDEX}.xlsx", (scratch / "index.xlsx").read_bytes())


def _complete(book: Workbook, path: Path, record: str) -> None:
    """Add the record, and beside each chart's references what the cells show: LibreOffice draws a title of that."""
    package = Package.read(path)
    refresh_charts(package, lambda sheet, row, column: book[sheet].cell(row, column).value)
    put_record(package, record)
    package.save(path)


def _heads(sheet: Worksheet, kinds: Sequence[str], columns: Sequence[FigureLabel]) -> None:
    heads = [
        ("Scenario", 30),
        ("Model", 24),
        ("Status", 9),
        *((kind, 8) for kind in kinds),
        *((column.heading, 15) for column in columns),
        ("Remarks, or the problem", 60),
    ]
    figures = range(4 + len(kinds), 4 + len(kinds) + len(columns))
    for at, (text, width) in enumerate(heads, 1):
        head = sheet.cell(1, at, text)
        head.style = "Wrapped head" if at in figures else "Column head"
        sheet.column_dimensions[get_column_letter(at)].width = width
    sheet.row_dimensions[1].height = 40


def _write_line(sheet: Worksheet, row: int, line: Line, kinds: Sequence[str], columns: Sequence[FigureLabel]) -> None:
    for at, text in enumerate((line.name, line.models, "done" if line.is_done else "failed"), 1):
        put_text(sheet.cell(row, at), text).style = "Label"
    for at, kind in enumerate(kinds, 4):
        cell = put_text(sheet.cell(row, at), kind if kind in line.files else "")
        cell.style = "Label"
        if kind in line.files:
            cell.hyperlink = line.files[kind]
            cell.font = styles.font(color=styles.ACCENT)
    for at, column in enumerate(columns, 4 + len(kinds)):
        cell = sheet.cell(row, at, line.values.get(column))
        cell.style, cell.number_format = "Figure", styles.NUMBER
    last = put_text(sheet.cell(row, 4 + len(kinds) + len(columns)), line.remarks)
    last.style = "Label"
    if not line.is_done:
        for cell in (sheet.cell(row, 3), last):
            cell.font = styles.font(color=styles.FAILED)
    longest = max(len(line.remarks) / _LETTERS_A_LINE, len(line.name) / 28, len(line.models) / 22, 1)
    sheet.row_dimensions[row].height = POINTS_A_LINE * -int(-longest // 1) + 4


def _charts(book: Workbook, index: Worksheet, lines: Sequence[Line], columns: Sequence[FigureLabel]) -> None:
    """Draw a chart of each of the first figures that differ over the batch, on a sheet of their own."""
    shown = charted_figures(lines, columns)
    if not shown:
        return
    sheet = book.create_sheet("Charts")
    print_layout.set_up_printing(sheet, "Batch", __version__)
    for number in range(2, _LAST_COLUMN + 1):
        sheet.column_dimensions[get_column_letter(number)].width = 11
    last = min(len(lines), _MOST_BARS) + 1
    said = f", the first {_MOST_BARS} of {len(lines)} scenarios" if len(lines) > _MOST_BARS else ""
    n_files = len({kind for line in lines for kind in line.files})
    n_rows = min(_CHART_ROWS, _ROWS_AROUND_BARS + last - 1)
    starts = [1 + number * (n_rows + 2) for number in range(len(shown))]
    for row, column in zip(starts, shown, strict=True):
        at = get_column_letter(4 + n_files + list(columns).index(column))
        put_text(sheet.cell(row, 2), f"{column.heading}{said}").style = "Section"
        series = (f"{index.title}!${at}$1", f"{index.title}!${at}$2:${at}${last}")
        names = f"{index.title}!$A$2:$A${last}"
        drawn = ChartReferences(
            "bars", f"Charts!$B${row}", names, series=[series], unit=column.unit, number_format=styles.NUMBER
        )
        draw_chart(sheet, row, _LAST_COLUMN, n_rows=n_rows, drawn=drawn)
    print_layout.set_print_area(sheet, starts, starts[-1] + n_rows + 1, last_column=_LAST_COLUMN)


def charted_figures(lines: Sequence[Line], columns: Sequence[FigureLabel]) -> list[FigureLabel]:
    """Return the first figures that differ between scenarios of a batch."""
    differing = [
        column for column in columns if len({line.values[column] for line in lines if column in line.values}) > 1
    ]
    return differing[:_MOST_CHARTS]
