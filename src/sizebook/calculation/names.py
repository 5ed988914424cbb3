"""The defined names of a workbook and what they stand for in a formula."""

import re
from collections.abc import Sequence

from sizebook.calculation.package import Package
from sizebook.calculation.tokens import Area, Token, shifted, tokenize, unquoted

_LAMBDA = re.compile(r"\s*(?:_xlfn\.)?LAMBDA\s*\(", re.IGNORECASE)
_FUTURE = re.compile(r"_xl(?:fn|ws|pm|udf)\.", re.IGNORECASE)


class NotCalculableError(Exception):
    """A formula that cannot be calculated here, and why."""


class Names:
    """The defined names of a workbook and what they stand for in a formula."""

    def __init__(self, package: Package) -> None:
        self._texts = {(found.sheet, found.name.casefold()): found.text for found in package.defined_names()}
        self.words = frozenset(name for _, name in self._texts)

    def text(self, name: str, sheet: str) -> str | None:
        """Return the text of a name as seen from a sheet: the sheet's own name first, then the workbook's."""
        scope, _, bare = name.rpartition("!")
        own = self._texts.get((unquoted(scope) if scope else sheet, bare.casefold()))
        return own if own is not None else self._texts.get((None, bare.casefold()))

    def expanded(self, name: str, at: Area, within: tuple[str, ...] = ()) -> list[Token] | None:
        """Return the tokens that a name stands for at a cell, other names in it expanded; None for no name.

        References of a name count from cell A1. A name that leads back to itself is refused, and one for a LAMBDA is
        left to `functions_named`.
        """
        text = self.text(name, at.sheet)
        if text is None or _LAMBDA.match(text):
            return None
        if name.casefold() in within:
            raise NotCalculableError(f"the name {name} leads back to itself")
        tokens: list[Token] = []
        for token in tokenize(shifted(text, at.top - 1, at.left - 1)):
            inner = self.expanded(token.text, at, (*within, name.casefold())) if token.kind == "name" else None
            tokens += [token] if inner is None else inner
        alone = [t for t in tokens if t.kind != "space"]
        return alone if len(alone) == 1 else [Token("open", "("), *tokens, Token("close", ")")]

    def function(self, name: str, sheet: str) -> str | None:
        """Return the LAMBDA that a name stands for, None for another name."""
        text = self.text(name, sheet)
        return text if text is not None and _LAMBDA.match(text) else None


def without_prefixes(text: str) -> str:
    """Return a name of a function or variable without what files put before those newer than their format."""
    return _FUTURE.sub("", text)


def bare(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens without the spaces around them."""
    first, last = 0, len(tokens)
    while first < last and tokens[first].kind == "space":
        first += 1
    while last > first and tokens[last - 1].kind == "space":
        last -= 1
    return list(tokens[first:last])
