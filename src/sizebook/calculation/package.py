"""An .xlsx file as its parts: read whole, changed part by part, written back with every other part as it was."""

from __future__ import annotations

import hashlib
import io
import posixpath
import zipfile
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from sizebook.calculation.tokens import cell_at
from sizebook.core.errors import InputError
from sizebook.intake.archives import CONTENT_TYPES, archive, holds_xml, refuse_doctype
from sizebook.intake.files import refuse_over
from sizebook.sources.writing import unfinished

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
WORKBOOK = "xl/workbook.xml"
# The kinds of parts that are read here, with the roots that they may have.
_ROOTS = {
    "worksheet": ("worksheet",),
    "styles": ("styleSheet",),
    "sharedStrings": ("sst",),
}

_COMPRESSION = 5  # a file of 6, which is usual, is 3 % smaller and takes twice the time
_OLDEST_ZIP_DATE = (1980, 1, 1, 0, 0, 0)
# No entities, no network: a workbook is data from outside.
_SAFELY: dict[str, Any] = {"resolve_entities": False, "no_network": True, "remove_blank_text": False}
_PARSER = etree.XMLParser(**_SAFELY)


def tag(name: str) -> str:
    """Return a SpreadsheetML tag as lxml writes it."""
    return f"{{{MAIN}}}{name}"


@dataclass(frozen=True)
class DefinedName:
    """A defined name, the text that it stands for, its sheet (None for the whole workbook) and its comment."""

    name: str
    text: str
    sheet: str | None
    comment: str = ""


