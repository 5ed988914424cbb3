"""Structured references, ``Sales[[#This Row],[amount]]``, as the plain areas that they mean from a cell."""

import re
from dataclasses import dataclass

from sizebook.calculation.names import NotCalculableError
from sizebook.calculation.package import Package, tag
from sizebook.calculation.tokens import Area, absolute, area

_ITEM = re.compile(r"\[((?:'.|[^\[\]'])*)\]")
_SPECIAL = {"#all", "#data", "#headers", "#totals", "#this row"}
_WHOLE_DATA = frozenset(["#data"])


@dataclass(frozen=True)
class Table:
    """A table of a workbook: its name, the cells it covers, and its columns by name in small letters."""

    name: str
    area: Area
    n_headers: int
    n_totals: int
    columns: tuple[str, ...]

    def covers(self, at: Area) -> bool:
        """Return whether a cell lies in the table."""
        same = at.sheet.casefold() == self.area.sheet.casefold()
        return same and self.area.top <= at.top <= self.area.bottom and self.area.left <= at.left <= self.area.right

    def rows(self, specials: frozenset[str], at: Area) -> tuple[int, int] | None:
        """Return the first and last row that the special items mean, None where there are none."""
        first, last = self.area.top + self.n_headers, self.area.bottom - self.n_totals
        if "#this row" in specials:
            return (at.top, at.top) if first <= at.top <= last else None
        parts = []
        if specials & {"#all", "#headers"} and self.n_headers:
            parts.append((self.area.top, first - 1))
        if specials & {"#all", "#data"}:
            parts.append((first, last))
        if specials & {"#all", "#totals"} and self.n_totals:
            parts.append((last + 1, self.area.bottom))
        return (min(top for top, _ in parts), max(bottom for _, bottom in parts)) if parts else None


def tables(package: Package) -> list[Table]:
    """Return the tables of a workbook."""
    found = []
    for sheet, part in package.sheets().items():
        for target in package.relations(part).values():
            if target not in package or "/tables/" not in target:
                continue
            root = package.xml(target)
            covered = area(root.get("ref", ""), sheet)
            if root.tag == tag("table") and covered is not None:
                found.append(
                    Table(
                        (root.get("displayName") or root.get("name") or "").casefold(),
                        covered,
                        int(root.get("headerRowCount", "1")),
                        int(root.get("totalsRowCount", "0")),
                        tuple(_unescaped(c.get("name", "")).casefold() for c in root.iter(tag("tableColumn"))),
                    )
                )
    return found


def plain_area(text: str, at: Area, known: list[Table]) -> str | None:
    """Return the area that a structured reference means from a cell, ``#REF!`` for none; None for other text.

    A name with signs that are escaped, and one that no column has, are refused: they may be read wrongly.
    """
    name, bracket, rest = text.partition("[")
    table = next((t for t in known if (t.name == name.casefold() if name else t.covers(at))), None)
    if table is None:
        return None
    inner = rest[:-1] if bracket else ""
    specials, columns = _items(inner)
    if "'" in inner or "_x" in inner or not set(columns) <= set(table.columns):
        raise NotCalculableError(f"the column of {text} has a name that is not read here, or is gone")
    rows = table.rows(frozenset(specials) or _WHOLE_DATA, at)
    places = [table.columns.index(column) for column in columns]
    if rows is None:
        return "#REF!"
    left = table.area.left + (min(places) if places else 0)
    right = table.area.left + max(places) if places else table.area.right
    return absolute(Area(table.area.sheet, rows[0], left, bottom=rows[1], right=right))


def _items(inner: str) -> tuple[set[str], list[str]]:
    """Return the special items and the columns, the first and last of several, between the outer brackets."""
    inner, specials = inner.strip(), set()
    if inner.startswith("@"):
        specials, inner = {"#this row"}, inner[1:].strip()
    parts = [part.strip() for part in _ITEM.findall(inner)] if inner.startswith("[") else [inner] if inner else []
    named = [_unescaped(part).casefold() for part in parts if part.casefold() not in _SPECIAL]
    specials |= {part.casefold() for part in parts if part.casefold() in _SPECIAL}
    if len(named) > 2:
        raise NotCalculableError(f"[{inner}] names more than the first and the last column")
    return specials, named


def _unescaped(name: str) -> str:
    return re.sub(r"'(.)", r"\1", re.sub(r"_x([0-9A-Fa-f]{4})_", lambda m: chr(int(m[1], 16)), name))
