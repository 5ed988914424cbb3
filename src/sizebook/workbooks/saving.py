"""Saves a new planning workbook: the same bytes each time, with the values of an example stored beside its formulas."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lxml import etree

from sizebook.calculation.package import RELATIONS, Package, tag, undated
from sizebook.core.errors import InputError
from sizebook.core.tables import table
from sizebook.sources.writing import scratch_folder
from sizebook.workbooks.book import Book
from sizebook.workbooks.filling import Filled, fill

_DATED_TABLES = ("models", "dtypes", "hardware", "prices", "grid")
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_DRAWING_PART = re.compile(r"xl/drawings/drawing\d+\.xml")
_OF_SHEETS = "xl/worksheets/_rels/"
_CORE, _STYLES = "docProps/core.xml", "xl/styles.xml"
# The order in which the schema wants the parts of a font; openpyxl writes its own, and validators refuse it.
_OF_FONTS = tuple(
    map(
        tag,
        (
            "b",
            "i",
            "strike",
            "condense",
            "extend",
            "outline",
            "shadow",
            "u",
            "vertAlign",
            "sz",
            "color",
            "name",
            "family",
            "charset",
            "scheme",
        ),
    )
)


def save(book: Book, example: Mapping[str, Any], path: Path) -> Filled:
    """Write a workbook that shows an example; a cell in error is refused, for a template must not ship one."""
    with scratch_folder() as folder:
        raw = folder / path.name
        book.workbook.properties.creator = "sizebook"
        book.workbook.properties.title = book.title
        book.workbook.save(raw)
        settle(raw)
        _describe(raw, book.descriptions)
        filled = fill(raw, example, path)
    if filled.problems:
        raise InputError("cells in error: got\n" + "\n".join(filled.problems) + "\nwant none. Correct the formulas.")
    return filled


def _describe(path: Path, of_sheets: Mapping[str, Sequence[str]]) -> None:
    """Give every chart of a sheet its alternative text, which openpyxl does not write."""
    package = Package.read(path)
    for sheet, part in package.sheets().items():
        texts = of_sheets.get(sheet, ())
        for frame, text in zip(_charts(package, part), texts, strict=True):
            next(frame.iter(f"{_DRAWING}cNvPr")).set("descr", text)
    package.save(path)


def _charts(package: Package, sheet: str) -> Iterator[etree._Element]:
    """Yield the frames of the charts that a sheet shows, in the order in which they were put there."""
    drawing = package.xml(sheet).find(tag("drawing"))
    if drawing is not None:
        part = package.relations(sheet)[drawing.get(f"{{{RELATIONS}}}id", "")]
        yield from package.xml(part, change=True).iter(f"{_DRAWING}graphicFrame")


def settle(path: Path) -> None:
    """Give a workbook that openpyxl wrote the same bytes each time, and the order of parts that its schema wants."""
    package = Package.read(path)
    _spell_as_excel(package)
    _date(package)
    _order_fonts(package)
    _unlink_labels(package)
    package.save(path)


def _spell_as_excel(package: Package) -> None:
    """Write drawings with the prefix, and paths from sheets as relative, as Excel has them: exceljs reads no others."""
    package.entries = [(info, _spelled(info.filename, data)) for info, data in package.entries]


def _spelled(part: str, data: bytes) -> bytes:
    if _DRAWING_PART.fullmatch(part):
        return re.sub(rb"<(/?)(\w+)(?=[\s/>])", rb"<\1xdr:\2", data).replace(b' xmlns="', b' xmlns:xdr="')
    return data.replace(b'Target="/xl/', b'Target="../') if part.startswith(_OF_SHEETS) else data


def _date(package: Package) -> None:
    """Put the day of the newest datum in place of the time of building, which openpyxl and ZIP write."""
    newest = max(row["retrieved"] for name in _DATED_TABLES for row in table(name))
    for element in package.xml(_CORE, change=True):
        if str(element.tag).endswith(("}created", "}modified")):
            element.text = f"{newest}T00:00:00Z"
    package.entries = [(undated(info.filename), data) for info, data in package.entries]


def _unlink_labels(package: Package) -> None:
    """Let labels of bars take the format that they state: without a word readers may take that of the cells."""
    for part in package.names():
        if part.startswith("xl/charts/chart"):
            for stated in package.xml(part, change=True).iterfind(f".//{_CHART}dLbls/{_CHART}numFmt"):
                stated.set("sourceLinked", "0")


def _order_fonts(package: Package) -> None:
    """Put the parts of every font into the order of the schema."""
    styles = package.xml(_STYLES, change=True)
    for font in styles.iter(tag("font")):
        font[:] = sorted(font, key=lambda part: _OF_FONTS.index(part.tag))
