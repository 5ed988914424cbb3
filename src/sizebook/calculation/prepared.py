"""A workbook as the engine reads it: its file, its formulas, and what became of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat

from sizebook.calculation.calculated import Place
from sizebook.calculation.formula_cache import RewrittenFormulas
from sizebook.calculation.sheet_formulas import ArrayFormula
from sizebook.calculation.tokens import shifted


@dataclass
class Prepared:
    """A workbook as the engine reads it.

    Attributes:
        file: the engine's file.
        places: where the formulas stand; the place of each in this list is its number.
        arrays: those of them that are array formulas, by their number.
        refused: the cells that cannot be calculated, and why.
        stored_errors: the error values that the file holds beside formulas.
        rewritten, refused_formulas: what became of formulas that do not stand as they are, by their number.
        cached: the same of a calculation before, taken in place of rewriting.
        hang_on_values: what became of formulas hangs on what cells hold, too.
        sheets: the sheets, each told to calls by its number in this list.
    """

    dates_from_1904: bool
    sheets: tuple[str, ...]
    file: bytes = b""
    places: list[Place] = field(default_factory=list)
    arrays: dict[int, ArrayFormula] = field(default_factory=dict)
    refused: dict[Place, str] = field(default_factory=dict)
    stored_errors: dict[Place, str] = field(default_factory=dict)
    rewritten: dict[int, str] = field(default_factory=dict)
    refused_formulas: dict[int, str] = field(default_factory=dict)
    cached: RewrittenFormulas | None = None
    hang_on_values: bool = False
    _texts: list[tuple[str, int, int]] = field(default_factory=list)

    @cached_property
    def texts(self) -> list[str]:
        """The formulas as the workbook has them, once all are noted; a shared one as it reads in each cell."""
        return [shifted(text, *by) if any(by) else text for text, *by in self._texts]

    def may_refer_to(self, sheet: str) -> Iterator[tuple[Place, str]]:
        """Yield the formulas that stand on a sheet or hold its name: no other can refer to a cell of it."""
        own = {each for each in self.sheets if each.casefold() == sheet.casefold()}
        named = sheet.casefold().replace("'", "''")
        for place, text, lower in zip(self.places, self.texts, self._lower_texts, strict=True):
            if place[0] in own or named in lower:
                yield place, text

    @cached_property
    def _lower_texts(self) -> list[str]:
        """The formulas for a search without regard to case, once all are noted."""
        return [text.casefold() for text in self.texts]

    @cached_property
    def formula_places(self) -> frozenset[Place]:
        """The cells that hold formulas, once all are noted."""
        return frozenset(self.places)

    def all_rewritten(self) -> RewrittenFormulas:
        """Return what became of all formulas, for the next calculation of the same ones."""
        return RewrittenFormulas(list(map(self.rewritten.get, range(len(self.places)))), self.refused_formulas)

    def add(self, place: Place, text: str, down: int = 0, across: int = 0) -> int:
        """Note a formula, given as it reads so many rows up and columns to the left; return its number."""
        self.places.append(place)
        self._texts.append((text, down, across))
        return len(self.places) - 1

    def add_all(self, places: Sequence[Place], texts: Sequence[str]) -> int:
        """Note formulas as they read in their cells; return the number of the first, from which the others count on."""
        first = len(self.places)
        self.places += places
        self._texts += zip(texts, repeat(0), repeat(0))
        return first
