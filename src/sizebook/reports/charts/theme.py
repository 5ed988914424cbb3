"""The look of every chart: colours, sizes and the Vega-Lite configuration made of them."""

from __future__ import annotations

from typing import Any

INK = "#1B1F24"
MUTED = "#5B6570"
HAIRLINE = "#D8DEE4"
ACCENT = "#0B5FFF"
QUIET = "#8793A2"
"""Bars that the message is not about: lighter than the accent also in grey print, 3:1 against paper."""

SERIES = ("#0072B2", "#E69F00", "#009E73", "#F0E442", "#D55E00", "#56B4E9")
"""Six colours of Okabe and Ito (2008). In their own order orange and sky blue are neighbours, which grey print shows
alike; here neighbours differ in lightness."""

# A chart is as wide as the text: 174 mm at 96 pixels an inch, so that 10 pixels are the 7.5 points of small print.
WIDTH = 657
SMALL = 10
TEXT = 12

CONFIG: dict[str, Any] = {
    "font": "Inter",
    "background": "white",
    "padding": 0,
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED,
        "labelFontSize": SMALL,
        "titleColor": MUTED,
        "titleFontSize": SMALL,
        "titleFontWeight": 400,
        "titlePadding": 6,
        "grid": False,
        "gridColor": HAIRLINE,
        "gridWidth": 0.6,
        "domainColor": HAIRLINE,
        "ticks": False,
        "labelPadding": 6,
        "labelLimit": 220,
        "labelOverlap": True,
    },
    "text": {"color": INK, "fontSize": SMALL},
    "legend": {
        "orient": "top",
        "direction": "horizontal",
        "title": None,
        "labelColor": INK,
        "labelFontSize": SMALL,
        "symbolType": "square",
        "symbolSize": 80,
        "offset": 16,
        "columnPadding": 10,
        "labelLimit": 200,
    },
}


def luminance(colour: str) -> float:
    """Return the relative luminance of a #RRGGBB colour (WCAG 2.2, "relative luminance")."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two #RRGGBB colours, 1 to 21 (WCAG 2.2, "contrast ratio")."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def text_on(fill: str) -> str:
    """Return black or white, whichever reads better on a fill."""
    return max("#000000", "#FFFFFF", key=lambda colour: contrast(colour, fill))
