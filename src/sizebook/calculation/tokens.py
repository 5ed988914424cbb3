"""Takes formulas apart: a small tokenizer, and what calculation needs to know of references and calls.

openpyxl's tokenizer refuses the spill operator (``A1#``) and joins ``@`` with what follows, both of which modern Excel
writes; hence this one. It splits and never judges: text that is not a formula comes out as tokens all the same.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

_SHEET = r"(?:(?:'(?:[^']|'')+'|[\w.\[\]:]+)!)"
_CELL = r"\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}"
_AREA = rf"(?:{_CELL}(?::{_CELL})?|\$?[A-Za-z]{{1,3}}:\$?[A-Za-z]{{1,3}}|\$?\d+:\$?\d+)"
# An apostrophe keeps a bracket or another special sign of a column's name from meaning anything.
_PLAIN = r"(?:'.|[^\[\]'])*"
_BRACKET = rf"\[(?:{_PLAIN}|\[{_PLAIN}\])*\]"
_TOKEN = re.compile(
    rf"""
    (?P<text>"(?:[^"]|"")*")
  | (?P<array>\{{(?:"(?:[^"]|"")*"|[^}}"])*\}})
  | (?P<error>\#(?:N/A|N/IMPL!|[A-Z0-9/]+[!?]))
  | (?P<call>{_SHEET}?[^\W\d][\w.]*\()
  | (?P<reference>{_SHEET}?{_AREA}(?![\w.(])\#?)
  | (?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)
  | (?P<name>{_SHEET}?(?:\\|[^\W\d])[\w.?\\]*(?:{_BRACKET})?)
  | (?P<bracket>{_BRACKET})
  | (?P<open>\() | (?P<close>\)) | (?P<comma>,) | (?P<space>\s+) | (?P<operator>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_REFERENCE = re.compile(rf"(?:(?P<sheet>{_SHEET[3:-2]})!)?(?P<area>{_AREA})(?P<spill>\#?)")
_CORNER = re.compile(r"(?P<column>\$?[A-Za-z]{1,3})?(?P<row>\$?\d+)?")
_COLUMN = re.compile(r"[A-Z]{1,3}")
LAST_ROW, LAST_COLUMN = 1_048_576, 16_384


class Token(NamedTuple):  # a tuple, for there are many to each formula
    """One piece of a formula and what it is: text, array, error, call, reference, number, name, operator ..."""

    kind: str
    text: str


class Area(NamedTuple):  # a tuple, for there is one for each formula
    """A rectangle of cells on one sheet, rows and columns counted from 1."""

    sheet: str
    top: int
    left: int
    bottom: int
    right: int

    @property
    def is_cell(self) -> bool:
        return self.top == self.bottom and self.left == self.right

    def cells(self) -> Iterator[tuple[int, int]]:
        """Yield the row and column of every cell, row by row."""
        for row in range(self.top, self.bottom + 1):
            for column in range(self.left, self.right + 1):
                yield row, column


def tokenize(formula: str) -> list[Token]:
    """Return the tokens of a formula, with or without its leading ``=``; joined, they are the formula again."""
    return list(_tokens(formula.removeprefix("=")))


@lru_cache(8)  # a formula is taken apart for each step of its rewriting
def _tokens(body: str) -> tuple[Token, ...]:
    return tuple(Token(match.lastgroup or "", match[0]) for match in _TOKEN.finditer(body))


def references(formula: str) -> Iterator[str]:
    """Yield the references of a formula, each once it is asked for."""
    return (match[0] for match in _TOKEN.finditer(formula) if match.lastgroup == "reference")


def called_name(token: Token) -> str:
    """Return the function name of a call token, without sheet or book before it."""
    return token.text[:-1].rpartition("!")[2]


def balanced(tokens: Sequence[Token]) -> bool:
    """Return whether every parenthesis that opens is closed, in order."""
    depth = 0
    for token in tokens:
        depth += (token.kind in ("call", "open")) - (token.kind == "close")
        if depth < 0:
            return False
    return depth == 0


def closing(tokens: Sequence[Token], opening: int) -> int:
    """Return the index of the parenthesis that closes the call at ``opening``; the tokens must be `balanced`."""
    depth = 0
    for index in range(opening, len(tokens)):
        if tokens[index].kind in ("call", "open"):
            depth += 1
        elif tokens[index].kind == "close":
            depth -= 1
            if depth == 0:
                return index
    return len(tokens)


def innermost(tokens: Sequence[Token], opening: int, end: int) -> tuple[int, int]:
    """Return the last pair of parentheses that stand right within one another, from the pair given on."""
    opened, closes = list[int](), dict[int, int]()
    for index in range(opening, end + 1):
        if tokens[index].kind in ("call", "open"):
            opened.append(index)
        elif tokens[index].kind == "close":
            closes[opened.pop()] = index
    while tokens[opening + 1].kind == "open" and closes[opening + 1] == end - 1:
        opening, end = opening + 1, end - 1
    return opening, end


def arguments(tokens: Sequence[Token], opening: int, end: int) -> list[list[Token]]:
    """Return the arguments between a call token and its closing parenthesis; blank ones are empty lists."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[opening + 1 : end]:
        depth += (token.kind in ("call", "open")) - (token.kind == "close")
        if token.kind == "comma" and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    stripped = [_stripped(part) for part in parts]
    return [] if stripped == [[]] else stripped


def _stripped(tokens: list[Token]) -> list[Token]:
    while tokens and tokens[0].kind == "space":
        tokens = tokens[1:]
    while tokens and tokens[-1].kind == "space":
        tokens = tokens[:-1]
    return tokens


@lru_cache(1 << 14)  # formulas ask for the same references again and again
def area(text: str, sheet: str) -> Area | None:
    """Return the area that a reference means on a sheet, or None for text that is no plain reference."""
    match = _REFERENCE.fullmatch(text)
    if match is None or match["spill"]:
        return None
    first, _, last = match["area"].replace("$", "").upper().partition(":")
    top, left = _corner(first, at_end=False)
    bottom, right = _corner(last or first, at_end=True)
    return Area(
        unquoted(match["sheet"]) if match["sheet"] else sheet,
        min(top, bottom),
        min(left, right),
        max(top, bottom),
        max(left, right),
    )


def in_order(reference: str) -> str:
    """Return a reference with the upper left corner of its area first, as the engine wants it; other text as it is."""
    sheet, mark, own = reference.rpartition("!")
    first, colon, last = own.partition(":")
    if not colon or area(reference, "") is None:
        return reference
    columns, rows = zip(halves(first), halves(last), strict=True)
    left, right = sorted(columns, key=lambda each: column_number(each.lstrip("$")))
    top, bottom = sorted(rows, key=lambda each: int(each.lstrip("$") or 0))
    return f"{sheet}{mark}{left}{top}:{right}{bottom}"


def halves(corner: str) -> tuple[str, str]:
    """Return the column and the row of a corner, each with the ``$`` that fixes it, blank where it has none."""
    match = _CORNER.fullmatch(corner)
    return (match["column"] or "", match["row"] or "") if match else ("", "")


def _corner(cell: str, at_end: bool) -> tuple[int, int]:
    letters = cell.rstrip("0123456789")
    row = int(cell[len(letters) :] or (LAST_ROW if at_end else 1))
    return row, column_number(letters) if letters else (LAST_COLUMN if at_end else 1)


def lies_beyond(reference: str) -> bool:
    """Return whether a reference reaches beyond the last row or column of a sheet, where no cell is."""
    place = area(reference.removesuffix("#"), "")
    return place is not None and (place.bottom > LAST_ROW or place.right > LAST_COLUMN)


def cell_at(address: str) -> tuple[int, int] | None:
    """Return the row and column of an address as files write it, ``C7``; None for other text."""
    letters = address.rstrip("0123456789")
    row = address[len(letters) :]
    column = _column_of(letters)
    return None if column is None or not row or row[0] == "0" or len(row) > 7 else (int(row), column)


@lru_cache(LAST_COLUMN)
def _column_of(letters: str) -> int | None:
    """Return a column as files write it, None for other text; files write few different ones, and hostile ones many."""
    return column_number(letters) if _COLUMN.fullmatch(letters) else None


@cache
def column_number(letters: str) -> int:
    """Return 1 for A, 27 for AA."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


@cache
def column_letters(number: int) -> str:
    """Return A for 1, AA for 27."""
    letters = ""
    while number:
        number, remainder = divmod(number - 1, 26)
        letters = chr(65 + remainder) + letters
    return letters


def address(row: int, column: int) -> str:
    """Return ``C7`` for row 7, column 3."""
    return f"{column_letters(column)}{row}"


def absolute(place: Area) -> str:
    """Return a reference to an area from anywhere in the workbook, ``'Sheet'!$A$1:$B$2``."""
    first = f"${column_letters(place.left)}${place.top}"
    last = "" if place.is_cell else f":${column_letters(place.right)}${place.bottom}"
    return f"{quoted(place.sheet)}!{first}{last}"


def shifted(formula: str, down: int, across: int) -> str:
    """Return a formula as it reads so many rows further down and columns across; references wrap around the sheet."""
    return "".join(
        _shifted_reference(t.text, down, across) if t.kind == "reference" else t.text for t in tokenize(formula)
    )


def _shifted_reference(text: str, down: int, across: int) -> str:
    sheet, mark, own = text.rpartition("!")
    return sheet + mark + _CORNER.sub(lambda match: _shifted_corner(*halves(match[0]), down, across), own)


def _shifted_corner(column: str, row: str, down: int, across: int) -> str:
    if column and column[0] != "$":
        column = column_letters((column_number(column) - 1 + across) % LAST_COLUMN + 1)
    if row and row[0] != "$":
        row = str((int(row) - 1 + down) % LAST_ROW + 1)
    return column + row


def quoted(sheet: str) -> str:
    """Return a sheet name as formulas write it."""
    return "'" + sheet.replace("'", "''") + "'"


def unquoted(sheet: str) -> str:
    """Return a sheet name without the quotes of a formula."""
    return sheet[1:-1].replace("''", "'") if sheet.startswith("'") else sheet
