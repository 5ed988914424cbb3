"""Charts over time or load: columns and lines, all of one height."""

from collections.abc import Iterator, Sequence
from math import ceil

from sizebook.reports.charts.chart_types import Columns, Limit, Line, Lines, stacked, totals_of
from sizebook.reports.charts.drawing import BASELINE, BELOW, EDGE, GAP, Box, Drawing
from sizebook.reports.charts.letters import BOLD
from sizebook.reports.charts.scales import Scale, scale, whole_steps
from sizebook.reports.charts.theme import WIDTH, Theme

_HEIGHT = 220
_ABOVE, _ABOVE_LABEL = 6, 15
_LEFT = 2 * GAP + EDGE + 10  # of the labels of the axis: its title and the gaps
_LABEL_HEIGHT = 13
_APART = 8  # labels below an axis
_MOST_LABELS = 24
_FILLED = 0.75  # of the room of a column
_AROUND = 0.1  # of the same, before the first column and after the last
_DOT = 4.2
# Lines are told apart in grey print by their dashes as well.
_DASHES = ("none", "6,3", "2,2", "8,3,2,3", "4,4", "1,3")


def columns(drawing: Drawing, shown: Columns) -> str:
    """Draw columns from zero, stacked where there are several series."""
    theme, totals = drawing.theme, totals_of(shown.series)
    y = _beside(drawing, shown, [0, *totals], totals, EDGE)
    step = drawing.width / (len(totals) - (1 - _FILLED) + 2 * _AROUND)
    wide, starts = _FILLED * step, [(at + _AROUND) * step for at in range(len(totals))]
    for (_, ranges), fill in zip(stacked(shown.series), _colours(theme, shown.series), strict=False):
        boxes = [
            Box(x, y(end), width=wide, height=y(start) - y(end)) for x, (start, end) in zip(starts, ranges, strict=True)
        ]
        drawing.boxes(boxes, fill, edge=0.5)
    drawing.path(f"M0,{drawing.height + 0.5:g}h{drawing.width:.2f}", stroke=theme.hairline)
    widest = max(map(drawing.letters.width, shown.categories)) + _APART
    every = ceil(max(len(totals) / _MOST_LABELS, widest / step))
    ticks = [(x + wide / 2, said, 0.5) for x, said in zip(starts, shown.categories, strict=True)]
    drawing.axis_below(ticks[::every], shown.x_axis)
    return _finished(drawing, y, shown.limit)


def lines(drawing: Drawing, shown: Lines) -> str:
    """Draw lines with their names at the ends and the bands that their errors span."""
    values = [value for line in shown.lines for _, value in line.points]
    bands = [value for line in shown.lines for _, *both in line.band for value in both]
    right = max(drawing.letters.width(line.name) for line in shown.lines) + GAP + EDGE
    y = _beside(drawing, shown, [0, *values, *bands, *(value for _, value, _ in shown.points)], values, right)
    x = _x_axis(drawing, shown)
    colours = _colours(drawing.theme, shown.lines)
    for line, colour in zip(shown.lines, colours, strict=False):
        upper, lower = [(at, high) for at, _, high in line.band], [(at, low) for at, low, _ in reversed(line.band)]
        if line.band:
            drawing.path(_through(x, y, [*upper, *lower]) + "z", fill=colour, fill_opacity=0.18)
    for line, colour, dash in zip(shown.lines, colours, _DASHES, strict=False):
        drawing.path(_through(x, y, line.points), stroke=colour, stroke_width=2.2, stroke_dasharray=dash)
    _name_ends(drawing, x, y, shown.lines)
    _points(drawing, x, y, shown)
    return _finished(drawing, y, shown.limit)


def _colours(theme: Theme, parts: Sequence[object]) -> tuple[str, ...]:
    """Return the colours of series; one alone takes the accent."""
    return theme.series if len(parts) > 1 else (theme.accent,)


