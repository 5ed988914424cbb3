"""How wide a label of a chart is, for the room that a plot leaves it: the renderer takes a millisecond for a word."""

from functools import cache

from fontTools.ttLib import TTFont

from sizebook.reports.charts import theme
from sizebook.sources.bundled import bundled

_MISSING = 1.0  # em, of a sign that another face lends


def text_width(text: str) -> float:
    """Return how wide a label of small print is in pixels: in the house's face, without kerning; in others, roughly."""
    advances = _advances()
    return theme.SMALL * sum(advances.get(ord(sign), _MISSING) for sign in text)


def is_in_face(text: str) -> bool:
    """Return whether the house's face has every sign of a label, so that its width is known."""
    return all(ord(sign) in _advances() for sign in text)


@cache
def _advances() -> dict[int, float]:
    """Return the advance of each sign of the house's text face in its size."""
    with TTFont(bundled("templates") / "fonts" / "Inter-Regular.ttf", lazy=True) as face:
        size, widths = face["head"].unitsPerEm, face["hmtx"].metrics
        return {sign: widths[name][0] / size for sign, name in face.getBestCmap().items()}
