"""Sheets of a filled workbook under protection, without a password and with their inputs open."""

from lxml import etree

from sizebook.calculation.package import Package, tag
from sizebook.core.errors import InputError
from sizebook.workbooks.input_cells import find_inputs
from sizebook.workbooks.sheet import Sheet

_OPEN = ("formatColumns", "formatRows", "autoFilter", "sort")  # what stays allowed: hidden columns can be shown
_MOST_NAMED = 5


def protect(package: Package) -> None:
    """Protect every sheet that is not protected yet: of its cells only those that are unlocked take values.

    Errors: an input whose cell is locked, which nobody could change any more.
    """
    sheets = Sheet.all_of(package)
    formats = package.xml("xl/styles.xml").findall(f"{tag('cellXfs')}/{tag('xf')}")
    locked = [
        entry.place
        for entry in find_inputs(package, sheets).values()
        if _is_locked(formats[int(sheets[entry.at.sheet].cells[entry.at.top, entry.at.left].get("s", "0"))])
    ]
    if locked:
        more = f" and {len(locked) - _MOST_NAMED} more" if len(locked) > _MOST_NAMED else ""
        raise InputError(
            f"locked inputs: got {', '.join(locked[:_MOST_NAMED])}{more} in {package.path.name}, want inputs that stay "
            "open. Clear 'Locked' in their cell style (Format, Protection)."
        )
    for part in package.sheets().values():
        if package.xml(part).find(tag("sheetProtection")) is None:
            root = package.xml(part, change=True)
            before = [each for each in root if each.tag in (tag("sheetData"), tag("sheetCalcPr"))]
            root.insert(
                1 + root.index(before[-1]),
                etree.Element(tag("sheetProtection"), {"sheet": "1", **dict.fromkeys(_OPEN, "0")}),
            )


def _is_locked(cell_format: etree._Element) -> bool:
    stated = cell_format.find(tag("protection"))
    return stated is None or stated.get("locked", "1") not in ("0", "false")
