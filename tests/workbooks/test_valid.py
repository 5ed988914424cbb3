"""Shipped workbooks are valid Open XML; the whole validator is not part of the suite, what it found is."""

import re
import zipfile

import pytest
from lxml import etree
from openpyxl import load_workbook

from sizebook.calculation.package import RELATIONS, Package, tag
from tests.workbooks.shipped import SHIPPED, Shipped

_TABLE = re.compile(r"table (.+), rows (\d+) to (\d+)\.$")
# CT_Font of ECMA-376, as the Open XML SDK validates it.
OF_FONTS = [
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
]


@pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)
def test_parts_of_fonts_stand_in_the_order_of_the_schema(book: Shipped) -> None:
    """The Open XML SDK named 11 errors in each workbook of 0.3.0, all of this kind."""
    with zipfile.ZipFile(book.path) as archive:
        styles = etree.fromstring(archive.read("xl/styles.xml"))
    fonts = [[etree.QName(part).localname for part in font] for font in styles.iter(tag("font"))]
    assert len(fonts) > 10
    assert fonts == [sorted(font, key=OF_FONTS.index) for font in fonts]


@pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)
def test_the_alternative_text_of_a_chart_names_the_table_that_it_draws(book: Shipped) -> None:
    package, n_charts = Package.read(book.path), 0
    for part in package.names():
        if not part.startswith("xl/drawings/drawing"):
            continue
        for frame in package.xml(part).iter("{*}graphicFrame"):
            described = next(frame.iter("{*}cNvPr")).get("descr", "")
            (chart,) = frame.iter("{*}chart")
            drawn = package.xml(package.relations(part)[chart.get(f"{{{RELATIONS}}}id", "")])
            sheet, first, last = _TABLE.search(described).groups()  # type: ignore[union-attr]
            (categories,) = {each.findtext(".//{*}f") for each in drawn.iter("{*}cat")}
            assert re.fullmatch(rf"'?{sheet}'?!\$[A-Z]+\${first}:\$[A-Z]+\${last}", str(categories)), described
            n_charts += 1
    assert n_charts == sum(name.startswith("xl/charts/chart") for name in package.names())


@pytest.mark.parametrize("book", SHIPPED, ids=lambda book: book.file)
def test_no_figure_below_zero_has_a_format_that_drops_its_sign(book: Shipped) -> None:
    """LibreOffice shows -0.02 as 0.02 by sections that have conditions."""
    below = [
        cell
        for sheet in load_workbook(book.path, data_only=True, read_only=True)
        for row in sheet.iter_rows()
        for cell in row
        if type(cell.value) in (int, float) and cell.value < 0
    ]
    assert [(cell.parent.title, cell.coordinate) for cell in below if cell.number_format.startswith("[")] == []
