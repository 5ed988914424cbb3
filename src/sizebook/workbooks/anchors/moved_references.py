"""Everything in a workbook that refers to cells follows the rows that a table gains or loses, or filling is refused.

Formulas, shared ones written out; names and print areas; validations, conditional formats, sparklines; merged cells,
links, comments and their boxes; charts, pictures and shapes; filters, other tables, sources and places of pivots.
"""

from collections.abc import Iterator

from lxml import etree

from sizebook.calculation.package import WORKBOOK, Package, tag
from sizebook.calculation.sheet_formulas import formulas
from sizebook.calculation.tokens import Area, address, area, cell_at, shifted
from sizebook.workbooks.anchors.moved_formulas import CHARTS, FORMULAS, cannot_move, moved_formula, whole_number
from sizebook.workbooks.anchors.row_move import CannotMoveError, RowMove, RowsGoneError, area_text
from sizebook.workbooks.anchors.shapes import follow_links, move_boxes, move_control, move_drawing
from sizebook.workbooks.references import quoted

_FORMULA_ATTRIBUTES = ("textlink", "fmlaLink", "fmlaRange", "fmlaTxbx", "location")
_AREAS = ("ref", "sqref", "activeCell", "topLeftCell")
_CELLS = {"cellWatch", "inputCells", "singleXmlCell"}  # that name their cell ``r``
_OF_ARRAYS = ("ref", "r1", "r2")
_DRAWINGS = ("xl/drawings/", "xl/charts/", "xl/ctrlProps/")


def move_references(package: Package, move: RowMove) -> None:
    """Rewrite everything that refers to cells of the table's sheet as it is once its rows have come or gone.

    The caller (`table_rows`) then moves the cells themselves. Errors: `InputError` naming what cannot
    be followed; the package is spoilt then, and not to be saved.
    """
    for sheet, part in package.sheets().items():
        root = package.xml(part)
        _write_out_shared(package, part, root, sheet, move)
        _formulas(package, part, move, sheet=sheet)
        _elements(package, part, move, sheet=sheet)
        for related in package.relations(part).values():
            if related in package.names() and not related.startswith(CHARTS):
                _related(package, related, move, sheet=sheet)
    for part in package.names():
        if part.startswith(CHARTS) and part.endswith(".xml"):
            _elements(package, part, move, sheet="")
        if part.startswith("xl/pivotCache/pivotCacheDefinition"):
            _pivot_source(package, part, move)
        if part.endswith(".rels"):
            follow_links(package, part, move)
    _names(package, move)


def _write_out_shared(package: Package, part: str, root: etree._Element, sheet: str, move: RowMove) -> None:
    """Give each cell of a shared formula its own text: rows that move apart no longer share one."""
    masters: dict[str, tuple[str, tuple[int, int]]] = {}
    for cell, formula in formulas(root):
        if formula.get("t") != "shared":
            continue
        at, index = cell_at(cell.get("r", "")) or (1, 1), formula.get("si", "")
        if formula.text:
            masters[index] = formula.text, at
        text, origin = masters.get(index, ("", at))
        if not text or not (move.on(sheet) or "!" in text):
            continue
        package.xml(part, change=True)
        formula.text = shifted(text, at[0] - origin[0], at[1] - origin[1])
        for attribute in ("t", "si", "ref"):
            formula.attrib.pop(attribute, "")


def _formulas(package: Package, part: str, move: RowMove, *, sheet: str) -> None:
    """Have the formulas of a sheet's cells follow, and the areas that array formulas and data tables fill."""
    for cell, formula in formulas(package.xml(part)):
        at = area(cell.get("r", ""), sheet)
        inside = at is not None and move.on(sheet) and _in_data(at, move)
        if at is not None and inside and move.row(at.top) is None:
            continue  # it goes with its row
        where = f"{sheet}!{cell.get('r')}"
        filled = area(formula.get("ref", ""), sheet)
        if filled is not None and move.on(sheet):
            _refuse_torn(move, filled, f"the array formula or data table at {sheet}!{area_text(filled)}")
            _areas(package, part, formula, move, attributes=_OF_ARRAYS)
        new = moved_formula(move, formula.text or "", sheet, where=where, inside=inside)
        if new != (formula.text or ""):
            package.xml(part, change=True)
            formula.text = new


