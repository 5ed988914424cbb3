"""Refreshes the values that charts keep beside their references, for readers that do not calculate."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lxml import etree

from sizebook.calculation import ErrorCode
from sizebook.calculation.package import Package, tag
from sizebook.calculation.tokens import Area, area
from sizebook.workbooks.sheet import Sheet, escaped

CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
CHART_2016 = "http://schemas.microsoft.com/office/drawing/2014/chartex"
_TRUE = ("1", "true")
_EXACT = 2**53  # whole numbers below it are written with all their digits
CellValue = Callable[[str, int, int], Any]  # sheet, row, column -> what the cell shows
Drawn = Mapping[etree._Element, Mapping[tuple[int, int], Any]]  # a chart's reference -> its cells and what they show


def _tag(name: str) -> str:
    return f"{{{CHART}}}{name}"


def drawn_cells(package: Package, sheets: Mapping[str, Sheet]) -> Drawn:
    """Return what the cells of every chart show as the package stands, by the chart's references to them."""
    return {
        reference: {place: sheets[source.sheet].value(*place) for place in source.cells()}
        for _, reference, source, _ in _references(package)
        if source.sheet in sheets
    }


def refresh_charts(package: Package, shown: CellValue, before: Drawn | None = None) -> None:
    """Rewrite the cached points of every chart whose cells now show something else.

    Args:
        before: what the cells showed when the caches were made. The point of a cell that still shows that stays as it
            is, be it missing. Left out: every point is what its cell shows.

    Charts of Excel 2016 (waterfall, treemap, funnel, box plot) are among them. References to names, to several areas
    at once or to another workbook keep what they have.
    """
    for part, reference, source, kind in _references(package):
        if _refresh(package, reference, source, kind, shown, (before or {}).get(reference, {})):
            package.xml(part, change=True)


def _references(package: Package) -> Iterator[tuple[str, etree._Element, Area, str]]:
    """Yield the references of charts to one area: part, element, cells, and the tag of what keeps their points.

    In charts of Excel 2016 the element itself keeps them; of several levels of categories each keeps its own.
    """
    for part in [name for name in package.names() if name.startswith("xl/charts/chart")]:
        root = package.xml(part)
        found = [(each, each.findtext(_tag("f")), _tag("numCache")) for each in root.iter(_tag("numRef"))]
        found += [(each, each.findtext(_tag("f")), _tag("strCache")) for each in root.iter(_tag("strRef"))]
        for level in root.iter(f"{{{CHART_2016}}}lvl"):
            dimension = level.getparent()
            if dimension is not None and len(dimension.findall(level.tag)) == 1:
                found.append((level, dimension.findtext(f"{{{CHART_2016}}}f"), dimension.tag))
        for element, formula, kind in found:
            source = area((formula or "").strip(), "")
            if source is not None and source.sheet:
                yield part, element, source, kind


def _refresh(
    package: Package,
    reference: etree._Element,
    source: Area,
    kind: str,
    shown: CellValue,
    before: Mapping[tuple[int, int], Any],
) -> bool:
    """Bring one reference's points up to date; return whether they changed."""
    numbers = etree.QName(kind).localname in ("numCache", "numDim")
    cache = reference if reference.tag == f"{{{CHART_2016}}}lvl" else reference.find(kind)
    places = _drawn_places(package, source, reference, cache)
    values = [shown(source.sheet, *place) for place in places]
    texts = {index: _text(value, numbers) for index, value in enumerate(values)}
    old = {} if cache is None else {int(pt.get("idx", "0")): pt for pt in cache.iterfind("{*}pt")}
    if cache is not None and before.keys() == set(source.cells()):  # else rows came or went
        for index, place in enumerate(places):
            if _draw_the_same(values[index], before[place]):
                texts[index] = _drawn(old.get(index))
    if cache is None:
        cache = etree.Element(kind)
        reference.insert(1, cache)  # behind the reference itself
    elif all(_same(texts.get(at), _drawn(old.get(at))) for at in {*texts, *old}):
        return False
    _renew(cache, old, texts)
    return True


def _draw_the_same(now: Any, before: Any) -> bool:
    """Return whether two values of a cell are one, drawn as texts and as numbers."""
    return all(_same(_text(now, numbers), _text(before, numbers)) for numbers in (False, True))


def _drawn_places(
    package: Package, source: Area, reference: etree._Element, cache: etree._Element | None
) -> list[tuple[int, int]]:
    """Return the cells that a cache numbers: those that are shown, or all where it counts as many."""
    places = list(source.cells())
    count = None if cache is None else cache.find(_tag("ptCount"))
    counts_all = len(places) == 1 or (cache is not None and (count is None or count.get("val") == str(len(places))))
    draws_hidden = reference.getroottree().find(f".//{_tag('plotVisOnly')}[@val='0']") is not None
    if counts_all or draws_hidden or source.sheet not in package.sheets():
        return places
    root = package.xml(package.sheets()[source.sheet])
    rows = {int(row.get("r", "0")) for row in root.iter(tag("row")) if row.get("hidden") in _TRUE}
    spans = [
        range(int(each.get("min", "0")), int(each.get("max", "0")) + 1)
        for each in root.iter(tag("col"))
        if each.get("hidden") in _TRUE
    ]
    return [(row, column) for row, column in places if row not in rows and not any(column in span for span in spans)]


def _renew(cache: etree._Element, old: Mapping[int, etree._Element], texts: Mapping[int, str | None]) -> None:
    """Write points into a cache; one that it has keeps its number format."""
    for each in old.values():
        cache.remove(each)
    at, name = _count(cache, len(texts))
    for index, text in texts.items():
        if text is not None:
            pt = old.get(index)
            if pt is None:
                pt = etree.Element(name, idx=str(index))
            _holder(pt).text = text
            cache.insert(at, pt)
            at += 1


def _count(cache: etree._Element, n_cells: int) -> tuple[int, str]:
    """Write how many cells a cache numbers; return where its first point goes, and the tag of points."""
    if cache.tag == f"{{{CHART_2016}}}lvl":
        cache.set("ptCount", str(n_cells))
        return 0, f"{{{CHART_2016}}}pt"
    count = cache.find(_tag("ptCount"))
    if count is None:
        count = etree.SubElement(cache, _tag("ptCount"))
    count.set("val", str(n_cells))
    return cache.index(count) + 1, _tag("pt")


def _drawn(pt: etree._Element | None) -> str | None:
    """Return the text of a point, None for one that a cache leaves out."""
    return None if pt is None else _holder(pt).text or ""


def _holder(pt: etree._Element) -> etree._Element:
    """Return the element that holds a point's text: the point itself in charts of Excel 2016."""
    if pt.tag == f"{{{CHART_2016}}}pt":
        return pt
    value = pt.find(_tag("v"))
    return etree.SubElement(pt, _tag("v")) if value is None else value


def _same(one: str | None, other: str | None) -> bool:
    """Return whether points are the same; numbers may be written in another way (2, 2.0, 2E0)."""
    return one == other or (_number(one) == _number(other) is not None)


def _number(text: str | None) -> float | None:
    try:
        return float(text or "")
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
