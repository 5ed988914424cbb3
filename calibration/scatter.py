"""Predicted against measured as SVG: logarithmic axes, one dot a row, the diagonal and lines a fifth off it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

INK, MUTED, HAIRLINE = "#1B1F24", "#5B6570", "#D8DEE4"
LEFT, TOP, SIDE = 56, 46, 480


@dataclass(frozen=True)
class Axes:
    """What a chart shows: its title before the share within a fifth, the figure and unit of both axes, their ends and
    ticks in that unit, and the colour of each series."""

    title: str
    rows: str
    figure: str
    unit: str
    least: float
    most: float
    ticks: Sequence[float]
    series: Mapping[str, str]

    def place(self, values: Any) -> Any:
        """Return how far along an axis values lie."""
        return SIDE * np.log(np.asarray(values) / self.least) / np.log(self.most / self.least)


def _line(points: Sequence[tuple[float, float]], colour: str, width: float) -> str:
    path = " ".join(f"{'L' if i else 'M'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(points))
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>\n'


def _text(
    x: float, y: float, words: str, colour: str, *, anchor: str = "start", size: int = 12, weight: int = 400
) -> str:
    font = f'font-size="{size}" font-weight="{weight}" text-anchor="{anchor}"'
    return f'<text x="{x:.0f}" y="{y:.0f}" {font} fill="{colour}">{words}</text>\n'


def message(axes: Axes, share: float) -> str:
    """Return what the chart says: how many rows lie within a fifth of the measurement."""
    return f"{100 * share:.0f} % of {axes.rows} lie within a fifth of the measurement"


def scatter(axes: Axes, measured: Any, predicted: Any, series: Sequence[str]) -> str:
    """Return the chart; values stand in the unit of the axes."""
    within = message(axes, float(np.mean(np.abs(predicted / measured - 1) <= 0.2)))
    total = f"{LEFT + SIDE + 24} {TOP + SIDE + 48}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total}" font-family="Inter, sans-serif" role="img" '
        f'aria-label="Predicted against measured {axes.figure}: {within}">\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n',
        _text(LEFT, 20, f"{axes.title}: {within}", INK, size=14, weight=600),
        *_grid(axes),
        *_dots(axes, measured, predicted, series),
        _text(LEFT + SIDE, TOP + SIDE + 36, f"measured {axes.figure}, {axes.unit}", MUTED, anchor="end"),
        _text(LEFT, TOP - 10, f"predicted, {axes.unit}", MUTED),
    ]
    return "".join(parts) + "</svg>\n"


def _grid(axes: Axes) -> list[str]:
    """Return hairlines and numbers at the ticks, the diagonal and the lines a fifth off it."""
    parts = []
    for tick in axes.ticks:
        at = float(axes.place(tick))
        x, y = LEFT + at, TOP + SIDE - at
        parts.append(
            _line(((x, TOP), (x, TOP + SIDE)), HAIRLINE, 0.5) + _line(((LEFT, y), (LEFT + SIDE, y)), HAIRLINE, 0.5)
        )
        parts.append(_text(x, TOP + SIDE + 16, f"{tick:g}", MUTED, anchor="middle", size=11))
        parts.append(_text(LEFT - 8, y + 4, f"{tick:g}", MUTED, anchor="end", size=11))
    for factor, width in ((1.0, 1.2), (0.8, 0.6), (1.2, 0.6)):
        ends = [(value, value * factor) for value in (axes.least * 1.3, axes.most / 1.3)]
        places = [(LEFT + float(axes.place(m)), TOP + SIDE - float(axes.place(p))) for m, p in ends]
        parts.append(_line(places, MUTED, width))
    return parts


def _dots(axes: Axes, measured: Any, predicted: Any, series: Sequence[str]) -> list[str]:
    """Return the rows of each series as one path of dots, and its name in its colour."""
    parts = []
    for i, (name, colour) in enumerate(axes.series.items()):
        at = np.array([each == name for each in series])
        spots = zip(axes.place(measured[at]), axes.place(predicted[at]), strict=True)
        path = "".join(f"M{LEFT + x:.0f} {TOP + SIDE - y:.0f}h0" for x, y in spots)
        parts.append(
            f'<path d="{path}" stroke="{colour}" stroke-width="3" stroke-linecap="round" stroke-opacity="0.45"/>\n'
        )
        parts.append(_text(LEFT + 12, TOP + 18 + 16 * i, name, colour, weight=600))
    return parts
