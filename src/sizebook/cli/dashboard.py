"""`sizebook dashboard` writes the catalog of models as one page."""

from pathlib import Path

import click

from sizebook.cli.messages import print_notes
from sizebook.cli.options import ANY_PATH, FILE
from sizebook.core.errors import InputError


@click.command("dashboard")
@click.option("-o", "--output", type=FILE, required=True, help="HTML to write.")
@click.option("--models", "tables", type=ANY_PATH, multiple=True, help="CSV of your own models.")
@click.option("--config", "configs", type=ANY_PATH, multiple=True, help="config.json of your own model.")
def dashboard(output: Path, tables: tuple[Path, ...], configs: tuple[Path, ...]) -> None:
    """Write the catalog as one HTML page that needs no network: table, charts, comparison, calculator.

    Add your own models with --models (a CSV file with a row per model) and --config (a config.json); both can be
    repeated.
    """
    from sizebook.dashboard import own_models
    from sizebook.dashboard.catalog_models import published_models
    from sizebook.dashboard.html_page import write_page

    if output.suffix.casefold() not in (".html", ".htm"):
        raise InputError(f"unknown format: got '{output.name}', want a name that ends in .html. Rename it.")
    own = [own_models.model_of_config(path) for path in configs]
    for path in tables:
        stated, notes = own_models.models_of_table(path)
        print_notes(notes)
        own += stated
    own_models.refuse_repeated(own)
    models = [*own, *published_models()]
    size = write_page(models, output).stat().st_size
    click.echo(f"{output.resolve()}: {len(models)} models, {size / 1e6:.1f} MB. Open it in a browser.")
