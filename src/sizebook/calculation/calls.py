"""Calls of registered functions inside formulas.

IronCalc does not know our functions. So each call becomes a reference to a scratch cell: its arguments are read from
the workbook (or from scratch cells that hold their expressions), Python evaluates the function, and the result goes
where the formula now looks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sizebook.calculation.scratch import Expression, Scratch
from sizebook.calculation.tokens import (
    Area,
    Token,
    address,
    area,
    arguments,
    balanced,
    called_name,
    closing,
    on_sheet,
    quoted,
    tokenize,
)
from sizebook.core.cells import evaluate
from sizebook.core.coercion import Cell, Range
from sizebook.core.errors import CellError, SizebookError
from sizebook.core.registry import Function

Reader = Callable[[], Any]  # gives the value of one argument as the workbook stands now
# Without an argument these give the place of the cell they stand in, which moving them would change.
_PLACE_OF_CELL = ("ROW", "COLUMN")
# In an ordinary formula a call that returns rows hands them all to these functions, to any other only its first value.
_TAKE_ROWS = re.compile(
    r"SUM|AVERAGE|MIN|MAX|COUNT|COUNTA|PRODUCT|MEDIAN|SUMPRODUCT|SUMSQ|STDEV(\.[SP])?|VAR(\.[SP])?|LARGE|SMALL"
    r"|(PERCENTILE|QUARTILE)(\.INC|\.EXC)?|RANK|INDEX|X?MATCH|[VHX]?LOOKUP|ROWS|COLUMNS|TEXTJOIN|CONCAT|AND|OR|NPV|IRR"
)
_CALLED = re.compile(r"([^\W\d][\w.]*)\(")
_UNKNOWN = object()


@dataclass
class Call:
    """One call: the function, where it stands, how its arguments are read, and its present result."""

    function: Function
    at: Area
    row: int
    readers: list[Reader] = field(default_factory=list)
    precedents: list[str] = field(default_factory=list)
    users: list[Formula] = field(default_factory=list)
    seen: Any = _UNKNOWN
    result: Cell | Range | SizebookError = None
    rows: Area | None = None


@dataclass
class Formula:
    """A formula in pieces, text and calls, to be written anew when a call gives rows; a first call gives one value."""

    pieces: list[str | tuple[Call, bool]]
    write: Callable[[str], None]

    def refresh(self, scratch: Scratch) -> None:
        """Write the formula with a reference in place of each call."""
        texts = [p if isinstance(p, str) else _reference(scratch, *p) for p in self.pieces]
        self.write("=" + "".join(texts))


def _reference(scratch: Scratch, call: Call, first_only: bool) -> str:
    return scratch.reference(call.row, None if first_only else call.rows)


class Calls:
    """Every call of a workbook, innermost first."""

    def __init__(self, scratch: Scratch, functions: Mapping[str, Function]) -> None:
        self.scratch = scratch
        self.functions = functions
        self.calls: list[Call] = []
        self.n_expressions = 0
        self._known: dict[str, Any] = {}

    def take_over(self, formula: str, at: Area, write: Callable[[str], None], *, one_value: bool) -> None:
        """Replace the calls in a cell's formula, if it has any.

        ``one_value`` says that it is an ordinary formula, where a call gives its first value only, as Excel reads a
        file, unless a function around it takes rows.
        """
        # Most formulas call none of ours: a look at their words spares taking them apart.
        if not any(word.upper() in self.functions for word in _CALLED.findall(formula)):
            return
        tokens = tokenize(formula)
        if balanced(tokens):  # otherwise the engine shows #ERROR! for it
            self._formula(tokens, at, write, one_value=one_value, moved=False)

    def _formula(
        self, tokens: Sequence[Token], at: Area, write: Callable[[str], None], *, one_value: bool, moved: bool
    ) -> None:
        pieces = self._pieces(tokens, at, one_value, moved)
        formula = Formula(pieces, write)
        for piece in pieces:
            if not isinstance(piece, str):
                piece[0].users.append(formula)
        formula.refresh(self.scratch)

    def _pieces(self, tokens: Sequence[Token], at: Area, one_value: bool, moved: bool) -> list[str | tuple[Call, bool]]:
        pieces: list[str | tuple[Call, bool]] = []
        around: list[str] = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.kind == "call" and called_name(token).upper() in self.functions:
                end = closing(tokens, index)
                takes_rows = _TAKE_ROWS.fullmatch(next((name for name in reversed(around) if name), ""))
                pieces.append((self._call(tokens, index, end, at), one_value and not takes_rows))
                index = end + 1
                continue
            if token.kind in ("call", "open"):
                around.append(called_name(token).upper())
            elif token.kind == "close":
                around.pop()
            index += self._plain(tokens, index, at, moved, pieces)
        return pieces

    def _plain(
        self, tokens: Sequence[Token], index: int, at: Area, moved: bool, pieces: list[str | tuple[Call, bool]]
    ) -> int:
        """Add what is no call of ours, made independent of its place where it moves; return the tokens used."""
        token = tokens[index]
        following = tokens[index + 1] if index + 1 < len(tokens) else Token("end", "")
        if moved and token.text == "@" and following.kind == "reference":
            pieces.append(_crossing(following, at))
            return 2
        if moved and token.kind == "reference":
            pieces.append(on_sheet(token, at.sheet))
        elif moved and token.kind == "call" and called_name(token).upper() in _PLACE_OF_CELL:
            here = f"{quoted(at.sheet)}!{address(at.top, at.left)}" if following.kind == "close" else ""
            pieces.append(token.text + here)
        else:
            pieces.append(token.text)
        return 1

    def _call(self, tokens: Sequence[Token], opening: int, end: int, at: Area) -> Call:
        parts = arguments(tokens, opening, end)
        readers, precedents = [], []
        for part in parts:
            reader, precedent = self._argument(part, at)
            readers.append(reader)
            precedents += [precedent] if precedent else []
        function = self.functions[called_name(tokens[opening]).upper()]
        call = Call(function, at, self.scratch.new_call(), readers, precedents)
        self.calls.append(call)
        return call

    def _argument(self, tokens: list[Token], at: Area) -> tuple[Reader, str]:
        """Return how one argument is read and what it refers to."""
        grid = self.scratch.grid
        if len(tokens) <= 1:
            if not tokens or (tokens[0].kind in ("number", "text") or tokens[0].text.upper() in ("TRUE", "FALSE")):
                value = _constant(tokens[0]) if tokens else None
                return (lambda: value), ""
            place = area(tokens[0].text, at.sheet)
            number = grid.number(place.sheet) if place else None
            if place is not None and number is not None:
                if place.is_cell:
                    return (lambda: grid.cell(number, place.top, place.left)), on_sheet(tokens[0], at.sheet)
                return (lambda: grid.rows(number, place)), on_sheet(tokens[0], at.sheet)
        elif self._is_one_call(tokens):
            inner = self._call(tokens, 0, len(tokens) - 1, at)
            return (lambda: inner.result), self.scratch.reference(inner.row, None)
        expression = Expression(self.scratch)
        self.n_expressions += 1
        self._formula(tokens, at, expression.write, one_value=False, moved=True)
        return expression.read, expression.reference

    def _is_one_call(self, tokens: Sequence[Token]) -> bool:
        is_ours = tokens[0].kind == "call" and called_name(tokens[0]).upper() in self.functions
        return is_ours and closing(tokens, 0) == len(tokens) - 1

    def evaluate(self) -> list[Call]:
        """Evaluate every call whose arguments changed; return those calls."""
        changed = []
        for call in self.calls:
            cells = [reader() for reader in call.readers]
            seen = [_identity(cell) for cell in cells]
            if call.seen == seen:
                continue
            call.seen = seen
            call.result = self._evaluated(call.function, cells, repr(seen))
            changed.append(call)
            rows = self.scratch.put(call.row, call.result)
            if rows != call.rows:
                call.rows = rows
                for formula in call.users:
                    formula.refresh(self.scratch)
        return changed

    def _evaluated(self, function: Function, cells: list[Any], seen: str) -> Any:
        key = f"{function.name}{seen}"
        if key not in self._known:
            try:
                self._known[key] = _rectangular(evaluate(function, cells))
            except SizebookError as error:
                self._known[key] = error
        return self._known[key]


def _constant(token: Token) -> Cell:
    if token.kind == "text":
        return token.text[1:-1].replace('""', '"')
    if token.kind == "number":
        return float(token.text)
    return token.text.upper() == "TRUE"


def _crossing(token: Token, at: Area) -> str:
    """Return the one cell of a range in the row or column of the formula's cell, as ``@`` picks it."""
    place = area(token.text, at.sheet)
    if place is None:
        return "@" + on_sheet(token, at.sheet)
    row = place.top if place.top == place.bottom else at.top
    column = place.left if place.left == place.right else at.left
    inside = place.top <= row <= place.bottom and place.left <= column <= place.right
    return f"{quoted(place.sheet)}!{address(row, column)}" if inside else "#VALUE!"


def _identity(value: Any) -> Any:
    """Return what tells two arguments apart: type and value, an error by its code."""
    if isinstance(value, list):
        return [_identity(cell) for cell in value]
    return ("error", value.code) if isinstance(value, CellError) else (type(value).__name__, value)


def _rectangular(value: Any) -> Any:
    """Return rows as a list of equally long lists; short rows are filled up with empty cells."""
    if not isinstance(value, (list, tuple)):
        return value
    rows = [list(row) if isinstance(row, (list, tuple)) else [row] for row in value] or [[None]]
    width = max(1, *(len(row) for row in rows))
    rows = [row + [None] * (width - len(row)) for row in rows]
    return rows[0][0] if len(rows) == width == 1 else rows
