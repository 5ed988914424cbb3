"""Horizontal charts: bars, floating spans and stacks, each row with its figures in a column on the right."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

import altair as alt

from sizebook.reports.charts import theme
from sizebook.reports.charts.kinds import Bars, Limit, Spans, Stacks
from sizebook.reports.charts.layers import Layers, chart, figures_axis, limit_layers, series_colour, sized
from sizebook.reports.charts.theme import Theme

_ROW_HEIGHT = 26
_AXIS_HEIGHT = 40
_LEGEND_HEIGHT = 26
# A segment narrower than this part of the longest stack has no room for its figure.
_NARROW = 0.09


def bars(shown: Bars, look: Theme) -> Layers:
    """Draw bars from zero."""
    rows = [{"label": b.label, "value": b.value, "marked": b.marked} for b in shown.bars]
    x = alt.X("value:Q", title=shown.axis, axis=figures_axis())
    marks = chart(rows).mark_bar(height={"band": 0.62}).encode(x=x, color=_marked_fill(look))
    return _with_figures(marks, [(bar.label, bar.text) for bar in shown.bars], look)


def spans(shown: Spans, look: Theme) -> Layers:
    """Draw floating bars."""
    rows = [{"label": s.label, "start": s.start, "end": s.end, "marked": s.marked} for s in shown.spans]
    scale = alt.Scale(zero=shown.limit is None)
    marks = (
        chart(rows)
        .mark_bar(height={"band": 0.62})
        .encode(
            x=alt.X("start:Q", title=shown.axis, axis=figures_axis(), scale=scale), x2="end:Q", color=_marked_fill(look)
        )
    )
    return _with_figures(marks, [(span.label, span.text) for span in shown.spans], look, shown.limit)


def stacks(shown: Stacks, look: Theme) -> Layers:
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
    x = alt.X("value:Q", title=shown.axis, stack="zero", axis=figures_axis())
    marks = (
        chart(rows)
        .mark_bar(height={"band": 0.7}, stroke="white", strokeWidth=1)
        .encode(x=x, color=series_colour(shown.series, look), order="order:Q")
    )
    inside = (
        chart(rows)
        .mark_text(align="center")
        .encode(
            x=alt.X("value:Q", stack="zero", bandPosition=0.5),
            y=_categories("left", look),
            order="order:Q",
            text=alt.condition(f"datum.value > {_NARROW * longest}", "text:N", alt.value("")),
            color=alt.Color("ink:N", scale=None),
        )
    )
    totals = list(zip(shown.categories, shown.totals, strict=True))
    return _with_figures(marks, totals, look, shown.limit, inside=[inside])


def _with_figures(
    marks: alt.Chart,
    figures: Sequence[tuple[str, str]],
    look: Theme,
    limit: Limit | None = None,
    inside: Sequence[alt.Chart] = (),
) -> Layers:
    """Name the rows on the left and write their figures on the right, where no grid line strikes them through."""
    texts = json.dumps(dict(figures), ensure_ascii=False)
    left = marks.encode(y=_categories("left", look))
    right = marks.encode(y=_categories("right", look, labelExpr=f"{texts}[datum.value]"), opacity=alt.value(0))
    upright = limit_layers(limit, "x", look) if limit else []
    layers = alt.layer(alt.layer(left, *inside, *upright), right).resolve_scale(y="independent")
    room_above = (_LEGEND_HEIGHT if inside else 0) + (14 if limit else 0)
    return sized(layers, _ROW_HEIGHT * len(figures) + _AXIS_HEIGHT + room_above)


def _marked_fill(look: Theme) -> Any:
    return alt.when("datum.marked").then(alt.value(look.accent)).otherwise(alt.value(look.quiet))


def _categories(side: Literal["left", "right"], look: Theme, **options: Any) -> alt.Y:
    axis = alt.Axis(orient=side, labelColor=look.ink, domain=False, labelLimit=260, **options)
    return alt.Y("label:N", sort=None, title=None, axis=axis)
