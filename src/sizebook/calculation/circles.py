"""References that a formula works out, with INDIRECT and OFFSET, and that lead back to its own cell.

The engine finds circles through several cells as it runs, but gives 0 where such a reference reads the cell itself.
So the call tells where it leads before the engine follows it.
"""

from typing import Any

from sizebook.calculation.copies import Corner, relative
from sizebook.calculation.tokens import Area, area, cell_at

TELL = ("INDIRECT", "OFFSET")
MEASURE = ("ROW", "ROWS", "COLUMN", "COLUMNS", "AREAS", "ISREF")  # ask where a reference is, and read nothing


def start(reference: str, at: Area) -> str | None:
    """Return a plain reference as a text that copies of the formula share; None for another.

    It holds top, left, bottom, right and sheet; a number is counted from the formula's cell unless ``$`` fixes it.
    """
    place, corners = (
        area(reference, at.sheet),
        [piece for piece in relative(reference, at) if isinstance(piece, Corner)],
    )
    if place is None or not corners:
        return None
    ends = []
    for corner, row, column in ((corners[0], place.top, place.left), (corners[-1], place.bottom, place.right)):
        ends += [f"${row}" if corner.down is None else str(corner.down)]
        ends += [f"${column}" if corner.across is None else str(corner.across)]
    return ";".join([*ends, place.sheet])


def offset_reaches(cell: tuple[str, str], begins: str, *given: Any) -> bool:
    """Return whether OFFSET from a start, with its rows, columns, height and width, reaches the formula's cell."""
    sheet, own = cell[0], cell_at(cell[1]) or (0, 0)
    *ends, other = begins.split(";", 4)
    top, left, bottom, right = (
        int(end[1:]) if end[0] == "$" else own[number % 2] + int(end) for number, end in enumerate(ends)
    )
    down, across, height, width = (int(value) if isinstance(value, float) else 0 for value in (*given, 0, 0, 0)[:4])
    rows, columns = height or bottom - top + 1, width or right - left + 1
    first, start_ = top + down + min(0, rows + 1), left + across + min(0, columns + 1)
    inside = first <= own[0] < first + abs(rows) and start_ <= own[1] < start_ + abs(columns)
    return inside and other.casefold() == sheet.casefold()


def text_reaches(cell: tuple[str, str], text: Any) -> bool:
    """Return whether a text is a reference to the formula's cell, or to an area with it."""
    place, own = area(text, cell[0]) if isinstance(text, str) else None, cell_at(cell[1])
    if place is None or own is None or place.sheet.casefold() != cell[0].casefold():
        return False
    return place.top <= own[0] <= place.bottom and place.left <= own[1] <= place.right
