"""Rewrites one formula into the plain form that the engine reads, and refuses what it would get wrong.

Names and structured references become areas; areas over several sheets and unions become lists; intersections are
worked out; where Excel takes one cell of a range (an operand or a one-value argument of an ordinary formula) that cell
is named. Functions that are our own are called by our own names, which the engine hands to Python.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sizebook.calculation.arrays import indexed, refuse_in_array, refuse_unequal, refuse_whole_rows
from sizebook.calculation.call_arguments import Call, CallArguments
from sizebook.calculation.callback_names import EACH, FIRST, JOINED, OMITTED, ONLY, OWN, PLACE, SERIES
from sizebook.calculation.comparisons import compared, compared_sides, outside_parentheses
from sizebook.calculation.copies import grows
from sizebook.calculation.criteria import areas_of_one_size, with_errors_sought
from sizebook.calculation.literals import names_lost_range
from sizebook.calculation.names import NotCalculableError, bare, without_prefixes
from sizebook.calculation.number_texts import operands
from sizebook.calculation.operands import intersecting_cell, is_end_of_range, stands_alone
from sizebook.calculation.proofs import refuse_form
from sizebook.calculation.repeated_arrays import with_let
from sizebook.calculation.spellings import plain_name
from sizebook.calculation.spreadsheet_functions import (
    ARRAY,
    COUNTED,
    KEPT,
    NUMBERING,
    ONE,
    RANGE,
    REFERENCE,
    WHOLE,
    SpreadsheetFunction,
    is_area,
    spreadsheet_functions,
)
from sizebook.calculation.text_numbers import written_out
from sizebook.calculation.tokens import Token, area, arguments, balanced, called_name, closing, innermost, tokenize
from sizebook.calculation.unions import intersected
from sizebook.calculation.whole_columns import argument_with_ends, with_ends

_JOINS = ("CONCAT", "TEXTJOIN")  # their result may be longer than a cell holds
_DEEPEST = 200  # nested calls and parentheses; Excel allows 64 calls


@dataclass
class Rewriter(CallArguments):
    """Rewrites the formula of one cell."""

    depth: int = 0
    spills: bool = False  # it fills as many cells as it gives values

    def rewritten(self, formula: str) -> str:
        """Return the formula as the engine is to read it; raise `NotCalculableError` where it cannot be."""
        tokens = tokenize(formula)
        if not balanced(tokens):
            raise NotCalculableError("its parentheses do not match")
        plain = written_out(self._without_names(tokens))
        if self.spills:
            refuse_whole_rows(plain, self.variables)
        try:
            text = self._part(plain, ONE if self.ordinary else ARRAY)
        except RecursionError:
            raise NotCalculableError("it is nested too deeply") from None
        if self.ordinary and any(token.kind == "array" for token in plain):
            text = f"{FIRST}({text})"
        if self.lambdas:
            text = f"LET({','.join(f'{name},{body}' for name, body in self.lambdas.items())},{text})"
        return text

    def _part(self, tokens: Sequence[Token], kind: str) -> str:
        """Return an expression rewritten for where it stands: one value, a range, or an array."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotCalculableError(f"it is nested deeper than {_DEEPEST} levels")
        tokens = bare(tokens)
        if any(token.kind == "space" for token in tokens):
            self.moves = False
            tokens = intersected(tokens, self.at.sheet)
        inside = kind if kind == ARRAY or stands_alone(tokens) else ONE
        if inside == ARRAY and not stands_alone(tokens):
            refuse_unequal(outside_parentheses(tokens), self.at.sheet)
            self._compares_sizes([outside_parentheses(tokens)])
        parts, written = compared_sides(tokens), list[str]()
        for part in parts:  # no comprehension, which would be one more frame to each level
            written.append(self._joined(part, inside) if _joins(part) else self._items(part, inside))
        self.depth -= 1
        return "".join(compared(parts, written, self.book.short, sheet=self.at.sheet))

    def _items(self, tokens: Sequence[Token], kind: str) -> str:
        """Return operands and operators one after the other."""
        pieces: list[str] = []
        index = 0
        while index < len(tokens):
            index = self._item(tokens, index, kind, pieces)
        return "".join(pieces)

    def _joined(self, tokens: Sequence[Token], kind: str) -> str:
        """Return an expression in which ``&`` makes a text; Python joins it, so that it is no longer than a cell."""
        parts = [self._items(bare(part), kind) for part in operands(tokens)]
        texts = parts[::2]  # between them stands &
        return f"{JOINED}({','.join(texts)})" if len(texts) > 1 and all(texts) else "".join(parts)

    def _item(self, tokens: Sequence[Token], index: int, kind: str, pieces: list[str]) -> int:
        """Add one operand or operator; return where the next one begins."""
        token = tokens[index]
        if token.kind in ("call", "open"):
            end = closing(tokens, index)
            if is_end_of_range(tokens, index, end):
                kind = RANGE
            if end + 1 < len(tokens) and tokens[end + 1].kind == "open":
                return self._called_at_once(tokens, index, end, pieces)
            write = self._call if token.kind == "call" else self._group
            pieces.append(write(tokens, index, end, kind))
            return end + 1
        if token.kind == "reference":
            pieces.append(self._reference(token, RANGE if is_end_of_range(tokens, index, index) else kind))
        elif token.text == "@":
            return self._one_of(tokens, index + 1, pieces)
        elif token.kind == "space":
            pieces.append("")
        else:
            pieces.append(token.text)
        return index + 1

    def _called_at_once(self, tokens: Sequence[Token], opening: int, end: int, pieces: list[str]) -> int:
        """Add a LAMBDA with its arguments right behind it, under a name; return where the next operand begins."""
        last = closing(tokens, end + 1)
        given = ",".join(self._part(part, ARRAY) for part in arguments(tokens, end + 1, last))
        name = f"lambda_{opening}_{self.depth}"
        pieces.append(f"LET({name},{self._call(tokens, opening, end, ARRAY)},{name}({given}))")
        return last + 1

    def _one_of(self, tokens: Sequence[Token], index: int, pieces: list[str]) -> int:
        if index >= len(tokens):
            raise NotCalculableError("it ends with @")
        return self._item(tokens, index, ONE, pieces)

    def _reference(self, token: Token, kind: str) -> str:
        if token.text.endswith("#"):
            return self._spread(token.text[:-1])
        place = area(token.text, self.at.sheet)
        if place is None:
            raise NotCalculableError(f"{token.text} is no reference")
        if place.sheet.startswith("[") and place.sheet.casefold() not in self.book.links.sheets:
            raise NotCalculableError(f"{token.text} stands in another workbook, of which this one keeps nothing")
        if ":" in place.sheet:
            raise NotCalculableError(f"{token.text} goes through several sheets")
        if kind != ONE or ":" not in token.text:
            return with_ends(token.text) if kind == ARRAY else token.text
        self.moves = False
        return intersecting_cell(place, self.at)

    def _spread(self, anchor: str) -> str:
        """Return what a dynamic array formula fills; the engine knows no such area of one cell."""
        self.moves = False
        place = area(anchor, self.at.sheet)
        if place is None or (place.sheet.casefold(), place.top, place.left) not in self.book.anchors:
            return "#REF!"
        return f"IF(IFERROR(ROWS({anchor}#),0)=0,{anchor},{anchor}#)"

    def _group(self, tokens: Sequence[Token], opening: int, end: int, kind: str) -> str:
        opening, end = innermost(tokens, opening, end)
        parts = arguments(tokens, opening, end)
        if len(parts) != 1:
            raise NotCalculableError("it joins ranges to a union")
        return f"({self._part(parts[0], kind)})"

    def _call(self, tokens: Sequence[Token], opening: int, end: int, kind: str) -> str:
        name = without_prefixes(called_name(tokens[opening])).upper()
        parts = arguments(tokens, opening, end)
        if name == "SINGLE" and len(parts) == 1:
            return self._part(parts[0], ONE)
        if name == "ANCHORARRAY" and len(parts) == 1:
            return self._spread("".join(token.text for token in parts[0]))
        registered = plain_name(tokens[opening].text[:-1], self.book.functions)
        if registered is not None:
            return self._registered(registered, parts, kind)
        if name.casefold() in self.variables or self.book.names.function(name, self.at.sheet):
            self._lambda(name)
            return f"{tokens[opening].text}{','.join(map(self._whole, parts))})"
        function = spreadsheet_functions().get(name)
        if function is None:
            if "!" in tokens[opening].text or "[" in tokens[opening].text:
                raise NotCalculableError(f"{tokens[opening].text[:-1]} is a function of another workbook")
            return f"{name}({','.join(self._whole(part) for part in parts)})"
        return self._spreadsheet_call(name, function, parts, kind)

    def _whole(self, part: list[Token]) -> str:
        """Return an argument that is taken with all that it holds, a reference as it is."""
        return self._part(part, RANGE if is_area(part) else ARRAY)

    def _registered(self, name: str, parts: Sequence[list[Token]], kind: str) -> str:
        """Return a call of a registered function, with the number of its cell so that messages find it."""
        given = [self._whole(part) if part else OMITTED for part in parts]
        call = f"{OWN}{name}({','.join([PLACE, *given])})"
        return f"{FIRST}({call})" if kind == ONE else call

    def _spreadsheet_call(
        self, name: str, function: SpreadsheetFunction, parts: Sequence[list[Token]], kind: str
    ) -> str:
        """Return a call of a function of spreadsheets rewritten."""
        own = function.is_own(parts)
        self._refuse_call(name, function, parts, kind)
        if function.literals not in (COUNTED, KEPT) and names_lost_range(parts, function):
            return "#REF!"
        parts = with_errors_sought(name, parts)
        if name.endswith("IFS") or function.by == "alike":
            self._compares_sizes(parts)
        if not areas_of_one_size(name, parts, self.at.sheet):
            return "#VALUE!"
        over_rows = self._over_rows(name, parts, kind)
        if over_rows:
            return over_rows
        if name == "INDEX" and parts:
            parts = [argument_with_ends(parts[0]), *parts[1:]]
        given = self._arguments(Call(name, function, parts, kind=kind, own=own))
        if not own and function.must_be_lifted(parts, self.variables, areas=kind == ARRAY):
            return self._lifted(name, function, given)
        if kind == ARRAY and name in NUMBERING and len(given) == 1:
            return f"{SERIES}({name}({given[0]}),{NUMBERING[name]}({given[0]}),{'TRUE' if name == 'ROW' else 'FALSE'})"
        if name == "SUMPRODUCT" and len(given) == 1:
            given = [with_let(given[0])]
        call = f"{OWN if own else ''}{name}({','.join(given)})"
        if name in _JOINS:
            return f"{JOINED}({call})"
        return self._one_of_rows(call, function, parts) if kind == ONE and function.gives_rows(parts) else call

    def _refuse_call(self, name: str, function: SpreadsheetFunction, parts: Sequence[list[Token]], kind: str) -> None:
        """Raise for a call that is not calculated; note the variables of LET."""
        if function.by == "refused":
            raise NotCalculableError(f"{name} is not calculated here")
        refuse_form(name, parts)
        if self.book.dates_from_1904 and function.dates and not function.is_own(parts):
            raise NotCalculableError(f"{name} is not calculated in a workbook that counts dates from 1904")
        if name == "LET":
            self.variables |= {"".join(t.text for t in bare(part)).casefold() for part in parts[:-1:2]}
        if kind == ARRAY:
            refuse_in_array(name, function, parts, variables=self.variables, ordinary=self.ordinary)

    def _compares_sizes(self, parts: Sequence[Sequence[Token]]) -> None:
        """Note that what is made of a call hangs on the sizes and places of its areas, which copies may change."""
        own = [token.text for part in parts for token in part if token.kind == "reference" and ":" in token.text]
        self.depends_on_place |= bool(own)
        self.moves &= not any(map(grows, own))

    def _one_of_rows(self, call: str, function: SpreadsheetFunction, parts: Sequence[list[Token]]) -> str:
        """Return the one value that an ordinary formula takes of a call: where an area crosses, else the first."""
        if function.many == WHOLE and (place := indexed(parts, self.at.sheet)) is not None:
            self.moves = False
            return intersecting_cell(place, self.at)
        is_reference = function.many == REFERENCE or (function.many == WHOLE and is_area(parts[0]))
        return f"{ONLY}({PLACE},{call})" if is_reference else f"{FIRST}({call})"

    def _lifted(self, name: str, function: SpreadsheetFunction, given: Sequence[str]) -> str:
        """Return a call that is worked out for each value of the arrays among its arguments."""
        if function.many == REFERENCE:
            raise NotCalculableError(f"{name} would give a reference for each value of an array")
        return f'{EACH}({PLACE},"{name}",{",".join(text or OMITTED for text in given)})'


def _joins(tokens: Sequence[Token]) -> bool:
    return any(token.kind == "operator" and token.text == "&" for token in tokens)
