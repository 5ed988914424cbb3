"""Anchors that are not filled, and reported: they would hide a figure, overwrite another or damage a table.

A hidden cell of a merged area shows nothing; two names on one cell would leave the last; a cell that a table of the
plan fills is that table's; and a header that no longer reads as its column makes Excel repair the file.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sizebook.calculation.package import Package
from sizebook.calculation.tokens import Area, address, area
from sizebook.workbooks.anchors.anchor_matches import NameAnchor, TableAnchor
from sizebook.workbooks.anchors.placeholders import TextAnchor
from sizebook.workbooks.anchors.row_move import area_text
from sizebook.workbooks.anchors.table_rows import ExcelTable, excel_tables

Place = tuple[str, int, int]


@dataclass(frozen=True)
class Fillable:
    """The anchors that can be filled, and one message for each that cannot."""

    names: tuple[NameAnchor, ...]
    texts: tuple[TextAnchor, ...]
    left: tuple[str, ...]


def without_conflicts(
    package: Package, names: Sequence[NameAnchor], texts: Sequence[TextAnchor], *, filled: Iterable[TableAnchor]
) -> Fillable:
    """Separate the anchors that can be filled from those that conflict."""
    tables, own = excel_tables(package), {anchor.table.part: anchor for anchor in filled}
    merged = list(_hidden(package, {name.at.sheet for name in names}))
    left: list[str] = []
    kept: list[NameAnchor] = []
    taken: dict[Place, str] = {}
    for name in names:
        at = name.at.sheet, name.at.top, name.at.left
        why = _of_merged(at, merged) if name.at.is_cell else ""
        why = why or _of_tables(at, tables, own)
        if not why and at in taken:
            why = f"a cell that the name {taken[at]} fills"
        if why:
            left.append(f"the name {name.name} means {_said(at)}, {why}: left as it stands")
        else:
            taken[at] = name.name
            kept.append(name)
    fillable = []
    for text in texts:
        at = text.sheet, *text.at
        why = _of_header(at, tables)
        if why:
            left.append(f"{text.place}: names in braces stand in {why}: left as they stand")
        elif at in taken:
            left.append(f"{text.place}: names in braces stand in a cell that the name {taken[at]} fills")
        else:
            fillable.append(text)
    return Fillable(tuple(kept), tuple(fillable), left=tuple(left))


def _hidden(package: Package, sheets: set[str]) -> Iterator[Area]:
    """Yield the merged areas of these sheets."""
    for sheet in sheets:
        for each in package.xml(package.sheets()[sheet]).iter("{*}mergeCell"):
            at = area(each.get("ref", ""), sheet)
            if at is not None:
                yield at


def _of_merged(at: Place, merged: Sequence[Area]) -> str:
    sheet, row, column = at
    for each in merged:
        corner = row == each.top and column == each.left
        if each.sheet == sheet and _within(each, row, column) and not corner:
            return f"which the merged cells {area_text(each)} hide; give the name to {address(each.top, each.left)}"
    return ""


def _of_tables(at: Place, tables: Sequence[ExcelTable], own: dict[str, TableAnchor]) -> str:
    if header := _of_header(at, tables):
        return header
    sheet, row, column = at
    for table in tables:
        anchor = own.get(table.part)
        covered = table.covered
        if anchor is None or covered.sheet != sheet or column - covered.left not in anchor.columns:
            continue
        if table.first <= row <= table.last:
            return f"a cell of the table {table.name}, which the plan fills"
    return ""


def _of_header(at: Place, tables: Sequence[ExcelTable]) -> str:
    sheet, row, column = at
    for table in tables:
        heads = table.covered._replace(bottom=table.first - 1)
        if heads.sheet == sheet and table.n_headers and _within(heads, row, column):
            return f"a header of the table {table.name}, by which Excel knows its column"
    return ""


def _within(at: Area, row: int, column: int) -> bool:
    return at.top <= row <= at.bottom and at.left <= column <= at.right


def _said(at: Place) -> str:
    return f"{at[0]}!{address(at[1], at[2])}"
