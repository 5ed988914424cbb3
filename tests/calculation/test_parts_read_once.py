"""A part of a package is looked into once, however often its kind is asked for."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from openpyxl import Workbook

from sizebook.calculation.package import Package, tag

_CHART_SHEET = b'<chartsheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'


@pytest.fixture
def package(tmp_path: Path) -> Package:
    book = Workbook()
    book.create_sheet("Second")
    book.create_sheet("Third")
    book.save(tmp_path / "book.xlsx")
    return Package.read(tmp_path / "book.xlsx")


def test_looking_up_sheets_again_reads_no_part_again(package: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    package = Package(package.path, package.entries)  # as read, nothing looked into yet
    looked_into: Counter[str] = Counter()
    real = etree.iterparse

    def counted(source: Any, *args: Any, **kwargs: Any) -> Any:
        looked_into[source.getvalue().decode()] += 1
        return real(source, *args, **kwargs)

    monkeypatch.setattr(etree, "iterparse", counted)
    for _ in range(5):
        assert list(package.sheets()) == ["Sheet", "Second", "Third"]
    assert looked_into.total() == 3


def test_a_part_that_is_put_anew_is_looked_into_anew(package: Package) -> None:
    part = package.sheets()["Second"]
    assert package.root(part) == tag("worksheet")
    package.put(part, _CHART_SHEET)
    assert package.root(part) == tag("chartsheet")
    assert list(package.sheets()) == ["Sheet", "Third"]
