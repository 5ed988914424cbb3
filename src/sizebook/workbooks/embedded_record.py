"""A record inside a workbook: a part of custom XML, which Excel keeps and no sheet shows."""

from pathlib import Path

from lxml import etree

from sizebook.calculation.package import PACKAGE_RELATIONS, RELATIONS, Package

RECORD_PART = "customXml/sizebook.xml"
NAMESPACE = "https://github.com/sizebook/sizebook/record"
_RELATIONS_PART = "xl/_rels/workbook.xml.rels"


def put_record(package: Package, record: str) -> None:
    """Put a record into a workbook, in place of one that it carries already."""
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
    package.put(RECORD_PART, etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


def add_record(path: Path, record: str) -> None:
    """Put a record into the file of a workbook."""
    package = Package.read(path)
    put_record(package, record)
    package.save(path)


def read_record(path: Path) -> str:
    """Return the record that a workbook carries, empty for none."""
    package = Package.read(path)
    return package.xml(RECORD_PART).text or "" if RECORD_PART in package.names() else ""
