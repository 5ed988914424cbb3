"""A record inside a workbook: a part of custom XML, which Excel keeps and no sheet shows."""

import io
import zipfile
from pathlib import Path

from lxml import etree

from sizebook.calculation.package import PACKAGE_RELATIONS, RELATIONS, Package, undated

RECORD_PART = "customXml/sizebook.xml"
NAMESPACE = "https://github.com/sizebook/sizebook/record"
_RELATIONS_PART = "xl/_rels/workbook.xml.rels"


def with_record(path: Path, record: str) -> bytes:
    """Return a workbook's bytes with a record in it, in place of one that it carries already."""
    package = Package.read(path)
    relations = package.xml(_RELATIONS_PART, change=True)
    for entry in [each for each in relations if each.get("Target") == f"/{RECORD_PART}"]:
        relations.remove(entry)
    etree.SubElement(
        relations,
        f"{{{PACKAGE_RELATIONS}}}Relationship",
        {"Id": "rIdSizebook", "Type": f"{RELATIONS}/customXml", "Target": f"/{RECORD_PART}"},
    )
    root = etree.Element(f"{{{NAMESPACE}}}record")
    root.text = record
    part = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, data in package.parts():
            if info.filename != RECORD_PART:
                archive.writestr(undated(info.filename), data)
        archive.writestr(undated(RECORD_PART), part)
    return written.getvalue()


def read_record(path: Path) -> str:
    """Return the record that a workbook carries, empty for none."""
    package = Package.read(path)
    return package.xml(RECORD_PART).text or "" if RECORD_PART in package.names() else ""
