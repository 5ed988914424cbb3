"""Ranges as SVG: a bar a quantity on a logarithmic axis around 1, its ends in words beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from xml.sax.saxutils import escape

INK, MUTED, HAIRLINE = "#1B1F24", "#5B6570", "#D8DEE4"
COLOURS = {"computed": "#009E73", "estimated": "#0072B2"}  # Okabe-Ito
LEFT, TOP, WIDE, ROW, RIGHT = 180, 64, 420, 26, 110
LEAST, MOST = 0.5, 6.0
TICKS = (0.5, 0.7, 1, 1.4, 2, 3, 5)


@dataclass(frozen=True)
class Range:
    """Measured over predicted of one quantity: both ends, the middle, and whether it is computed or estimated."""

    what: str
    low: float
    middle: float
    high: float
    kind: str


def _place(value: float) -> float:
    return LEFT + WIDE * log(max(LEAST, min(MOST, value)) / LEAST) / log(MOST / LEAST)


def _text(x: float, y: float, words: str, colour: str = INK, anchor: str = "start", weight: int = 400) -> str:
    style = f'font-size="13" font-weight="{weight}" text-anchor="{anchor}" fill="{colour}"'
    return f'<text x="{x:.0f}" y="{y:.0f}" {style}>{escape(words)}</text>\n'


def range_chart(title: str, ranges: Sequence[Range]) -> str:
    """Return the chart."""
    bottom = TOP + ROW * len(ranges)
    said = escape(f"{title}. " + "; ".join(f"{each.what} {_ends(each)}" for each in ranges), {'"': "&quot;"})
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDE + RIGHT} {bottom + 34}" '
        f'font-family="Inter, sans-serif" role="img" aria-label="{said}">\n',
        '<rect width="100%" height="100%" fill="#fff"/>\n',
        _text(16, 24, title, weight=600),
        *(_text(16 + 100 * i, 44, kind, colour, weight=600) for i, (kind, colour) in enumerate(COLOURS.items())),
    ]
    for tick in TICKS:
        x, width = _place(tick), 1.4 if tick == 1 else 0.6
        colour = MUTED if tick == 1 else HAIRLINE
        parts.append(f'<path d="M{x:.1f} {TOP - 8}V{bottom}" stroke="{colour}" stroke-width="{width}"/>\n')
        parts.append(_text(x, bottom + 20, f"{tick:g}", MUTED, "middle"))
    for i, each in enumerate(ranges):
        parts += _bar(each, TOP + ROW * i + ROW / 2)
    return "".join(parts) + "</svg>\n"


def _bar(each: Range, y: float) -> list[str]:
    low, high, colour = _place(each.low), _place(each.high), COLOURS[each.kind]
    return [
        _text(16, y + 4, each.what),
        f'<rect x="{low - 2:.1f}" y="{y - 6:.1f}" width="{high - low + 4:.1f}" height="12" rx="3" fill="{colour}"/>\n',
        f'<path d="M{_place(each.middle):.1f} {y - 6:.1f}v12" stroke="#fff" stroke-width="2"/>\n',
        _text(LEFT + WIDE + 12, y + 4, _ends(each), MUTED),
    ]


def _ends(each: Range) -> str:
    return "exact" if each.low == each.high == 1 else f"{each.low:.2f} to {each.high:.2f}"