def _in_data(at: Area, move: RowMove) -> bool:
    return move.first <= at.top <= move.last and move.covered.left <= at.left <= move.covered.right


def _refuse_torn(move: RowMove, at: Area, what: str) -> None:
    """Raise for something that cannot be split and lies on both sides of the rows that are added or removed."""
    beside = at.right < move.covered.left or at.left > move.covered.right
    if beside and not move.whole:
        return
    if at.top <= move.last < at.bottom or (move.by < 0 and move.end < at.bottom <= move.last and at.top <= move.end):
        raise cannot_move(move, what, "it would be torn")


def _elements(package: Package, part: str, move: RowMove, *, sheet: str) -> None:
    """Have formulas and areas of a part follow; of a worksheet all but its cells."""
    data = tag("sheetData")
    for element in list(_outside(package.xml(part), data)):
        name = etree.QName(element).localname
        if (name in FORMULAS or (name == "sqref" and not sheet)) and element.text:
            new = moved_formula(move, element.text, sheet, where=_place(part, sheet))
            if new != element.text:
                package.xml(part, change=True)
                element.text = new
        for attribute in ("val",) if name == "cfvo" else _FORMULA_ATTRIBUTES:
            if text := element.get(attribute, ""):
                new = moved_formula(move, text, sheet, where=_place(part, sheet))
                if new != text:
                    package.xml(part, change=True)
                    element.set(attribute, new)
        if sheet and move.on(sheet):
            _areas(package, part, element, move)


def _place(part: str, sheet: str) -> str:
    return part if part.startswith(CHARTS) or not sheet else f"a rule, link or shape of {sheet}"


def _outside(root: etree._Element, skipped: str) -> Iterator[etree._Element]:
    """Yield the elements of a part but those inside one kind of element: a sheet may hold a million cells."""
    for child in root:
        if isinstance(child.tag, str) and child.tag != skipped:
            yield child
            yield from (each for each in child.iterdescendants() if isinstance(each.tag, str))


def _areas(
    package: Package, part: str, element: etree._Element, move: RowMove, attributes: tuple[str, ...] = _AREAS
) -> None:
    """Rewrite the areas that an element of the table's sheet names; without any left the element goes too."""
    name = etree.QName(element).localname
    for attribute in ("r",) if name in _CELLS else attributes:
        text = element.get(attribute)
        if text is None:
            continue
        new = _area_list(package, move, text, name)
        if new == text:
            continue
        package.xml(part, change=True)
        if new:
            element.set(attribute, new)
        elif name not in ("selection", "pane", "sheetView"):
            _drop(element)
    if name == "sqref" and element.text and (new := _area_list(package, move, element.text, name)) != element.text:
        package.xml(part, change=True)
        element.text = new
    if name == "brk" and etree.QName(element.getparent()).localname == "rowBreaks" and move.whole:
        at = whole_number(element.get("id"))
        moved = move.row(at)
        if moved != at:
            package.xml(part, change=True)
            element.set("id", str(move.end if moved is None else moved))
    if name == "row" and etree.QName(element.getparent()).localname in ("from", "to"):
        move_control(package, part, element, move=move)


def _area_list(package: Package, move: RowMove, text: str, kind: str) -> str:
    """Return a list of areas as files write it, those left out that are gone."""
    found = []
    for each in text.split():
        at = area(each, move.covered.sheet)
        if at is None:
            found.append(each)
            continue
        if kind == "mergeCell":
            _refuse_torn(move, at, f"the merged cells {move.covered.sheet}!{area_text(at)}")
        try:
            moved = move.area(at, one_cell=kind != "mergeCell", lenient=True)
        except RowsGoneError:
            continue
        except CannotMoveError:
            moved = at  # wider than the table and longer: it says how cells look, and still does
        found.append(each if moved == at else area_text(moved))
    return " ".join(found)


