"""A sheet shows the same however its XML is written; one that is written as usual needs no tree of its cells."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook

from sizebook.calculation import recalculate, sheet_text
from sizebook.core.errors import InputError
from tests.refused import message_of

SHEET = "xl/worksheets/sheet1.xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
USUAL = (
    f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n<worksheet xmlns="{MAIN}"><sheetData>'
    '<row r="1"><c r="A1"><v>2</v></c><c r="B1" t="str"><f>A1&amp;"&lt;"&amp;"&#233;"</f><v>old</v></c>'
    '<c r="C1" t="inlineStr"><is><t>a b</t></is></c></row>'
    '<row r="2"><c r="A2"><f t="shared" ref="A2:A4" si="0">A1*3</f><v>0</v></c><c r="B2"><f>C1&amp;"!"</f></c></row>'
    '<row r="3"><c r="A3"><f t="shared" si="0"/><v>0</v></c><c r="C3"><f t="array" ref="C3:D3">A1:B1</f></c>'
    '<c r="D3"><v>9</v></c></row>'
    '<row r="4"><c r="A4" t="e"><f t="shared" si="0"/><v>#N/A</v></c><c r="B4"><f>A4+PARAMS_MHA(2)</f></c></row>'
    "</sheetData></worksheet>"
)
# 2, then three times the one above; attention of width 2 has 4 x 2 x 3 = 24 parameters with biases.
SHOWN = {
    "A1": 2, "B1": "2<é", "C1": "a b", "A2": 6, "B2": "a b!", "A3": 18, "C3": 2, "D3": "2<é", "A4": 54, "B4": 78
}  # fmt: skip


def _prefixed(text: str) -> str:
    for name in ("worksheet", "sheetData", "row", "c", "f", "v", "is", "t"):
        for end in (">", " ", "/"):
            text = text.replace(f"<{name}{end}", f"<x:{name}{end}")
        text = text.replace(f"</{name}>", f"</x:{name}>")
    return text.replace("xmlns=", "xmlns:x=")


UNUSUAL: dict[str, Callable[[str], str]] = {
    "prefixes": _prefixed,
    "single quotes": lambda text: text.replace('<f t="shared" si="0"/>', "<f t='shared' si='0'/>"),
    "attributes in another order": lambda text: text.replace('r="B1" t="str"', 't="str" r="B1"'),
    "a comment": lambda text: text.replace("<f>A4", "<!-- A4 --><f>A4"),
    "a section of characters": lambda text: text.replace("<f>C1&amp;", "<f><![CDATA[C1&]]>"),
    "a text of several formats": lambda text: text.replace("<t>a b</t>", "<r><t>a</t></r><r><t> b</t></r>"),
    "how a text is pronounced": lambda text: text.replace("<t>a b</t>", '<t>a b</t><rPh sb="0" eb="1"><t>z</t></rPh>'),
    "an end of line in a tag": lambda text: text.replace('<c r="D3">', '<c\nr="D3">'),
    "another encoding": lambda text: text.replace("UTF-8", "ISO-8859-1").replace("&#233;", "é"),
    "more behind a value": lambda text: text.replace("<v>old</v>", "<v>old</v ><extLst/>"),
}


def workbook(folder: Path, text: str) -> Path:
    Workbook().save(folder / "plain.xlsx")
    encoding = "latin-1" if "ISO-8859-1" in text else "utf-8"
    with zipfile.ZipFile(folder / "plain.xlsx") as plain, zipfile.ZipFile(folder / "book.xlsx", "w") as book:
        for info in plain.infolist():
            book.writestr(info, text.encode(encoding) if info.filename == SHEET else plain.read(info))
    return folder / "book.xlsx"


def shown(path: Path) -> dict[str, object]:
    return {at: value for (_, at), value in recalculate(path).values.items()}


def test_a_usual_sheet_is_read_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(sheet_text, "_written_plainly")
    assert shown(workbook(tmp_path, USUAL)) == SHOWN


@pytest.mark.parametrize("how", UNUSUAL)
def test_a_sheet_that_is_written_in_another_way_shows_the_same(how: str, tmp_path: Path) -> None:
    text = UNUSUAL[how](USUAL)
    assert text != USUAL
    assert shown(workbook(tmp_path, text)) == SHOWN


def test_a_sheet_that_is_not_well_formed_is_refused(tmp_path: Path) -> None:
    path = workbook(
        tmp_path, USUAL.replace("</row></sheetData>", "</sheetData>", 1).replace("<sheetData>", "<sheetData><p>")
    )
    message = message_of(InputError, lambda: recalculate(path))
    assert message.startswith("damaged workbook: got Opening and ending tag mismatch")
    assert message.endswith(f"in {SHEET} of book.xlsx, want well-formed XML. Open and save it in Excel.")
