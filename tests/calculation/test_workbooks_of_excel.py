"""What Excel writes and openpyxl does not: shared and dynamic formulas, metadata; and settings that are refused."""

import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.styles import NamedStyle
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table

from sizebook.calculation import ErrorCode, recalculate
from sizebook.calculation.package import Package
from sizebook.core.errors import InputError
from sizebook.workbooks.filling import fill
from tests.calculation.grids import calculate, saved
from tests.refused import message_of

METADATA = """<metadata xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"
 xmlns:xda="http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray"><metadataTypes count="1">
<metadataType name="XLDAPR" minSupportedVersion="120000" cellMeta="1"/></metadataTypes><futureMetadata name="XLDAPR"
 count="1"><bk><extLst><ext uri="{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}"><xda:dynamicArrayProperties fDynamic="1"
 fCollapsed="0"/></ext></extLst></bk></futureMetadata><cellMetadata count="1"><bk><rc t="1" v="0"/></bk></cellMetadata>
</metadata>"""
KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sheetMetadata"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheetMetadata+xml"


@pytest.fixture
def modern(tmp_path: Path) -> Path:
    """A workbook as Excel 365 stores it: a dynamic formula in D1, formulas of E2:E4 shared, a table in A1:B4."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Plan"
    book.add_named_style(NamedStyle("Input"))
    sheet.append(["width", "count"])
    for row, width in enumerate((4, 8, 16), 2):
        sheet.cell(row, 1, width)
        sheet.cell(row, 2, row)
    sheet.add_table(Table(displayName="Widths", ref="A1:B4"))
    sheet["C1"], sheet["C1"].style = 2, "Input"
    book.defined_names["rows"] = DefinedName("rows", attr_text="Plan!$C$1")
    sheet["D1"] = ArrayFormula("D1:D3", "=PARAMS_LN(_xlfn.SEQUENCE(C1))")
    sheet["E2"] = "=PARAMS_MHA(A2)"
    sheet["F1"] = "=SUM(PARAMS_LN(Widths[width]))"
    sheet["F2"] = "=SUM(_xlfn.ANCHORARRAY(D1))"
    book.save(tmp_path / "plain.xlsx")
    path = tmp_path / "modern.xlsx"
    with zipfile.ZipFile(tmp_path / "plain.xlsx") as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, _modern(name, old.read(name).decode()))
        new.writestr("xl/metadata.xml", METADATA)
    return path


def _modern(name: str, text: str) -> str:
    if name == "[Content_Types].xml":
        return text.replace("</Types>", f'<Override PartName="/xl/metadata.xml" ContentType="{TYPE}"/></Types>')
    if name == "xl/_rels/workbook.xml.rels":
        entry = f'<Relationship Id="rIdM" Type="{KIND}" Target="metadata.xml"/></Relationships>'
        return text.replace("</Relationships>", entry)
    if name == "xl/worksheets/sheet1.xml":
        text = text.replace('<c r="D1"', '<c r="D1" cm="1"')
        shared = '<f t="shared" ref="E2:E4" si="0">PARAMS_MHA(A2)</f>'
        text = text.replace("<f>PARAMS_MHA(A2)</f>", shared)
        for row in (3, 4):
            child = f'<c r="E{row}"><f t="shared" si="0"/></c></row>'
            before, after = text.split(f'<row r="{row}"')
            text = before + f'<row r="{row}"' + after.replace("</row>", child, 1)
    return text


def test_shared_formulas_tables_and_spilled_rows(modern: Path) -> None:
    found = recalculate(modern)
    assert [found["Plan", f"E{row}"] for row in (2, 3, 4)] == [80, 288, 1088]
    assert found["Plan", "F1"] == 2 * (4 + 8 + 16)
    assert [found["Plan", f"D{row}"] for row in (1, 2, 3)] == [2, 4, None]
    assert found["Plan", "F2"] == 6


@pytest.mark.parametrize(("rows", "reference"), [(5, "D1:D5"), (2, "D1:D2"), (1, "D1:D1")])
def test_dynamic_rows_grow_and_shrink_in_the_file(modern: Path, tmp_path: Path, rows: int, reference: str) -> None:
    fill(modern, {"rows": rows}, tmp_path / "out.xlsx")
    formula = load_workbook(tmp_path / "out.xlsx")["Plan"]["D1"].value
    assert (formula.ref, formula.text) == (reference, "=PARAMS_LN(_xlfn.SEQUENCE(C1))")
    stored = load_workbook(tmp_path / "out.xlsx", data_only=True)["Plan"]
    assert [stored.cell(row, 4).value for row in range(1, 7)] == [2 * r if r <= rows else None for r in range(1, 7)]
    assert stored["F2"].value == rows * (rows + 1)
    # A second filling starts from what the first one left.
    fill(tmp_path / "out.xlsx", {"rows": 3}, tmp_path / "again.xlsx")
    stored = load_workbook(tmp_path / "again.xlsx", data_only=True)["Plan"]
    assert [stored.cell(row, 4).value for row in range(1, 7)] == [2, 4, 6, None, None, None]


def test_rows_without_room_are_an_error(modern: Path, tmp_path: Path) -> None:
    book = load_workbook(modern)
    book["Plan"]["D3"] = "in the way"
    book["Plan"]["D1"] = "=1"
    book.save(tmp_path / "blocked.xlsx")
    package = Package.read(tmp_path / "blocked.xlsx")
    cell = next(c for c in package.xml("xl/worksheets/sheet1.xml", change=True).iter() if c.get("r") == "D1")
    cell.set("cm", "1")
    cell[0].text = "_xlfn.SEQUENCE(3)"
    cell[0].set("t", "array")
    cell[0].set("ref", "D1")
    package.save(tmp_path / "blocked.xlsx")
    assert recalculate(tmp_path / "blocked.xlsx")["Plan", "D1"] == ErrorCode("#SPILL!")


def test_precision_as_displayed_is_refused(modern: Path) -> None:
    _set(modern, "calcPr", "fullPrecision", "0")
    assert message_of(InputError, recalculate, modern) == (
        "cannot calculate: got precision as displayed in modern.xlsx, want Excel's usual settings. "
        "Turn that off under Advanced options."
    )


def test_iterative_calculation_matters_only_to_circles(modern: Path) -> None:
    before = recalculate(modern).values
    _set(modern, "calcPr", "iterate", "1")
    assert recalculate(modern).values == before


def _set(path: Path, element: str, attribute: str, value: str) -> None:
    package = Package.read(path)
    next(e for e in package.xml("xl/workbook.xml", change=True) if str(e.tag).endswith(element)).set(attribute, value)
    package.save(path)


def test_dates_from_1904_are_smaller_by_four_years_and_a_day(tmp_path: Path) -> None:
    cells = {
        "A1": "=DATE(1904,1,2)", "A2": "=YEAR(0)", "A3": "=WORKDAY(DATE(2024,1,5),1)-DATE(2024,1,5)",
        "A4": '=TEXT(0,"d mmm yyyy")', "A5": "=1+1",
    }  # fmt: skip
    path = saved(tmp_path / "mac.xlsx", cells)
    _set(path, "workbookPr", "date1904", "1")
    found = recalculate(path)
    assert [found["Main", f"A{row}"] for row in range(1, 6)] == [1, 1904, 3, "1 Jan 1904", 2]


def test_another_workbook_of_which_nothing_is_kept_is_not_calculable(tmp_path: Path) -> None:
    found = calculate(tmp_path, {"A1": "=SUM('[1]Other book'!B2:B3)", "A2": "=1+1"})
    assert found.not_calculated == (("Main", "A1"),)
    assert found["Main", "A2"] == 2
    assert found.problems["Main", "A1"] == (
        "=SUM('[1]Other book'!B2:B3) cannot be calculated: '[1]Other book'!B2:B3 stands in another workbook, "
        "of which this one keeps nothing"
    )


def test_comments_links_and_chart_sheets_do_not_matter(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    sheet["A1"], sheet["A2"] = 4, "=PARAMS_LN(A1)"
    sheet["A1"].comment = Comment("a remark", "someone")
    sheet["B1"].hyperlink = "https://example.org"
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=1, min_row=1, max_row=2))
    book.create_chartsheet("Chart", 0).add_chart(chart)
    book.create_sheet("It's last")["A1"] = "=Sheet!A2+1"
    book.save(tmp_path / "odd.xlsx")
    found = recalculate(tmp_path / "odd.xlsx")
    assert found["Sheet", "A2"] == 8
    assert found["It's last", "A1"] == 9


def test_the_last_cell_of_a_sheet_is_filled_and_written_back(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    book.add_named_style(NamedStyle("Input"))
    sheet["XFD1048576"], sheet["XFD1048576"].style = 1, "Input"
    sheet["XFC1048576"], sheet["B1"] = "=PARAMS_LN(XFD1048576)", "=SUM(C1:XFD1048576)"
    book.defined_names["width"] = DefinedName("width", attr_text="Sheet!$XFD$1048576")
    book.save(tmp_path / "last.xlsx")
    fill(tmp_path / "last.xlsx", {"width": 5}, tmp_path / "out.xlsx")
    stored = load_workbook(tmp_path / "out.xlsx", data_only=True)["Sheet"]
    assert [stored[at].value for at in ("XFD1048576", "XFC1048576", "B1")] == [5, 10, 15]


@pytest.mark.parametrize("formula", ["1:1", "_xlfn.UNIQUE(2:2)", "IF(A1:XFD1>1,1,0)", "B:B*2"])
def test_a_formula_that_would_fill_whole_rows_is_refused(modern: Path, formula: str) -> None:
    package = Package.read(modern)
    cell = next(c for c in package.xml("xl/worksheets/sheet1.xml", change=True).iter() if c.get("r") == "D1")
    cell[0].text = formula
    package.save(modern)
    assert recalculate(modern).problems["Plan", "D1"] == (
        f"={formula} cannot be calculated: it may fill whole rows or columns"
    )


@pytest.mark.parametrize("column", ["gone", "a'[b'] c", "'#width"])
def test_a_column_whose_name_is_not_read_is_refused(modern: Path, column: str) -> None:
    package = Package.read(modern)
    cell = next(c for c in package.xml("xl/worksheets/sheet1.xml", change=True).iter() if c.get("r") == "F1")
    cell[0].text = f"SUM(Widths[{column}])"
    package.save(modern)
    assert recalculate(modern).problems["Plan", "F1"] == (
        f"=SUM(Widths[{column}]) cannot be calculated: the column of Widths[{column}] has a name that is not read "
        "here, or is gone"
    )