def _drop(element: etree._Element) -> None:
    """Remove an element, and its parent where that is empty then: Excel refuses an empty list."""
    parent = element.getparent()
    if parent is None:
        return
    parent.remove(element)
    if parent.get("count") is not None:
        parent.set("count", str(len(parent)))
    if not len(parent) and parent.getparent() is not None:
        _drop(parent)


def _related(package: Package, part: str, move: RowMove, *, sheet: str) -> None:
    """Have what belongs to a sheet follow: tables, comments, drawings, places of pivots."""
    if part.endswith(".vml"):
        move_boxes(package, part, move, sheet=sheet)
        return
    if not part.endswith(".xml"):
        return
    root = package.xml(part)
    kind = etree.QName(root).localname
    if kind == "pivotTableDefinition" and move.on(sheet):
        location = root.find(tag("location"))
        at = area(location.get("ref", ""), sheet) if location is not None else None
        if at is not None:
            _refuse_torn(move, at, f"the pivot table at {sheet}!{area_text(at)}")
    if kind == "table" and move.on(sheet):
        _refuse_other_table(package, root, move)
        _table(package, part, move)
    if kind in ("worksheet", "slicer"):
        return
    _elements(package, part, move, sheet=sheet)
    if part.startswith(_DRAWINGS) and move.on(sheet):
        move_drawing(package, part, move)


def _refuse_other_table(package: Package, root: etree._Element, move: RowMove) -> None:
    name, at = root.get("displayName", ""), area(root.get("ref", ""), move.covered.sheet)
    if at is not None and name.casefold() != move.table.casefold():
        _refuse_torn(move, at, f"the table {name} at {move.covered.sheet}!{area_text(at)}")


def _table(package: Package, part: str, move: RowMove) -> None:
    """Have the area of a table follow, which its root names."""
    root = package.xml(part)
    at = area(root.get("ref", ""), move.covered.sheet)
    if at is None:
        return
    own = root.get("displayName", "").casefold() == move.table.casefold()
    moved = at._replace(bottom=move.bottom) if own else _of_another(at, move)
    if moved != at:
        package.xml(part, change=True).set("ref", area_text(moved))


def _of_another(at: Area, move: RowMove) -> Area:
    top, bottom = move.row(at.top), move.row(at.bottom)
    return at._replace(top=top, bottom=bottom) if move.whole and top is not None and bottom is not None else at


def _pivot_source(package: Package, part: str, move: RowMove) -> None:
    """Have the cells follow that a pivot takes its records from."""
    for source in package.xml(part).iter(tag("worksheetSource")):
        at = area(source.get("ref", ""), source.get("sheet", ""))
        if at is None or not move.on(at.sheet):
            continue
        text = moved_formula(move, f"{quoted(at.sheet)}!{area_text(at)}", at.sheet, where="the source of a pivot table")
        package.xml(part, change=True)
        source.set("ref", text.rpartition("!")[2])


def _names(package: Package, move: RowMove) -> None:
    """Have defined names follow; a print area takes in all of the table."""
    for element in package.xml(WORKBOOK).iterfind(f"{tag('definedNames')}/{tag('definedName')}"):
        name, text = element.get("name", ""), element.text or ""
        new = _print_area(text, move) if name == "_xlnm.Print_Area" else None
        if new is None:
            new = moved_formula(move, text, "", where=f"the name {name}")
        if new != text:
            package.xml(WORKBOOK, change=True)
            element.text = new


def _print_area(text: str, move: RowMove) -> str | None:
    """Return a print area that ends where the table does, or holds it; None where the rule of all names is enough."""
    at = area(text, "")
    if move.whole or at is None or not move.on(at.sheet):
        return None
    if at.right < move.covered.left or at.left > move.covered.right or at.top > move.covered.top:
        return text
    if at.bottom < move.covered.bottom:
        return text
    bottom = move.bottom if at.bottom == move.covered.bottom else max(at.bottom, move.bottom)
    first, last = (f"${address(1, column)[:-1]}${row}" for row, column in ((at.top, at.left), (bottom, at.right)))
    return f"{text.rpartition('!')[0]}!{first}:{last}"
