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
@click.option("--strict", is_flag=True, help="Take notes for problems.")
@rates_option
def check(workbook: Path, scenario: Path | None, target: str | None, rates: Path | None, strict: bool) -> None:
    """Say which inputs and anchors WORKBOOK has, and what would be refused or in error once it is filled.

    Anchors are what a scenario with a 'plan' fills: defined names, Excel tables, {{ names }} in texts, pictures.
    Without --scenario those of plans of every kind count. Nothing is written. Exits with 1 when there is a problem: a
    cell in error, what stands in the way of a table, a name in braces that the plan lacks; notes alone are none.
    """
    from sizebook.batch.supplying import outline
    from sizebook.cli.telling import failed
    from sizebook.cli.workbooks import found, given_by
    from sizebook.workbooks.checking import check_template

    given = None if scenario is None else given_by(scenario, workbook, rates)
    chosen = next((known for known in TARGETS if known == target), None)
    checked = check_template(found(workbook), given, chosen, names=outline())
    counted = f", {len(checked.anchors)} anchors" if checked.anchors else ""
    click.echo(f"{workbook.name}: {len(checked.inputs)} inputs{counted}, {checked.n_formulas} formulas")
    for entry in checked.inputs:
        click.echo(f"  {entry.name}  {entry.place}  {entry.takes}")
    for line in checked.anchors:
        click.echo(f"  {line}")
    for note in checked.notes:
        click.echo(f"note: {note}")
    for problem in checked.problems:
        failed(f"sizebook: {problem}")
    if checked.problems or (strict and checked.notes):
        sys.exit(1)
