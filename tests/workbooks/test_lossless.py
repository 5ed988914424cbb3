"""What openpyxl would lose and Excel 365 writes: it is there after filling, also on the sheet that was filled."""

import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.styles import NamedStyle
from openpyxl.workbook.defined_name import DefinedName

from sizebook.core.errors import InputError
from sizebook.workbooks.filling import fill, read_inputs
from tests.refused import message_of

ROOT = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x14ac xr" '
    'xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac" '
    'xmlns:xr="http://schemas.microsoft.com/office/spreadsheetml/2014/revision" xr:uid="{0}">'
)
_X14 = (
    'xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" '
    'xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"'
)
EXTENSIONS = (
    f'<extLst><ext {_X14} uri="{{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}}"><x14:dataValidations count="1">'
    '<x14:dataValidation type="list" allowBlank="1"><x14:formula1><xm:f>Lists!$A$1:$A$3</xm:f></x14:formula1>'
    "<xm:sqref>A1</xm:sqref></x14:dataValidation></x14:dataValidations></ext>"
    f'<ext {_X14} uri="{{05C60535-1F16-4fd2-B633-F4F36F0B64E0}}"><x14:sparklineGroups><x14:sparklineGroup>'
    "<x14:sparklines><x14:sparkline><xm:f>Plan!A1:A2</xm:f><xm:sqref>D1</xm:sqref></x14:sparkline></x14:sparklines>"
    "</x14:sparklineGroup></x14:sparklineGroups></ext></extLst>"
)


@pytest.fixture
def modern(tmp_path: Path) -> Path:
    """A sheet with a dropdown of Excel 2010's kind, sparklines and revision marks; and a part that nobody knows."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Plan"
    book.add_named_style(NamedStyle("Input"))
    sheet["A1"], sheet["A1"].style = "bf16", "Input"
    sheet["A2"] = '=MODEL_BYTES(1000,A1)&" bytes"'
    lists = book.create_sheet("Lists")
    lists["A1"], lists["A2"], lists["A3"] = "fp32", "bf16", "fp8"
    book.defined_names["dtype"] = DefinedName("dtype", attr_text="Plan!$A$1")
    book.save(tmp_path / "plain.xlsx")
    path = tmp_path / "modern.xlsx"
    with zipfile.ZipFile(tmp_path / "plain.xlsx") as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            text = old.read(name).decode()
            if name == "xl/worksheets/sheet1.xml":
                start = text.index("<worksheet")
                text = text[:start] + ROOT + text[text.index(">", start) + 1 :]
                text = text.replace("</worksheet>", EXTENSIONS + "</worksheet>")
            new.writestr(name, text)
        new.writestr("customXml/item1.xml", "<anything/>")
    return path


def test_nothing_of_the_filled_sheet_is_lost(modern: Path, tmp_path: Path) -> None:
    fill(modern, {"dtype": "fp8"}, tmp_path / "out.xlsx")
    with zipfile.ZipFile(tmp_path / "out.xlsx") as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        assert archive.read("customXml/item1.xml") == b"<anything/>"
    assert 'mc:Ignorable="x14ac xr"' in sheet
    assert 'xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac"' in sheet
    assert 'xr:uid="{0}"' in sheet
    assert EXTENSIONS in sheet
    assert ">fp8<" in sheet
    assert "<v>1000 bytes</v>" in sheet


def test_dropdown_of_the_newer_kind_is_checked(modern: Path, tmp_path: Path) -> None:
    assert read_inputs(modern)["dtype"].choices == ("fp32", "bf16", "fp8")
    assert message_of(InputError, fill, modern, {"dtype": "fp7"}, tmp_path / "out.xlsx") == (
        "modern.xlsx: not in the list: got 'fp7' for 'dtype', want 'fp8', or one of fp32, bf16. Correct it."
    )
