"""Rewrites a workbook's formulas into the plain form that the calculation engine reads.

Defined names become what they stand for (IronCalc knows no named constants, and refuses a named range where Excel picks
the row's own cell), and every spelling of a registered function becomes its registry name. The engine then sees one
form of a formula whichever add-in the workbook was written for.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from sizebook.calculation.package import WORKBOOK, Package, tag
from sizebook.calculation.spellings import plain_name
from sizebook.calculation.tokens import Area, Token, area, arguments, balanced, called_name, closing, tokenize, unquoted
from sizebook.core.errors import InputError

_DEEPEST_NAME = 16
_ABSOLUTE = re.compile(
    r"\$[A-Za-z]{1,3}\$\d+(:\$[A-Za-z]{1,3}\$\d+)?|\$[A-Za-z]{1,3}:\$[A-Za-z]{1,3}|\$\d+:\$\d+", re.ASCII
)
_WORD = re.compile(r"[^\W\d\\][\w.\\?]*")
_SPELLING = re.compile(r"_x|let$|sizebook\.", re.IGNORECASE)


@dataclass(frozen=True)
class FormulaCell:
    """A cell with a formula; ``array`` is the area that an array formula fills, ``dynamic`` whether it may grow."""

    at: Area
    array: Area | None = None
    dynamic: bool = False


def formula_cells(package: Package) -> list[FormulaCell]:
    """Return every cell that holds a formula, in the order of the file; a what-if data table is refused."""
    return [
        _formula_cell(sheet, cell, formula)
        for sheet, part in package.sheets().items()
        for cell in package.xml(part).iter(tag("c"))
        if (formula := cell.find(tag("f"))) is not None
    ]


def cell_area(cell: etree._Element, sheet: str) -> Area:
    """Return where a cell element stands; Excel and every writer that we know name each cell."""
    at = area(cell.get("r", ""), sheet)
    if at is None:
        raise InputError(
            f"cell without an address: got r={cell.get('r')!r} on sheet '{sheet}', want A1, B2 ... "
            "Open the workbook in Excel and save it again."
        )
    return at


def _formula_cell(sheet: str, cell: etree._Element, formula: etree._Element) -> FormulaCell:
    at = cell_area(cell, sheet)
    kind = formula.get("t")
    if kind == "dataTable":
        raise InputError(
            f"what-if data table: got one at {sheet}!{formula.get('ref')}, want formulas. "
            "Replace it by formulas: nothing but Excel can recalculate it."
        )
    if kind != "array":
        return FormulaCell(at)
    # cm points at the cell metadata that makes an array formula a dynamic one; Excel writes no other.
    return FormulaCell(at, area(formula.get("ref", ""), sheet), cell.get("cm") is not None)


def prepare(package: Package, known: Container[str]) -> None:
    """Rewrite the formulas of a package in place; ``known`` holds the names of the registered functions."""
    _refuse_settings(package)
    names = Names(package)
    for sheet, part in package.sheets().items():
        _leave_aside(package, part)
        _empty_cells(package, part)
        for formula in package.xml(part).iter(tag("f")):
            text = formula.text or ""
            if not names.concern(text):
                continue
            rewritten = plain(text, sheet, names, known)
            _refuse_other_books(rewritten, sheet, formula)
            if rewritten != text:
                package.xml(part, change=True)
                formula.text = rewritten


def _refuse_settings(package: Package) -> None:
    """Raise for a workbook whose settings change what formulas give in ways that the engine does not follow."""
    root = package.xml(WORKBOOK)
    properties, calculation = root.find(tag("workbookPr")), root.find(tag("calcPr"))
    for element, attribute, value, meaning, fix in (
        (properties, "date1904", "1", "dates counted from 1904", "Turn that off under Advanced options"),
        (calculation, "fullPrecision", "0", "precision as displayed", "Turn that off under Advanced options"),
        (calculation, "iterate", "1", "iterative calculation", "Break the circle that it serves and turn it off"),
    ):
        if element is not None and element.get(attribute, "").replace("true", "1").replace("false", "0") == value:
            raise InputError(
                f"cannot calculate: got {meaning} in {package.path.name}, want Excel's usual settings. {fix}."
            )


def _leave_aside(package: Package, part: str) -> None:
    """Drop a sheet's relations but for tables and links: IronCalc stumbles over comments kept in unusual places."""
    folder, name = posixpath.split(part)
    relations = f"{folder}/_rels/{name}.rels"
    if relations not in package.names():
        return
    root = package.xml(relations)
    for relation in [r for r in root if not r.get("Type", "").endswith(("/table", "/hyperlink"))]:
        package.xml(relations, change=True)
        root.remove(relation)


