"""Draws charts: Altair makes the Vega-Lite specification, vl-convert the SVG. Text stays text."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Literal

import altair as alt
import vl_convert

from sizebook.bundled import bundled
from sizebook.reports.charts import theme
from sizebook.reports.charts.kinds import Bars, Chart
from sizebook.units import THIN_SPACE

_BAR_STEP = 26
_AXIS_HEIGHT = 40
_LOCALE = {"decimal": ".", "thousands": THIN_SPACE, "grouping": [3], "currency": ["$", ""]}


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
    drawn: dict[str, Any] = _bars(chart).configure(**theme.CONFIG).to_dict()
    return drawn


def _chart(rows: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))


def _sized(layers: alt.LayerChart, height: float) -> alt.LayerChart:
    return layers.properties(
        width=theme.WIDTH, height=height, autosize=alt.AutoSizeParams(type="fit", contains="padding")
    )


def _bars(chart: Bars) -> alt.LayerChart:
    rows = [{"label": b.label, "value": b.value, "text": b.text, "marked": b.marked} for b in chart.bars]
    x = alt.X("value:Q", title=chart.axis, axis=_figures_axis())
    fill = alt.when("datum.marked").then(alt.value(theme.ACCENT)).otherwise(alt.value(theme.QUIET))
    bars = _chart(rows).mark_bar(height={"band": 0.62})
    left = bars.encode(x=x, y=_categories("left"), color=fill)
    # The figures stand in a column of their own, so that no grid line strikes them through.
    texts = json.dumps({bar.label: bar.text for bar in chart.bars}, ensure_ascii=False)
    right = bars.encode(x=x, y=_categories("right", labelExpr=f"{texts}[datum.value]"), opacity=alt.value(0))
    layers = alt.layer(left, right).resolve_scale(y="independent")
    return _sized(layers, _BAR_STEP * len(rows) + _AXIS_HEIGHT)


def _categories(side: Literal["left", "right"], **options: Any) -> alt.Y:
    axis = alt.Axis(orient=side, labelColor=theme.INK, domain=False, labelLimit=260, **options)
    return alt.Y("label:N", sort=None, title=None, axis=axis)


def _figures_axis() -> alt.Axis:
    return alt.Axis(grid=True, domain=False, tickCount=5, format=",~f")
