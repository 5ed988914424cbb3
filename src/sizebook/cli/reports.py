"""`sizebook report` writes the PDF report of one scenario."""

from __future__ import annotations

from pathlib import Path

import click

from sizebook.cli.rates import rates_option


@click.command("report")
@click.argument("scenario", type=click.Path(dir_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="PDF to write.")
@rates_option
def write_report(scenario: Path, output: Path, rates: Path | None) -> None:
    """Write the PDF report of a scenario file: sizing, training, serving, fleet or programme, as its plan says."""
    from sizebook.batch.jobs import report_of, scenario_of
    from sizebook.cli.telling import told
    from sizebook.reports.render import write_pdf
    from sizebook.scenarios.files import read_toml, with_rates

    checked = scenario_of(with_rates(read_toml(scenario), rates), scenario.name, scenario.parent)
    told(checked.notes)
    write_pdf(report_of(checked), output)
    click.echo(output)
