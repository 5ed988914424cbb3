"""Horizontal charts: bars, floating spans and stacks, each row with its figures in a column on the right."""

from collections.abc import Sequence
from math import ceil

from sizebook.reports.charts.chart_types import Bars, Limit, Spans, Stacks, stacked, totals_of
from sizebook.reports.charts.drawing import BASELINE, EDGE, GAP, Box, Drawing
from sizebook.reports.charts.scales import Scale, scale
from sizebook.reports.charts.theme import WIDTH, text_on

_ROW_HEIGHT = 26
_AROUND = 6  # rows together
_LONGEST = 260
_LIMIT_HEIGHT = 12
_THICK, _THICKER = 15, 17  # of a bar, and of one with figures in it
# A segment narrower than this part of the longest stack has no room for its figure.
_NARROW = 0.09


def bars(drawing: Drawing, shown: Bars) -> str:
    """Draw bars from zero."""
    rows = [(each.label, each.text) for each in shown.bars]
    axis = _rows(drawing, rows, shown.axis, [0, *(each.value for each in shown.bars)])
    return _ranges(drawing, axis, [(0, each.value, each.marked) for each in shown.bars])


def spans(drawing: Drawing, shown: Spans) -> str:
    """Draw floating bars."""
    rows = [(each.label, each.text) for each in shown.spans]
    ends = [end for each in shown.spans for end in (each.start, each.end)]
    axis = _rows(drawing, rows, shown.axis, [*ends, *([] if shown.limit else [0])], limit=shown.limit)
    ranges = [(each.start, each.end, each.marked) for each in shown.spans]
    return _ranges(drawing, axis, ranges, shown.limit)


def stacks(drawing: Drawing, shown: Stacks) -> str:
    """Draw stacked bars; a segment wide enough carries its own figure."""
    totals, colours = totals_of(shown.series), drawing.theme.series
    rows, names = list(zip(shown.categories, shown.totals, strict=True)), [each.name for each in shown.series]
    axis = _rows(drawing, rows, shown.axis, [0, *totals], limit=shown.limit, legend=names)
    for (one, ranges), fill in zip(stacked(shown.series), colours, strict=False):
        drawing.boxes(_boxes(axis, ranges, _THICKER), fill, edge=1)
        for row, ((start, end), said) in enumerate(zip(ranges, one.texts, strict=False)):
            if end - start > _NARROW * max(totals):
                middle = (axis((start + end) / 2), _middle(row) + BASELINE)
                drawing.text(said, middle, 0.5, colour=text_on(fill))
    return _finished(drawing, axis, shown.limit)


def _rows(
    drawing: Drawing,
    rows: Sequence[tuple[str, str]],
    title: str,
    values: Sequence[float],
    *,
    limit: Limit | None = None,
    legend: Sequence[str] = (),
) -> Scale:
    """Name the rows on the left, write their figures on the right, where no grid line strikes them through, and draw
    the axis between them; return it."""
    labels = [drawing.letters.cut(label, _LONGEST) for label, _ in rows]
    drawing.left = ceil(max(map(drawing.letters.width, labels))) + GAP + EDGE
    drawing.width = WIDTH - drawing.left - ceil(max(drawing.letters.width(figure) for _, figure in rows)) - GAP - EDGE
    drawing.top = 2 + (_LIMIT_HEIGHT if limit else 0)
    drawing.height = _ROW_HEIGHT * len(rows) + _AROUND
    if len(legend) > 1:
        drawing.legend(legend, drawing.theme.series)
    axis = scale([*values, *([limit.value] if limit else [])], drawing.width)
    ticks = axis.ticks()
    drawing.grid(map(axis, ticks), is_upright=True)
    drawing.axis_below([(axis(each), drawing.number(each), 0.5) for each in ticks], title)
    for row, (label, (_, figure)) in enumerate(zip(labels, rows, strict=True)):
        drawing.text(label, (-GAP, _middle(row) + BASELINE), 1)
        drawing.text(figure, (drawing.width + GAP, _middle(row) + BASELINE))
    return axis


def _ranges(
    drawing: Drawing, axis: Scale, ranges: Sequence[tuple[float, float, bool]], limit: Limit | None = None
) -> str:
    """Draw bars between two values each, those that the message is about in the accent."""
    boxes = _boxes(axis, [(start, end) for start, end, _ in ranges], _THICK)
    for fill, is_marked in ((drawing.theme.quiet, False), (drawing.theme.accent, True)):
        drawing.boxes((box for box, each in zip(boxes, ranges, strict=True) if each[2] == is_marked), fill)
    return _finished(drawing, axis, limit)


def _boxes(axis: Scale, ranges: Sequence[tuple[float, float]], thick: float) -> list[Box]:
    ends = [sorted(map(axis, each)) for each in ranges]
    return [
        Box(start, _middle(row) - thick / 2, width=end - start, height=thick) for row, (start, end) in enumerate(ends)
    ]


def _finished(drawing: Drawing, axis: Scale, limit: Limit | None) -> str:
    if limit:
        drawing.limit(limit, axis(limit.value), is_upright=True)
    return drawing.svg()


def _middle(row: int) -> float:
    return _AROUND / 2 + (row + 0.5) * _ROW_HEIGHT
