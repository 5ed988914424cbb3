# ruff: noqa: E402 - the extra is asked for before what stands on it
"""The index workbook of a batch: one line a scenario, with its files and headline figures, or what was wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sizebook.core.extras import need

need("workbooks")

from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.batch.journal import Outcome
from sizebook.sources.texts import put_text
from sizebook.sources.writing import unfinished
from sizebook.workbooks import look

WIDTHS = {
    "Scenario": 26,
    "Model": 26,
    "Status": 9,
    "Workbook": 26,
    "Report": 26,
    "Headline figures, or the problem": 90,
}
# Spreadsheets do not grow a row by themselves when a program writes its text.
LETTERS_A_LINE, POINTS_A_LINE = 88, 14


def write_index(outcomes: Sequence[Outcome], path: Path) -> Path:
    """Write the index of a batch and return its path; it appears whole or not at all."""
    book = Workbook()
    look.dress(book)
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.title = "Index"
    for column, (heading, width) in enumerate(WIDTHS.items(), 1):
        head = sheet.cell(1, column, heading)
        head.style = "Column head"
        sheet.column_dimensions[head.column_letter].width = width
    for row, outcome in enumerate(outcomes, 2):
        _write_line(sheet, row, outcome)
    look.lay_out_list(sheet, heading_row=1)
    with unfinished(path) as temporary:
        book.save(temporary)
    return path


def _write_line(sheet: Worksheet, row: int, outcome: Outcome) -> None:
    cells = _line(outcome)
    for column, text in enumerate(cells, 1):
        cell = sheet.cell(row, column)
        cell.style = "Label"
        put_text(cell, text)
        if text and list(WIDTHS)[column - 1] in ("Workbook", "Report"):
            cell.hyperlink = text
            cell.font = look.font(color=look.ACCENT)
        elif outcome.outputs is None and text:
            cell.font = look.font(color=look.FAILED)
    sheet.row_dimensions[row].height = POINTS_A_LINE * -(-len(cells[-1]) // LETTERS_A_LINE) + 4


def _line(outcome: Outcome) -> list[str]:
    """Return a scenario in the order of the headings; plans differ in their figures, so these share one column."""
    model = _models(outcome.row.values)
    if outcome.outputs is None:
        return [outcome.row.name, model, "failed", "", "", outcome.problem]
    figures = "; ".join(f"{label}: {text}" for label, text in outcome.outputs.headline)
    workbook = outcome.outputs.workbook
    return [outcome.row.name, model, "done", workbook.name if workbook else "", outcome.outputs.report.name, figures]


def _models(values: Mapping[str, Any]) -> str:
    """Return the model of a scenario, or those of a fleet's services or a programme's phases, each once."""
    inner = values.get("service") or values.get("phases")
    tables = inner if isinstance(inner, list) else [values]
    return ", ".join(dict.fromkeys(str(table.get("model", "")) for table in tables if isinstance(table, dict)))
