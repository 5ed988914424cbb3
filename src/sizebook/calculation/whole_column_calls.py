"""Calls over whole columns, written as calls over as many rows as matter."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from sizebook.calculation.named_references import NamedReferences
from sizebook.calculation.spreadsheet_functions import ARRAY, SpreadsheetFunction, spreadsheet_functions
from sizebook.calculation.tokens import Token
from sizebook.calculation.whole_columns import (
    ADDED,
    MOST_CUTS,
    blank_counts,
    counted,
    cut,
    may_reach_beyond,
    with_one_blank_row,
)


@dataclass
class WholeColumnCalls(NamedReferences):
    """A formula whose calls over whole columns are cut to rows; ``n_cuts`` of them so far."""

    n_cuts: int = 0

    @abstractmethod
    def _spreadsheet_call(
        self, name: str, function: SpreadsheetFunction, parts: Sequence[list[Token]], kind: str
    ) -> str:
        """Return a call of a function of spreadsheets rewritten."""

    def _over_rows(self, name: str, parts: list[list[Token]], kind: str) -> str:
        """Return a call over whole columns as calls over as many rows as matter; nothing where it stays as it is."""
        if name == "COUNTIFS":
            return self._counted(parts, kind)
        function = spreadsheet_functions()[name]
        found = cut(name, function, parts, used=self.book.used, sheet=self.at.sheet, in_array=kind == ARRAY)
        if found is None or self.n_cuts >= MOST_CUTS:
            return ""
        self.n_cuts += 1
        self.depends_on_place, self.moves = True, self.moves and not found.has_rows
        if name in ADDED:
            blank = [part for part, whole in zip(found.blank, parts, strict=True) if part != whole]
            again = self._spreadsheet_call(name, function, blank, kind)
            return f"({self._spreadsheet_call(name, function, found.used, kind)}+{found.n_rows_left}*{again})"
        if with_one_blank_row(name, parts):
            return self._spreadsheet_call(name, function, found.with_blank, kind)
        condition = blank_counts(name, parts, found.blank)
        if not condition:
            return ""
        whole, self.n_cuts = self.n_cuts, MOST_CUTS
        all_rows = self._spreadsheet_call(name, function, parts, kind)
        self.n_cuts = whole
        with_blank = self._spreadsheet_call(name, function, found.with_blank, kind)
        return f"IF({self._part(condition, ARRAY)},{all_rows},{with_blank})"

    def _counted(self, parts: list[list[Token]], kind: str) -> str:
        """Return a COUNTIFS that counts blank cells beyond the used rows too."""
        found, known = counted(parts, self.book.used, self.at.sheet), spreadsheet_functions()
        if found is None:
            if may_reach_beyond(parts):
                self.moves = False
            return ""
        self.moves = False
        once = "*".join(self._spreadsheet_call("COUNTIF", known["COUNTIF"], pair, kind) for pair in found.blanks)
        beyond = f"{found.n_rows_left}*{once}"
        return (
            f"({self._spreadsheet_call('COUNTIFS', known['COUNTIFS'], found.used, kind)}+{beyond})"
            if found.used
            else beyond
        )
