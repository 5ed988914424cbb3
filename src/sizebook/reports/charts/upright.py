"""Charts over time or load: columns and lines, all of one height."""

from __future__ import annotations

import altair as alt

from sizebook.reports.charts.kinds import Columns, Line, Lines
from sizebook.reports.charts.layers import Layers, chart, figures_axis, limit_layers, series_colour, sized, text_width
from sizebook.reports.charts.theme import Theme

_HEIGHT = 220
_LABEL_HEIGHT = 13
_MOST_LABELS = 24
# Lines are told apart in grey print by their dashes as well.
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3])


def columns(shown: Columns, look: Theme) -> Layers:
    """Draw columns from zero, stacked where there are several series."""
    rows = [
        {"label": category, "value": value, "series": one.name, "order": order}
        for order, one in enumerate(shown.series)
        for category, value in zip(shown.categories, one.values, strict=True)
    ]
    every = -(-len(shown.categories) // _MOST_LABELS)
    x = alt.X(
        "label:O",
        sort=None,
        title=shown.x_axis,
        scale=alt.Scale(paddingInner=0.25, paddingOuter=0.1),
        axis=alt.Axis(labelAngle=0, values=list(shown.categories[::every])),
    )
    y = alt.Y("value:Q", title=shown.y_axis, stack="zero", axis=figures_axis())
    marks = chart(rows).mark_bar(stroke="white", strokeWidth=0.5)
    layers = [marks.encode(x=x, y=y, color=series_colour(shown.series, look), order="order:Q")]
    return sized(alt.layer(*layers, *(limit_layers(shown.limit, "y", look) if shown.limit else [])), _HEIGHT)


def lines(shown: Lines, look: Theme) -> Layers:
    """Draw lines with their names at the ends and the bands that their errors span."""
    names = [line.name for line in shown.lines]
    colours = [look.accent] if len(names) == 1 else list(look.series[: len(names)])
    rows = [{"x": x, "y": y, "series": line.name} for line in shown.lines for x, y in line.points]
    scale = alt.Scale(type="log" if shown.log_x else "linear", nice=False)
    # On a logarithmic axis the computed points are the ticks; others would read as if they had been computed.
    ticks = {"values": sorted({x for line in shown.lines for x, _ in line.points})} if shown.log_x else {}
    x_axis = alt.X("x:Q", title=shown.x_axis, scale=scale, axis=figures_axis(labelFlush=True, **ticks))
    y_axis = alt.Y("y:Q", title=shown.y_axis, axis=figures_axis())
    colour = alt.Color("series:N", scale=alt.Scale(domain=names, range=colours), legend=None)
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=names, range=list(_DASHES[: len(names)])), legend=None)
    bands = [
        {"x": x, "low": low, "high": high, "series": line.name} for line in shown.lines for x, low, high in line.band
    ]
    layers = [
        chart(bands).mark_area(opacity=0.18).encode(x=x_axis, y=alt.Y("low:Q"), y2="high:Q", color=colour),
        chart(rows).mark_line(strokeWidth=2.2).encode(x=x_axis, y=y_axis, color=colour, strokeDash=dash),
        chart(_ends(shown.lines)).mark_text(align="left", dx=6).encode(x="x:Q", y="y:Q", text="series:N"),
    ]
    if shown.points:
        marked = chart([{"x": x, "y": y, "text": text} for x, y, text in shown.points]).encode(x="x:Q", y="y:Q")
        layers += [
            marked.mark_point(filled=True, size=70, color=look.ink, opacity=1),
            marked.mark_text(align="right", baseline="bottom", dx=-7, dy=-5, fontWeight=600).encode(text="text:N"),
        ]
    if shown.limit:
        layers += limit_layers(shown.limit, "y", look)
    return sized(alt.layer(*layers), _HEIGHT, max(map(text_width, names)) + 10)


def _ends(shown: tuple[Line, ...]) -> list[dict[str, float | str]]:
    """Return where the names of lines stand: at the last points, moved apart where they would overlap."""
    tops = [y for line in shown for _, y in line.points] + [high for line in shown for _, _, high in line.band]
    apart = 1.25 * (max(tops) or 1) * _LABEL_HEIGHT / (_HEIGHT - 45)
    placed: list[dict[str, float | str]] = []
    lowest_free = 0.0
    for line in sorted(shown, key=lambda one: one.points[-1][1]):
        x, y = line.points[-1]
        y = max(y, lowest_free)
        lowest_free = y + apart
        placed.append({"x": x, "y": y, "series": line.name})
    return placed
