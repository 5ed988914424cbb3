"""The index of a batch as a page for browsers: links, columns that sort, and charts over the batch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from sizebook.batch.index import charted
from sizebook.batch.naming import INDEX
from sizebook.batch.record import batch_record
from sizebook.batch.table import Line, columns_of
from sizebook.core.figure_label import FigureLabel
from sizebook.reports.charts.kinds import Bar, Bars
from sizebook.reports.render import figure_text, filled
from sizebook.sources.writing import write_whole

_MOST_BARS = 20


def write_index_page(lines: Sequence[Line], folder: Path) -> Path:
    """Write the index page and return its path; it appears whole or not at all, and needs no other file."""
    columns = columns_of(lines)
    text = filled(
        "index.html",
        lines=lines,
        columns=columns,
        n_done=sum(line.is_done for line in lines),
        charts=[_bars(lines, column) for column in charted(lines, columns)],
        record=json.dumps(batch_record(len(lines))),
    )
    return write_whole(folder / f"{INDEX}.html", text.encode())


def _bars(lines: Sequence[Line], column: FigureLabel) -> Bars:
    having = [line for line in lines if column in line.values]
    # The unit stands at the axis: beside each bar a long one would be cut off.
    bars = tuple(Bar(line.name, line.values[column], figure_text(line.values[column])) for line in having[:_MOST_BARS])
    said = f" (the first {_MOST_BARS} of {len(having)} scenarios)" if len(having) > _MOST_BARS else ""
    return Bars(f"{column.label}{said}", column.heading, bars)
