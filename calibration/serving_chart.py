"""The chart of docs/serving_accuracy.md as SVG: predicted against measured time per token, on logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

INK, MUTED, HAIRLINE = "#1B1F24", "#5B6570", "#D8DEE4"
SERIES = {"vllm": "#0072B2", "sglang": "#E69F00", "tensorrt-llm": "#009E73"}  # Okabe-Ito
LEFT, TOP, SIDE = 56, 46, 480
LEAST, MOST = 2e-3, 0.4  # seconds
TICKS = (2, 5, 10, 20, 50, 100, 200, 400)


def _place(seconds: Any) -> Any:
    return SIDE * (np.log(seconds) - np.log(LEAST)) / (np.log(MOST) - np.log(LEAST))


def _line(points: Sequence[tuple[float, float]], colour: str, width: float) -> str:
    path = " ".join(f"{'L' if i else 'M'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(points))
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>\n'


def _text(
    x: float, y: float, words: str, colour: str, *, anchor: str = "start", size: int = 12, weight: int = 400
) -> str:
    font = f'font-size="{size}" font-weight="{weight}" text-anchor="{anchor}"'
    return f'<text x="{x:.0f}" y="{y:.0f}" {font} fill="{colour}">{words}</text>\n'


def scatter(measured: Any, predicted: Any, engines: Sequence[str]) -> str:
    """Return the chart: one dot a row, the diagonal, and lines a fifth off it."""
    off = np.abs(predicted / measured - 1)
    within = f"{100 * np.mean(off <= 0.2):.0f} % of rows lie within a fifth of the measurement"
    total = f"{LEFT + SIDE + 24} {TOP + SIDE + 48}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total}" font-family="Inter, sans-serif" role="img" '
        f'aria-label="Predicted against measured time per token: {within}">\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n',
        _text(LEFT, 20, f"Unseen engine x GPU: {within}", INK, size=14, weight=600),
    ]
    for tick in TICKS:
        at = float(_place(tick / 1e3))
        x, y = LEFT + at, TOP + SIDE - at
        parts.append(
            _line(((x, TOP), (x, TOP + SIDE)), HAIRLINE, 0.5) + _line(((LEFT, y), (LEFT + SIDE, y)), HAIRLINE, 0.5)
        )
        parts.append(_text(x, TOP + SIDE + 16, str(tick), MUTED, anchor="middle", size=11))
        parts.append(_text(LEFT - 8, y + 4, str(tick), MUTED, anchor="end", size=11))
    for factor, width in ((1.0, 1.2), (0.8, 0.6), (1.2, 0.6)):
        ends = [(s, s * factor) for s in (LEAST * 1.3, MOST / 1.3)]
        parts.append(_line([(LEFT + float(_place(m)), TOP + SIDE - float(_place(p))) for m, p in ends], MUTED, width))
    for i, (engine, colour) in enumerate(SERIES.items()):
        at = np.array([each == engine for each in engines])
        spots = zip(_place(measured[at]), _place(predicted[at]), strict=True)
        path = "".join(f"M{LEFT + x:.0f} {TOP + SIDE - y:.0f}h0" for x, y in spots)
        parts.append(
            f'<path d="{path}" stroke="{colour}" stroke-width="3" stroke-linecap="round" stroke-opacity="0.45"/>\n'
        )
        parts.append(_text(LEFT + 12, TOP + 18 + 16 * i, engine, colour, weight=600))
    parts.append(_text(LEFT + SIDE, TOP + SIDE + 36, "measured time per token, ms", MUTED, anchor="end"))
    parts.append(_text(LEFT, TOP - 10, "predicted, ms", MUTED))
    return "".join(parts) + "</svg>\n"
