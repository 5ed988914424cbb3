"""`sizebook template check`: what a workbook takes, and what would go wrong when it is filled."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from sizebook.cli.rates import rates_option
from sizebook.core.targets import TARGETS


@click.group()
def template() -> None:
    """Workbooks of your own as templates."""


@template.command("check")
@click.argument("workbook", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--scenario", type=click.Path(dir_okay=False, path_type=Path), help="Also check the values that this file gives."
)
@click.option("--target", type=click.Choice(TARGETS), help="Also say what is missing there; see 'sizebook fill'.")
@rates_option
def check(workbook: Path, scenario: Path | None, target: str | None, rates: Path | None) -> None:
    """Say which inputs WORKBOOK has, and what would be refused, in error or other than expected once it is filled.

    Nothing is written. Exits with 1 when there is a problem; notes alone are none.
    """
    from sizebook.cli.telling import failed
    from sizebook.cli.workbooks import found, inputs_from
    from sizebook.workbooks.checking import check_template

    given = None if scenario is None else inputs_from(scenario, workbook, rates)
    chosen = next((known for known in TARGETS if known == target), None)
    checked = check_template(found(workbook), given, chosen)
    click.echo(f"{workbook.name}: {len(checked.inputs)} inputs, {checked.n_formulas} formulas")
    for entry in checked.inputs:
        click.echo(f"  {entry.name}  {entry.place}  {entry.takes}")
    for note in checked.notes:
        click.echo(f"note: {note}")
    for problem in checked.problems:
        failed(f"sizebook: {problem}")
    if checked.problems:
        sys.exit(1)
