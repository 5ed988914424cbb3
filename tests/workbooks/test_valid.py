"""Shipped workbooks are valid Open XML; the whole validator is not part of the suite, what it found is."""

from __future__ import annotations

import zipfile

import pytest
from lxml import etree

from sizebook.calculation.package import tag
from tests.workbooks.shipped import SHIPPED, Shipped

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
