"""A workbook as somebody in finance makes it, with anchors for a fleet plan: table, totals, chart, rules, names."""

from pathlib import Path

from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font, PatternFill
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table, TableFormula, TableStyleInfo
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.workbooks.saving import settle

HEADERS = ("Month", "At peak (GPUs)", "usd", "Cost a GPU", "Remark")
FIRST, LAST = 5, 7  # rows of data


def build(path: Path) -> Path:
    """Write the workbook: a table at A4 with three rows and totals, notes and a chart below it, a sheet that refers."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Our plan"
    sheet["A1"] = "Capacity of {{ title }}"
    sheet["A2"] = "{{ usd }}"
    _table(sheet)
    sheet["A11"], sheet["B11"] = "Dearest month", "=MAX(C5:C7)"
    sheet["A12"], sheet["B12"] = "Last month", "=C8/COUNT(C5:C7)"
    sheet.merge_cells("A13:C13")
    sheet["A13"] = "Signed by finance"
    sheet["A13"].comment = Comment("ask Ms Ito", "us")
    sheet["A13"].hyperlink = "#'Our plan'!A11"
    rule = DataValidation(type="decimal", operator="greaterThan", formula1="0")
    rule.add("C5:C7")
    sheet.add_data_validation(rule)
    red = PatternFill(bgColor="FFC7CE", fill_type="solid")
    sheet.conditional_formatting.add("C5:C7", CellIsRule(operator="greaterThan", formula=["$B$11*0.9"], fill=red))
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=3, min_row=4, max_row=7), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=1, min_row=5, max_row=7))
    sheet.add_chart(chart, "A16")
    sheet.print_area = "A1:E14"
    other = book.create_sheet("Summary")
    other["A1"], other["A2"] = "='Our plan'!B11*2", "=SUM('Our plan'!$C$5:$C$7)"
    other["A3"] = "=SUM(months[usd])"
    other["B1"] = CellRichText("Peak of ", TextBlock(InlineFont(b=True), "{{ peak_"), "gpus_last }} GPUs, {{ nobody }}")
    other["B2"] = "n"
    for name, text in (
        ("peak_gpus_last", "Summary!$B$2"), ("costs", "'Our plan'!$C$5:$C$7"), ("dearest", "'Our plan'!$B$11"),
        ("plan.chart", "Summary!$D$2:$J$20"),
    ):  # fmt: skip
        book.defined_names[name] = DefinedName(name, attr_text=text)
    book.save(path)
    settle(path)
    return path


def _table(sheet: Worksheet) -> None:
    for column, header in enumerate(HEADERS, 1):
        sheet.cell(4, column, header)
    for row in range(FIRST, LAST + 1):
        sheet.cell(row, 1, "a month").font = Font(italic=True)
        sheet.cell(row, 1).number_format = "mmm yyyy"
        sheet.cell(row, 2, 1).number_format = "#,##0"
        sheet.cell(row, 3, 2.5).number_format = "$#,##0.00"
        sheet.cell(row, 4, f"=C{row}/B{row}")
    sheet["A8"], sheet["C8"] = "Total", "=SUBTOTAL(109,months[usd])"
    table = Table(displayName="months", name="months", ref="A4:E8", totalsRowCount=1)
    table._initialise_columns()
    for column, header in zip(table.tableColumns, HEADERS, strict=True):
        column.name = header
    table.tableColumns[0].totalsRowLabel = "Total"
    table.tableColumns[2].totalsRowFunction = "sum"
    table.tableColumns[3].calculatedColumnFormula = TableFormula(attr_text="C5/B5")
    table.autoFilter.ref = "A4:E7"
    table.tableStyleInfo = TableStyleInfo(name="TableStyleMedium2", showRowStripes=True)
    sheet.add_table(table)
