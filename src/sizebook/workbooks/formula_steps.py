"""Steps of long formulas of a planning workbook: each once, a row beside the calls of functions, short to read.

A text of a figure names the figure again and again: how large it is decides how many digits are written. A comparison
names both its figures, and a check makes many. So the sheet holds, in a row, a figure, its decimals and its text, or
two figures and whether they are equal; the formula that says it names the last of the three. Conditions that all must
hold stand below each other, and a part that makes a formula too long in a row of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from openpyxl import Workbook

from sizebook.calculation.tokens import arguments, called_name, closing, tokenize
from sizebook.workbooks.held_values import CALLS
from sizebook.workbooks.text_formulas import (
    FORMULA_PART,
    LISTED,
    MONEY_TEXT,
    NEARLY_EQUAL,
    NUMBER_TEXT,
    decimals_needed,
    equal_but_for_rounding,
    money_written,
    number_written,
)

_FIRST, _KIND, _ONE, _OTHER, _LAST = 8, "H", "I", "J", "K"  # on the hidden sheet of calls, right of them
_KINDS = {
    NUMBER_TEXT: "Figure, decimals (below 0 a power of ten), text",
    MONEY_TEXT: "Amount, decimals (below 0 a power of ten), text",
    NEARLY_EQUAL: "Figure, figure, equal but for rounding",
    FORMULA_PART: "Part of a formula",
    LISTED: "One of several parts",
}


def has_steps(formula: str) -> bool:
    """Return whether a formula has a part that stands as a step of its own."""
    return any(f"{kind}(" in formula for kind in _KINDS)


@dataclass
class FormulaSteps:
    """The hidden sheet of steps of one workbook being built."""

    workbook: Workbook
    _known: dict[tuple[str, ...], str] = field(default_factory=dict)
    _next: int = _FIRST

    def named(self, formula: str, step_of: Callable[[str], str], constant: Callable[[str], str]) -> str:
        """Return a formula that names the steps in whose place it has the calls of `text_formulas`.

        ``step_of`` gives the formula of a figure as this sheet writes it, ``constant`` the reference to an input.
        """
        tokens, out, at = tokenize(formula), list[str](), 0
        while at < len(tokens):
            kind = called_name(tokens[at]) if tokens[at].kind == "call" else ""
            if kind in _KINDS:
                end = closing(tokens, at)
                parts = ("".join(token.text for token in part) for part in arguments(tokens, at, end))
                figures = [step_of(self.named(part, step_of, constant)) for part in parts]
                out.append(self._step(kind, figures, constant))
                at = end
            else:
                out.append(tokens[at].text)
            at += 1
        return ("=" if formula.startswith("=") else "") + "".join(out)

    def _step(self, kind: str, figures: Sequence[str], constant: Callable[[str], str]) -> str:
        key = (kind, *figures)
        if key not in self._known:
            sheet, first = self._sheet(), self._next
            self._next += len(figures) if kind == LISTED else 1
            for row, figure in enumerate(figures[: self._next - first], first):
                sheet[f"{_KIND}{row}"], sheet[f"{_ONE}{row}"] = _KINDS[kind], f"={figure}"
            if kind == LISTED:
                self._known[key] = f"{CALLS}!${_ONE}${first}:${_ONE}${self._next - 1}"
            elif kind == FORMULA_PART:
                self._known[key] = f"{CALLS}!${_ONE}${first}"
            else:
                self._finish_row(sheet, first, kind, figures, constant)
                self._known[key] = f"{CALLS}!${_LAST}${first}"
        return self._known[key]

    def _finish_row(
        self, sheet: Any, row: int, kind: str, figures: Sequence[str], constant: Callable[[str], str]
    ) -> None:
        one, other = f"{_ONE}{row}", f"{_OTHER}{row}"
        if kind == NEARLY_EQUAL:
            sheet[other] = f"={figures[1]}"
            sheet[f"{_LAST}{row}"] = f"={equal_but_for_rounding(one, other, constant('rounding'))}"
            return
        shown = number_written(one, other)
        shown = money_written(one, shown, constant("currency")) if kind == MONEY_TEXT else shown
        sheet[other] = f"=IF(ISNUMBER({one}),{decimals_needed(one)},0)"
        sheet[f"{_LAST}{row}"] = f"=IF(ISNUMBER({one}),{shown},{one})"

    def _sheet(self) -> Any:
        if CALLS not in self.workbook.sheetnames:
            self.workbook.create_sheet(CALLS).sheet_state = "hidden"
        return self.workbook[CALLS]
