"""Puts a plan into the anchors of a workbook: tables, which may grow and shrink, names, texts and pictures."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from sizebook.calculation.package import Package, tag
from sizebook.calculation.tokens import address
from sizebook.plans.contents import Value
from sizebook.workbooks.anchors.anchor_matches import MatchedAnchors, TableAnchor, match_anchors
from sizebook.workbooks.anchors.conflicts import without_conflicts
from sizebook.workbooks.anchors.moved_formulas import whole_number
from sizebook.workbooks.anchors.pictures import put_picture
from sizebook.workbooks.anchors.placeholders import TextAnchor, fill_texts, text_anchors, unfilled_places, unknown_names
from sizebook.workbooks.anchors.plan_values import PlanValues
from sizebook.workbooks.anchors.refused_figures import FigureRules
from sizebook.workbooks.anchors.row_move import area_text
from sizebook.workbooks.anchors.table_rows import ExcelTable, excel_tables, resize_table
from sizebook.workbooks.sheet import Sheet

_MONTH = re.compile(r"(\d{4})-(\d{2})")
_DATES = frozenset([*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)])  # numbers of built-in formats
_NO_FORMAT = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')  # words, single signs and colours inside a number format


@dataclass(frozen=True)
class FilledAnchors:
    """Messages: anchors that were filled, names that the plan does not have, and cells that keep their content."""

    done: tuple[str, ...]
    left: tuple[str, ...]
    kept: tuple[str, ...]


@dataclass(frozen=True)
class Anchors:
    """The anchors of a workbook for a plan, names that the plan does not have, and cells that keep their content."""

    matched: MatchedAnchors
    texts: tuple[TextAnchor, ...]
    left: tuple[str, ...]
    kept: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.matched.names or self.matched.tables or self.matched.pictures or self.texts)

    @property
    def lines(self) -> Iterator[str]:
        """One line for each anchor: its name, its cells and the value that it takes."""
        for name in self.matched.names:
            yield f"{name.name}  {name.at.sheet}!{area_text(name.at)}  the figure {name.key}"
        for table in self.matched.tables:
            taken = ", ".join(table.ledger.columns[at].name for at in table.columns.values())
            covered = table.table.covered
            yield f"{table.table.name}  {covered.sheet}!{area_text(covered)}  the table {table.ledger.name}: {taken}"
        for text in self.texts:
            yield f"{{{{ }}}}  {text.place}  {', '.join(text.names)}"
        for picture in self.matched.pictures:
            yield f"{picture.name}  {picture.at.sheet}!{area_text(picture.at)}  the picture {picture.key}"


def find_anchors(package: Package, plan_values: PlanValues, inputs: tuple[str, ...] = ()) -> Anchors:
    """Return the anchors of a workbook, and names that look like one but that the plan does not have."""
    found, texts = match_anchors(package, plan_values, inputs), text_anchors(package)
    may = without_conflicts(package, found.names, texts, filled=found.tables)
    left = (*found.unmatched, *unknown_names(texts, plan_values.values), *may.left)
    return Anchors(replace(found, names=may.names), may.texts, left=left, kept=(*found.kept, *unfilled_places(package)))


def fill_anchors(package: Package, plan_values: PlanValues, inputs: tuple[str, ...] = ()) -> FilledAnchors:
    """Put a plan into the anchors of a package.

    Errors: `InputError` for a table whose rows would tear or lose what stands in their way.
    """
    found = find_anchors(package, plan_values, inputs)
    kept = list(found.kept)
    done = [_fill_table(package, table, kept) for table in found.matched.tables]
    moved, rules = find_anchors(package, plan_values, inputs), FigureRules(package)  # tables have moved them
    kept += _refused(package, found.matched.tables, rules)
    for name in moved.matched.names:
        where = f"{name.at.sheet}!{address(name.at.top, name.at.left)}"
        if said := _write_name(package, name.at.sheet, (name.at.top, name.at.left), plan_values.values[name.key]):
            kept.append(f"the name {name.name} at {where} {said}")
        else:
            done.append(f"{name.name} at {where}: {plan_values.values[name.key]}")
            said = rules.refuses(name.at.sheet, (name.at.top, name.at.left), plan_values.values[name.key])
            kept += [said] if said else []
    kept += fill_texts(package, list(moved.texts), plan_values.values)
    if moved.texts:
        done.append(f"{len(moved.texts)} texts with names in braces")
    for picture in moved.matched.pictures:
        put_picture(package, picture.at, name=picture.key, picture=plan_values.pictures[picture.key]())
        done.append(f"{picture.name} at {picture.at.sheet}!{area_text(picture.at)}: a picture")
    return FilledAnchors(tuple(done), found.left, tuple(kept))


def _refused(package: Package, tables: tuple[TableAnchor, ...], rules: FigureRules) -> Iterator[str]:
    """Yield the first figure of each column of the tables that the validation of its cell refuses."""
    for anchor in tables:
        table = _now(package, anchor)
        for at, column in anchor.columns.items():
            places = ((table.first + number, table.covered.left + at) for number in range(len(anchor.ledger.rows)))
            found = (
                rules.refuses(table.covered.sheet, place, row[column])
                for place, row in zip(places, anchor.ledger.rows, strict=True)
            )
            if said := next(filter(None, found), ""):
                yield said


def _write_name(package: Package, sheet: str, at: tuple[int, int], value: Value) -> str:
    """Write a figure into its cell; return the reason where a formula prevents that."""
    cells = Sheet(package, sheet)
    cell = cells.cells.get(at)
    if cell is not None and cell.find(tag("f")) is not None:
        return "is a formula: left as it stands"
    cells.write_input(*at, _dated(package, cells, at, value))
    return ""


def _fill_table(package: Package, anchor: TableAnchor, remarks: list[str]) -> str:
    """Fill a table with the rows of the plan; return what was done, and add warnings to ``remarks``."""
    before = anchor.table.last - anchor.table.first + 1
    rows = anchor.ledger.rows or ((None,) * len(anchor.ledger.columns),)
    remarks += resize_table(package, _now(package, anchor), len(rows))
    table = _now(package, anchor)
    remarks += _hidden(package, table)
    sheet = Sheet(package, table.covered.sheet)
    for number, row in enumerate(rows):
        for at, column in anchor.columns.items():
            place = table.first + number, table.covered.left + at
            sheet.write_input(*place, _dated(package, sheet, place, row[column]))
    return (
        f"{table.name} at {table.covered.sheet}!{area_text(table.covered)}: {len(anchor.ledger.rows)} rows of "
        f"{anchor.ledger.name}, {before} before"
    )


def _hidden(package: Package, table: ExcelTable) -> Iterator[str]:
    """Yield that rows of a table are hidden, by its filter or by hand: filling hides and shows none."""
    rows = package.xml(package.sheets()[table.covered.sheet]).iter(tag("row"))
    hidden = sum(
        row.get("hidden") in ("1", "true") and table.first <= whole_number(row.get("r")) <= table.last for row in rows
    )
    is_filtered = next(package.xml(table.part).iter(tag("filterColumn")), None) is not None
    if hidden or is_filtered:
        why = "is filtered by what stood there before" if is_filtered else "has rows hidden by hand"
        yield (
            f"the table {table.name} {why}: {hidden} of its {table.last - table.first + 1} rows are hidden, whatever "
            "they hold now. Apply or clear its filter, and show its rows, in Excel"
        )


def _now(package: Package, anchor: TableAnchor) -> ExcelTable:
    return next(each for each in excel_tables(package) if each.part == anchor.table.part)


def _dated(package: Package, sheet: Sheet, at: tuple[int, int], value: Value) -> Value | date:
    """Return a month of the calendar as its first day where the cell shows days, else the value itself."""
    month = _MONTH.fullmatch(value) if isinstance(value, str) else None
    cell = sheet.cells.get(at)
    if month is None or cell is None or not _shows_days(package, whole_number(cell.get("s"))):
        return value
    return date(int(month[1]), int(month[2]), 1)


def _shows_days(package: Package, style: int) -> bool:
    styles = package.xml("xl/styles.xml")
    formats = styles.findall(f"{tag('cellXfs')}/{tag('xf')}")
    number = whole_number(formats[style].get("numFmtId")) if style < len(formats) else 0
    own = {each.get("numFmtId"): each.get("formatCode", "") for each in styles.iter(tag("numFmt"))}
    code = _NO_FORMAT.sub("", own.get(str(number), ""))
    return number in _DATES or bool(re.search("[ymd]", code, re.IGNORECASE))
