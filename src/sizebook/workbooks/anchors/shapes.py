"""Pictures, charts, shapes, comments and controls move with their rows, and links of shapes with their cells."""

import re

from lxml import etree

from sizebook.calculation.package import Package
from sizebook.core.errors import InputError
from sizebook.workbooks.anchors.moved_formulas import FORMULAS, cannot_move, moved_formula, whole_number
from sizebook.workbooks.anchors.row_move import RowMove


def follow_links(package: Package, part: str, move: RowMove) -> None:
    """Have links of shapes to cells follow, which relationships hold."""
    for relation in package.xml(part):
        target = relation.get("Target", "") if isinstance(relation.tag, str) else ""
        if target.startswith("#") and "!" in target:
            new = "#" + moved_formula(move, target[1:], "", where=f"a link in {part}")
            if new != target:
                package.xml(part, change=True)
                relation.set("Target", new)


def move_drawing(package: Package, part: str, move: RowMove) -> None:
    """Move pictures, charts and shapes whose first row moves; none is stretched."""
    if not move.whole:
        return
    root = package.xml(part)
    for anchor in root:
        rows = [
            row
            for end in anchor
            if isinstance(end.tag, str) and etree.QName(end).localname in ("from", "to")
            for row in end
            if etree.QName(row).localname == "row"
        ]
        if not rows or anchor.get("editAs") == "absolute":
            continue
        before = whole_number(rows[0].text)
        after = move.row(before + 1)
        by = (move.end if after is None else after - 1) - before
        for row in rows if by else []:
            package.xml(part, change=True)
            row.text = str(whole_number(row.text) + by)


def move_control(package: Package, part: str, element: etree._Element, *, move: RowMove) -> None:
    """Move a control, which a worksheet anchors by itself."""
    if not move.whole or not part.startswith("xl/worksheets/"):
        return
    before = whole_number(element.text)
    after = move.row(before + 1)
    if after is not None and after - 1 != before:
        package.xml(part, change=True)
        element.text = str(after - 1)


_BOX = "urn:schemas-microsoft-com:office:excel"


def move_boxes(package: Package, part: str, move: RowMove, *, sheet: str) -> None:
    """Move the boxes of comments and controls that old drawings hold, and their cells."""
    try:
        root = package.xml(part)
    except InputError:
        if move.whole and move.on(sheet):
            raise cannot_move(move, part, "it is no XML that can be followed") from None
        return
    for element in root.iter(f"{{{_BOX}}}*"):
        name, text = etree.QName(element).localname, (element.text or "").strip()
        new = text
        if name in FORMULAS and text:
            new = moved_formula(move, text, sheet, where=f"a control of {sheet}")
        elif move.whole and move.on(sheet) and name == "Row" and text.isdecimal():
            moved = move.row(whole_number(text) + 1)
            new = text if moved is None else str(moved - 1)
        elif move.whole and move.on(sheet) and name == "Anchor":
            new = _box(text, move)
        if new != text:
            package.xml(part, change=True)
            element.text = new


def _box(text: str, move: RowMove) -> str:
    """Return the place of a box: column, offset, row, offset of its first corner, then of its last."""
    numbers = [int(each) for each in re.findall(r"-?\d+", text)]
    if len(numbers) != 8:
        return text
    moved = move.row(numbers[2] + 1)
    by = 0 if moved is None else moved - 1 - numbers[2]
    numbers[2], numbers[6] = numbers[2] + by, numbers[6] + by
    return ", ".join(map(str, numbers)) if by else text
