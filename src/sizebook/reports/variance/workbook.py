# ruff: noqa: E402 - the extra is asked for before what stands on it
"""Variances and bridges as workbooks: a row a month and service, or a change; sums that the sheet works out itself."""

from pathlib import Path
from typing import Any

from sizebook.core.extras import need

need("workbooks")

from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.actuals.actual_months import OTHERS
from sizebook.actuals.plan_variance import PlanVariance
from sizebook.actuals.variance import CAUSES, LABELS
from sizebook.plans.bridges import Bridge
from sizebook.reports.variance.drawing import shown
from sizebook.sources.cell_text import put_text
from sizebook.sources.writing import unfinished
from sizebook.workbooks import styles

_FIRST = 5  # row of figures
_MONEY = "#,##0.00;-#,##0.00"


class _Formula(str):
    """A text that the sheet calculates; every other one is shown as it stands, whatever it begins with."""


def write_variance(found: PlanVariance, path: Path) -> None:
    """Write what each cause adds by month and service."""
    named = (*CAUSES, *OTHERS)
    sheet = _sheet("Variance", found.name, f"Plan against actual, {found.currency}")
    heads = ["Month", "Service", "Planned", "Actual", "Difference", *(str(LABELS[name]) for name in named), "Check"]
    end = get_column_letter(len(heads) - 1)
    rows = []
    for row, month in enumerate(found.months, start=_FIRST):
        shares = month.shares.values()
        others = (getattr(month.actual, name) for name in OTHERS)
        check = _Formula(f'=IF(ABS(E{row}-SUM(F{row}:{end}{row}))<0.01,"OK","causes do not add up")')
        amounts = (month.planned, month.actual.total, _Formula(f"=D{row}-C{row}"))
        rows.append([month.label, month.service, *amounts, *shares, *others, check])
    last = _FIRST + len(rows) - 1
    letters = [get_column_letter(column) for column in range(3, len(heads))]
    rows.append(["Together", "", *(_Formula(f"=SUM({letter}{_FIRST}:{letter}{last})") for letter in letters)])
    rows += [[], [f"Plan to {found.until}", "", found.planned_total]]
    rows.append([f"Forecast to {found.until}", "", found.forecast_total])
    _write(sheet, heads, rows, path)


def write_bridge(found: Bridge, path: Path) -> None:
    """Write what each thing that differs adds; the sheet itself adds them up from one end to the other."""
    sheet = _sheet("Bridge", found.title, f"What each change adds, in {found.unit}")
    rows: list[list[Any]] = [[found.ends[0], "", "", "", found.start]]
    for row, (step, move) in enumerate(zip(found.steps, found.moves, strict=True), start=_FIRST + 1):
        rows.append([step.name, shown(step.before), shown(step.after), move, _Formula(f"=E{row - 1}+N(D{row})")])
    last = _FIRST + len(rows) - 1
    rows.append([found.ends[1], "", "", _Formula(f"=SUM(D{_FIRST}:D{last})"), found.end])
    rows.append(["Check", _Formula(f'=IF(ABS(E{last + 1}-E{last})<0.01,"OK","changes do not add up")')])
    rows += [[], *([remark] for remark in found.remarks)]
    _write(sheet, ["Change", "From", "To", "Adds", "Total so far"], rows, path)


def _sheet(name: str, title: str, subtitle: str) -> Worksheet:
    sheet = Workbook().active
    assert isinstance(sheet, Worksheet)
    sheet.title = name
    put_text(sheet["A1"], title)
    put_text(sheet["A2"], subtitle)
    sheet["A1"].font, sheet["A2"].font = styles.font(14, bold=True), styles.font(color=styles.MUTED)
    return sheet


def _write(sheet: Worksheet, heads: list[str], rows: list[list[Any]], path: Path) -> None:
    """Write heads and rows; the file appears whole or not at all."""
    for row, cells in enumerate([heads, *rows], start=_FIRST - 1):
        for column, value in enumerate(cells, start=1):
            cell: Any = sheet.cell(row, column)
            if isinstance(value, str) and not isinstance(value, _Formula):
                put_text(cell, value)
            else:
                cell.value = value
            cell.font, cell.number_format = styles.font(bold=row < _FIRST), _MONEY
    for column in range(1, len(heads) + 1):
        sheet.column_dimensions[get_column_letter(column)].width = 24 if column == 1 else 18
    styles.set_up_list_sheet(sheet, heading_row=_FIRST - 1)
    assert sheet.parent is not None
    with unfinished(path) as temporary:
        sheet.parent.save(temporary)
