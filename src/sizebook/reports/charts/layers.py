"""What the drawings share: data, size, axes, colours of series and limit lines."""

from __future__ import annotations

from typing import Any

import altair as alt

from sizebook.reports.charts import theme
from sizebook.reports.charts.kinds import Limit, Series
from sizebook.reports.charts.theme import Theme

Layers = alt.LayerChart | alt.FacetChart
"""What `altair.layer` is said to return; here always layers."""


def chart(rows: list[dict[str, Any]]) -> alt.Chart:
    """Return an empty chart of some rows."""
    return alt.Chart(alt.InlineData(values=rows))


def sized(layers: Layers, height: float, room_right: float = 4) -> Layers:
    """Return layers at the width of the text, with room on the right for labels that stand outside the plot."""
    return layers.properties(
        width=theme.WIDTH,
        height=height,
        autosize=alt.AutoSizeParams(type="fit", contains="padding"),
        padding={"left": 4, "top": 2, "right": room_right, "bottom": 0},
    )


def figures_axis(**options: Any) -> alt.Axis:
    """Return an axis of figures: faint grid, no line of its own, plain numbers."""
    return alt.Axis(grid=True, domain=False, tickCount=5, format=",~f", **{"labelFlush": False, **options})


def series_colour(series: tuple[Series, ...], look: Theme) -> alt.Color:
    """Return the colour of a stack's series, with a legend in the order of the stack.

    One series alone needs no legend and takes the accent.
    """
    names = [one.name for one in series]
    if len(names) == 1:
        return alt.Color("series:N", scale=alt.Scale(domain=names, range=[look.accent]), legend=None)
    return alt.Color("series:N", sort=names, scale=alt.Scale(domain=names, range=list(look.series[: len(names)])))


def limit_layers(limit: Limit, channel: str, look: Theme) -> list[alt.Chart]:
    """Return the line of a limit across the chart, x for an upright line and y for a level one, and its label."""
    base = chart([{"limit": limit.value, "text": limit.label}])
    if channel == "x":
        at: Any = {"x": alt.X("limit:Q")}
        text = base.mark_text(align="right", baseline="bottom", dx=-4, color=look.ink).encode(
            y=alt.value(-2), text="text:N", **at
        )
    else:
        at = {"y": alt.Y("limit:Q")}
        text = base.mark_text(align="left", baseline="bottom", dx=2, dy=-3, color=look.ink).encode(
            x=alt.value(0), text="text:N", **at
        )
    return [base.mark_rule(color=look.ink, strokeDash=[5, 3], strokeWidth=1.2).encode(**at), text]


def text_width(text: str) -> float:
    """Return roughly how wide a label of small print is, in pixels."""
    return 5.6 * len(text)
