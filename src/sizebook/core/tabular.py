"""A range with heads in its first row, answered row by row: a sweep in one cell.

A head is the name of an argument, in any case; an old name is taken for the new. A row that cannot be answered keeps
its place: its figures are errors, its reason stands in the last column. A blank row stays blank.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from sizebook.core.coercion import Range, as_text, is_blank
from sizebook.core.errors import CellError, InputError, SizebookError, UnknownKeyError, shown
from sizebook.core.hints import suggestion
from sizebook.core.sections import Quantity

# A column of Excel has a million cells; a sweep that long belongs to `sizebook sweep`, which reads it in pieces.
MOST_ROWS = 100_000
REASON = "reason"
NOT_KNOWN = CellError("#N/A")

Table = Annotated[
    Range,
    Quantity("range with heads in its first row, the names of arguments, and a case in each further row", kind="range"),
]
Answers = Annotated[Range, Quantity("heads and a line of results for each row", unit="lines", kind="range")]


@dataclass(frozen=True)
class Columns:
    """What heads a table may have, which it must have, and what its results are called, the reason last.

    ``further`` are results that a table has, before the reason, where one of its heads asks for them.
    """

    known: Sequence[str]
    required: Sequence[str]
    results: Sequence[str]
    further: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def results_of(self, heads: Collection[str]) -> tuple[str, ...]:
        """Return the results of a table with these heads, the reason last."""
        asked = (name for head, names in self.further.items() if head in heads for name in names)
        return (*self.results[:-1], *asked, self.results[-1])


def answered(
    table: Range, columns: Columns, answer: Callable[[Sequence[str]], Callable[[Sequence[Any]], Any]]
) -> Range:
    """Return the results of every row under their heads.

    ``answer`` is given the heads and returns what answers the cells of one row with a mapping of results; what it
    raises is the row's reason. Errors: heads that are unknown, given twice, blank or missing, and too many rows.
    """
    heads = _heads(table[0], columns)
    rows = table[1:]
    while rows and _is_empty(rows[-1]):
        rows.pop()
    if len(rows) > MOST_ROWS:
        raise InputError(
            f"too many rows: got {len(rows)}, want at most {MOST_ROWS} in one cell. Use 'sizebook sweep' for the table."
        )
    answer_row, results = answer(heads), columns.results_of(heads)
    return [list(results), *(_line(row, results, answer_row) for row in rows)]


def _line(
    row: Sequence[Any], results: Sequence[str], answer: Callable[[Sequence[Any]], Mapping[str, Any]]
) -> list[Any]:
    if _is_empty(row):
        return [""] * len(results)
    several = [cell for cell in row if isinstance(cell, (list, tuple, dict))]
    try:
        if several:
            raise InputError(f"several values: got {shown(several[0])} in one cell, want one value a cell. Split it.")
        found = answer(row)
    except SizebookError as error:
        found = {REASON: str(error)}
    figures = (found.get(name) for name in results[:-1])
    return [*(NOT_KNOWN if figure is None else figure for figure in figures), found.get(REASON) or ""]


def _heads(first: Sequence[Any], columns: Columns) -> list[str]:
    heads = []
    for cell in first:
        if is_blank(cell):
            raise InputError("column without a head: got a blank cell in the first row, want a name. Name the column.")
        word = as_text(cell)
        name = word.casefold()
        if name not in columns.known:
            raise UnknownKeyError(
                f"unknown head: got {shown(word)}, want the name of an argument.{suggestion(name, columns.known)} "
                "Leave columns of your own outside the range."
            )
        if name in heads:
            raise InputError(f"head given twice: got {name} again, want each once. Remove one column.")
        heads.append(name)
    missing = [name for name in columns.required if name not in heads]
    if missing:
        raise InputError(f"missing head: got {', '.join(heads)}, want {', '.join(missing)} too. Add the column.")
    return heads


def _is_empty(row: Sequence[Any]) -> bool:
    return all(is_blank(cell) for cell in row)