@dataclass
class Package:
    """The parts of one workbook file; `xml` gives a part to change, `save` writes what changed and copies the rest."""

    path: Path
    entries: list[tuple[zipfile.ZipInfo, bytes]]
    _parsed: dict[str, etree._Element] = field(default_factory=dict)
    _cells: dict[str, dict[tuple[int, int], etree._Element]] = field(default_factory=dict)  # of worksheets, as parsed
    _changed: set[str] = field(default_factory=set)
    # Parts that changed in nothing but plain values of cells without formulas: those, by sheet, row and column.
    _given: dict[str, dict[tuple[str, int, int], Any]] = field(default_factory=dict)
    _removed: set[str] = field(default_factory=set)
    _roots: dict[str, str] = field(default_factory=dict)
    _places: dict[str, int] = field(default_factory=dict)  # where each part stands among the entries
    _sheets: dict[str, str] = field(default_factory=dict)  # asked for by each of thousands of sheets

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: the parts as they would be saved."""
        return vars(Package(self.path, list(self.parts()), _roots=self._roots))

    @classmethod
    def read(cls, path: Path) -> Package:
        """Return the parts of an .xlsx or .xlsm file, or say why it is none."""
        with archive(path, "a workbook") as found:
            entries = [(info, found.read(info)) for info in found.infolist() if not info.is_dir()]
        for info, data in entries:  # also what is only passed on: themes, drawings, legacy comments
            if holds_xml(info.filename):
                refuse_doctype(info.filename, data, path.name)
        package = cls(path, entries)
        if WORKBOOK not in package:
            raise InputError(
                f"not a workbook: got {path.name} without {WORKBOOK}, want an .xlsx or .xlsm file. "
                "Save it in that format from Excel."
            )
        if package.xml(WORKBOOK).tag != tag("workbook"):
            raise InputError(
                f"another kind of .xlsx: got {path.name} saved as Strict Open XML, want the usual kind. "
                "Save it in Excel as 'Excel Workbook (*.xlsx)'."
            )
        package._check_parts()
        n_names = sum(1 for _ in package.xml(WORKBOOK).iterfind(f"{tag('definedNames')}/{tag('definedName')}"))
        refuse_over("defined_names", n_names, f"defined names in {path.name}")
        return package

    def _check_parts(self) -> None:
        """Refuse a workbook whose parts Excel would not find, or would find to be something else."""
        if CONTENT_TYPES not in self:
            raise self._damaged(f"no {CONTENT_TYPES}", "that part")
        for part, kind in self._related(WORKBOOK):
            roots = _ROOTS.get(kind)
            if roots is None:
                continue
            if part not in self:
                raise self._damaged(f"no {part}, to which {WORKBOOK} refers", "that part")
            if (root := etree.QName(self.root(part)).localname) not in roots:
                raise self._damaged(f"<{root}> as the root of {part}", f"<{roots[0]}>")

    def _damaged(self, got: str, want: str) -> InputError:
        return InputError(f"damaged workbook: got {got} in {self.path.name}, want {want}. Open and save it in Excel.")

    def names(self) -> list[str]:
        """Return the names of the parts in the order of the file."""
        return [info.filename for info, _ in self.entries if info.filename not in self._removed]

    def __contains__(self, part: str) -> bool:
        """Return whether the file holds a part; a workbook may have thousands."""
        return self._place(part) is not None and part not in self._removed

    def _place(self, part: str) -> int | None:
        if len(self._places) != len(self.entries):  # parts are added, never taken out of the list
            self._places = {info.filename: place for place, (info, _) in enumerate(self.entries)}
        return self._places.get(part)

    def xml(self, part: str, *, change: bool = False) -> etree._Element:
        """Return a part's root element; with ``change`` it is written back from that element."""
        if part not in self._parsed:
            data = self._data(part)
            with self._well_formed(part):
                self._parsed[part] = etree.fromstring(data, _PARSER)
        if change:
            self._changed.add(part)
            self._given.pop(part, None)
            if part == WORKBOOK:
                self._sheets = {}
        return self._parsed[part]

    def cells(self, part: str) -> dict[tuple[int, int], etree._Element]:
        """Return the cells that a worksheet part holds, by row and column."""
        if part not in self._cells:
            found = ((cell_at(cell.get("r", "")), cell) for cell in self.xml(part).iter(tag("c")))
            self._cells[part] = {place: cell for place, cell in found if place is not None}
        return self._cells[part]

    def look_up_anew(self, part: str) -> None:
        """Forget where the cells of a worksheet part stand: they may have moved."""
        self._cells.pop(part, None)

    def settle(self, part: str) -> None:
        """Hold a part as text again, with its changes: its elements take twenty times the memory."""
        place = self._place(part)
        if part in self._changed and place is not None:
            self.entries[place] = self.entries[place][0], self._written(part)
            self._changed.discard(part)
            self._given.pop(part, None)
        self._parsed.pop(part, None)
        self._cells.pop(part, None)

    def root(self, part: str) -> str:
        """Return the tag of a part's root element; the rest is left to whoever reads the part, in another process."""
        if part not in self._roots:
            if part in self._parsed:
                return str(self._parsed[part].tag)
            with self._well_formed(part):
                beginning = etree.iterparse(io.BytesIO(self._data(part)), ("start",), **_SAFELY)
                self._roots[part] = str(next(iter(beginning))[1].tag)
        return self._roots[part]

    def content(self, part: str) -> bytes:
        """Return a part as it will be written."""
        return self._written(part) if part in self._changed else self._data(part)

    def _written(self, part: str) -> bytes:
        return etree.tostring(self._parsed[part], xml_declaration=True, encoding="UTF-8", standalone=True)

    def _data(self, part: str) -> bytes:
        place = self._place(part)
        if place is None:
            raise self._damaged(f"no {part}", "that part")
        return self.entries[place][1]

    @contextmanager
    def _well_formed(self, part: str) -> Iterator[None]:
        try:
            yield
        except etree.XMLSyntaxError as error:
            raise InputError(
                f"damaged workbook: got {error} in {part} of {self.path.name}, want well-formed XML. "
                "Open and save it in Excel."
            ) from error

    def put(self, part: str, data: bytes) -> None:
        """Add a part, or put other content in place of its own; the caller adds what refers to it."""
        place = self._place(part)
        if place is None:
            self.entries.append((undated(part), data))
        else:
            self.entries[place] = self.entries[place][0], data
        self._parsed.pop(part, None)
        self._cells.pop(part, None)
        self._roots.pop(part, None)
        self._sheets = {}
        self._given.pop(part, None)
        self._changed.discard(part)
        self._removed.discard(part)

    def remove(self, part: str) -> None:
        """Leave a part out; the caller removes what refers to it."""
        self._removed.add(part)
        self._sheets = {}

    def give(self, part: str, cell: tuple[str, int, int], value: Any) -> None:
        """Note that a cell without a formula (sheet, row, column) now holds a plain value, and its part is written."""
        if part not in self._changed:
            self._changed.add(part)
            self._given[part] = {}
        if part in self._given:
            self._given[part][cell] = value

    def given(self) -> dict[tuple[str, int, int], Any]:
        """Return the plain values that cells were given, those of parts that changed in something else left out."""
        return {cell: value for cells in self._given.values() for cell, value in cells.items()}

    def digest(self) -> bytes:
        """Return a hash of all that the package holds beside the values that `given` returns."""
        about = hashlib.blake2b()
        for info, data in self._parts(self._changed - self._given.keys()):
            about.update(f"{info.filename}\0{len(data)}\0".encode(errors="replace") + data)
        return about.digest()

    def parts(self) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
        """Yield every part as it will be written."""
        return self._parts(self._changed)

    def _parts(self, changed: Set[str]) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
        for info, data in self.entries:
            if info.filename in changed:
                yield info, self._written(info.filename)
            elif info.filename not in self._removed:
                yield info, data

    def forget(self) -> None:
        """Let go of all parts, once whoever read them needs them no more."""
        self.entries.clear()
        self._parsed.clear()
        self._cells.clear()

    def save(self, path: Path) -> None:
        """Write the workbook whole or not at all: to a temporary file beside ``path``, then renamed."""
        with unfinished(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for info, data in self.parts():
                archive.writestr(info, data, compresslevel=_COMPRESSION)

    def relations(self, part: str) -> dict[str, str]:
        """Return the parts that a part refers to, by relationship id; links to the outside are left out."""
        return {identifier: target for identifier, target, _ in self._relations(part)}

    def _related(self, part: str) -> Iterator[tuple[str, str]]:
        """Yield the parts that a part refers to with the last word of the kind of reference."""
        for _, target, kind in self._relations(part):
            yield target, kind

    def _relations(self, part: str) -> Iterator[tuple[str, str, str]]:
        folder, name = posixpath.split(part)
        relations = f"{folder}/_rels/{name}.rels"
        if relations not in self:
            return
        for relation in self.xml(relations):
            if isinstance(relation.tag, str) and relation.get("TargetMode") != "External":
                kind = relation.get("Type", "").rpartition("/")[2]
                yield relation.get("Id", ""), resolved(folder, relation.get("Target", "")), kind

    def sheets(self) -> dict[str, str]:
        """Return the part of every worksheet by its name, in the order of the tabs; chart sheets are left out."""
        self._sheets = self._sheets or dict(self._worksheets())
        return self._sheets

    def _worksheets(self) -> Iterator[tuple[str, str]]:
        targets = self.relations(WORKBOOK)
        for sheet in self.xml(WORKBOOK).iterfind(f"{tag('sheets')}/{tag('sheet')}"):
            part = targets.get(sheet.get(f"{{{RELATIONS}}}id", ""), "")
            if part in self and self.root(part) == tag("worksheet"):
                yield sheet.get("name", ""), part

    def defined_names(self) -> list[DefinedName]:
        """Return the defined names that people made; print areas and the like are left out."""
        tabs = [s.get("name", "") for s in self.xml(WORKBOOK).iterfind(f"{tag('sheets')}/{tag('sheet')}")]
        found = []
        for element in self.xml(WORKBOOK).iterfind(f"{tag('definedNames')}/{tag('definedName')}"):
            name, scope = element.get("name", ""), element.get("localSheetId")
            if not name.startswith("_xlnm."):
                sheet = None if scope is None else tabs[int(scope)]
                found.append(DefinedName(name, element.text or "", sheet, element.get("comment", "")))
        return found


def undated(name: str) -> zipfile.ZipInfo:
    """Return a part's entry without the time of writing, so that the same content is the same bytes."""
    info = zipfile.ZipInfo(name, _OLDEST_ZIP_DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def resolved(folder: str, target: str) -> str:
    """Return the part that a relationship's target means, from the folder of the part that refers to it."""
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
