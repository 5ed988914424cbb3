"""Cells of other workbooks that a workbook refers to: what it keeps of them, as Excel uses it without asking."""

from dataclasses import dataclass

from sizebook.calculation.package import RELATIONS, WORKBOOK, Package, tag


@dataclass(frozen=True)
class Links:
    """What a workbook keeps of other workbooks.

    Attributes:
        parts: the part of each link, in their order; formulas call the first [1].
        sheets: the sheets whose cells are kept, ``[1]Data``, in small letters.
        names: what the names of other workbooks refer to, ``[1]Data!rate`` or ``[1]!rate`` in small letters.
    """

    parts: tuple[str, ...]
    sheets: frozenset[str]
    names: dict[str, str]


def links(package: Package) -> Links:
    """Return what a workbook keeps of other workbooks."""
    targets = package.relations(WORKBOOK)
    parts, sheets, names = [], set(), {}
    for number, entry in enumerate(package.xml(WORKBOOK).iter(tag("externalReference")), 1):
        part = targets.get(entry.get(f"{{{RELATIONS}}}id", ""), "")
        parts.append(part)
        book = package.xml(part).find(tag("externalBook")) if part in package else None
        if book is None:
            continue
        titles = [sheet.get("val", "") for sheet in book.iter(tag("sheetName"))]
        kept = [int(data.get("sheetId", "-1")) for data in book.iter(tag("sheetData")) if len(data)]
        sheets |= {f"[{number}]{titles[index]}".casefold() for index in kept if 0 <= index < len(titles)}
        for name in book.iter(tag("definedName")):
            reference = name.get("refersTo", "").lstrip("=")
            sheet, mark, cells = reference.rpartition("!")
            if not mark:
                continue
            scope = name.get("sheetId")
            where = titles[int(scope)] if scope is not None and int(scope) < len(titles) else ""
            plain = f"'[{number}]{sheet.strip(chr(39))}'!{cells}"
            names[f"[{number}]{where}!{name.get('name', '')}".casefold()] = plain
    return Links(tuple(parts), frozenset(sheets), names)
