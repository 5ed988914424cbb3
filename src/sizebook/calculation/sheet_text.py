"""A worksheet part as a text whose formulas are changed in place: a tree of its cells takes twenty times the memory.

A part that is not written as Excel, LibreOffice and openpyxl write it (prefixes, comments, texts of several formats) is
written so first, its cells alone.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import escape

from lxml import etree

from sizebook.calculation.package import MAIN, Package, tag

_FORMULA = re.compile(
    rb'<c r="([^"]*)"([^<>]*)>(<f((?: [^<>]*?)?)(?:/>|>([^<]*)</f>))(?:<v(?: [^<>]*)?>([^<]*)</v>|<v ?/>)?</c>'
)
_CELL = re.compile(rb'<c r="([^"]*)"[^<>]*?(?:/>|>.*?</c>)', re.DOTALL)
_ADDRESS = re.compile(rb'<c r="([^"]*)"')
_ATTRIBUTE = re.compile(r'([\w:]+)="([^"]*)"')
_DECLARED = rb"<\?xml version=.1\.0.(?: encoding=.(?:UTF|utf)-8.)?(?: standalone=.(?:yes|no).)? ?\?>\s*"
_HEAD = re.compile(rb'(?:%b)?<worksheet(?: [^>]*)? xmlns="%b"' % (_DECLARED, MAIN.encode()))
_FORMULA_AT_ALL = re.compile(rb"<f[> /]")
# What an XML parser reads in another way than the expressions above: also ends of lines, which it makes one sign.
_UNUSUAL_CELL = re.compile(rb'<c(?:[^ A-Za-z]| (?!r="))')
_UNUSUAL = (b"<!", b"<rPh", b"\r")
_ENTITY = re.compile(r"&(?:#(x?)([0-9A-Fa-f]+)|(\w+));")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
Span = tuple[int, int]


class MarkedFormula(NamedTuple):
    """A formula that is shared, fills an area or is a data table, and where it stands in the part."""

    address: str
    attributes: dict[str, str]
    text: str
    span: Span
    dynamic: bool


class SheetText:
    """The formulas of one worksheet part, and the part with other formulas in their places.

    Attributes:
        addresses, texts, spans: of its ordinary formulas, in the order of the part.
        marked: its other formulas.
        errors: the error values that stand beside formulas, by address.
    """

    def __init__(self, package: Package, part: str) -> None:
        self.data, formulas = _plain(package, part)
        self.spans: list[Span] = []
        self.marked: list[MarkedFormula] = []
        self.errors: dict[str, str] = {}
        self._changes: list[tuple[int, int, bytes]] = []
        addresses, texts = list[bytes](), list[bytes]()
        for match in formulas:
            at, cell, _, attributes, text, value = match.groups(b"")
            if b' t="e"' in cell:
                self.errors[at.decode()] = value.decode()
            if b' t="' in attributes:
                known = dict(_ATTRIBUTE.findall(attributes.decode()))
                self.marked.append(
                    MarkedFormula(at.decode(), known, _read(text.decode()), match.span(3), b' cm="' in cell)
                )
            else:
                addresses.append(at)
                texts.append(text)
                self.spans.append(match.span(3))
        self.addresses, self.texts = _split(addresses), list(map(_read, _split(texts)))

    def put(self, span: Span, text: str | None) -> None:
        """Put another formula in the place of one, or none."""
        self._changes.append((*span, b"" if text is None else b"<f>%b</f>" % escape(text).encode()))

    def empty(self, addresses: Iterable[str]) -> None:
        """Leave out cells that hold no formula."""
        wanted = {address.encode() for address in addresses}
        for cell in _CELL.finditer(self.data):
            if cell[1] in wanted and not _FORMULA_AT_ALL.search(cell[0]):
                self._changes.append((*cell.span(), b""))

    def changed(self) -> bytes:
        """Return the part with all changes."""
        pieces, done = list[bytes](), 0
        for start, end, text in sorted(self._changes):
            pieces += [self.data[done:start], text]
            done = end
        return b"".join([*pieces, self.data[done:]]) if pieces else self.data


def used_cells(part: bytes) -> str:
    """Return the addresses of all cells of a part that is written plainly, with NUL between them."""
    return b"\0".join(_ADDRESS.findall(part)).decode()


def _plain(package: Package, part: str) -> tuple[bytes, Iterable[re.Match[bytes]]]:
    """Return a worksheet part as it is where it is written plainly, else its cells written so; and its formulas."""
    data = package.content(part)
    if _is_plain(data) and (found := _formulas(data)) is not None:
        return data, found
    data = _written_plainly(package.xml(part))
    return data, _FORMULA.finditer(data)


def _formulas(data: bytes) -> list[re.Match[bytes]] | None:
    """Return the formulas of a part, None where one is written in another way."""
    found = list(_FORMULA.finditer(data))
    is_usual = len(found) == len(_FORMULA_AT_ALL.findall(data)) and not any(b"'" in each[2] + each[4] for each in found)
    return found if is_usual else None


def _is_plain(data: bytes) -> bool:
    """Return whether a part is well-formed, and its cells are written as the expressions above read them."""
    head = _HEAD.match(data)
    if head is None or data.count(MAIN.encode() + b'"') != 1:
        return False
    if any(data.find(each, head.end()) >= 0 for each in _UNUSUAL) or _UNUSUAL_CELL.search(data):
        return False
    if data.count(b"<is") != data.count(b"<is><t"):
        return False
    try:
        expat.ParserCreate().Parse(data, True)
    except expat.ExpatError:
        return False
    return True


def _written_plainly(root: etree._Element) -> bytes:
    rows = (f"<row{_written(row)}>{''.join(map(_cell, row.iter(tag('c'))))}</row>" for row in root.iter(tag("row")))
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(rows)}</sheetData></worksheet>'.encode()


def _cell(cell: etree._Element) -> str:
    formula, value, inline = (cell.find(tag(name)) for name in ("f", "v", "is"))
    inner = "" if formula is None else f"<f{_written(formula)}>{escape(formula.text or '')}</f>"
    if value is not None:
        inner += f"<v>{escape(value.text or '')}</v>"
    elif inline is not None:
        guide = tag("rPh")  # how a text is pronounced, which is no part of it
        text = "".join(t.text or "" for t in inline.iter(tag("t")) if all(a.tag != guide for a in t.iterancestors()))
        inner += f'<is><t xml:space="preserve">{escape(text)}</t></is>'
    return f"<c{_written(cell, 'r')}>{inner}</c>"


def _written(element: etree._Element, *first: str) -> str:
    """Return the attributes of an element; those of a namespace mean nothing to a calculation."""
    known = dict.fromkeys(first, "") | {str(name): str(text) for name, text in element.items()}
    quoted = {name: escape(text, {'"': "&quot;"}) for name, text in known.items() if "{" not in name}
    return "".join(f' {name}="{text}"' for name, text in quoted.items())


def _split(found: list[bytes]) -> list[str]:
    return b"\0".join(found).decode().split("\0") if found else []


def _read(text: str) -> str:
    """Return a text without entities."""
    return _ENTITY.sub(_sign, text) if "&" in text else text


def _sign(entity: re.Match[str]) -> str:
    base, number, name = entity.groups()
    return _ENTITIES[name] if name else chr(int(number, 16 if base else 10))
