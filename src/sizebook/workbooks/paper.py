"""What a page of A4 holds, and the scale at which its letters stay readable."""

from collections.abc import Iterable
from math import ceil

A4, A4_POINTS = "9", (595.0, 842.0)  # as a sheet names it, and its sides
WIDEST_LETTER = 5.6  # points of a figure in the default face with its padding, in LibreOffice; Excel 5.25
LEAST_SCALE = 0.89  # letters of 9 points stay at 8


def scale_on_a4(widths: Iterable[float], margins: float) -> int | None:
    """Return the scale at which columns of these widths stay readable on a turned A4 page, None where they do not.

    ``margins`` are the inches at its left and right together.
    """
    scale = int(100 * min(1.0, (A4_POINTS[1] - 72 * margins) / (WIDEST_LETTER * sum(widths))))
    return scale if scale >= 100 * LEAST_SCALE else None


def scale_saving_pages(scale: int, heights: Iterable[float], margins: float) -> int:
    """Return a scale of a turned A4 page, a little smaller where that saves one which would hold but a few rows.

    ``heights`` are the points of what stands between two breaks, ``margins`` the inches above and below together.
    """
    room, found = 0.99 * (A4_POINTS[0] - 72 * margins), scale  # a hundredth for what programs round
    for height in heights:
        pages = ceil(height * scale / 100 / room)
        smaller = int(100 * room * (pages - 1) / height) if pages > 1 else 0
        if smaller >= 100 * LEAST_SCALE:
            found = min(found, smaller)
    return found
