"""`sizebook watch` plans everything in a folder again and says what no longer holds."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sizebook.cli.options import ANY_PATH, FOLDER
from sizebook.core.extras import need

if TYPE_CHECKING:
    from sizebook.batch.watch import Watched


@click.command("watch")
@click.argument("folder", type=FOLDER)
@click.option("--csv", "table", type=ANY_PATH, help="Write a line for each file to this CSV file.")
@click.option("--html", "page", type=ANY_PATH, help="Write a page with a line for each file.")
def watch_folder(folder: Path, table: Path | None, page: Path | None) -> None:
    """Plan every output in FOLDER again: which still hold, which moved, by how much and through what.

    Reads PDF, workbook, JSON, CSV and HTML files of sizebook in FOLDER and the folders below it. Exits with 1 if a plan
    moved or is refused today.
    """
    need("workbooks", "reports")
    from sizebook.batch import watch
    from sizebook.sources.writing import unfinished

    rows = list(watch.watch(folder))
    for file, content in ((table, watch.as_csv), (page, lambda rows: watch.as_page(rows, f"Plans in {folder.name}"))):
        if file is not None:
            with unfinished(file) as temporary:
                temporary.write_text(content(rows), encoding="utf-8")
    for row in rows:
        if row.state != watch.HOLDS:
            click.echo(_line(row))
    counts = Counter(row.state for row in rows)
    states = (watch.HOLDS, watch.MOVED, watch.REFUSED, watch.UNREADABLE)
    click.echo(f"{len(rows)} files: {', '.join(f'{counts[state]} {state}' for state in states)}")
    sys.exit(int(bool(counts[watch.MOVED] or counts[watch.REFUSED])))


def _line(row: Watched) -> str:
    from sizebook.batch.watch import shown

    if row.figure is None:
        return f"{row.file}: {row.state}: {row.why}"
    change = "" if row.change is None else f" ({row.change:+.1%})"
    figure = f"{row.figure.name} {shown(row.figure.before)} -> {shown(row.figure.today)}{change}"
    return f"{row.file}: {row.state} through {row.through}: {figure}; {row.why}"
