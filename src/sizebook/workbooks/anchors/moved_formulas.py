"""Formulas as they read once rows were added or removed, and the error where that is impossible."""

import re

from sizebook.core.errors import InputError
from sizebook.workbooks.anchors.row_move import CannotMoveError, RowMove, RowsGoneError

# What holds a formula, by the local name of the element, in every part; its text is read where the element stands.
FORMULAS = {
    "formula",
    "formula1",
    "formula2",
    "f",
    "calculatedColumnFormula",
    "totalsRowFormula",
    "FmlaLink",
    "FmlaRange",
    "FmlaTxbx",
}
CHARTS = "xl/charts/"


def whole_number(text: str | None, default: int = 0) -> int:
    """Return a whole number of a part of a workbook. Errors: `InputError` for anything else."""
    if not text:
        return default
    if re.fullmatch(r"-?\d{1,10}", text.strip(), re.ASCII) is None:
        raise InputError(
            f"damaged workbook: got '{text[:40]}' for a row, a column or a count, want a whole number. "
            "Open and save it in Excel."
        )
    return int(text)


def cannot_move(move: RowMove, where: str, why: str) -> InputError:
    """Return the error for something that the rows of a table would split or lose."""
    verb = "grow" if move.by > 0 else "shrink"
    return InputError(
        f"table cannot {verb}: got {where}: {why}, want {abs(move.by)} rows "
        f"{'more' if move.by > 0 else 'fewer'} in {move.table} of {move.book}. Move it out of the way, or give "
        "the table a sheet of its own."
    )


def moved_formula(move: RowMove, text: str, sheet: str, *, where: str, inside: bool = False) -> str:
    """Return a formula as it reads afterwards. Errors: `InputError`."""
    try:
        return move.formula(text, sheet, inside=inside, one_cell=where.startswith(CHARTS))
    except RowsGoneError:
        raise cannot_move(move, where, f"={text} refers to a row that the table gives up") from None
    except CannotMoveError as reason:
        raise cannot_move(move, where, f"={text} cannot follow, {reason}") from None
