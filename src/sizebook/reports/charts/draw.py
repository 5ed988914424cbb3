"""Draws charts: a Vega-Lite specification, of which vl-convert makes the SVG. Text stays text."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import vl_convert

from sizebook.core.units import THIN_SPACE
from sizebook.reports.charts import horizontal, theme, upright
from sizebook.reports.charts.kinds import Bars, Chart, Columns, Lines, Spans, Stacks
from sizebook.reports.charts.theme import HOUSE, Theme
from sizebook.sources.bundled import bundled

_KINDS: dict[type, Any] = {
    Bars: horizontal.bars,
    Spans: horizontal.spans,
    Stacks: horizontal.stacks,
    Columns: upright.columns,
    Lines: upright.lines,
}


_PIXELS = 2.0
_HOUSE_NUMBERS = (".", THIN_SPACE)


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
    return str(vl_convert.vegalite_to_svg(specification(chart, look), format_locale=local))


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
