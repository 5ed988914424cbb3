"""`sizebook dashboard` writes the catalog of models as one page."""

from __future__ import annotations

from pathlib import Path

import click

from sizebook.cli.telling import told
from sizebook.core.errors import InputError


@click.command("dashboard")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="HTML to write.")
@click.option("--models", "tables", type=click.Path(path_type=Path), multiple=True, help="CSV of own models.")
@click.option(
    "--config", "configs", type=click.Path(path_type=Path), multiple=True, help="config.json of an own model."
)
def dashboard(output: Path, tables: tuple[Path, ...], configs: tuple[Path, ...]) -> None:
    """Write the catalog as one page that needs no network: table, charts, comparison, calculator.

    Own models stand beside the catalog: --models takes a CSV file with a row a model, --config a config.json; both as
    often as you like.
    """
    from sizebook.dashboard import own
    from sizebook.dashboard.page import write_page
    from sizebook.dashboard.rows import published

    if output.suffix.casefold() not in (".html", ".htm"):
        raise InputError(f"unknown format: got '{output.name}', want a name that ends in .html. Rename it.")
    mine = [own.of_config(path) for path in configs]
    for path in tables:
        stated, notes = own.of_table(path)
        told(notes)
        mine += stated
    own.refuse_repeated(mine)
    models = [*mine, *published()]
    size = write_page(models, output).stat().st_size
    click.echo(f"{output.resolve()}: {len(models)} models, {size / 1e6:.1f} MB. Open it in a browser.")
