"""`sizebook excel` makes what Excel loads: the VBA module of classic xlwings, the two files of xlwings Lite."""

from __future__ import annotations

from pathlib import Path

import click


@click.group("excel")
def excel() -> None:
    """Make what Excel loads (see docs/excel.md)."""


@excel.command("vba")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a .bas file.")
def write_vba(output: Path | None) -> None:
    """Make the VBA module for classic xlwings (Windows)."""
    from sizebook.excel.vba import vba_module
    from sizebook.sources.writing import write_whole

    text = vba_module()
    if output is None:
        click.echo(text.replace("\r\n", "\n"), nl=False)
        return
    click.echo(write_whole(output, text.encode("ascii")))


@excel.command("lite")
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder.")
def write_lite_files(output: Path) -> None:
    """Make main.py and requirements.txt for the tabs of xlwings Lite."""
    from sizebook.excel.lite import write_lite

    for path in write_lite(output):
        click.echo(path)
