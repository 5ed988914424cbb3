"""What of a plan each anchor of a workbook stands for: names of cells and pictures, tables and their headers."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sizebook.calculation.package import DefinedName, Package
from sizebook.calculation.tokens import Area, address, area
from sizebook.core.hints import suggestion
from sizebook.core.sections import Argument
from sizebook.plans.contents import Ledger
from sizebook.workbooks.anchors.plan_values import PlanValues
from sizebook.workbooks.anchors.table_rows import ExcelTable, excel_tables, is_calculated

PREFIX = "plan."  # a name that begins so can mean nothing else
_SIGNS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class NameAnchor:
    """A defined name on a cell, and the value's name."""

    name: str
    at: Area
    key: str


@dataclass(frozen=True)
class TableAnchor:
    """An Excel table, the plan's table, and which column of the plan stands in which of the table's, from 0."""

    table: ExcelTable
    ledger: Ledger
    columns: Mapping[int, int]


@dataclass(frozen=True)
class MatchedAnchors:
    """The anchors of names, tables and pictures.

    ``unmatched`` names what looks like an anchor and fits nothing of the plan, ``kept`` columns that are not filled.
    """

    names: tuple[NameAnchor, ...]
    tables: tuple[TableAnchor, ...]
    pictures: tuple[NameAnchor, ...]
    unmatched: tuple[str, ...]
    kept: tuple[str, ...]


def match_anchors(package: Package, plan_values: PlanValues, inputs: Iterable[str] = ()) -> MatchedAnchors:
    """Return the anchors of a workbook.

    A name means the value or picture of its own name, in any case, an underscore at its end and ``plan.`` before it
    left out; names of inputs are those. A table is one of the plan's where it bears its name, alone or with more
    behind an underscore (``months_2``), and a header of it fits.
    """
    names: list[NameAnchor] = []
    pictures: list[NameAnchor] = []
    unmatched: list[str] = []
    taken = {name.casefold() for name in inputs}
    for defined in package.defined_names():
        key = defined.name.casefold().removeprefix(PREFIX).rstrip("_")
        if key in taken or defined.name.rstrip("_").casefold() in taken:
            continue
        explicit = defined.name.casefold().startswith(PREFIX)
        kind: list[NameAnchor] | None = (
            names if key in plan_values.values else pictures if key in plan_values.pictures else None
        )
        at = area(defined.text, "")
        if kind is None or at is None or at.sheet not in package.sheets():
            known = key in plan_values.values or key in plan_values.pictures
            if explicit or (known and _is_broken(package, defined.text, at)):
                unmatched.append(_unknown(defined, key, plan_values))
        elif kind is names and not at.is_cell and not _is_merged(package, at):
            if explicit:
                unmatched.append(f"the name {defined.name} means {at.sheet}!{_corner(at)} and more, want one cell")
        else:
            kind.append(NameAnchor(defined.name, at, key))
    found = [_table(package, table, plan_values) for table in excel_tables(package)]
    tables = tuple(anchor for anchor, _ in found if anchor is not None)
    kept = tuple(line for _, lines in found for line in lines)
    return MatchedAnchors(tuple(names), tables, pictures=tuple(pictures), unmatched=tuple(unmatched), kept=kept)


def _is_broken(package: Package, text: str, at: Area | None) -> bool:
    """Return whether a name has lost what it meant: a cell that was taken out, or a sheet."""
    return "#REF!" in text.upper() or (at is not None and at.sheet not in package.sheets())


def _corner(at: Area) -> str:
    return address(at.top, at.left)


def _is_merged(package: Package, at: Area) -> bool:
    merges = package.xml(package.sheets()[at.sheet]).iter("{*}mergeCell")
    return any(area(each.get("ref", ""), at.sheet) == at for each in merges)


def _unknown(defined: DefinedName, key: str, plan_values: PlanValues) -> str:
    known = [*plan_values.values, *plan_values.pictures]
    if key in known:
        return (
            f"the name {defined.name} means no cell: got {defined.text[:80]}, want one such as Sheet1!$B$2. Correct it."
        )
    return f"the name {defined.name} is none of the plan's.{suggestion(key, known)}"


def _table(package: Package, table: ExcelTable, plan_values: PlanValues) -> tuple[TableAnchor | None, list[str]]:
    """Return the plan's table that a table of the workbook stands for, and its headers that fit nothing."""
    name = table.name.casefold()
    meant = [each for each in plan_values.tables if name == each.name or name.startswith(f"{each.name}_")]
    if not meant:
        return None, []
    fits = [(match_headers(table.headers, each.columns), each) for each in meant]
    found, ledger = max(fits, key=lambda fit: (len(fit[1].name), len(fit[0])))
    if not found:
        return None, [f"the table {table.name} has no header of the plan's table {ledger.name}: left as it stands"]
    lines = []
    for at, header in enumerate(table.headers):
        where = f"{table.name}[{header}]"
        if is_calculated(package, table, at):
            if at in found:
                column = ledger.columns[found.pop(at)].name
                lines.append(f"{where} is a formula: left as it stands, without the plan's {column}")
        elif at not in found:
            hint = suggestion(header, [column.label for column in ledger.columns])
            lines.append(f"{where} is no column of the plan's table {ledger.name}: left as it stands.{hint}")
    return TableAnchor(table, ledger, found), lines


def match_headers(headers: Sequence[str], columns: Sequence[Argument]) -> dict[int, int]:
    """Return which column each header means: by its name, its label, or its label and unit, signs and case apart."""
    labels = Counter(_plain(column.label) for column in columns)
    meant: dict[str, int] = {}
    for at, column in enumerate(columns):
        unit = column.quantity.unit
        if labels[_plain(column.label)] == 1:
            meant |= {_plain(column.label): at, _plain(f"{column.label} {unit}"): at}
    meant |= {_plain(f"{column.name} {column.quantity.unit}"): at for at, column in enumerate(columns)}
    meant |= {_plain(column.name): at for at, column in enumerate(columns)}
    return {at: meant[_plain(header)] for at, header in enumerate(headers) if _plain(header) in meant}


def _plain(words: str) -> str:
    return _SIGNS.sub(" ", words.replace("_x000a_", " ")).strip().casefold()
