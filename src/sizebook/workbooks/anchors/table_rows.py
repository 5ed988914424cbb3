"""Gives a table a number of rows: cells below it move with whole rows, or block the change."""

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from sizebook.calculation.package import Package, tag
from sizebook.calculation.sheet_formulas import formulas
from sizebook.calculation.tokens import LAST_ROW, Area, address, area, called_name, cell_at, tokenize
from sizebook.workbooks.all_formulas import all_formulas
from sizebook.workbooks.anchors.moved_cells import add_rows, remove_dimension, shift_cells, shift_rows
from sizebook.workbooks.anchors.moved_formulas import cannot_move, whole_number
from sizebook.workbooks.anchors.moved_references import move_references
from sizebook.workbooks.anchors.row_move import RowMove, area_text
from sizebook.workbooks.sheet import Sheet

_CONTENT = (tag("f"), tag("v"), tag("is"))


@dataclass(frozen=True)
class ExcelTable:
    """A table of a workbook: its name and part, the cells it covers, its headers, how many rows of heads and totals."""

    name: str
    part: str
    covered: Area
    headers: tuple[str, ...]
    n_headers: int
    n_totals: int

    @property
    def first(self) -> int:
        """The first row of data."""
        return self.covered.top + self.n_headers

    @property
    def last(self) -> int:
        """The last row of data."""
        return max(self.first, self.covered.bottom - self.n_totals)


def excel_tables(package: Package) -> list[ExcelTable]:
    """Return the tables of a workbook in the order of its sheets."""
    found = []
    for sheet, part in package.sheets().items():
        for target in package.relations(part).values():
            if "/tables/" not in target or target not in package.names() or package.xml(target).tag != tag("table"):
                continue
            root = package.xml(target)
            covered = area(root.get("ref", ""), sheet)
            if covered is not None:
                found.append(
                    ExcelTable(
                        root.get("displayName") or root.get("name") or "",
                        target,
                        covered,
                        tuple(each.get("name", "") for each in root.iter(tag("tableColumn"))),
                        whole_number(root.get("headerRowCount"), 1),
                        whole_number(root.get("totalsRowCount")),
                    )
                )
    return found


def resize_table(package: Package, table: ExcelTable, n_rows: int) -> list[str]:
    """Give a table so many rows of data: new rows look and calculate like the others; rows removed leave no trace.

    Below the table everything moves with whole rows; where that would split something beside the table, nothing moves
    as long as there is room. Return warnings about references that formulas build from text.
    Errors: `InputError` naming what stands in the way.
    """
    by = n_rows - (table.last - table.first + 1)
    package.xml(table.part, change=True).attrib.pop("insertRow", "")  # of a table without data
    if not by:
        return []
    move = _chosen(package, table, by)
    move_references(package, move)
    part = package.sheets()[table.covered.sheet]
    data = package.xml(part, change=True).find(tag("sheetData"))
    if data is None:
        return []
    (shift_rows if move.whole else shift_cells)(data, move)
    remove_dimension(package.xml(part))
    if by > 0:
        add_rows(Sheet(package, table.covered.sheet), data, move)
    return list(_untold(package, table)) if move.whole else []


def _untold(package: Package, table: ExcelTable) -> Iterator[str]:
    """Yield the formulas that build references from text or offsets, which do not follow moved rows."""
    for found in all_formulas(package):
        for token in tokenize(found.element.text or ""):
            if token.kind == "call" and called_name(token).upper() in ("INDIRECT", "OFFSET"):
                where = f"rows of {table.covered.sheet} moved with the table {table.name}"
                yield f"{found.place}: {called_name(token)} does not follow cells, and {where}: look at it"
    if "xl/vbaProject.bin" in package.names():
        yield f"macros do not follow cells, and rows of {table.covered.sheet} moved with the table {table.name}"


def _chosen(package: Package, table: ExcelTable, by: int) -> RowMove:
    """Return how rows are added or removed. Errors: `InputError` where neither way is possible."""
    alone, whole = (
        RowMove(
            table=table.name,
            book=package.path.name,
            covered=table.covered,
            first=table.first,
            last=table.last,
            by=by,
            whole=way,
        )
        for way in (False, True)
    )
    if by > 0 and table.covered.bottom + by > LAST_ROW:
        raise cannot_move(alone, "the end of the sheet", f"its last row would be {table.covered.bottom + by:,}")
    below = min(_below(package, table), default=None)
    if below is None:
        return alone
    if by < 0:
        emptied = Area(table.covered.sheet, alone.end + 1, 1, bottom=table.last, right=0)
        return alone if _beside_rows(package, table, emptied) or _in_the_way(package, whole) else whole
    if (way := _in_the_way(package, whole)) is None and _last_row(package, table.covered.sheet) + by <= LAST_ROW:
        return whole
    if below > alone.bottom + 1:
        return alone
    raise cannot_move(whole, way or "the end of the sheet", "it would be torn")


