"""`sizebook report` writes the report of one scenario, as PDF or in another format."""

from pathlib import Path
from typing import Any

import click

from sizebook.cli.options import (
    FILE,
    own_workbook_option,
    presentation,
    presentation_options,
    rates_option,
    refuse_without_effect,
)
from sizebook.core.errors import InputError


@click.command("report")
@click.argument("scenario", type=FILE)
@click.option("-o", "--output", type=FILE, required=True, help="File to write: PDF, HTML, JSON, CSV or xlsx.")
@rates_option
@presentation_options
@own_workbook_option
@click.option("--attach-workbook", is_flag=True, help="Attach the filled workbook to a PDF, too.")
def write_report(scenario: Path, output: Path, rates: Path | None, attach_workbook: bool, **asked: Any) -> None:
    """Write the report of a scenario file: sizing, training, serving, fleet or programme, by its key 'plan'.

    The ending of the file name selects the format. A PDF has scenario and figures attached, with
    --attach-workbook the filled workbook, too.
    """
    from sizebook.batch.formats import FORMATS, file_contents
    from sizebook.batch.plan_kinds import plan_scenario
    from sizebook.cli.messages import print_notes
    from sizebook.scenarios.presentation import with_presentation
    from sizebook.scenarios.scenario_files import read_toml, with_rates
    from sizebook.sources.writing import write_whole

    kind = output.suffix.casefold().lstrip(".")
    if kind not in FORMATS:
        raise InputError(
            f"unknown kind of file: got '{output.name}', want a name that ends in {', '.join(FORMATS)}. Rename it."
        )
    refuse_without_effect(f"for {output.name}, which is no PDF", attach_workbook=attach_workbook and kind != "pdf")
    values = with_presentation(with_rates(read_toml(scenario), rates), presentation(asked), scenario.parent)
    planned = plan_scenario(values, scenario.name, scenario.parent)
    content = file_contents(planned, (*(("xlsx",) if attach_workbook else ()), kind)).files[kind]
    print_notes(planned.workbook.notes if planned.own_workbook else ())
    click.echo(write_whole(output, content))
