"""Writes the file that the engine reads: the cells of a package, and what their formulas need."""

import io
import zipfile
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from lxml import etree

from sizebook.calculation.links import Links
from sizebook.calculation.package import MAIN, PACKAGE_RELATIONS, RELATIONS, WORKBOOK, Package, tag

_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml."
# The engine begins with a sheet of its own, Sheet1, and loses a first sheet whose name differs from it in case only.
_EMPTY, EMPTY_SHEET = "xl/worksheets/sizebook_empty.xml", "sizebook empty"
_TEXTS = "xl/sharedStrings.xml"


def plain_file(package: Package, outside: Links, *, dates_from_1904: bool) -> bytes:
    """Return an .xlsx file of a package's worksheets, texts and links, without formats, names, tables and charts."""
    sheets = package.sheets()
    links = [part for part in outside.parts if part in package]
    kept = {*sheets.values(), *links, *(_links_of(part) for part in links), _TEXTS}
    file = io.BytesIO()
    # Nothing is compressed: the file lives for the moment in which the engine reads it.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("[Content_Types].xml", "".join(_types(sheets, links)))
        archive.writestr("_rels/.rels", _relations({"rId1": ("officeDocument", "/" + WORKBOOK)}))
        archive.writestr(WORKBOOK, "".join(_workbook(sheets, links, dates_from_1904)))
        archive.writestr(_EMPTY, f'<worksheet xmlns="{MAIN}"><sheetData/></worksheet>')
        archive.writestr("xl/_rels/workbook.xml.rels", _relations(_targets(package, sheets, links)))
        for info, data in package.parts():
            if info.filename in kept:
                archive.writestr(info.filename, _without_guides(data) if info.filename == _TEXTS else data)
    return file.getvalue()


def _without_guides(texts: bytes) -> bytes:
    """Return shared texts without phonetic guides, over which the engine's reader loses the text itself."""
    if b"rPh" not in texts and b"phoneticPr" not in texts:
        return texts
    root = etree.fromstring(texts, etree.XMLParser(resolve_entities=False, no_network=True))
    for guide in list(root.iter(tag("rPh"), tag("phoneticPr"))):
        parent = guide.getparent()
        if parent is not None:
            parent.remove(guide)
    return etree.tostring(root)


def _links_of(part: str) -> str:
    folder, _, name = part.rpartition("/")
    return f"{folder}/_rels/{name}.rels"


def _types(sheets: dict[str, str], links: list[str]) -> Iterator[str]:
    yield f'<Types xmlns="{_TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
    yield '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    kinds = {WORKBOOK: "sheet.main", _TEXTS: "sharedStrings"}
    kinds |= dict.fromkeys([_EMPTY, *sheets.values()], "worksheet") | dict.fromkeys(links, "externalLink")
    for part, kind in kinds.items():
        yield f'<Override PartName={quoteattr("/" + part)} ContentType="{_KIND}{kind}+xml"/>'
    yield "</Types>"


def _workbook(sheets: dict[str, str], links: list[str], dates_from_1904: bool) -> Iterator[str]:
    yield f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><workbookPr date1904="{int(dates_from_1904)}"/><sheets>'
    yield f'<sheet name="{EMPTY_SHEET}" sheetId="{len(sheets) + 1}" r:id="rIdE"/>'
    for number, name in enumerate(sheets, 1):
        yield f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"/>'
    yield "</sheets>"
    if links:
        yield "<externalReferences>"
        yield from (f'<externalReference r:id="rIdL{number}"/>' for number, _ in enumerate(links, 1))
        yield "</externalReferences>"
    yield "</workbook>"


def _targets(package: Package, sheets: dict[str, str], links: list[str]) -> dict[str, tuple[str, str]]:
    found = {f"rId{number}": ("worksheet", "/" + part) for number, part in enumerate(sheets.values(), 1)}
    found |= {f"rIdL{number}": ("externalLink", "/" + part) for number, part in enumerate(links, 1)}
    found["rIdE"] = ("worksheet", "/" + _EMPTY)
    if _TEXTS in package:
        found["rIdT"] = ("sharedStrings", "/" + _TEXTS)
    return found


def _relations(targets: dict[str, tuple[str, str]]) -> str:
    inner = "".join(
        f'<Relationship Id="{number}" Type="{RELATIONS}/{kind}" Target={quoteattr(target)}/>'
        for number, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{PACKAGE_RELATIONS}">{inner}</Relationships>'
