"""How wide a label of a chart is, so that it stands where it fits: the sum of its letters' widths, without kerning."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fontTools.ttLib import TTFont

from sizebook.reports.charts.theme import HOUSE, SMALL, Look
from sizebook.sources.bundled import bundled

REGULAR, BOLD = 400, 600
_FILES = {REGULAR: "Inter-Regular.ttf", BOLD: "Inter-SemiBold.ttf"}
_MISSING = 1.0  # em, of a sign that another face lends


@dataclass(frozen=True)
class Letters:
    """How far each sign of a face advances, in its size."""

    advances: dict[str, float]

    def width(self, text: str) -> float:
        """Return how wide a label of small print is in pixels."""
        return SMALL * self.ems(text)

    def ems(self, text: str) -> float:
        """Return how wide a text is in sizes of its letters."""
        return sum(self.advances.get(sign, _MISSING) for sign in text)

    def has(self, text: str) -> bool:
        """Return whether the face has every sign of a label, so that its width is known."""
        return self.advances.keys() >= set(text)

    def cut(self, text: str, most: float) -> str:
        """Return a label that is at most so wide, an ellipsis for what it has no room for."""
        if self.width(text) <= most:
            return text
        kept = len(text)
        while kept and self.width(text[:kept] + "\u2026") > most:
            kept -= 1
        return text[:kept].rstrip() + "\u2026"


@cache
def letters(look: Look, weight: int) -> Letters:
    """Return the letters of a look's text face; of a brand that has no bold one, those of the other weight."""
    own = {face.weight: face.file for face in look.faces if face.family == look.theme.text_face}
    if look.theme.text_face == HOUSE.text_face or not own:
        return _letters(Path(bundled("templates")) / "fonts" / _FILES[weight])
    return _letters(own.get(weight) or own[REGULAR])


@cache
def _letters(file: Path) -> Letters:
    with TTFont(file, lazy=True) as face:
        size, widths = face["head"].unitsPerEm, face["hmtx"].metrics
        return Letters({chr(sign): widths[name][0] / size for sign, name in face.getBestCmap().items()})
