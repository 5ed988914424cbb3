"""Refreshes the values that charts keep beside their references, for readers that do not calculate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lxml import etree

from sizebook.calculation import ErrorCode
from sizebook.calculation.package import Package
from sizebook.calculation.tokens import Area, area
from sizebook.workbooks.sheet import escaped

CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
CHART_2016 = "http://schemas.microsoft.com/office/drawing/2014/chartex"
_EXACT = 2**53  # whole numbers below it are written with all their digits
CellValue = Callable[[str, int, int], Any]  # sheet, row, column -> what the cell shows


def _tag(name: str) -> str:
    return f"{{{CHART}}}{name}"


def refresh_charts(package: Package, shown: CellValue) -> None:
    """Rewrite the cached points of every chart whose cells now show something else.

    Charts of Excel 2016 (waterfall, treemap, funnel, box plot) are among them. References to names, to several areas
    at once or to another workbook keep what they have.
    """
    for part in [name for name in package.names() if name.startswith("xl/charts/chart")]:
        root = package.xml(part)
        for kind, cache in (("numRef", "numCache"), ("strRef", "strCache")):
            for reference in root.iter(_tag(kind)):
                source = area((reference.findtext(_tag("f")) or "").strip(), "")
                if source is not None and source.sheet and _refresh(reference, cache, source, shown):
                    package.xml(part, change=True)
        for level in root.iter(f"{{{CHART_2016}}}lvl"):
            if _refresh_level(level, shown):
                package.xml(part, change=True)


def _refresh(reference: etree._Element, cache_name: str, source: Area, shown: CellValue) -> bool:
    """Bring one reference's cache up to date; return whether it changed."""
    points = _points(source, shown, numbers=cache_name == "numCache")
    cache = reference.find(_tag(cache_name))
    if cache is not None and _same(points, _cached(cache)):
        return False
    format_code = None if cache is None else cache.find(_tag("formatCode"))
    fresh = etree.Element(_tag(cache_name))
    if format_code is not None:
        fresh.append(format_code)
    etree.SubElement(fresh, _tag("ptCount"), val=str(_n_cells(source)))
    for index, text in points:
        etree.SubElement(etree.SubElement(fresh, _tag("pt"), idx=str(index)), _tag("v")).text = text
    if cache is not None:
        reference.replace(cache, fresh)
    else:
        reference.insert(1, fresh)  # behind the reference itself
    return True


def _refresh_level(level: etree._Element, shown: CellValue) -> bool:
    """Bring the points of a chart of Excel 2016 up to date; of several levels of categories each keeps its own."""
    point, dimension = f"{{{CHART_2016}}}pt", level.getparent()
    if dimension is None or len(dimension.findall(level.tag)) != 1:
        return False
    source = area((dimension.findtext(f"{{{CHART_2016}}}f") or "").strip(), "")
    if source is None or not source.sheet:
        return False
    points = _points(source, shown, numbers=etree.QName(dimension).localname == "numDim")
    if _same(points, [(int(pt.get("idx", "0")), pt.text or "") for pt in level.iterfind(point)]):
        return False
    for old in level.findall(point):
        level.remove(old)
    for index, text in points:
        etree.SubElement(level, point, idx=str(index)).text = text
    level.set("ptCount", str(_n_cells(source)))
    return True


def _n_cells(source: Area) -> int:
    return (source.bottom - source.top + 1) * (source.right - source.left + 1)


def _points(source: Area, shown: CellValue, *, numbers: bool) -> list[tuple[int, str]]:
    """Return what a chart draws of cells by their place, blank ones left out."""
    texts = [(index, _text(shown(source.sheet, *place), numbers)) for index, place in enumerate(source.cells())]
    return [(index, text) for index, text in texts if text is not None]


def _cached(cache: etree._Element) -> list[tuple[int, str]]:
    return [(int(pt.get("idx", "0")), pt.findtext(_tag("v"), "")) for pt in cache.iterfind(_tag("pt"))]


def _same(new: list[tuple[int, str]], old: list[tuple[int, str]]) -> bool:
    """Return whether points are the same; numbers may be written in another way (2, 2.0, 2E0)."""
    return [at for at, _ in new] == [at for at, _ in old] and all(
        a == b or _number(a) == _number(b) is not None for (_, a), (_, b) in zip(new, old, strict=True)
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _text(value: Any, numbers: bool) -> str | None:
    """Return a cell's value as a cache holds it, None for a blank; among numbers Excel draws a text at 0, and every
    error as #N/A, the only one that readers such as openpyxl know there."""
    if value is None or value == "":
        return None
    if isinstance(value, ErrorCode):
        return "#N/A" if numbers else str(value)
    if isinstance(value, str):
        return "0" if numbers else escaped(value)
    return str(int(value)) if value == int(value) and abs(value) < _EXACT else repr(float(value))
