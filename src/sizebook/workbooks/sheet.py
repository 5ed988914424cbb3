"""Cells of one worksheet part: reading what they hold, writing inputs and the computed values beside formulas."""

import re
from datetime import date, datetime
from typing import Any

from lxml import etree

from sizebook.calculation import ErrorCode
from sizebook.calculation.package import Package, tag
from sizebook.calculation.tokens import Area, address, area, cell_at, column_number, shifted
from sizebook.core.coercion import LONGEST_CELL
from sizebook.core.errors import InputError

Cell = etree._Element
# Error values that every reader of .xlsx knows; newer ones (#SPILL!, #CALC!) are stored as #VALUE!, as Excel does.
_STORED_ERRORS = frozenset(["#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A"])
# Signs that XML cannot hold are stored as _x0001_, and so is the underscore of a text that reads so itself.
_ESCAPED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_SPELLED = re.compile(r"_x((?![Dd][89A-Fa-f])[0-9A-Fa-f]{4})_")  # halves of a sign are none
_FORMULA, _VALUE, _TEXT = tag("f"), tag("v"), tag("is")
_CONTENT = (_FORMULA, _VALUE, _TEXT)
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


class Live(str):
    """A formula, such as ``=D5``, to be written as one."""

    __slots__ = ()


class Sheet:
    """One worksheet of a package; the part counts as changed only once a cell is written differently."""

    @classmethod
    def all_of(cls, package: Package) -> dict[str, "Sheet"]:
        """Return every worksheet of a package by its name."""
        return {name: cls(package, name) for name in package.sheets()}

    def __init__(self, package: Package, name: str) -> None:
        self._package = package
        self._part = package.sheets()[name]
        self.name = name
        package.look_up_anew(self._part)

    @property
    def root(self) -> Cell:
        """The part's root element, read once it is asked for: most sheets are not until their figures are known."""
        return self._package.xml(self._part)

    @property
    def cells(self) -> dict[tuple[int, int], Cell]:
        """The cells that the file holds, by row and column."""
        return self._package.cells(self._part)

    def settle(self) -> None:
        """Let go of the elements, with what changed kept as text."""
        self._package.settle(self._part)

    def value(self, row: int, column: int) -> Any:
        """Return what a cell holds or its formula last gave: None, bool, float, str or an `ErrorCode`."""
        cell = self.cells.get((row, column))
        if cell is None:
            return None
        kind, text = cell.get("t", "n"), _value_text(cell)
        if kind == "inlineStr":
            return readable("".join(node.text or "" for node in cell.iter(tag("t"))))
        if not text:
            return "" if kind == "str" else None
        if kind == "s":
            return readable(_shared_strings(self._package)[int(text)])
        if kind == "b":
            return text == "1"
        if kind == "e":
            return ErrorCode(text)
        return float(text) if kind == "n" else readable(text)

    def write_input(self, row: int, column: int, value: Any) -> None:
        """Put a value into a cell in place of what it holds, its format untouched; None empties it.

        A `Live` text becomes a formula, any other text stays a text even where it begins with an equals sign.
        """
        cell = self._cell(row, column)
        formula = cell.find(_FORMULA)
        if formula is None and not isinstance(value, Live):
            self._package.give(
                self._part, (self.name, row, column), serial(value) if isinstance(value, date) else value
            )
        elif formula is not None and isinstance(value, Live) and _reads(formula) == value:
            return
        else:
            self._package.xml(self._part, change=True)
        if formula is not None:
            self._hand_on(cell, formula)
        for child in [child for child in cell if child.tag in _CONTENT]:
            cell.remove(child)
        cell.attrib.pop("t", "")
        if isinstance(value, Live):
            etree.SubElement(cell, tag("f")).text = value.removeprefix("=")
        elif isinstance(value, str):
            cell.set("t", "inlineStr")
            text = etree.SubElement(etree.SubElement(cell, tag("is")), tag("t"))
            text.text = self._fitting(row, column, escaped(value))
            text.set(_XML_SPACE, "preserve")
        elif value is not None:
            _store(cell, *_stored(value))

    def empty(self, row: int, column: int) -> None:
        """Take away what a cell holds, its format untouched; most of those that are emptied hold nothing."""
        cell = self.cells.get((row, column))
        if cell is not None and len(cell):
            self.write_input(row, column, None)

    def _hand_on(self, cell: Cell, formula: etree._Element) -> None:
        """Give the cells that share a cell's formula, which holds its text for all, a text of their own."""
        at = cell_at(cell.get("r", ""))
        if formula.get("t") != "shared" or not formula.text or at is None:
            return
        for other in [each for each in self.root.iter(tag("f")) if each.get("si") == formula.get("si")]:
            owner = other.getparent()
            to = None if owner is None else cell_at(owner.get("r", ""))
            if other is formula or other.text or to is None:
                continue
            other.text = shifted(formula.text, to[0] - at[0], to[1] - at[1])
            for attribute in ("t", "si", "ref"):
                other.attrib.pop(attribute, "")

    def write_text(self, row: int, column: int, holder: etree._Element) -> None:
        """Put a text of runs into a cell in place of what it holds: that of a shared or inline string."""
        self.write_input(row, column, None)
        self._package.xml(self._part, change=True)
        cell = self._cell(row, column)
        cell.set("t", "inlineStr")
        self._fitting(row, column, "".join(each.text or "" for each in holder.iter(tag("t"))))
        etree.SubElement(cell, tag("is")).extend(list(holder))

    def _fitting(self, row: int, column: int, text: str) -> str:
        """Return a text that a cell can hold. Errors: `InputError` for a longer one."""
        if len(text) > LONGEST_CELL:
            raise InputError(
                f"text too long: got {len(text):,} characters for {self.name}!{address(row, column)}, want at most "
                f"{LONGEST_CELL:,}. Shorten it: a cell holds no more."
            )
        return text

    def write_computed(self, row: int, column: int, value: Any) -> None:
        """Store a value of the rows that an array formula gives; a cell that the file lacks is made."""
        if (row, column) in self.cells or value is not None:
            self.store(self._cell(row, column), value)

    def store(self, cell: Cell, value: Any) -> None:
        """Store what a formula gives beside it."""
        kind, text = _stored(value)
        if (cell.get("t", "n"), _value_text(cell)) != (kind or "n", text):
            self._package.xml(self._part, change=True)
            _store(cell, kind, text)

    def keep(self, cell: Cell) -> None:
        """Leave the stored value of a formula as it is; store #N/A where there is none."""
        if not _value_text(cell) and cell.get("t") != "str":
            self._package.xml(self._part, change=True)
            _store(cell, "e", "#N/A")

    def set_array(self, formula: etree._Element, filled: Area) -> None:
        """Note the area that a dynamic array formula now fills; cells that it no longer fills are emptied."""
        before = area(formula.get("ref", ""), self.name)
        if before is None or before == filled:
            return
        self._package.xml(self._part, change=True)
        formula.set("ref", f"{address(filled.top, filled.left)}:{address(filled.bottom, filled.right)}")
        kept = set(filled.cells())
        for place in before.cells():
            cell = self.cells.get(place)
            if place not in kept and cell is not None:
                _store(cell, "", None)

    def _cell(self, row: int, column: int) -> Cell:
        """Return a cell's element, made in its place where the file has none."""
        cells = self.cells
        if (row, column) not in cells:
            line = self._row(row)
            cell = etree.Element(tag("c"), r=address(row, column))
            before = [c for c in line if column_number(c.get("r", "").rstrip("0123456789")) < column]
            line.insert(len(before), cell)
            cells[row, column] = cell
        return cells[row, column]

    def _row(self, row: int) -> etree._Element:
        data = self.root.find(tag("sheetData"))
        if data is None:
            raise InputError(
                f"damaged workbook: got sheet '{self.name}' without cells, want sheetData. Save it in Excel."
            )
        position = 0
        for position, line in enumerate(data, 1):
            number = int(line.get("r", "0"))
            if number == row:
                return line
            if number > row:
                position -= 1
                break
        created = etree.Element(tag("row"), r=str(row))
        data.insert(position, created)
        return created


