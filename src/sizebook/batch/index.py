"""The index workbook of a batch: one line a scenario, with its headline figures, its files, or what was wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.batch.running import Outcome
from sizebook.files import unfinished
from sizebook.workbooks import look

WIDTHS = {"Scenario": 26, "Model": 30, "Status": 10, "Workbook": 30, "Report": 30, "Problem": 90}


def write_index(outcomes: Sequence[Outcome], path: Path) -> Path:
    """Write the index of a batch and return its path; it appears whole or not at all."""
    book = Workbook()
    look.dress(book)
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.title = "Index"
    labels = list(dict.fromkeys(label for o in outcomes if o.outputs for label, _ in o.outputs.headline))
    headings = ["Scenario", "Model", "Status", *labels, "Workbook", "Report", "Problem"]
    sheet.append(headings)
    for outcome in outcomes:
        sheet.append(_line(outcome, labels))
    _style(sheet, headings, outcomes)
    _link(sheet, headings, outcomes)
    look.lay_out_list(sheet, heading_row=1)
    with unfinished(path) as temporary:
        book.save(temporary)
    return path


def _line(outcome: Outcome, labels: Sequence[str]) -> list[str]:
    model = str(outcome.row.values.get("model", ""))
    if outcome.outputs is None:
        return [outcome.row.name, model, "failed", *[""] * len(labels), "", "", outcome.problem]
    figures = dict(outcome.outputs.headline)
    files = [outcome.outputs.workbook.name, outcome.outputs.report.name]
    return [outcome.row.name, model, "done", *(figures.get(label, "") for label in labels), *files, ""]


def _link(sheet: Worksheet, headings: Sequence[str], outcomes: Sequence[Outcome]) -> None:
    for row, outcome in enumerate(outcomes, 2):
        for heading in ("Workbook", "Report"):
            cell = sheet.cell(row, headings.index(heading) + 1)
            if outcome.outputs is not None:
                cell.hyperlink = str(cell.value)
                cell.font = look.font(color=look.ACCENT)


def _style(sheet: Worksheet, headings: Sequence[str], outcomes: Sequence[Outcome]) -> None:
    for column, heading in enumerate(headings, 1):
        sheet.cell(1, column).style = "Column head"
        sheet.column_dimensions[get_column_letter(column)].width = WIDTHS.get(heading, 18)
        for row, outcome in enumerate(outcomes, 2):
            cell = sheet.cell(row, column)
            cell.style = "Label"
            if outcome.outputs is None and heading in ("Status", "Problem"):
                cell.font = look.font(color=look.FAILED)
