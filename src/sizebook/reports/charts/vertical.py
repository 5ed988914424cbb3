"""Charts over time or load: columns and lines, all of one height."""

from sizebook.reports.charts.chart_types import Columns, Line, Lines
from sizebook.reports.charts.layers import (
    Part,
    figures_axis,
    layer,
    limit_layers,
    name,
    number,
    series_colour,
    sized,
    steps,
)
from sizebook.reports.charts.text_widths import text_width
from sizebook.reports.charts.theme import Theme

_HEIGHT = 220
_LABEL_HEIGHT = 13
_MOST_LABELS = 24
# Lines are told apart in grey print by their dashes as well.
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3])
_AT = {"x": number("x"), "y": number("y")}


def columns(shown: Columns, look: Theme) -> Part:
    """Draw columns from zero, stacked where there are several series."""
    rows = [
        {"label": category, "value": value, "series": one.name, "order": order}
        for order, one in enumerate(shown.series)
        for category, value in zip(shown.categories, one.values, strict=True)
    ]
    every = -(-len(shown.categories) // _MOST_LABELS)
    x = {
        "field": "label",
        "type": "ordinal",
        "sort": None,
        "title": shown.x_axis,
        "scale": {"paddingInner": 0.25, "paddingOuter": 0.1},
        "axis": {"labelAngle": 0, "values": list(shown.categories[::every])},
    }
    y_axis = figures_axis(**steps(map(sum, zip(*(one.values for one in shown.series), strict=True))))
    y = number("value", title=shown.y_axis, stack="zero", axis=y_axis)
    mark = {"type": "bar", "stroke": "white", "strokeWidth": 0.5}
    marks = layer(rows, mark, x=x, y=y, color=series_colour(shown.series, look), order=number("order"))
    return sized([marks, *(limit_layers(shown.limit, "y", look) if shown.limit else [])], _HEIGHT)


def lines(shown: Lines, look: Theme) -> Part:
    """Draw lines with their names at the ends and the bands that their errors span."""
    names = [line.name for line in shown.lines]
    colours = [look.accent] if len(names) == 1 else list(look.series[: len(names)])
    rows = [{"x": x, "y": y, "series": line.name} for line in shown.lines for x, y in line.points]
    bands = [
        {"x": x, "low": low, "high": high, "series": line.name} for line in shown.lines for x, low, high in line.band
    ]
    y_axis = figures_axis(**steps(value for line in shown.lines for _, value in line.points))
    x, y = _x_axis(shown), number("y", title=shown.y_axis, axis=y_axis)
    colour = name("series", scale={"domain": names, "range": colours}, legend=None)
    dash = name("series", scale={"domain": names, "range": list(_DASHES[: len(names)])}, legend=None)
    layers = [
        layer(bands, {"type": "area", "opacity": 0.18}, x=x, y=number("low"), y2={"field": "high"}, color=colour),
        layer(rows, {"type": "line", "strokeWidth": 2.2}, x=x, y=y, color=colour, strokeDash=dash),
        layer(_ends(shown.lines), {"type": "text", "align": "left", "dx": 6}, **_AT, text=name("series")),
        *_points(shown, look),
        *(limit_layers(shown.limit, "y", look) if shown.limit else []),
    ]
    return sized(layers, _HEIGHT, max(map(text_width, names)) + 10)


def _x_axis(shown: Lines) -> Part:
    scale = {"type": "log" if shown.log_x else "linear", "nice": False}
    # On a logarithmic axis the computed points are the ticks; others would read as if they had been computed.
    every = sorted({x for line in shown.lines for x, _ in line.points})
    ticks = {"values": every} if shown.log_x else steps(every, first=every[0])
    return number("x", title=shown.x_axis, scale=scale, axis=figures_axis(labelFlush=True, labelOverlap=True, **ticks))


def _points(shown: Lines, look: Theme) -> list[Part]:
    if not shown.points:
        return []
    rows = [{"x": x, "y": y, "text": text} for x, y, text in shown.points]
    label = {"type": "text", "align": "right", "baseline": "bottom", "dx": -7, "dy": -5, "fontWeight": 600}
    return [
        layer(rows, {"type": "point", "filled": True, "size": 70, "color": look.ink, "opacity": 1}, **_AT),
        layer(rows, label, **_AT, text=name("text")),
    ]


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
