"""Refreshes the values that charts keep beside their references, for readers that do not calculate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lxml import etree

from sizebook.calculation import ErrorCode
from sizebook.calculation.package import Package
from sizebook.calculation.tokens import Area, area

CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
Lookup = Callable[[str, int, int], Any]  # sheet, row, column -> what the cell shows


def _tag(name: str) -> str:
    return f"{{{CHART}}}{name}"


def refresh_charts(package: Package, shown: Lookup) -> None:
    """Rewrite the cached points of every chart whose cells now show something else.

    References to names, to several areas at once or to another workbook keep what they have.
    """
    for part in [name for name in package.names() if name.startswith("xl/charts/chart")]:
        root = package.xml(part)
        for kind, cache in (("numRef", "numCache"), ("strRef", "strCache")):
            for reference in root.iter(_tag(kind)):
                source = area((reference.findtext(_tag("f")) or "").strip(), "")
                if source is not None and source.sheet and _refresh(reference, cache, source, shown):
                    package.xml(part, change=True)


def _refresh(reference: etree._Element, cache_name: str, source: Area, shown: Lookup) -> bool:
    """Bring one reference's cache up to date; return whether it changed."""
    points = [(i, _text(shown(source.sheet, *place))) for i, place in enumerate(source.cells())]
    points = [(i, text) for i, text in points if text is not None]
    cache = reference.find(_tag(cache_name))
    if cache is not None and points == _cached(cache):
        return False
    format_code = None if cache is None else cache.find(_tag("formatCode"))
    fresh = etree.Element(_tag(cache_name))
    if format_code is not None:
        fresh.append(format_code)
    n_cells = (source.bottom - source.top + 1) * (source.right - source.left + 1)
    etree.SubElement(fresh, _tag("ptCount"), val=str(n_cells))
    for index, text in points:
        etree.SubElement(etree.SubElement(fresh, _tag("pt"), idx=str(index)), _tag("v")).text = text
    if cache is not None:
        reference.replace(cache, fresh)
    else:
        reference.insert(1, fresh)  # behind the reference itself
    return True


def _cached(cache: etree._Element) -> list[tuple[int, str]]:
    return [(int(pt.get("idx", "0")), pt.findtext(_tag("v"), "")) for pt in cache.iterfind(_tag("pt"))]


def _text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, ErrorCode):
        return str(value)
    return str(int(value)) if isinstance(value, bool) else (value if isinstance(value, str) else repr(value))
