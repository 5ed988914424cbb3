"""Horizontal charts: bars, floating spans and stacks, each row with its figures in a column on the right."""

import json
from collections.abc import Sequence
from math import ceil
from typing import Any, Literal

from sizebook.reports.charts import theme
from sizebook.reports.charts.chart_types import Bars, Limit, Spans, Stacks
from sizebook.reports.charts.layers import (
    Part,
    figures_axis,
    layer,
    limit_layers,
    name,
    number,
    series_colour,
    sized_plot,
)
from sizebook.reports.charts.text_widths import is_in_face, text_width
from sizebook.reports.charts.theme import Theme

_ROW_HEIGHT = 26
_AROUND = 6  # rows together
_LONGEST = 260
_GAP = 6 + 4  # between a label and the plot, and at the edge of the chart
_AXIS_HEIGHT, _LIMIT_HEIGHT = 32, 12
# A segment narrower than this part of the longest stack has no room for its figure.
_NARROW = 0.09
_BAR = {"type": "bar", "height": {"band": 0.62}}


def bars(shown: Bars, look: Theme) -> Part:
    """Draw bars from zero."""
    rows = [{"label": b.label, "value": b.value, "marked": b.marked} for b in shown.bars]
    x = number("value", title=shown.axis, axis=figures_axis())
    marks = layer(rows, _BAR, x=x, color=_marked_fill(look))
    return _with_figures(marks, [(bar.label, bar.text) for bar in shown.bars], look)


def spans(shown: Spans, look: Theme) -> Part:
    """Draw floating bars."""
    rows = [{"label": s.label, "start": s.start, "end": s.end, "marked": s.marked} for s in shown.spans]
    x = number("start", title=shown.axis, axis=figures_axis(), scale={"zero": shown.limit is None})
    marks = layer(rows, _BAR, x=x, x2={"field": "end"}, color=_marked_fill(look))
    return _with_figures(marks, [(span.label, span.text) for span in shown.spans], look, shown.limit)


def stacks(shown: Stacks, look: Theme) -> Part:
    """Draw stacked bars; a segment wide enough carries its own figure."""
    longest = max(sum(values) for values in zip(*(s.values for s in shown.series), strict=True)) or 1
    rows = [
        {
            "label": category,
            "value": value,
            "series": one.name,
            "order": order,
            "text": text,
            "ink": theme.text_on(fill),
        }
        for order, (one, fill) in enumerate(zip(shown.series, look.series, strict=False))
        for category, value, text in zip(
            shown.categories, one.values, one.texts or ("",) * len(one.values), strict=True
        )
    ]
    x, order = number("value", title=shown.axis, stack="zero", axis=figures_axis()), number("order")
    mark = {"type": "bar", "height": {"band": 0.7}, "stroke": "white", "strokeWidth": 1}
    marks = layer(rows, mark, x=x, color=series_colour(shown.series, look), order=order)
    wide_enough = {"test": f"datum.value > {_NARROW * longest}", **name("text")}
    inside = layer(
        rows,
        {"type": "text", "align": "center"},
        x=number("value", stack="zero", bandPosition=0.5),
        y=_categories("left", look),
        order=order,
        text={"condition": wide_enough, "value": ""},
        color=name("ink", scale=None),
    )
    totals = list(zip(shown.categories, shown.totals, strict=True))
    return _with_figures(marks, totals, look, shown.limit, inside=[inside])


def _with_figures(
    marks: Part,
    figures: Sequence[tuple[str, str]],
    look: Theme,
    limit: Limit | None = None,
    inside: Sequence[Part] = (),
) -> Part:
    """Name the rows on the left and write their figures on the right, where no grid line strikes them through."""
    texts = json.dumps(dict(figures), ensure_ascii=False)
    wide_left, wide_right = (ceil(max(map(text_width, each))) for each in zip(*figures, strict=True))
    fits = wide_left < _LONGEST * 0.95  # for sure: whether to cut is looked at by measuring each label again
    left = _encoded(marks, y=_categories("left", look, labelLimit=0 if fits else _LONGEST))
    figures_right = _categories("right", look, labelExpr=f"{texts}[datum.value]")
    right = _encoded(marks, y=figures_right, opacity={"value": 0})
    upright = limit_layers(limit, "x", look) if limit else []
    layers = [{"layer": [left, *inside, *upright]}, right]
    beside = {"left": min(wide_left, _LONGEST) + _GAP, "right": wide_right + _GAP}
    room = {**beside, "top": 2 + (_LIMIT_HEIGHT if limit else 0), "bottom": _AXIS_HEIGHT}
    width, height = theme.WIDTH - sum(beside.values()), _ROW_HEIGHT * len(figures) + _AROUND
    if inside or not fits or not all(is_in_face(text) for row in figures for text in row):
        room = {}  # a legend is as wide as its names, and a sign of another face as wide as that has it
    independent = {"scale": {"y": "independent"}}
    return sized_plot(layers, width, height, room=room, resolve=independent)


def _encoded(marks: Part, **encoding: Part) -> Part:
    return {**marks, "encoding": {**marks["encoding"], **encoding}}


def _marked_fill(look: Theme) -> Part:
    return {"condition": {"test": "datum.marked", "value": look.accent}, "value": look.quiet}


def _categories(side: Literal["left", "right"], look: Theme, **options: Any) -> Part:
    # Every row has its own height, so that no label lies on another.
    drawn = {"orient": side, "labelColor": look.ink, "domain": False, "labelLimit": 0, "labelOverlap": False}
    return name("label", sort=None, title=None, axis={**drawn, **options})
