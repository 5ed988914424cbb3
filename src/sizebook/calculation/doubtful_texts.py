"""Which formulas take a text of a cell as a number that Excel reads and the engine does not; see `text_numbers`."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sizebook.calculation.calculated import Place
from sizebook.calculation.copies import AREA_ROWS
from sizebook.calculation.names import without_prefixes
from sizebook.calculation.prepared import Prepared
from sizebook.calculation.text_numbers import as_criterion_is_doubtful, in_arithmetic, is_doubtful
from sizebook.calculation.tokens import Area, Token, area, called_name, tokenize
from sizebook.calculation.values import ErrorCode

_NUMBERS = re.compile(r"\d+")
_WHOLE_COLUMNS = re.compile(r"[A-Za-z]:\$?[A-Za-z]")  # an area of whole columns
_OF_CRITERIA = ("COUNTIF", "SUMIF", "AVERAGEIF", "MAXIFS", "MINIFS")
_VALUE = ErrorCode("#VALUE!")


def doubtful_texts(prepared: Prepared, values: Mapping[Place, Any]) -> dict[Place, str]:
    """Return the formulas that may take such a text, and why they are refused: in arithmetic, as a criterion, or
    whatever they do with it if that failed."""
    if not prepared.places:
        return {}
    shown = {value for value in values.values() if type(value) is str}  # the same text stands in many cells
    doubtful = {value for value in shown if as_criterion_is_doubtful(value)}
    texts = {place: value for place, value in values.items() if type(value) is str and value in doubtful}
    if not texts:
        return {}
    cells, found = _Texts(texts), {}
    for sheet in dict.fromkeys(sheet for sheet, _ in texts):
        rows = {number for own, at in texts if own == sheet for number in _NUMBERS.findall(at)}
        for place, formula in prepared.may_refer_to(sheet):
            if rows.isdisjoint(_NUMBERS.findall(formula)) and not _spans(formula, rows):
                continue  # taking it apart takes long
            at = cells.read_as_number(tokenize(formula), place[0], failed=values.get(place) == _VALUE)
            if at is not None:
                found[place] = f"={formula} cannot be calculated: it may read the text of {'!'.join(at)} as a number"
    return found


def _spans(formula: str, rows: Iterable[str]) -> bool:
    """Return whether a formula names an area over one of these rows."""
    if ":" not in formula:
        return False
    spans = {(int(first), int(last)) for first, last in AREA_ROWS.findall(formula)}
    return _WHOLE_COLUMNS.search(formula) is not None or any(
        min(span) <= int(row) <= max(span) for span in spans for row in rows
    )


class _Texts:
    """Cells with doubtful texts, to be looked up by reference."""

    def __init__(self, texts: Mapping[Place, str]) -> None:
        self._texts = texts
        self._places: dict[tuple[str, int, int], Place] = {}
        for place in texts:
            if (at := area(place[1], place[0])) is not None:
                self._places[at.sheet.casefold(), at.top, at.left] = place

    def read_as_number(self, tokens: Sequence[Token], sheet: str, *, failed: bool) -> Place | None:
        """Return a text that a formula takes as a number or as a criterion, None where it takes none."""
        criteria = any(token.kind == "call" and _takes_criteria(token) for token in tokens)
        for index, token in enumerate(tokens):
            source = area(token.text, sheet) if token.kind == "reference" else None
            if source is None:
                continue
            for found in self._within(source):
                if failed or in_arithmetic(tokens, index):
                    if is_doubtful(self._texts[found]):
                        return found
                elif criteria and source.is_cell:
                    return found
        return None

    def _within(self, source: Area) -> Iterator[Place]:
        sheet = source.sheet.casefold()
        if source.is_cell:
            if (found := self._places.get((sheet, source.top, source.left))) is not None:
                yield found
            return
        for (own, row, column), place in self._places.items():
            if own == sheet and source.top <= row <= source.bottom and source.left <= column <= source.right:
                yield place


def _takes_criteria(call: Token) -> bool:
    return without_prefixes(called_name(call)).upper().startswith(_OF_CRITERIA)
