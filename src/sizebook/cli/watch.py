"""`sizebook watch` plans everything in a folder or a store again and says what no longer holds."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sizebook.cli.options import ANY_PATH
from sizebook.core.extras import need

if TYPE_CHECKING:
    from sizebook.batch.watch import Watched


@click.command("watch")
@click.argument("place", type=ANY_PATH)
@click.option("--csv", "table", type=ANY_PATH, help="Write a line for each file or run to this CSV file.")
@click.option("--html", "page", type=ANY_PATH, help="Write a page with a line for each file or run.")
def watch_plans(place: Path, table: Path | None, page: Path | None) -> None:
    """Plan every output in a folder or run in a store again: which hold, which moved, by how much, through what.

    PLACE is a folder, whose PDF, workbook, JSON, CSV and HTML files of sizebook are read, those of the folders below it
    too, or the file of a store, whose runs are. Exits with 1 if a plan moved or is refused today.
    """
    need("workbooks", "reports")
    from sizebook.batch import watch
    from sizebook.sources.writing import write_whole

    rows = list(watch.watch(place))
    for file, content in ((table, watch.as_csv), (page, lambda rows: watch.as_page(rows, f"Plans in {place.name}"))):
        if file is not None:
            write_whole(file, content(rows).encode())
    for row in rows:
        if row.state != watch.HOLDS:
            click.echo(_line(row))
    counts = Counter(row.state for row in rows)
    states = (watch.HOLDS, watch.MOVED, watch.REFUSED, watch.UNREADABLE)
    what = "files" if place.is_dir() else "runs"
    click.echo(f"{len(rows)} {what}: {', '.join(f'{counts[state]} {state}' for state in states)}")
    sys.exit(int(bool(counts[watch.MOVED] or counts[watch.REFUSED])))


def _line(row: Watched) -> str:
    from sizebook.batch.watch import shown

    if row.figure is None:
        return f"{row.file}: {row.state}: {row.why}"
    change = "" if row.figure.change is None else f" ({row.figure.change:+.1%})"
    figure = f"{row.figure.name} {shown(row.figure.before)} -> {shown(row.figure.today)}{change}"
    return f"{row.file}: {row.state} through {row.through}: {figure}; {row.why}"
