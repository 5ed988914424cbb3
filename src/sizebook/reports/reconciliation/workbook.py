# ruff: noqa: E402 - the extra is asked for before what stands on it
"""The reconciliation as a workbook: the GPT-3 table first, then every model, then the explanations."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sizebook.core.extras import need

need("workbooks")

from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.formulas.params import params_gpt
from sizebook.models import catalog
from sizebook.models.reconciliation import Comparison, compare
from sizebook.reports.reconciliation.report import GPT3
from sizebook.sources.writing import unfinished
from sizebook.workbooks import styles
from sizebook.workbooks.embedded_record import add_record

_COUNT, _RATIO = styles.WHOLE, "0.00%"

# One object each: openpyxl looks a style up again for every cell that has its own.
_CELL_FONT = styles.font()
_CELL_BORDER = Border(bottom=Side("hair", color=styles.HAIRLINE))
_TOP, _WRAPPED = Alignment(vertical="top"), Alignment(vertical="top", wrap_text=True)

_GPT3_HEADINGS = (
    ("Model", 16),
    ("Printed", 10),
    ("Printed, parameters", 20),
    ("n_layers", 10),
    ("d_model", 10),
    ("n_heads", 10),
    ("d_head", 10),
    ("Weights alone", 20),
    ("With biases and norms", 22),
    ("Difference", 18),
    ("Difference, %", 14),
)
# The last two stay out of the print area, which holds what fits the width of a page.
_MODEL_HEADINGS = (
    ("Model", 30),
    ("Organisation", 18),
    ("Count", 7),
    ("Stated", 14),
    ("Stated, parameters", 18),
    ("Computed", 18),
    ("Difference", 16),
    ("Difference, %", 11),
    ("Result", 13),
    ("Scope of the statement", 24),
    ("Explanation", 60),
    ("Source", 70),
    ("Key", 30),
)
_EXPLANATION, _LAST_PRINTED = 11, "K"
_LINE, _LETTERS_A_LINE = 14, 72


def write_xlsx(compared: Sequence[Comparison], path: Path, record: str) -> None:
    """Write the workbook with the record of what it was made of; it appears whole or not at all."""
    book = Workbook()
    first = book.active
    assert isinstance(first, Worksheet)
    first.title = "GPT-3"
    _gpt3(first)
    _models(book.create_sheet("Models"), compared)
    with unfinished(path) as temporary:
        book.save(temporary)
        add_record(temporary, record)


def _gpt3(sheet: Worksheet) -> None:
    _title(
        sheet, "GPT-3, table 2.1, recomputed", "Brown et al. 2020 (arXiv:2005.14165); vocabulary 50 257, 2048 positions"
    )
    _headings(sheet, _GPT3_HEADINGS)
    for index, key in enumerate(catalog.model_keys(GPT3)):
        row = _FIRST_ROW + index
        dims, facts = catalog.config(key), catalog.facts(key)
        n_layers, d_model, n_heads, d_head = (dims[field] for field in ("n_layers", "d_model", "n_heads", "d_head"))
        weights = params_gpt(n_layers, d_model, n_heads, d_head=d_head, vocab=dims["vocab"], n_positions=dims["n_ctx"])
        one = compare(key)
        stated = one.stated.parameters if one.stated else None
        cells = [facts["name"], facts["published_total"], stated, n_layers, d_model, n_heads, d_head]
        _fill(sheet, row, [*cells, weights, one.computed, one.difference, one.relative])
    _formats(sheet, {"C": _COUNT, "H": _COUNT, "I": _COUNT, "J": _COUNT, "K": _RATIO, "E": _COUNT})


def _models(sheet: Worksheet, compared: Iterable[Comparison]) -> None:
    _title(sheet, "Published parameter counts, recomputed", "Blank: not published. Every difference has its reason.")
    _headings(sheet, _MODEL_HEADINGS)
    for row, one in enumerate(compared, start=_FIRST_ROW):
        _fill(sheet, row, _cells(one))
        sheet[f"I{row}"].alignment = Alignment(vertical="top", indent=1)
        sheet.row_dimensions[row].height = _LINE * max(1, -(-len(one.explanation) // _LETTERS_A_LINE))
        if one.status == "unexplained":
            sheet[f"I{row}"].font = styles.font(color=styles.FAILED, bold=True)
    _formats(sheet, {"E": _COUNT, "F": _COUNT, "G": _COUNT, "H": _RATIO})
    sheet.auto_filter.ref = f"A{_FIRST_ROW - 1}:{get_column_letter(len(_MODEL_HEADINGS))}{sheet.max_row}"
    sheet.print_area = f"A1:{_LAST_PRINTED}{sheet.max_row}"


def _cells(one: Comparison) -> list[Any]:
    """Return one comparison in the order of the headings."""
    return [
        one.name,
        catalog.facts(one.key)["organisation"],
        one.what,
        one.stated.text if one.stated else None,
        one.stated.parameters if one.stated else None,
        one.computed,
        one.difference,
        one.relative,
        one.status,
        one.scope or None,
        one.explanation or None,
        one.source,
        one.key,
    ]


_FIRST_ROW = 5


def _title(sheet: Worksheet, title: str, subtitle: str) -> None:
    sheet["A1"].value = title
    sheet["A2"].value = subtitle
    sheet["A1"].font = styles.font(14, bold=True)
    sheet["A2"].font = styles.font(color=styles.MUTED)


def _headings(sheet: Worksheet, headings: Sequence[tuple[str, float]]) -> None:
    for column, (heading, width) in enumerate(headings, start=1):
        cell: Any = sheet.cell(_FIRST_ROW - 1, column, heading)
        cell.font = styles.font(color=styles.MUTED)
        cell.border = Border(bottom=Side("thin", color=styles.MUTED))
        right = heading.startswith(("Stated, ", "Printed, ", "Computed", "Difference", "n_", "d_", "Weights", "With"))
        cell.alignment = Alignment(wrap_text=True, vertical="bottom", horizontal="right" if right else "left")
        sheet.column_dimensions[get_column_letter(column)].width = width
    styles.set_up_list_sheet(sheet, heading_row=_FIRST_ROW - 1)


def _fill(sheet: Worksheet, row: int, cells: Sequence[Any]) -> None:
    for column, value in enumerate(cells, start=1):
        cell: Any = sheet.cell(row, column, value)
        cell.font, cell.border = _CELL_FONT, _CELL_BORDER
        cell.alignment = _WRAPPED if column == _EXPLANATION and isinstance(value, str) else _TOP


def _formats(sheet: Worksheet, formats: dict[str, str]) -> None:
    for letter, number_format in formats.items():
        for cell in sheet[letter][_FIRST_ROW - 1 :]:
            cell.number_format = number_format
