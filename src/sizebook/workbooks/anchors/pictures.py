"""Pictures into named ranges: as large as fits, in their own proportions, with words for those who do not see them."""

import posixpath
import struct

from lxml import etree

from sizebook.calculation.package import MAIN, PACKAGE_RELATIONS, RELATIONS, Package, tag
from sizebook.calculation.tokens import Area
from sizebook.core.errors import InputError
from sizebook.workbooks.anchors.moved_formulas import whole_number
from sizebook.workbooks.anchors.plan_values import Picture

_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
_ART = "http://schemas.openxmlformats.org/drawingml/2006/main"
_TYPES = "[Content_Types].xml"
_TYPE_OF_DRAWINGS = "application/vnd.openxmlformats-officedocument.drawing+xml"
_EMPTY_RELATIONS = f'<Relationships xmlns="{PACKAGE_RELATIONS}"/>'.encode()
_EMU_PER_PIXEL = 9525
_PIXELS_OF_A_DIGIT, _USUAL_WIDTH, _USUAL_HEIGHT = 7, 9.140625, 15.0  # of Excel's usual face; widths in digits, points
# What a worksheet holds behind its drawing, in the order of the schema.
_BEHIND = (
    "legacyDrawing",
    "legacyDrawingHF",
    "drawingHF",
    "picture",
    "oleObjects",
    "controls",
    "webPublishItems",
    "tableParts",
    "extLst",
)


def put_picture(package: Package, at: Area, name: str, picture: Picture) -> None:
    """Put a picture into a range of cells, in place of the one that was put there under that name before."""
    sheet = package.sheets()[at.sheet]
    drawing = _drawing_of(package, sheet)
    called = f"sizebook {name}"
    root = package.xml(drawing, change=True)
    media = _cleared(package, drawing, called) or _free(package, "xl/media/sizebook{}.png")
    package.put(media, picture.png)
    _default_type(package, "png", "image/png")
    identifier = _related(package, drawing, "image", media)
    width, height = _fitting(_size(picture), _room(package.xml(sheet), at))
    numbers = [whole_number(each.get("id")) for each in root.iter(f"{{{_DRAWING}}}cNvPr")]
    anchor = _anchor(at, width, height)
    anchor.insert(2, _picture(called, picture.alt, identifier, max(numbers, default=1) + 1, width, height))
    root.append(anchor)


def _size(picture: Picture) -> tuple[int, int]:
    """Return the width and height of a PNG. Errors: `InputError` for another kind of file."""
    if picture.png[:8] != b"\x89PNG\r\n\x1a\n" or len(picture.png) < 24:
        raise InputError("no picture: got a file that is no PNG, want one. Convert it.")
    width, height = struct.unpack(">II", picture.png[16:24])
    return int(width), int(height)


def _fitting(size: tuple[int, int], room: tuple[int, int]) -> tuple[int, int]:
    """Return the width and height, in EMU, of a picture that fills its room in one direction."""
    scale = min(room[0] / max(size[0], 1), room[1] / max(size[1], 1))
    return round(size[0] * scale * _EMU_PER_PIXEL), round(size[1] * scale * _EMU_PER_PIXEL)


