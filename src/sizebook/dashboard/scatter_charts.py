"""The charts of the page as Vega-Lite specifications; the page puts the filtered rows and its own colours into them.

Each is a scatter of one column against another. What a chart says in its title depends on the rows, so the page words
it (templates/dashboard/charts.js).
"""

from dataclasses import dataclass
from typing import Any

HEIGHT = 300
NARROW = (1, 2, 5)  # labels of an axis of two or three powers of ten
KINDS = ("dense", "experts", "own model")


@dataclass(frozen=True)
class Axis:
    """One axis: a column of the page or ``size``, and its title; days run evenly, all else is logarithmic.

    ``steps`` are what is labelled of each power of ten.
    """

    field: str
    title: str
    time: bool = False
    steps: tuple[int, ...] = (1,)


@dataclass(frozen=True)
class Scatter:
    """A chart: two axes, and a rule where a well-known value lies, a horizontal one or the diagonal."""

    name: str
    topic: str
    x: Axis
    y: Axis
    rule: float | None = None
    diagonal: bool = False


_RELEASED = Axis("release_date", "Released", time=True)
_TOTAL = Axis("total", "Parameters")
CHARTS = (
    Scatter("size", "Size against date", _RELEASED, Axis("size", "Parameters, computed or else stated")),
    Scatter(
        "ratio",
        "Width of the feed-forward block",
        _RELEASED,
        Axis("ff_ratio", "d_ff / d_model, of one expert where there are experts", steps=NARROW),
        rule=4,
    ),
    Scatter(
        "heads",
        "Heads against width",
        Axis("d_model", "d_model", steps=NARROW),
        Axis("n_heads", "Query heads", steps=NARROW),
    ),
    Scatter(
        "tokens",
        "Training tokens a parameter",
        _RELEASED,
        Axis("tokens_per_parameter", "Training tokens a parameter"),
        rule=20,
    ),
    Scatter("cache", "Cache a token", _TOTAL, Axis("cache_per_token", "Bytes of cache a token, bf16")),
    Scatter("active", "Active against total", _TOTAL, Axis("active", "Active parameters"), diagonal=True),
)


def specification(chart: Scatter) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart; its data set is called ``rows``."""
    points: dict[str, Any] = {
        "mark": {"type": "point", "filled": True, "size": 56, "opacity": 0.72, "cursor": "pointer"},
        "encoding": {
            "x": _encoded(chart.x),
            "y": _encoded(chart.y),
            "color": {"field": "kind", "type": "nominal", "scale": {"domain": list(KINDS)}, "legend": None},
            "shape": {"field": "kind", "scale": {"domain": list(KINDS), "range": ["circle", "diamond", "square"]}},
            "tooltip": [{"field": "name", "title": "Model"}, *(_told(axis) for axis in (chart.x, chart.y))],
        },
    }
    return {
        "width": "container",
        "height": HEIGHT,
        "autosize": {"type": "fit", "contains": "padding", "resize": True},
        "data": {"name": "rows"},
        "layer": [*_guides(chart), points],
    }


def _encoded(axis: Axis) -> dict[str, Any]:
    if axis.time:
        return {"field": axis.field, "type": "temporal", "axis": {"title": None, "format": "%Y", "tickCount": "year"}}
    # Billions are B, as everywhere on the page; below 1 thousandths would be m.
    label = "replace(datum.value < 1 ? format(datum.value, '~g') : format(datum.value, '~s'), 'G', 'B')"
    shown = {
        "title": axis.title,
        "labelExpr": label,
        "values": [step * 10.0**n for n in range(-3, 16) for step in axis.steps],
    }
    scale = {"type": "log", "nice": False, "padding": 14}
    return {"field": axis.field, "type": "quantitative", "axis": shown, "scale": scale}


def _told(axis: Axis) -> dict[str, Any]:
    if axis.time:
        return {"field": axis.field, "type": "temporal", "title": axis.title, "format": "%Y-%m-%d"}
    return {"field": axis.field, "type": "quantitative", "title": axis.title, "format": ",.5~r"}


def _guides(chart: Scatter) -> list[dict[str, Any]]:
    mark = {"strokeDash": [4, 4], "strokeWidth": 1}
    if chart.rule is not None:
        return [{"mark": {"type": "rule", **mark}, "encoding": {"y": {"datum": chart.rule}}}]
    if chart.diagonal:
        at = {"field": chart.x.field, "type": "quantitative"}
        return [{"mark": {"type": "line", **mark}, "encoding": {"x": at, "y": at}}]
    return []
