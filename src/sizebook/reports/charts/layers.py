"""What the drawings share, as parts of Vega-Lite specifications: data, fields, size, axes, colours, limit lines.

They are written as the language itself has them: building them of Altair's classes took as long as drawing them.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sizebook.reports.charts import theme
from sizebook.reports.charts.chart_types import Limit, Series
from sizebook.reports.charts.text_widths import text_width
from sizebook.reports.charts.theme import Theme

_TICKS = 5
_SYMBOL_WIDTH = 30  # of the square before a name, with the space to the next
ROOM = "room"
_PADDING = {"left": 4, "top": 2, "right": 4, "bottom": 0}
Part = dict[str, Any]
"""A part of a specification: a layer, a channel, an axis."""


def layer(rows: Sequence[Part], mark: Part, **encoding: Part) -> Part:
    """Return a layer: some rows, the mark that stands for each, and what its channels show."""
    return {"data": {"values": list(rows)}, "mark": mark, "encoding": encoding}


def number(field: str, **options: Any) -> Part:
    """Return a channel that shows a column of numbers."""
    return {"field": field, "type": "quantitative", **options}


def name(field: str, **options: Any) -> Part:
    """Return a channel that shows a column of names."""
    return {"field": field, "type": "nominal", **options}


def sized_plot(layers: Sequence[Part], width: float, height: float, *, room: Part, **options: Any) -> Part:
    """Return layers whose plot has a size, and grows by what stands around it: laid out once, where `sized` is twice.

    ``room`` is what stands around it in the house's face, empty where that is not known.
    """
    known = {"usermeta": {ROOM: room}} if room else {}
    return {"layer": list(layers), "width": width, "height": height, "padding": _PADDING, **known, **options}


def sized(layers: Sequence[Part], height: float, room_right: float = 4, **options: Any) -> Part:
    """Return layers at the width of the text, with room on the right for labels that stand outside the plot."""
    return {
        "layer": list(layers),
        "width": theme.WIDTH,
        "height": height,
        "autosize": {"type": "fit", "contains": "padding"},
        "padding": {**_PADDING, "right": room_right},
        **options,
    }


def steps(values: Iterable[float], first: float = 0) -> Part:
    """Return what an axis of few whole numbers needs, that its ticks are whole too: nobody has half a month or GPU."""
    every = list(values)
    span = max(every) - first
    is_whole = span < _TICKS and all(float(value).is_integer() for value in every)
    return {"tickCount": max(int(span), 1)} if is_whole else {}


def figures_axis(**options: Any) -> Part:
    """Return an axis of figures: faint grid, no line of its own, a few plain numbers.

    Looking for labels to cut or to leave out measures each again, which is most of what drawing takes.
    """
    return {
        "grid": True,
        "domain": False,
        "tickCount": _TICKS,
        "format": ",~f",
        "labelFlush": False,
        "labelLimit": 0,
        "labelOverlap": False,
        **options,
    }


def series_colour(series: tuple[Series, ...], look: Theme) -> Part:
    """Return the colour of a stack's series, with a legend in the order of the stack.

    One series alone needs no legend and takes the accent.
    """
    names = [one.name for one in series]
    if len(names) == 1:
        return name("series", scale={"domain": names, "range": [look.accent]}, legend=None)
    # A legend knows no width: one that outgrows the chart is cut, so that it is broken into two lines.
    taken = sum(text_width(one) + _SYMBOL_WIDTH for one in names)
    legend = {"legend": {"columns": -(-len(names) // 2)}} if taken > theme.WIDTH - _SYMBOL_WIDTH else {}
    return name("series", sort=names, scale={"domain": names, "range": list(look.series[: len(names)])}, **legend)


def limit_layers(limit: Limit, channel: str, look: Theme) -> list[Part]:
    """Return the line of a limit across the chart, x for an upright line and y for a level one, and its label."""
    rows, at = [{"limit": limit.value, "text": limit.label}], {channel: number("limit")}
    if channel == "x":
        placed, edge = {"align": "right", "dx": -4}, {"y": {"value": -2}}
    else:
        placed, edge = {"align": "left", "dx": 2, "dy": -3}, {"x": {"value": 0}}
    label = {"type": "text", "baseline": "bottom", "color": look.ink, **placed}
    return [
        layer(rows, {"type": "rule", "color": look.ink, "strokeDash": [5, 3], "strokeWidth": 1.2}, **at),
        layer(rows, label, text=name("text"), **edge, **at),
    ]