def _room(sheet: etree._Element, at: Area) -> tuple[int, int]:
    """Return the width and height of a range in pixels."""
    usual = sheet.find(tag("sheetFormatPr"))
    width = float((usual.get("defaultColWidth") if usual is not None else None) or _USUAL_WIDTH)
    height = float((usual.get("defaultRowHeight") if usual is not None else None) or _USUAL_HEIGHT)
    widths = dict.fromkeys(range(at.left, at.right + 1), width)
    for column in sheet.iter(tag("col")):
        first, last = whole_number(column.get("min"), 1), whole_number(column.get("max"), 1)
        for each in range(max(at.left, first), min(at.right, last) + 1):
            widths[each] = 0.0 if column.get("hidden") in ("1", "true") else float(column.get("width", width))
    heights = dict.fromkeys(range(at.top, at.bottom + 1), height)
    for row in sheet.iter(tag("row")):
        if (number := whole_number(row.get("r"))) in heights:
            heights[number] = 0.0 if row.get("hidden") in ("1", "true") else float(row.get("ht", height))
    across = sum(int((256 * each + 128 // _PIXELS_OF_A_DIGIT) / 256 * _PIXELS_OF_A_DIGIT) for each in widths.values())
    return max(across, 1), max(round(sum(heights.values()) * 4 / 3), 1)


def _anchor(at: Area, width: int, height: int) -> etree._Element:
    anchor = etree.Element(f"{{{_DRAWING}}}oneCellAnchor", nsmap={"xdr": _DRAWING, "a": _ART})
    corner = etree.SubElement(anchor, f"{{{_DRAWING}}}from")
    for name, value in (("col", at.left - 1), ("colOff", 0), ("row", at.top - 1), ("rowOff", 0)):
        etree.SubElement(corner, f"{{{_DRAWING}}}{name}").text = str(value)
    etree.SubElement(anchor, f"{{{_DRAWING}}}ext", cx=str(width), cy=str(height))
    etree.SubElement(anchor, f"{{{_DRAWING}}}clientData")
    return anchor


def _picture(name: str, alt: str, identifier: str, number: int, width: int, height: int) -> etree._Element:
    """Return the element of a picture."""
    made = etree.Element(f"{{{_DRAWING}}}pic", nsmap={"xdr": _DRAWING, "a": _ART, "r": RELATIONS})
    about = etree.SubElement(made, f"{{{_DRAWING}}}nvPicPr")
    etree.SubElement(about, f"{{{_DRAWING}}}cNvPr", id=str(number), name=name, descr=alt)
    locks = etree.SubElement(about, f"{{{_DRAWING}}}cNvPicPr")
    etree.SubElement(locks, f"{{{_ART}}}picLocks", noChangeAspect="1")
    fill = etree.SubElement(made, f"{{{_DRAWING}}}blipFill")
    etree.SubElement(fill, f"{{{_ART}}}blip", {f"{{{RELATIONS}}}embed": identifier})
    etree.SubElement(etree.SubElement(fill, f"{{{_ART}}}stretch"), f"{{{_ART}}}fillRect")
    shape = etree.SubElement(made, f"{{{_DRAWING}}}spPr")
    place = etree.SubElement(shape, f"{{{_ART}}}xfrm")
    etree.SubElement(place, f"{{{_ART}}}off", x="0", y="0")
    etree.SubElement(place, f"{{{_ART}}}ext", cx=str(width), cy=str(height))
    outline = etree.SubElement(shape, f"{{{_ART}}}prstGeom", prst="rect")
    etree.SubElement(outline, f"{{{_ART}}}avLst")
    return made


def _cleared(package: Package, drawing: str, called: str) -> str:
    """Take a picture of ours out; return the part of its image, empty where there was none."""
    targets, found = package.relations(drawing), ""
    for anchor in list(package.xml(drawing)):
        about = anchor.find(f".//{{{_DRAWING}}}pic/{{{_DRAWING}}}nvPicPr/{{{_DRAWING}}}cNvPr")
        if about is not None and about.get("name") == called:
            blip = anchor.find(f".//{{{_ART}}}blip")
            found = targets.get(blip.get(f"{{{RELATIONS}}}embed", ""), "") if blip is not None else ""
            package.xml(drawing).remove(anchor)
    return found


def _drawing_of(package: Package, sheet: str) -> str:
    """Return the part of a sheet's drawing, made where it has none."""
    root = package.xml(sheet)
    element = root.find(tag("drawing"))
    if element is not None:
        return package.relations(sheet)[element.get(f"{{{RELATIONS}}}id", "")]
    part = _free(package, "xl/drawings/sizebook{}.xml")
    package.put(part, etree.tostring(etree.Element(f"{{{_DRAWING}}}wsDr", nsmap={"xdr": _DRAWING, "a": _ART})))
    types = package.xml(_TYPES, change=True)
    kind = etree.QName(types).namespace
    etree.SubElement(types, f"{{{kind}}}Override", PartName=f"/{part}", ContentType=_TYPE_OF_DRAWINGS)
    made = etree.Element(tag("drawing"), {f"{{{RELATIONS}}}id": _related(package, sheet, "drawing", part)})
    behind = [each for each in root if each.tag in {f"{{{MAIN}}}{name}" for name in _BEHIND}]
    root = package.xml(sheet, change=True)
    root.insert(root.index(behind[0]) if behind else len(root), made)
    return part


def _related(package: Package, part: str, kind: str, target: str) -> str:
    """Return the id under which a part refers to another, added where it does not yet."""
    for identifier, found in package.relations(part).items():
        if found == target:
            return identifier
    folder, name = posixpath.split(part)
    relations = f"{folder}/_rels/{name}.rels"
    if relations not in package.names():
        package.put(relations, _EMPTY_RELATIONS)
    root = package.xml(relations, change=True)
    taken = {each.get("Id", "") for each in root if isinstance(each.tag, str)}
    identifier = next(f"rIdSizebook{n}" for n in range(1, len(taken) + 2) if f"rIdSizebook{n}" not in taken)
    etree.SubElement(
        root, f"{{{PACKAGE_RELATIONS}}}Relationship", Id=identifier, Type=f"{RELATIONS}/{kind}", Target=f"/{target}"
    )
    return identifier


def _free(package: Package, pattern: str) -> str:
    names = set(package.names())
    return next(name for n in range(1, len(names) + 2) if (name := pattern.format(n)) not in names)


def _default_type(package: Package, extension: str, kind: str) -> None:
    types = package.xml(_TYPES)
    namespace = etree.QName(types).namespace
    if not any(each.get("Extension", "").casefold() == extension for each in types):
        package.xml(_TYPES, change=True).insert(
            0, etree.Element(f"{{{namespace}}}Default", Extension=extension, ContentType=kind)
        )