def _is_filled(cell: etree._Element) -> bool:
    return any(child.tag in _CONTENT for child in cell)


def _filled(package: Package, sheet: str) -> Iterator[tuple[int, int]]:
    """Yield the row and column of every cell that holds something."""
    for cell in package.xml(package.sheets()[sheet]).iter(tag("c")):
        at = cell_at(cell.get("r", ""))
        if at is not None and _is_filled(cell):
            yield at


def _last_row(package: Package, sheet: str) -> int:
    return max((row for row, _ in _filled(package, sheet)), default=1)


def _below(package: Package, table: ExcelTable) -> Iterator[int]:
    """Yield the rows below a table in which something stands within its columns: cells, tables, pictures."""
    covered, sheet = table.covered, table.covered.sheet
    for row, column in _filled(package, sheet):
        if row > covered.bottom and covered.left <= column <= covered.right:
            yield row
    for at in (*_merged(package, sheet), *(each.covered for each in excel_tables(package))):
        if at.sheet == sheet and at.top > covered.bottom and at.left <= covered.right and at.right >= covered.left:
            yield at.top
    for at in _drawn(package, sheet):
        if at.top > table.last and at.left <= covered.right and at.right >= covered.left:
            yield at.top


def _merged(package: Package, sheet: str) -> Iterator[Area]:
    for element in package.xml(package.sheets()[sheet]).iter(tag("mergeCell")):
        at = area(element.get("ref", ""), sheet)
        if at is not None:
            yield at


def _drawn(package: Package, sheet: str) -> Iterator[Area]:
    """Yield where pictures, charts and shapes stand."""
    for part in package.relations(package.sheets()[sheet]).values():
        if not part.startswith("xl/drawings/") or not part.endswith(".xml") or part not in package.names():
            continue
        for anchor in package.xml(part):
            found = {etree.QName(end).localname: end for end in anchor if isinstance(end.tag, str)}
            if "from" in found:
                top, left = _corner(found["from"])
                bottom, right = _corner(found["to"]) if "to" in found else (top, left)
                yield Area(sheet, top, left, bottom=bottom, right=right)


def _corner(end: etree._Element) -> tuple[int, int]:
    numbers = {etree.QName(each).localname: whole_number(each.text) for each in end}
    return numbers.get("row", 0) + 1, numbers.get("col", 0) + 1


def _beside_rows(package: Package, table: ExcelTable, rows: Area) -> bool:
    """Return whether something stands beside a table in rows that would go, or is drawn there."""
    covered = table.covered
    cells = any(
        rows.top <= row <= rows.bottom and not covered.left <= column <= covered.right
        for row, column in _filled(package, covered.sheet)
    )
    return cells or any(rows.top <= at.top <= rows.bottom for at in _drawn(package, covered.sheet))


def _in_the_way(package: Package, move: RowMove) -> str | None:
    """Return what stands beside a table on both sides of where whole rows come or go, None for nothing."""
    covered, sheet = move.covered, move.covered.sheet
    beside = {at for at in _filled(package, sheet) if not covered.left <= at[1] <= covered.right}
    for row, column in sorted(beside):
        if row == move.last and (row + 1, column) in beside:
            return f"cells from {sheet}!{address(row, column)} down"
    for at in _merged(package, sheet):
        if at.top <= move.last < at.bottom:
            return f"the merged cells {sheet}!{area_text(at)}"
    for each in excel_tables(package):
        at = each.covered
        if at.sheet == sheet and each.name != move.table and at.top <= move.last < at.bottom:
            return f"the table {each.name} at {sheet}!{area_text(at)}"
    return None


def is_calculated(package: Package, table: ExcelTable, column: int) -> bool:
    """Return whether a column, counted from 0, is calculated: it has a formula in its first row of data."""
    at = address(table.first, table.covered.left + column)
    part = package.sheets()[table.covered.sheet]
    return any(cell.get("r") == at for cell, _ in formulas(package.xml(part)))
