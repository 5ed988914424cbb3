# ruff: noqa: E402 - the extra is asked for before what stands on it
"""A plan against what came as a workbook: a row a month, a column a cause, sums that the sheet works out itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sizebook.core.extras import need

need("workbooks")

from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.actuals.plan_variance import OTHERS, PlanVariance
from sizebook.actuals.variance import CAUSES
from sizebook.reports.variance.report import CAUSES as LABELS
from sizebook.sources.writing import unfinished
from sizebook.workbooks import styles

_HEADS_ROW = 4
_MONEY = "#,##0.00;-#,##0.00"


def write_xlsx(found: PlanVariance, path: Path) -> None:
    """Write the workbook; it appears whole or not at all."""
    book = Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.title = "Variance"
    sheet["A1"].value, sheet["A2"].value = found.name, f"Plan against actual, {found.currency}"
    sheet["A1"].font, sheet["A2"].font = styles.font(14, bold=True), styles.font(color=styles.MUTED)
    named = (*CAUSES, *OTHERS)
    heads = ["Month", "Planned", "Actual", "Difference", *(str(LABELS[name]) for name in named), "Check"]
    _row(sheet, _HEADS_ROW, heads, bold=True)
    first, last = _HEADS_ROW + 1, _HEADS_ROW + len(found.months)
    end = get_column_letter(4 + len(named))
    for row, month in enumerate(found.months, start=first):
        shares = {share.cause: share.shapley for share in month.shares}
        others = [getattr(month.actual, name) for name in OTHERS]
        check = f'=IF(ABS(D{row}-SUM(E{row}:{end}{row}))<0.01,"OK","causes do not add up")'
        _row(
            sheet,
            row,
            [month.label, month.planned, month.actual.total, f"=C{row}-B{row}", *shares.values(), *others, check],
        )
    letters = [get_column_letter(column) for column in range(2, 5 + len(named))]
    _row(sheet, last + 1, ["Together", *(f"=SUM({letter}{first}:{letter}{last})" for letter in letters)], bold=True)
    _row(sheet, last + 3, [f"To {found.until}, planned", found.planned_total])
    _row(sheet, last + 4, [f"To {found.until}, now", found.forecast_total])
    for column in range(1, len(heads) + 1):
        sheet.column_dimensions[get_column_letter(column)].width = 24 if column == 1 else 18
    styles.set_up_list_sheet(sheet, heading_row=_HEADS_ROW)
    with unfinished(path) as temporary:
        book.save(temporary)


def _row(sheet: Worksheet, row: int, cells: list[Any], *, bold: bool = False) -> None:
    for column, value in enumerate(cells, start=1):
        cell: Any = sheet.cell(row, column, value)
        cell.font = styles.font(bold=bold)
        cell.number_format = _MONEY
