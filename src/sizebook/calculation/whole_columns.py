"""Whole columns in arrays: as many rows as hold something, and what a blank row gives for all the others.

The engine takes of ``A:A`` in an array the used rows alone, of each column another number, though blank cells count in
``SUMPRODUCT((A:A="")*1)``; a million rows written out take it a second and 250 MB a formula. So a call that takes an
array is worked out over the used rows and one blank row behind them, which stands for all others:

- sums and counts: the used rows, and the blank row as many times as there are rows left;
- what only asks what there is (MAX, AND, UNIQUE, the place of the first match): the used rows and one blank row;
- other figures: the used rows where a blank row gives no number, else all rows written out.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sizebook.calculation.names import NotCalculableError, without_prefixes
from sizebook.calculation.spreadsheet_functions import (
    ARRAY,
    ONE,
    PASSED,
    RANGE,
    SpreadsheetFunction,
    is_area,
    spreadsheet_functions,
)
from sizebook.calculation.tokens import (
    LAST_COLUMN,
    LAST_ROW,
    Area,
    Token,
    area,
    arguments,
    called_name,
    closing,
    column_letters,
)
from sizebook.calculation.used_cells import UsedCells

ADDED = frozenset(("SUMPRODUCT", "SUM", "COUNT", "COUNTA", "SUMSQ"))
_ANY = frozenset(("MAX", "MIN", "AND", "OR", "UNIQUE"))
_FIRST_MATCH = {"MATCH": 2, "XMATCH": 2, "XLOOKUP": 4}  # behind so many arguments stands how it looks
_OF_NUMBERS = frozenset(
    ("AVEDEV", "AVERAGE", "CORREL", "COVAR", "COVARIANCE.P", "COVARIANCE.S", "DEVSQ", "FORECAST", "FORECAST.LINEAR",
     "GEOMEAN", "HARMEAN", "INTERCEPT", "KURT", "LARGE", "LOOKUP", "MEDIAN", "MODE", "MODE.SNGL", "PEARSON",
     "PERCENTILE", "PERCENTILE.EXC", "PERCENTILE.INC", "PRODUCT", "QUARTILE", "QUARTILE.EXC", "QUARTILE.INC", "RSQ",
     "SKEW", "SLOPE", "SMALL", "STDEV", "STDEV.P", "STDEV.S", "STDEVP", "STEYX", "TRIMMEAN", "VAR", "VAR.P", "VAR.S",
     "VARP")
)  # fmt: skip
# Of these an area that stands alone goes in step with the others; elsewhere the engine's used rows do.
_IN_STEP = frozenset(("SUMPRODUCT", "FILTER", "UNIQUE", "LOOKUP", "MATCH", "XMATCH", "XLOOKUP"))
MOST_CUTS = 12  # calls of one formula that are cut: each is written up to three times, and what stands within with it
_BY_PLACE = ("ROW", "COLUMN", "ROWS", "OFFSET", "INDIRECT", "INDEX", "CELL", "LET", "LAMBDA")


class Cut(NamedTuple):
    """A call over whole columns as calls over rows: the used ones, those with a blank one, and a blank one alone."""

    used: list[list[Token]]
    with_blank: list[list[Token]]
    blank: list[list[Token]]
    n_rows_left: int
    has_rows: bool  # a reference names its rows, which may move


def is_open(token: Token) -> bool:
    """Return whether a reference is one to the last row of the sheet."""
    place = area(token.text, "") if token.kind == "reference" else None
    return place is not None and place.bottom == LAST_ROW and place.top < LAST_ROW


def with_ends(text: str) -> str:
    """Return whole columns or rows with their ends written out."""
    place, (before, mark, own) = area(text, ""), text.rpartition("!")
    if place is None or ":" not in own:
        return text
    first, _, last = own.partition(":")
    if not any(letter.isdigit() for letter in own):
        return f"{before}{mark}{first}$1:{last}${LAST_ROW}"
    if not any(letter.isalpha() for letter in own):
        return f"{before}{mark}$A{first}:${column_letters(place.right)}{last}"
    return text


def argument_with_ends(part: Sequence[Token]) -> list[Token]:
    """Return an argument with its ends written out where it is whole columns or rows, of which the engine's INDEX
    knows the used ones only."""
    return [Token("reference", with_ends(part[0].text))] if is_area(part) else list(part)


def with_all_columns(part: list[Token]) -> list[Token]:
    """Return an area with the ends of whole rows written out, of which the engine takes as many columns as are used."""
    place = area(part[0].text, "")
    return argument_with_ends(part) if place is not None and place.right == LAST_COLUMN else part


def cut(
    name: str,
    function: SpreadsheetFunction,
    parts: Sequence[list[Token]],
    *,
    used: UsedCells,
    sheet: str,
    in_array: bool,
) -> Cut | None:
    """Return a call over whole columns cut to rows; None where there is nothing to cut, or it cannot be told."""
    if not any(is_open(token) for part in parts for token in part):
        return None
    spread = [token for number, part in enumerate(parts) if _is_array(name, function.kind(number), part, in_array)
              for token in _spread(part)]  # fmt: skip
    opened = [token for token in spread if is_open(token)]
    alone = name != "UNIQUE" and all(is_area(part) or not any(map(is_open, _spread(part))) for part in parts)
    if not opened or alone or any(_hangs_on_place(token) for token in spread):
        return None
    places = [place for token in spread if (place := area(token.text, sheet)) is not None]
    if len({place.top for place in places if place.bottom == LAST_ROW}) > 1:
        return None
    if any(place.bottom != LAST_ROW and place.top != place.bottom for place in places):
        return None  # of another height: the rows beyond it are errors
    if name == "SUMPRODUCT" and not all(any(map(is_open, _spread(part))) for part in parts):
        return None
    last = _last_used(places, used)
    if last is None:
        return None
    top = places[[is_open(token) for token in spread].index(True)].top
    last = max(last, top)
    filled, with_blank, blank = (
        [[_cut(token, *end) if token in opened else token for token in part] for part in parts]
        for end in ((top, last), (top, last + 1), (last + 1, last + 1))
    )
    has_rows = any(sign.isdigit() for token in opened for sign in token.text.rpartition("!")[2])
    return Cut(filled, with_blank, blank, LAST_ROW - last, has_rows) if last + 1 < LAST_ROW else None


def _last_used(places: Sequence[Area], used: UsedCells) -> int | None:
    rows = [used.last(place.sheet) for place in places if place.bottom == LAST_ROW]
    known = [row for row in rows if row is not None]
    return max(known) if len(known) == len(rows) else None


def _is_array(name: str, kind: str, part: Sequence[Token], in_array: bool) -> bool:
    """Return whether an argument is taken as an array; an area alone is left as it is but where it goes in step."""
    if is_area(part):
        return kind in (ARRAY, RANGE) and name in _IN_STEP
    return kind == ARRAY or (kind == RANGE and (in_array or _is_all_of(part)))


def _is_all_of(part: Sequence[Token]) -> bool:
    """Return whether an argument is ``INDEX(...,0)``, which hands on an array in an ordinary formula too."""
    if not part or part[0].kind != "call" or without_prefixes(called_name(part[0])).upper() != "INDEX":
        return False
    places = arguments(part, 0, len(part) - 1)[1:]
    return closing(part, 0) == len(part) - 1 and all(_written(place) in ("", "0") for place in places)


def _written(part: Sequence[Token]) -> str:
    return "".join(token.text for token in part).strip()


def _spread(part: Sequence[Token]) -> Iterator[Token]:
    """Yield the references of which an array expression takes each value, and the calls that give what no row tells."""
    index = 0
    while index < len(part):
        token = part[index]
        if token.kind == "call":
            end = closing(part, index)
            inner = arguments(part, index, end)
            yield from _spread(inner[0]) if _is_all_of(part[index : end + 1]) else _spread_by_call(token, inner)
            index = end
        elif token.kind in ("reference", "name"):
            yield token
        index += 1


def _spread_by_call(call: Token, parts: Sequence[Sequence[Token]]) -> Iterator[Token]:
    name = without_prefixes(called_name(call)).upper()
    if name in _BY_PLACE:
        yield call
    known = spreadsheet_functions()
    for number, part in enumerate(parts):
        if name not in known or known[name].kind(number) in (ONE, PASSED):
            yield from _spread(part)


def _hangs_on_place(token: Token) -> bool:
    return token.kind == "call" or (token.kind == "name" and token.text.upper() not in ("TRUE", "FALSE"))


def _cut(token: Token, first: int, last: int) -> Token:
    before, mark, own = token.text.rpartition("!")
    left, _, right = ("".join(sign for sign in end if not sign.isdigit()).rstrip("$") for end in own.partition(":"))
    cells = f"{left}${first}" if left == right and first == last else f"{left}${first}:{right}${last}"
    return Token("reference", f"{before}{mark}{cells}")


def with_one_blank_row(name: str, parts: Sequence[Sequence[Token]]) -> bool:
    """Return whether a call asks only what there is among its values, however often, or where it stands first."""
    if name not in _FIRST_MATCH:
        return name in _ANY
    kinds = [_written(part) for part in parts[_FIRST_MATCH[name] :]]
    return kinds == ["0"] or (name != "MATCH" and not kinds)


def blank_counts(name: str, parts: Sequence[list[Token]], blank: Sequence[list[Token]]) -> list[Token]:
    """Return the condition under which a blank row changes what a call gives; nothing where it is not known.

    ``blank`` is the call over a blank row.
    """
    changed = [part for part, whole in zip(blank, parts, strict=True) if part != whole]
    if name in _OF_NUMBERS:
        return _called("OR", *(_called("ISNUMBER", part) for part in changed))
    if name == "FILTER" and len(parts) > 1:
        return _called("NOT", _called("ISERROR", _called("FILTER", [Token("number", "1")], blank[1])))
    if name == "CONCAT" or (name == "TEXTJOIN" and len(parts) > 2 and _written(parts[1]).upper() in ("TRUE", "1")):
        return [*_called("LEN", _called("CONCAT", *changed)), Token("operator", ">"), Token("number", "0")]
    return []


def _called(name: str, *parts: Sequence[Token]) -> list[Token]:
    found = [Token("call", f"{name}(")]
    for number, part in enumerate(parts):
        found += [*([Token("comma", ",")] if number else []), *part]
    return [*found, Token("close", ")")]


# ---- COUNTIFS, of which the engine counts the used rows alone, also of areas with an end


class Counted(NamedTuple):
    """A COUNTIFS over more rows than are used: its arguments over those, and pairs of a blank cell and a criterion."""

    used: list[list[Token]]
    blanks: list[list[list[Token]]]
    n_rows_left: int


def counted(parts: Sequence[list[Token]], used: UsedCells, sheet: str) -> Counted | None:
    """Return a COUNTIFS cut to the used rows; None where no blank cell can be counted beyond them."""
    if len(parts) % 2 or any(_is_no_criterion_of_blanks(part) for part in parts[1::2]):
        return None
    places = [area(part[0].text, sheet) if len(part) == 1 else None for part in parts[::2]]
    known = [place for place in places if place is not None]
    if any(place.right == LAST_COLUMN for place in known):
        raise NotCalculableError("COUNTIFS may count blank cells in whole rows")
    rows = [used.last(place.sheet) for place in known]
    last = max((row for row in rows if row is not None), default=None)
    if len(known) < len(places) or (last is not None and max(place.bottom for place in known) <= last):
        return None
    sizes = {(place.top, place.bottom, place.right - place.left) for place in known}
    if None in rows or last is None or len(set(rows)) > 1 or len(sizes) > 1 or sizes.pop()[2]:
        raise NotCalculableError("COUNTIFS may count blank cells beyond the used rows, of areas that do not go in step")
    top, bottom = known[0].top, known[0].bottom
    head = [[_cut(part[0], top, last)] if n % 2 == 0 else part for n, part in enumerate(parts)]
    first = max(last + 1, top)
    blanks = [
        [[_cut(where[0], first, first)], criterion] for where, criterion in zip(parts[::2], parts[1::2], strict=True)
    ]
    return Counted(head if last >= top else [], blanks, bottom - first + 1)


def may_reach_beyond(parts: Sequence[Sequence[Token]]) -> bool:
    """Return whether a COUNTIFS over used rows may count blank cells beyond them in a copy further down."""
    rows = (token.text.rpartition("!")[2] for part in parts[::2] for token in part if token.kind == "reference")
    moves = any(re.search(r"[A-Za-z]\d", each) for each in rows)
    return moves and not any(_is_no_criterion_of_blanks(part) for part in parts[1::2])


def _is_no_criterion_of_blanks(part: Sequence[Token]) -> bool:
    """Return whether a criterion is written out and can match no blank cell."""
    if len(part) != 1 or part[0].kind not in ("text", "number"):
        return False
    written = part[0].text.strip('"')
    return written not in ("", "=") and (not written.startswith("<>") or written == "<>")
