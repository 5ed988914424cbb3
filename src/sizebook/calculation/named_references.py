"""What the names in a formula stand for: defined names, structured references, LAMBDAs and their variables."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from sizebook.calculation.copies import grows
from sizebook.calculation.names import NotCalculableError, without_prefixes
from sizebook.calculation.spreadsheet_functions import ARRAY
from sizebook.calculation.tables import plain_area
from sizebook.calculation.tokens import Area, Token, in_order, lies_beyond, tokenize
from sizebook.calculation.workbook_context import WorkbookContext


@dataclass
class NamedReferences(ABC):
    """A formula of one cell whose names are put in place of.

    Attributes:
        moves: in another cell it reads as here, references that are not fixed moved along (`copies.Template`).
        depends_on_place: where nothing was changed in this cell, something may have to be in another.
        lambdas: the LAMBDAs that it calls by name, rewritten.
        variables: the variables of its LETs and LAMBDAs, in small letters.
    """

    book: WorkbookContext
    at: Area
    ordinary: bool = True
    depends_on_place: bool = False
    moves: bool = True
    lambdas: dict[str, str] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)

    @abstractmethod
    def _part(self, tokens: Sequence[Token], kind: str) -> str:
        """Return an expression rewritten for where it stands: one value, a range, or an array."""

    def _without_names(self, tokens: Sequence[Token]) -> list[Token]:
        """Return the tokens with names, structured references and areas over sheets as plain references."""
        found: list[Token] = []
        for token in tokens:
            if token.kind in ("name", "bracket"):
                found += self._named(token)
            elif token.kind == "reference" and lies_beyond(token.text):
                found += self._beyond(token)
            elif token.kind == "reference":
                found.append(Token("reference", in_order(token.text)))
            else:
                found.append(token)
        return found

    def _beyond(self, token: Token) -> list[Token]:
        """Return what a name stands for that reads like a cell beyond the sheet, as XYZ1 does."""
        if self.book.names.text(token.text, self.at.sheet) is None:
            raise NotCalculableError(f"{token.text} lies beyond the sheet")
        return self._named(Token("name", token.text))

    def _named(self, token: Token) -> list[Token]:
        self.depends_on_place = True
        text = without_prefixes(token.text)
        if token.text.lower().startswith("_xlpm."):  # a variable of LET or LAMBDA, which may read like a cell
            self.variables.add(text.casefold())
            return [token]
        if text.casefold() in self.book.links.names:
            self.moves = False
            return tokenize(self.book.links.names[text.casefold()])
        if text.upper() in ("TRUE", "FALSE"):
            return [token]
        if text.startswith("["):
            self.moves = False
            found = plain_area(text, self.at, self.book.tables) if "!" not in text else None
            if found is None:
                raise NotCalculableError(f"{text} refers to another workbook or to no table")
            return tokenize(found)
        tokens = self.book.names.expanded(text, self.at)
        if tokens is not None:
            self.moves &= not any(token.kind == "reference" and grows(token.text) for token in tokens)
            return self._without_names(tokens)
        found = plain_area(text, self.at, self.book.tables)
        if found is not None:
            self.moves = False
            return tokenize(found)
        if "[" in text or "!" in text:
            raise NotCalculableError(f"{text} is not known here")
        self._lambda(text)
        return [Token("name", text)]

    def _lambda(self, name: str) -> None:
        """Note a LAMBDA that a name stands for, those that it calls first; one that calls itself is refused."""
        body = self.book.names.function(name, self.at.sheet)
        key = name.casefold()
        if body is None or (self.lambdas.get(key)):
            return
        self.moves = False
        if key in self.lambdas:
            raise NotCalculableError(f"the LAMBDA {name} calls itself")
        self.lambdas[key] = ""
        inner = self._part(self._without_names(tokenize(body)), ARRAY)
        del self.lambdas[key]
        self.lambdas[key] = inner
