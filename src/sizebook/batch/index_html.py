"""The index of a batch as a page for browsers: links, columns that sort, and charts over the batch."""

import json
from collections.abc import Sequence
from pathlib import Path

from sizebook.batch.file_names import INDEX
from sizebook.batch.index_table import Line, columns_of
from sizebook.batch.index_workbook import charted_figures
from sizebook.batch.record import batch_record
from sizebook.core.figure_label import FigureLabel
from sizebook.reports.charts.chart_types import Bar, Bars
from sizebook.reports.render import figure_text, fill_template
from sizebook.sources.writing import write_whole

_MOST_BARS = 20


def write_index_page(lines: Sequence[Line], folder: Path) -> Path:
    """Write the index page and return its path; it appears whole or not at all, and needs no other file."""
    columns = columns_of(lines)
    text = fill_template(
        "index.html",
        lines=lines,
        columns=columns,
        n_done=sum(line.is_done for line in lines),
        charts=[_bars(lines, column) for column in charted_figures(lines, columns)],
        record=json.dumps(batch_record(len(lines))),
    )
    return write_whole(folder / f"{INDEX}.html", text.encode())


def _bars(lines: Sequence[Line], column: FigureLabel) -> Bars:
    having = [line for line in lines if column in line.values]
    # The unit stands at the axis: beside each bar a long one would be cut off.
    bars = tuple(Bar(line.name, line.values[column], figure_text(line.values[column])) for line in having[:_MOST_BARS])
    said = f" (the first {_MOST_BARS} of {len(having)} scenarios)" if len(having) > _MOST_BARS else ""
    return Bars(f"{column.label}{said}", column.heading, bars)
