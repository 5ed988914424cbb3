"""Builds a template as a finance team might keep it, own-template.xlsx, and fills it: own-template-filled.xlsx.

Run it by hand after a change to what anchors are: ``python reports/own_template.py``.
"""

from pathlib import Path

from openpyxl import Workbook
from openpyxl.chart import LineChart, Reference
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.pagebreak import Break
from openpyxl.worksheet.table import Table, TableFormula, TableStyleInfo
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.batch.workbook_values import workbook_values
from sizebook.intake.text_formats import toml_table
from sizebook.workbooks.anchors.plan_values import PlanValues
from sizebook.workbooks.filling import fill_from
from sizebook.workbooks.saving import settle

FOLDER = Path(__file__).resolve().parent
TEMPLATE, FILLED = FOLDER / "own-template.xlsx", FOLDER / "own-template-filled.xlsx"
SCENARIO = FOLDER.parent / "workbooks" / "scenarios" / "own-template.toml"
NAVY, FACE = "1F3864", "Calibri"
# Names of figures, what our team calls them, and how they are shown.
TILES = (("B4", "usd", "Three-year cost", "$#,##0"), ("D4", "peak_gpus_last", "GPUs at the end", "#,##0"),
         ("F4", "co2e_kg", "CO2e, kg", "#,##0"))  # fmt: skip
HEADERS = ("Month", "peak_gpus", "Reserved", "usd", "Cost a GPU", "Running total")
FORMATS = ("mmm yyyy", "#,##0", "#,##0", "$#,##0", "$#,##0", "$#,##0")
HEAD, FIRST, LAST = 7, 8, 10


def build() -> None:
    """Write the template."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Board"
    sheet.sheet_view.showGridLines = False
    for column, width in zip("ABCDEFG", (2, 18, 12, 12, 15, 13, 16), strict=True):
        sheet.column_dimensions[column].width = width
    sheet["B1"], sheet["B1"].font = "{{ title }}", Font(name=FACE, size=18, bold=True, color=NAVY)
    sheet["B2"] = "As of {{ as_of }}: {{ usd:,.0f }} USD, between {{ usd_least:,.0f }} and {{ usd_most:,.0f }}."
    for at, name, label, shown in TILES:
        sheet[at], sheet[at].number_format, sheet[at].font = 0, shown, Font(name=FACE, size=14, bold=True)
        sheet[at].alignment = Alignment(horizontal="left")
        below = sheet.cell(sheet[at].row + 1, sheet[at].column, label)
        below.font = Font(name=FACE, size=9, color="5B6570")
        book.defined_names[f"plan.{name}"] = DefinedName(f"plan.{name}", attr_text=f"Board!${at[0]}${at[1]}")
    _table(sheet)
    sheet["B13"], sheet["E13"] = "Dearest month", f"=MAX(E{FIRST}:E{LAST})"
    sheet["E13"].number_format = "$#,##0"
    over = PatternFill(bgColor="F8CBAD", fill_type="solid")
    sheet.conditional_formatting.add(f"E{FIRST}:E{LAST}", CellIsRule(operator="equal", formula=["$E$13"], fill=over))
    chart = LineChart()
    chart.title, chart.height, chart.width = "Cost a month, USD", 7, 17
    chart.add_data(Reference(sheet, min_col=5, min_row=HEAD, max_row=LAST), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=2, min_row=FIRST, max_row=LAST))
    chart.legend = None
    chart.x_axis.delete = chart.y_axis.delete = False
    chart.x_axis.number_format = "mmm yy"
    sheet.add_chart(chart, "B15")
    sheet["B31"] = "From the report"
    book.defined_names["plan.chart"] = DefinedName("plan.chart", attr_text="Board!$B$32:$G$46")
    sheet.row_breaks.append(Break(id=14))
    sheet.print_area = "A1:G46"
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    book.save(TEMPLATE)
    settle(TEMPLATE)


def _table(sheet: Worksheet) -> None:
    """Lay the table out: month, GPUs, reserved, cost, and two columns that calculate."""
    for column, (header, shown) in enumerate(zip(HEADERS, FORMATS, strict=True), 2):
        sheet.cell(HEAD, column, header).alignment = Alignment(horizontal="right" if column > 2 else "left")
        for row in range(FIRST, LAST + 2):
            sheet.cell(row, column).number_format = shown
    for row in range(FIRST, LAST + 1):
        sheet[f"F{row}"], sheet[f"G{row}"] = f"=E{row}/C{row}", f"=SUM(E${FIRST}:E{row})"
    sheet[f"B{LAST + 1}"], sheet[f"E{LAST + 1}"] = "Total", "=SUBTOTAL(109,months[usd])"
    table = Table(displayName="months", ref=f"B{HEAD}:G{LAST + 1}", totalsRowCount=1)
    table._initialise_columns()
    for column, header in zip(table.tableColumns, HEADERS, strict=True):
        column.name = header
    table.tableColumns[0].totalsRowLabel, table.tableColumns[3].totalsRowFunction = "Total", "sum"
    table.tableColumns[4].calculatedColumnFormula = TableFormula(attr_text=f"E{FIRST}/C{FIRST}")
    table.autoFilter.ref = f"B{HEAD}:G{LAST}"
    table.tableStyleInfo = TableStyleInfo(name="TableStyleMedium2", showRowStripes=True)
    sheet.add_table(table)


if __name__ == "__main__":
    build()
    gift = workbook_values(toml_table(SCENARIO, "a scenario"), SCENARIO.name, SCENARIO.parent, workbook=TEMPLATE.name)
    if isinstance(gift.values, PlanValues):
        fill_from(TEMPLATE, gift.values, FILLED, strict=True)