def _refuse_other_books(text: str, sheet: str, formula: etree._Element) -> None:
    """Raise for a reference to another workbook: its cells are not here to be read."""
    for token in tokenize(text) if "[" in text else ():
        if token.kind in ("reference", "name") and "[" in token.text.rpartition("!")[0]:
            cell = formula.getparent()
            at = "" if cell is None else cell.get("r", "")
            raise InputError(
                f"another workbook: got {token.text} in {sheet}!{at}, want references within the workbook. "
                "Copy those cells into it."
            )


def _empty_cells(package: Package, part: str) -> None:
    """Write cells that hold no more than a format without a type: IronCalc reads a typed one without a value as 0.

    A formula without a stored value gets one, for IronCalc complains on standard output otherwise.
    """
    for cell in package.xml(part).iter(tag("c")):
        if cell.find(tag("f")) is not None and cell.find(tag("v")) is None:
            package.xml(part, change=True)
            etree.SubElement(cell, tag("v")).text = "0"
        if cell.get("t") is not None and not any(child.text or len(child) for child in cell):
            package.xml(part, change=True)
            cell.attrib.pop("t")
            for child in list(cell):
                cell.remove(child)


def plain(formula: str, sheet: str, names: Names, known: Container[str]) -> str:
    """Return one formula with names expanded and registered functions under their registry names."""
    tokens = tokenize("".join(_plain_token(token, sheet, names, known) for token in tokenize(formula)))
    if any(t.kind == "call" and called_name(t).upper() in known for t in tokens) and balanced(tokens):
        tokens = _without_let(tokens)
    return "".join(token.text for token in tokens)


def _plain_token(token: Token, sheet: str, names: Names, known: Container[str]) -> str:
    if token.kind == "call":
        name = plain_name(token.text[:-1], known)
        return token.text if name is None else f"{name}("
    return names.expanded(token.text, sheet) if token.kind == "name" else token.text


def _without_let(tokens: Sequence[Token]) -> list[Token]:
    """Return a formula with the values of LET in place of its names, which mean nothing on a scratch sheet."""
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        end = index
        if tokens[index].kind == "call" and called_name(tokens[index]).upper() in ("LET", "_XLFN.LET"):
            end = closing(tokens, index)
            *pairs, body = arguments(tokens, index, end)
            out += _substituted(pairs, body)
        else:
            out.append(tokens[index])
        index = end + 1
    return out


def _substituted(pairs: Sequence[Sequence[Token]], body: Sequence[Token]) -> list[Token]:
    values: dict[str, list[Token]] = {}
    for name, value in zip(pairs[::2], pairs[1::2], strict=False):
        values["".join(t.text for t in name).casefold()] = _put_in(_without_let(value), values)
    return _put_in(_without_let(body), values)


def _put_in(tokens: Sequence[Token], values: Mapping[str, list[Token]]) -> list[Token]:
    out: list[Token] = []
    for token in tokens:
        value = values.get(token.text.casefold()) if token.kind == "name" else None
        out += [token] if value is None else [Token("open", "("), *value, Token("close", ")")]
    return out


class Names:
    """The defined names of a workbook and what they stand for in a formula."""

    def __init__(self, package: Package) -> None:
        self._texts = {(found.sheet, found.name.casefold()): found.text for found in package.defined_names()}
        self._words = {name for _, name in self._texts}

    def concern(self, formula: str) -> bool:
        """Return whether a formula may need rewriting: most hold no name, no LET and no add-in's spelling."""
        words = {word.casefold() for word in _WORD.findall(formula)}
        return bool("[" in formula or words & self._words or any(_SPELLING.match(word) for word in words))

    def text(self, name: str, sheet: str) -> str | None:
        """Return the text of a name as seen from a sheet: the sheet's own name first, then the workbook's."""
        scope, _, bare = name.rpartition("!")
        own = self._texts.get((unquoted(scope) if scope else sheet, bare.casefold()))
        return own if own is not None else self._texts.get((None, bare.casefold()))

    def expanded(self, name: str, sheet: str, depth: int = 0) -> str:
        """Return what a name stands for, or the name itself where only the engine can know (LAMBDA, relative)."""
        text = self.text(name, sheet)
        if text is None or depth > _DEEPEST_NAME or text.upper().startswith(("LAMBDA(", "_XLFN.LAMBDA(")):
            return name
        tokens = tokenize(text)
        if any(t.kind == "reference" and not _ABSOLUTE.fullmatch(t.text.rpartition("!")[2]) for t in tokens):
            return name
        if len(tokens) == 1 and tokens[0].kind == "reference":
            return text
        inner = "".join(self.expanded(t.text, sheet, depth + 1) if t.kind == "name" else t.text for t in tokens)
        return f"({inner})"
