"""A workbook as other people make them, for tests of filling."""

import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.styles import NamedStyle
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation

CHAIN = (
    '<calcChain xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    '<c r="B2" i="1"/><c r="A5" i="1"/></calcChain>'
)
PICTURE = b"\x89PNG not really"


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """A workbook with two inputs, formulas of every kind of result, a chart, a calculation chain and a foreign part."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Plan"
    for style in ("Input", "Optional input"):
        book.add_named_style(NamedStyle(style))
    sheet["A2"], sheet["A2"].style = 512, "Input"
    sheet["A3"], sheet["A3"].style = "bf16", "Optional input"
    sheet["A4"].style = "Optional input"
    sheet["A5"], sheet["A5"].style = "=A2*2", "Optional input"
    sheet["B1"], sheet["B2"], sheet["B3"] = "weights", "=PARAMS_MHA(A2,FALSE)", "=MODEL_BYTES(B2,A3)"
    sheet["B4"], sheet["B5"], sheet["B6"] = '=A3&" <kept>"', "=B2>1000", "=1/0"
    sheet["B7"], sheet["B8"] = "=A4+A5", '=IF(A4="","blank",A4)'
    book.create_sheet("Untouched")["A1"] = "as it was"
    for name, cell in (("d_model", "A2"), ("dtype", "A3"), ("day", "A4"), ("twice", "A5"), ("result", "B2")):
        book.defined_names[name] = DefinedName(name, attr_text=f"Plan!${cell[0]}${cell[1]}")
    rule = DataValidation(type="list", formula1='"bf16,fp32"')
    sheet.add_data_validation(rule)
    rule.add("A3")
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "D2")
    plain = tmp_path / "plain.xlsx"
    book.save(plain)
    path = tmp_path / "template.xlsx"
    _add_parts(plain, path)
    return path


def _add_parts(source: Path, path: Path) -> None:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/calcChain"
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "[Content_Types].xml":
                data = data.replace(
                    b"</Types>",
                    b'<Override PartName="/xl/calcChain.xml" ContentType="application/vnd.openxmlformats-'
                    b'officedocument.spreadsheetml.calcChain+xml"/></Types>',
                )
            if name == "xl/_rels/workbook.xml.rels":
                entry = f'<Relationship Id="rIdC" Type="{kind}" Target="calcChain.xml"/></Relationships>'
                data = data.replace(b"</Relationships>", entry.encode())
            new.writestr(name, data)
        new.writestr("xl/calcChain.xml", CHAIN)
        new.writestr("xl/media/image9.png", PICTURE)