def _beside(
    drawing: Drawing, shown: Columns | Lines, values: Sequence[float], counted: Sequence[float], right: float
) -> Scale:
    """Draw the upright axis with its grid, and the legend of columns above it; return the axis, which counts downwards
    as pixels do. ``counted`` are the values whose steps it shows, ``right`` is the room on the right."""
    ends = scale([*values, *([shown.limit.value] if shown.limit else [])], 1)
    ticks = ends.ticks(whole_steps(counted))
    drawing.left = ceil(max(drawing.letters.width(drawing.number(each)) for each in ticks)) + _LEFT
    drawing.width = WIDTH - drawing.left - right
    is_labelled = shown.limit or (isinstance(shown, Lines) and shown.points)
    drawing.top = _ABOVE_LABEL if is_labelled else _ABOVE
    if isinstance(shown, Columns) and len(shown.series) > 1:
        drawing.legend([each.name for each in shown.series], drawing.theme.series)
    drawing.height = _HEIGHT - BELOW - drawing.top
    axis = Scale(ends.high, ends.low, drawing.height)
    drawing.grid(map(axis, ticks), is_upright=False)
    drawing.axis_beside([(axis(each), drawing.number(each)) for each in ticks], shown.y_axis)
    return axis


def _x_axis(drawing: Drawing, shown: Lines) -> Scale:
    """Draw the axis below lines with its grid; return it."""
    every = sorted({x for line in shown.lines for x, _ in line.points} | {x for x, _, _ in shown.points})
    axis = scale(every, drawing.width, is_round=False, is_log=shown.log_x)
    # On a logarithmic axis the computed points are the ticks; others would read as if they had been computed.
    ticks = list(_with_room(drawing, axis, every if shown.log_x else axis.ticks(whole_steps(every, first=every[0]))))
    drawing.grid([place for place, _, _ in ticks], is_upright=True)
    drawing.axis_below(ticks, shown.x_axis)
    return axis


def _with_room(drawing: Drawing, axis: Scale, ticks: Sequence[float]) -> Iterator[tuple[float, str, float]]:
    """Yield the ticks whose labels do not run into the one before, with places and anchors; at the ends of the axis
    they stand within it."""
    free = float("-inf")
    for each in ticks:
        place, said = axis(each), drawing.number(each)
        anchor = 0 if place < 1 else 1 if place > axis.length - 1 else 0.5
        start = place - anchor * drawing.letters.width(said)
        if start >= free:
            yield place, said, anchor
            free = start + drawing.letters.width(said) + _APART


def _through(x: Scale, y: Scale, points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x(at):.2f},{y(value):.2f}" for at, value in points)


def _name_ends(drawing: Drawing, x: Scale, y: Scale, lines: Sequence[Line]) -> None:
    """Write the names of lines at their last points, moved apart where they would overlap."""
    free = float("inf")
    for line in sorted(lines, key=lambda one: one.points[-1][1]):
        at, value = line.points[-1]
        height = min(y(value), free)
        drawing.text(line.name, (x(at) + GAP, height + BASELINE))
        free = height - _LABEL_HEIGHT


def _points(drawing: Drawing, x: Scale, y: Scale, shown: Lines) -> None:
    """Mark points, each with its label on the side that has room."""
    ink = drawing.theme.ink
    for at, value, said in shown.points:
        place, height = x(at), y(value)
        dot = f"M{place + _DOT:.2f},{height:.2f}a{_DOT},{_DOT} 0 1 1 {-2 * _DOT},0a{_DOT},{_DOT} 0 1 1 {2 * _DOT},0z"
        drawing.path(dot, fill=ink)
        anchor = 1 if place > drawing.letters.width(said) + 2 * GAP else 0
        drawing.text(said, (place + (7 if anchor == 0 else -7), height - 7), anchor, weight=BOLD)


def _finished(drawing: Drawing, axis: Scale, limit: Limit | None) -> str:
    if limit:
        drawing.limit(limit, axis(limit.value), is_upright=False)
    return drawing.svg()
