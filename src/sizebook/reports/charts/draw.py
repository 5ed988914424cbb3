"""Draws charts: Altair makes the Vega-Lite specification, vl-convert the SVG. Text stays text."""

from __future__ import annotations

from functools import cache
from typing import Any

import vl_convert

from sizebook.core.units import THIN_SPACE
from sizebook.reports.charts import horizontal, theme, upright
from sizebook.reports.charts.kinds import Bars, Chart, Columns, Lines, Spans, Stacks
from sizebook.sources.bundled import bundled

_LOCALE = {"decimal": ".", "thousands": THIN_SPACE, "grouping": [3], "currency": ["$", ""]}
_KINDS: dict[type, Any] = {
    Bars: horizontal.bars,
    Spans: horizontal.spans,
    Stacks: horizontal.stacks,
    Columns: upright.columns,
    Lines: upright.lines,
}


@cache
def _register_fonts() -> None:
    """Let the renderer measure text in the report's own faces, or labels are placed for another font."""
    vl_convert.register_font_directory(str(bundled("templates") / "fonts"))


def svg(chart: Chart) -> str:
    """Return a chart as SVG."""
    _register_fonts()
    return str(vl_convert.vegalite_to_svg(specification(chart), format_locale=_LOCALE))


def specification(chart: Chart) -> dict[str, Any]:
    """Return a chart's Vega-Lite specification, the same for a report and a web page."""
    drawn: dict[str, Any] = _KINDS[type(chart)](chart).configure(**theme.CONFIG).to_dict()
    return drawn
