"""Finds ``{{ name }}`` inside texts of cells and fills it in; the formats within a rich text stay."""

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from sizebook.calculation.package import Package, tag
from sizebook.calculation.sheet_formulas import formulas
from sizebook.core.hints import suggestion
from sizebook.core.units import grouped, significant
from sizebook.plans.contents import Value
from sizebook.workbooks.sheet import Sheet, escaped

# Blanks around a name are left to `_found`: with them the pattern would try their cube.
_PLACEHOLDER = re.compile(r"\{\{([^{}:]+)(?::([^{}]*))?\}\}")
_FORMAT = re.compile(r",?(?:(?:\.\d{1,2})?[feg%]|d)")
_STRINGS = "xl/sharedStrings.xml"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
BLANK = "n/a"


@dataclass(frozen=True)
class TextAnchor:
    """A cell whose text has names in braces."""

    sheet: str
    at: tuple[int, int]
    place: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class _Found:
    """A name in braces, how its value is written, and the stretch of the text that it takes."""

    name: str
    spec: str
    start: int
    end: int


def _found(words: str) -> Iterator[_Found]:
    """Yield the names in braces of a text; braces around nothing are words like any other."""
    for match in _PLACEHOLDER.finditer(words):
        if name := match[1].strip():
            yield _Found(name, (match[2] or "").strip(), match.start(), match.end())


def text_anchors(package: Package) -> list[TextAnchor]:
    """Return the cells of a workbook with names in braces, in the order of its sheets."""
    shared = _shared(package)
    found = []
    for name in package.sheets():
        sheet = Sheet(package, name)
        for at, cell in sheet.cells.items():
            words = "".join(each.text or "" for each in _texts(_holder(cell, shared)))
            if names := tuple(each.name for each in _found(words)):
                found.append(TextAnchor(name, at, f"{name}!{cell.get('r')}", names))
    return found


def unfilled_places(package: Package) -> Iterator[str]:
    """Yield where braces stand that are not filled: in formulas, in shapes and in charts."""
    for name, part in package.sheets().items():
        for cell, formula in formulas(package.xml(part)):
            if any(_found(formula.text or "")):
                yield f"{name}!{cell.get('r')}: names in braces are filled in texts, not in formulas"
    for part in package.names():
        if part.startswith(("xl/drawings/", "xl/charts/")) and part.endswith(".xml"):
            words = "".join(each.text or "" for each in package.xml(part).iter("{*}t"))
            if any(_found(words)):
                yield f"{part}: names in braces are filled in cells, not in shapes and charts; link the text to a cell"


def unknown_names(anchors: list[TextAnchor], values: Mapping[str, Value]) -> Iterator[str]:
    """Yield the names in braces that stand for nothing."""
    for anchor in anchors:
        for name in anchor.names:
            if name.casefold() not in values:
                yield f"{anchor.place}: no value '{name}': left as it stands.{suggestion(name.casefold(), values)}"


def fill_texts(package: Package, anchors: list[TextAnchor], values: Mapping[str, Value]) -> Iterator[str]:
    """Fill the names in braces of cells; yield what is to be remarked.

    A cell that is one name alone takes the value itself, a number as a number in the cell's format. Within more words a
    number is written in full where it is whole, else with three digits; ``{{ usd:,.2f }}`` says otherwise.
    """
    shared = _shared(package)
    sheets = {anchor.sheet: Sheet(package, anchor.sheet) for anchor in anchors}
    for anchor in anchors:
        sheet = sheets[anchor.sheet]
        cell = sheet.cells[anchor.at]
        holder = copy.deepcopy(_holder(cell, shared))
        texts = _texts(holder)
        alone = _alone("".join(each.text or "" for each in texts).strip())
        value = values.get(alone)
        if alone in values and not (isinstance(value, str) and len(texts) > 1):
            sheet.write_input(*anchor.at, value)
            continue
        yield from (f"{anchor.place}: {said}" for said in _filled(texts, values))
        sheet.write_text(*anchor.at, holder)


def _alone(words: str) -> str:
    """Return the name of a text that is one name in braces and no format, in lower case; else nothing."""
    found = next(_found(words), None)
    is_alone = found is not None and not found.spec and (found.start, found.end) == (0, len(words))
    return found.name.casefold() if found is not None and is_alone else ""


def _shared(package: Package) -> list[etree._Element]:
    return list(package.xml(_STRINGS).iterfind(tag("si"))) if _STRINGS in package.names() else []


def _holder(cell: etree._Element, shared: list[etree._Element]) -> etree._Element:
    """Return the element that holds a cell's text, an empty one for a cell without."""
    inline = cell.find(tag("is"))
    if cell.get("t") == "inlineStr" and inline is not None:
        return inline
    index = cell.findtext(tag("v")) or ""
    is_shared = cell.get("t") == "s" and cell.find(tag("f")) is None and index.isdecimal() and int(index) < len(shared)
    return shared[int(index)] if is_shared else etree.Element(tag("is"))


def _texts(holder: etree._Element) -> list[etree._Element]:
    """Return the pieces of a text, one for each run of one format, phonetic guides left out."""
    spoken = set(holder.iterfind(f"{tag('rPh')}/{tag('t')}"))
    return [each for each in holder.iter(tag("t")) if each not in spoken]


def _filled(texts: list[etree._Element], values: Mapping[str, Value]) -> Iterator[str]:
    """Put values into the runs of a text, each into the run where its braces open; yield remarks."""
    pieces = [each.text or "" for each in texts]
    for each in reversed(list(_found("".join(pieces)))):
        key, spec = each.name.casefold(), each.spec
        if key not in values:
            continue
        value = values[key]
        if spec and not (_FORMAT.fullmatch(spec) and _is_number(value)):
            yield f"no format '{spec}' for {each.name}, want one such as ,.2f or .0% for a number: written plainly"
            spec = ""
        if value is None:
            yield f"{each.name} is blank in this plan: written as {BLANK}"
        _replace(pieces, each.start, each.end, value_text(value, spec))
    for element, words in zip(texts, pieces, strict=True):
        element.text = words
        element.set(_SPACE, "preserve")


def _replace(pieces: list[str], start: int, end: int, words: str) -> None:
    """Replace a stretch of the joined pieces, in the piece in which it begins."""
    offset = 0
    for at, piece in enumerate(pieces):
        first, last = max(start - offset, 0), min(end - offset, len(piece))
        if first < len(piece) and last > 0 and first < last:
            pieces[at] = piece[:first] + (words if start >= offset else "") + piece[last:]
        offset += len(piece)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def value_text(value: Value, spec: str = "") -> str:
    """Return a value as words of a text."""
    if value is None:
        return BLANK
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return escaped(value)
    if spec:
        return format(round(value) if spec.endswith("d") else value, spec)
    return grouped(int(value)) if float(value).is_integer() else significant(value)
