"""Draws charts: a Vega-Lite specification, of which vl-convert makes the SVG. Text stays text."""

import re
from functools import cache, lru_cache
from html import unescape
from pathlib import Path
from typing import Any

import vl_convert

from sizebook.core.units import THIN_SPACE
from sizebook.reports.charts import horizontal, theme, vertical
from sizebook.reports.charts.chart_types import Bars, Chart, Columns, Lines, Spans, Stacks
from sizebook.reports.charts.layers import ROOM
from sizebook.reports.charts.text_widths import is_in_face, text_width
from sizebook.reports.charts.theme import HOUSE, Theme
from sizebook.sources.bundled import bundled

_KINDS: dict[type, Any] = {
    Bars: horizontal.bars,
    Spans: horizontal.spans,
    Stacks: horizontal.stacks,
    Columns: vertical.columns,
    Lines: vertical.lines,
}


_PIXELS = 2.0
_UNKNOWN = "a face that nobody has"
_HOUSE_NUMBERS = (".", THIN_SPACE)
_LABEL = re.compile(r'(<text[^>]* font-family="([^"]*))("[^>]*)(>([^<]+)</text>)')
_OTHER_FACES = "Helvetica, Arial, sans-serif"


@cache
def _register_fonts(folder: Path) -> None:
    """Let the renderer measure text in the report's own faces, or labels are placed for another font."""
    vl_convert.register_font_directory(str(folder))


# A report above eight pages is filled twice, and a first page may show a chart of a section.
@lru_cache(maxsize=64)
def svg(chart: Chart, look: Theme = HOUSE, numbers: tuple[str, str] = _HOUSE_NUMBERS, fonts: Path | None = None) -> str:
    """Return a chart as SVG; ``numbers`` are the signs before decimals and between thousands, ``fonts`` own faces."""
    for folder in (bundled("templates") / "fonts", *((fonts,) if fonts else ())):
        _register_fonts(folder)
    decimal, thousands = numbers
    local = {"decimal": decimal, "thousands": thousands, "grouping": [3], "currency": ["$", ""]}
    drawn, face = _laid_out(chart, look)
    return str(vl_convert.vegalite_to_svg(drawn, format_locale=local)).replace(f'"{_UNKNOWN}"', f'"{face}"')


def _laid_out(chart: Chart, look: Theme) -> tuple[dict[str, Any], str]:
    """Return what to draw, and the face of what is drawn in an unknown one.

    The renderer measures a text by the outlines of its letters, a millisecond a word, even where nothing hangs on it;
    of a face that it does not know it has none. So it is asked for one where the room around the plot is known.
    """
    specified = specification(chart, look)
    room = specified.get("usermeta", {}).get(ROOM)
    if room is None or look.text_face != HOUSE.text_face:
        return specified, look.text_face
    config = {**specified["config"], "font": _UNKNOWN}
    return {**specified, "autosize": "none", "padding": room, "config": config}, look.text_face


def for_browsers(drawn: str) -> str:
    """Return an SVG as it may stand where nobody has its face: others follow, and a label keeps the width it has room
    for, since a wider face would be cut at the edge."""
    return _LABEL.sub(_in_any_face, drawn)


def _in_any_face(label: re.Match[str]) -> str:
    start, face, rest, end, said = label.groups()
    said = unescape(said)
    if face == HOUSE.text_face and is_in_face(said):
        rest += f' textLength="{text_width(said):.1f}" lengthAdjust="spacingAndGlyphs"'
    return f"{start}, {_OTHER_FACES}{rest}{end}"


def png(
    chart: Chart, look: Theme = HOUSE, numbers: tuple[str, str] = _HOUSE_NUMBERS, fonts: Path | None = None
) -> bytes:
    """Return a chart as a picture of pixels, for what cannot show an SVG; see `svg`."""
    return png_of(svg(chart, look, numbers=numbers, fonts=fonts))


def png_of(drawn: str) -> bytes:
    """Return an SVG as a picture of pixels, two for one of its own."""
    return bytes(vl_convert.svg_to_png(drawn, scale=_PIXELS))


def specification(chart: Chart, look: Theme = HOUSE) -> dict[str, Any]:
    """Return a chart's Vega-Lite specification, the same for a report and a web page."""
    return {**_KINDS[type(chart)](chart, look), "config": theme.config(look)}
