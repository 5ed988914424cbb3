"""The rows and cells of a sheet whose table takes more or fewer rows: moved, removed, or added."""

import copy

from lxml import etree

from sizebook.calculation.package import tag
from sizebook.calculation.tokens import address, cell_at, shifted
from sizebook.workbooks.anchors.moved_formulas import whole_number
from sizebook.workbooks.anchors.row_move import RowMove
from sizebook.workbooks.sheet import Sheet

_OF_NEW_ROWS = ("ht", "customHeight", "s", "customFormat")


def shift_rows(data: etree._Element, move: RowMove) -> None:
    """Move whole rows below a table's data, and remove those that the table gives up."""
    for row in list(data):
        before = whole_number(row.get("r"))
        after = move.row(before)
        if after is None:
            data.remove(row)
        elif after != before:
            row.set("r", str(after))
            for cell in row:
                at = cell_at(cell.get("r", ""))
                if at is not None:
                    cell.set("r", address(after, at[1]))


def shift_cells(data: etree._Element, move: RowMove) -> None:
    """Move the totals of a table, and remove the cells of the rows that it gives up."""
    moving: list[tuple[etree._Element, int, int]] = []
    for row in data:
        number = whole_number(row.get("r"))
        if not move.first <= number <= move.covered.bottom:
            continue
        for cell in list(row):
            at = cell_at(cell.get("r", ""))
            if at is None or not move.covered.left <= at[1] <= move.covered.right:
                continue
            after = move.row(number)
            if after != number:
                row.remove(cell)
                if after is not None:
                    moving.append((cell, after, at[1]))
    lines = _lines(data)
    for cell, row_number, column in moving:
        _put(lines, data, cell, (row_number, column))


def _lines(data: etree._Element) -> dict[int, etree._Element]:
    """Return the rows that a sheet holds by their numbers."""
    return {whole_number(row.get("r")): row for row in data}


def _put(lines: dict[int, etree._Element], data: etree._Element, cell: etree._Element, place: tuple[int, int]) -> None:
    """Put a cell where it belongs, in place of one that is there; ``lines`` are the rows of the sheet's data."""
    row, column = place
    line = lines.get(row)
    if line is None:
        line = etree.Element(tag("row"), r=str(row))
        before = lines.get(row - 1)
        at = sum(number < row for number in lines) if before is None else data.index(before) + 1
        data.insert(at, line)
        lines[row] = line
    line.attrib.pop("spans", "")
    cell.set("r", address(row, column))
    places = {cell_at(each.get("r", "")): each for each in line}
    if (row, column) in places:
        line.replace(places[row, column], cell)
    else:
        line.insert(sum(at is not None and at[1] < column for at in places), cell)


def remove_dimension(root: etree._Element) -> None:
    """Remove the stated size of the sheet, which would be wrong now: programs then read the cells themselves."""
    for element in root.findall(tag("dimension")):
        root.remove(element)


def add_rows(sheet: Sheet, data: etree._Element, move: RowMove) -> None:
    """Fill the rows that came with the styles of the first row and the formulas of the last one."""
    columns, lines = range(move.covered.left, move.covered.right + 1), _lines(data)
    for number in range(move.last + 1, move.end + 1):
        for column in columns:
            model, calculated = sheet.cells.get((move.first, column)), sheet.cells.get((move.last, column))
            cell = etree.Element(tag("c"))
            if model is not None and model.get("s"):
                cell.set("s", model.get("s", ""))
            if calculated is not None:
                _copy_formula(calculated, cell, number - move.last, address(number, column))
            _put(lines, data, cell, (number, column))
    if move.whole:
        model = lines.get(move.first)
        look: dict[str | bytes, str | bytes] = (
            {} if model is None else {name: model.get(name, "") for name in _OF_NEW_ROWS if model.get(name)}
        )
        for number in range(move.last + 1, move.end + 1):
            lines[number].attrib.update(look)


def _copy_formula(source: etree._Element, cell: etree._Element, down: int, at: str) -> None:
    """Give a cell the formula of one further up, as it reads there."""
    formula = source.find(tag("f"))
    if formula is None or formula.get("t") == "dataTable" or not formula.text:
        return
    made = copy.deepcopy(formula)
    made.text = shifted(formula.text, down, 0)
    if made.get("ref"):
        made.set("ref", at)
    if source.get("cm"):
        cell.set("cm", source.get("cm", ""))
    cell.append(made)
