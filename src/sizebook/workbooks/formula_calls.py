"""The calls in a formula of a workbook: which are of sizebook's functions, and what they are given."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sizebook.calculation.tokens import Token, arguments, called_name, closing, tokenize
from sizebook.functions import load


class FoundCall(NamedTuple):
    """A call in a formula: what stands before it, its arguments, and what stands behind it."""

    before: str
    arguments: list[str]
    after: str


def calls_sizebook(formula: str) -> bool:
    """Return whether a formula calls a function of sizebook."""
    return any(_calls(tokenize(formula)))


def first_call(formula: str, function: str) -> FoundCall | None:
    """Return the first call of a function in a formula; None where it calls no such function."""
    tokens = tokenize(formula)
    for opening, token in enumerate(tokens):
        if token.kind == "call" and called_name(token) == function:
            end = closing(tokens, opening)
            given = [_text(part) for part in arguments(tokens, opening, end)]
            return FoundCall(_sign(formula) + _text(tokens[:opening]), given, _text(tokens[end + 1 :]))
    return None


def arguments_of(formula: str) -> list[str]:
    """Return the arguments of calls that may stand in cells of their own: no constant, no area and no call itself."""
    tokens, found = tokenize(formula), dict[str, None]()
    for opening, end in _calls(tokens):
        for part in arguments(tokens, opening, end):
            is_area = len(part) == 1 and ":" in part[0].text
            if any(token.kind == "reference" for token in part) and not is_area and not any(_calls(part)):
                found[_text(part)] = None
    return list(found)


def with_arguments(formula: str, hoisted: Sequence[str], cell_of: Callable[[str], str]) -> str:
    """Return a formula that names the cells of some arguments of its calls."""
    tokens, out, at = tokenize(formula), list[str](), 0
    ends = dict(_calls(tokens)) if hoisted else {}
    while at < len(tokens):
        out.append(tokens[at].text)
        if at in ends:
            parts = (_text(part) for part in arguments(tokens, at, ends[at]))
            out.append(",".join(cell_of(part) if part in hoisted else part for part in parts))
            at = ends[at] - 1
        at += 1
    return _sign(formula) + "".join(out)


def _calls(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield where each call of a function of sizebook opens and closes."""
    for at, token in enumerate(tokens):
        if token.kind == "call" and called_name(token) in load():
            yield at, closing(tokens, at)


def _text(tokens: Sequence[Token]) -> str:
    return "".join(token.text for token in tokens)


def _sign(formula: str) -> str:
    return "=" if formula.startswith("=") else ""
