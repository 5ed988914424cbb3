"""Names of sheets and words as formulas write them."""

import re


def quoted(sheet: str) -> str:
    """Return a sheet name as formulas write it, in quotes only where it needs them."""
    return sheet if re.fullmatch(r"[A-Za-z_]\w*", sheet) else "'" + sheet.replace("'", "''") + "'"


def text(word: str) -> str:
    """Return a word as formulas write it."""
    return '"' + word.replace('"', '""') + '"'
