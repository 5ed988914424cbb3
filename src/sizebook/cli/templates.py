"""`sizebook template check` lists the inputs and anchors of a workbook, and problems that filling would meet."""

import sys
from pathlib import Path

import click

from sizebook.cli.lazy import HintedGroup
from sizebook.cli.options import FILE, rates_option
from sizebook.core.targets import TARGETS


@click.group(cls=HintedGroup)
def template() -> None:
    """Use your own workbooks as templates."""


@template.command("check")
@click.argument("workbook", type=FILE)
@click.option("--scenario", type=FILE, help="Also check the values of this scenario.")
@click.option(
    "--target", type=click.Choice(TARGETS), help="Also list functions that this target lacks; see 'sizebook fill'."
)
@click.option("--strict", is_flag=True, help="Treat notes as problems.")
@rates_option
def check(workbook: Path, scenario: Path | None, target: str | None, rates: Path | None, strict: bool) -> None:
    """List the inputs and anchors of WORKBOOK, and what would be refused or in error once it is filled.

    Anchors are the places that a scenario with a 'plan' fills: defined names, Excel tables, {{ names }} in texts,
    pictures. Without --scenario, anchors of every kind of plan count. Nothing is written. Exits with 1 if there is a
    problem: a cell in error, cells in the way of a table, a name in braces that the plan does not have.
    """
    from sizebook.batch.anchor_values import supply_names
    from sizebook.cli.fill import find_workbook, values_for
    from sizebook.cli.messages import print_error
    from sizebook.workbooks.template_check import check_template

    given = None if scenario is None else values_for(scenario, workbook, rates)
    chosen = next((known for known in TARGETS if known == target), None)
    checked = check_template(find_workbook(workbook), given, chosen, names=supply_names())
    counted = f", {len(checked.anchors)} anchors" if checked.anchors else ""
    click.echo(f"{workbook.name}: {len(checked.inputs)} inputs{counted}, {checked.n_formulas} formulas")
    for entry in checked.inputs:
        click.echo(f"  {entry.name}  {entry.place}  {entry.takes}")
    for line in checked.anchors:
        click.echo(f"  {line}")
    for note in checked.notes:
        click.echo(f"note: {note}")
    for problem in checked.problems:
        print_error(f"sizebook: {problem}")
    if checked.problems or (strict and checked.notes):
        sys.exit(1)