def _reads(formula: etree._Element) -> str:
    """Return a formula as it is written into a cell, nothing where others share it or it fills an area."""
    return "" if formula.attrib else f"={formula.text}"


def _value_text(cell: Cell) -> str | None:
    """Return the text of a cell's value, None where it has none; it nearly always is the last that the cell holds."""
    last = cell[-1] if len(cell) else None
    return last.text or "" if last is not None and last.tag == _VALUE else cell.findtext(_VALUE)


def _store(cell: Cell, kind: str, text: str | None) -> None:
    for child in [child for child in cell if child.tag in (_VALUE, _TEXT)]:
        cell.remove(child)
    cell.attrib.pop("t", "")
    if kind:
        cell.set("t", kind)
    if text is not None:
        value = etree.Element(_VALUE)
        value.text = text
        formula = cell.find(_FORMULA)
        cell.insert(0 if formula is None else 1, value)


def escaped(text: str) -> str:
    """Return a text as a file holds it: signs that XML cannot hold are spelled out."""
    return _ESCAPED.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


def readable(text: str) -> str:
    """Return a text of a file as a cell shows it: the opposite of `escaped`."""
    return _SPELLED.sub(lambda match: chr(int(match[1], 16)), text)


def _stored(value: Any) -> tuple[str, str | None]:
    """Return the type attribute and text with which a file stores a value."""
    if value is None:
        return "", None
    if isinstance(value, date):
        return "", repr(serial(value))
    if isinstance(value, bool):
        return "b", str(int(value))
    if isinstance(value, ErrorCode):
        return "e", str(value) if value in _STORED_ERRORS else "#VALUE!"
    if isinstance(value, str):
        return "str", escaped(value)
    return "", repr(value)


def _shared_strings(package: Package) -> list[str]:
    part = "xl/sharedStrings.xml"
    if part not in package.names():
        return []
    # Phonetic guides (rPh) hold text of their own, which is not part of the string.
    phonetic = f"{tag('rPh')}/{tag('t')}"
    return [
        "".join(t.text or "" for t in item.iter(tag("t")) if t not in item.findall(phonetic))
        for item in package.xml(part).iterfind(tag("si"))
    ]


def serial(value: date) -> float | int:
    """Return the number with which a sheet stores a date, or a date and time."""
    days = (date(value.year, value.month, value.day) - date(1899, 12, 30)).days
    if not isinstance(value, datetime):
        return days
    return days + (value.hour * 3600 + value.minute * 60 + value.second) / 86400
