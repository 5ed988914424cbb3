"""An SVG in the making: the marks that charts are drawn with, and what stands around a plot.

WeasyPrint takes as long for an element as for a letter, so that one path holds all bars or lines of a colour, and a
label begins where its width says it does: one that ends at a point is a picture of its own inside a PDF.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

from sizebook.reports.charts.chart_types import Limit
from sizebook.reports.charts.letters import BOLD, REGULAR, Letters, letters
from sizebook.reports.charts.scales import tick_text
from sizebook.reports.charts.theme import PAPER, SMALL, WIDTH, Look, Theme

EDGE = 4  # between what is drawn and the edge of the chart
GAP = 6  # between the plot and a label of its axis
BASELINE = 3  # of a label below the middle of its letters
BELOW = 34  # the labels and the title of the axis below a plot
_ANCHORS = {0.0: "start", 0.5: "middle", 1.0: "end"}
_OTHER_FACES = "Helvetica, Arial, sans-serif"
_SQUARE, _NAME, _BETWEEN, _ROW = 7.5, 15, 11.5, 13.5  # of a legend: the square, its name, the next, the next row
_BELOW_LEGEND = 16
_LONGEST_NAME = 200


class Box(NamedTuple):
    """A rectangle: its left upper corner, its width and its height."""

    x: float
    y: float
    width: float
    height: float


@dataclass
class Drawing:
    """Marks at pixels from the plot's left upper corner, which stands at ``left`` and ``top``, and its size.

    Where it is ``portable``, nobody may have the face of its labels: others follow, and a label keeps its width, since
    a wider face would be cut at the edge.
    """

    look: Look
    portable: bool
    left: float = 0
    top: float = 0
    width: float = 0
    height: float = 0
    marks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.theme: Theme = self.look.theme
        self.faces: dict[int, Letters] = {weight: letters(self.look, weight) for weight in (REGULAR, BOLD)}
        self.letters = self.faces[REGULAR]

    def text(
        self, said: str, at: tuple[float, float], anchor: float = 0, *, colour: str = "", weight: int = REGULAR
    ) -> None:
        """Write a label on a baseline: from a point, around it for 0.5, up to it for 1."""
        self._text(said, "", at, anchor, colour=colour, weight=weight)

    def _text(self, said: str, turn: str, at: tuple[float, float], anchor: float, *, colour: str, weight: int) -> None:
        (x, y), face = at, self.faces[weight]
        width, known = face.width(said), face.has(said)
        drawn = f'<text{turn} x="{_short(x - anchor * width if known else x)}" y="{_short(y)}"'
        if not known and anchor:
            drawn += f' text-anchor="{_ANCHORS[anchor]}"'
        if weight != REGULAR:
            drawn += f' font-weight="{weight}"'
        if known and self.portable:
            drawn += f' textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"'
        self.marks.append(f'{drawn} fill="{colour or self.theme.ink}">{escape(said)}</text>')

    def path(self, lines: str, **look: str | float) -> None:
        """Draw lines, or the areas within them."""
        said = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in {"fill": "none", **look}.items())
        self.marks.append(f'<path d="{lines}"{said}/>')

    def boxes(self, boxes: Iterable[Box], fill: str, edge: float = 0) -> None:
        """Draw rectangles of a colour, with a white edge where they touch others."""
        lines = "".join(
            f"M{_short(x)},{_short(y)}h{_short(width)}v{_short(height)}h{_short(-width)}z"
            for x, y, width, height in boxes
            if width and height
        )
        if lines:
            self.path(lines, fill=fill, stroke=PAPER if edge else "none", stroke_width=edge)

    def grid(self, places: Iterable[float], *, is_upright: bool) -> None:
        """Draw the faint lines of a grid."""
        at = [f"{round(place) + 0.5}" for place in places]
        lines = (f"M{x},0v{_short(self.height)}" if is_upright else f"M0,{x}h{_short(self.width)}" for x in at)
        self.path("".join(lines), stroke=self.theme.hairline, stroke_width=0.6)

    def axis_below(self, ticks: Sequence[tuple[float, str, float]], title: str) -> None:
        """Write the labels of the axis below the plot, each with its place and its anchor, and its title."""
        muted = self.theme.muted
        for place, said, anchor in ticks:
            self.text(said, (place, self.height + 14.5), anchor, colour=muted)
        self.text(title, (self.width / 2, self.height + 30.5), 0.5, colour=muted)

    def axis_beside(self, ticks: Sequence[tuple[float, str]], title: str) -> None:
        """Write the labels of the axis left of the plot and, upright, its title."""
        muted, wide = self.theme.muted, max(self.letters.width(said) for _, said in ticks)
        for place, said in ticks:
            self.text(said, (-GAP, place + BASELINE), 1, colour=muted)
        turn = f' transform="translate({_short(-wide - 2 * GAP - 2)},{_short(self.height / 2)}) rotate(-90)"'
        self._text(title, turn, (0, 0), 0.5, colour=muted, weight=REGULAR)

    def number(self, value: float) -> str:
        """Return a number beside an axis."""
        return tick_text(value, self.look.numbers)

    def limit(self, limit: Limit, place: float, *, is_upright: bool) -> None:
        """Draw the line of a limit across the plot, and its label above it."""
        line = f"M{_short(place)},0v{_short(self.height)}" if is_upright else f"M0,{_short(place)}h{_short(self.width)}"
        self.path(line, stroke=self.theme.ink, stroke_width=1.2, stroke_dasharray="5,3")
        if not is_upright:
            self.text(limit.label, (2, place - 5))
        elif self.left + place > self.letters.width(limit.label) + 2 * EDGE:
            self.text(limit.label, (place - 4, -4), 1)
        else:
            self.text(limit.label, (place + 4, -4))

    def legend(self, names: Sequence[str], colours: Sequence[str]) -> None:
        """Draw squares with names above the plot, in as many rows as they need, and move it down by these."""
        said = [self.letters.cut(name, _LONGEST_NAME) for name in names]
        room = WIDTH - self.left - EDGE + _BETWEEN
        in_rows = [-(-len(said) // n_rows) for n_rows in range(1, len(said) + 1)]
        columns = next((n for n in in_rows if sum(self._columns(said, n)) <= room), 1)
        wide = self._columns(said, columns)
        self.top = -(-len(said) // columns) * _ROW + _BELOW_LEGEND
        for at, (name, colour) in enumerate(zip(said, colours, strict=False)):
            x, y = sum(wide[: at % columns]), at // columns * _ROW + 2 - self.top
            self.boxes([Box(x + 2, y + 2, _SQUARE, _SQUARE)], colour)
            self.text(name, (x + _NAME, y + 9))

    def _columns(self, names: Sequence[str], n: int) -> list[float]:
        return [_NAME + max(map(self.letters.width, names[at::n])) + _BETWEEN for at in range(n)]

    def svg(self) -> str:
        """Return the chart as SVG, as wide as the text of a report."""
        face = self.theme.text_face + (f", {_OTHER_FACES}" if self.portable else "")
        height = _short(self.top + self.height + BELOW)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}"><rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>'
            f'<g transform="translate({_short(self.left)},{_short(self.top)})" font-family="{escape(face)}" '
            f'font-size="{SMALL}px">{"".join(self.marks)}</g></svg>'
        )


def _short(pixels: float) -> str:
    return f"{pixels:.2f}".rstrip("0").rstrip(".")
