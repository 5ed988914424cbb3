"""`sizebook report` writes the report of one scenario, as PDF or in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sizebook.cli.presentation import asked_for, own_workbook_option, presentation_options
from sizebook.cli.rates import rates_option
from sizebook.core.errors import InputError


@click.command("report")
@click.argument("scenario", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="File to write: PDF, HTML, JSON, CSV or xlsx.",
)
@rates_option
@presentation_options
@own_workbook_option
def write_report(scenario: Path, output: Path, rates: Path | None, **asked: Any) -> None:
    """Write the report of a scenario file: sizing, training, serving, fleet or programme, as its plan says.

    The end of the name says the format: a PDF has scenario, figures and workbook attached.
    """
    from sizebook.batch.formats import FORMATS
    from sizebook.batch.jobs import made
    from sizebook.cli.telling import told
    from sizebook.scenarios.files import read_toml, with_rates
    from sizebook.scenarios.presentation import with_presentation
    from sizebook.sources.writing import write_whole

    kind = output.suffix.casefold().lstrip(".")
    if kind not in FORMATS:
        raise InputError(
            f"unknown kind of file: got '{output.name}', want a name that ends in {', '.join(FORMATS)}. Rename it."
        )
    values = with_presentation(with_rates(read_toml(scenario), rates), asked_for(asked), scenario.parent)
    planned = made(values, scenario.name, scenario.parent)
    content = FORMATS[kind].content(planned)
    told((*planned.scenario.notes, *(planned.workbook.notes if planned.own_workbook else ())))
    click.echo(write_whole(output, content))
