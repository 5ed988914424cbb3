"""`sizebook fill`: inputs from a scenario file into a workbook, recalculated without a spreadsheet."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command("fill")
@click.argument("workbook", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("scenario", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Workbook to write."
)
@click.option(
    "--target",
    type=click.Choice(["classic", "office-js", "libreoffice"]),
    help="Spell functions as this add-in stores them: the .xlam, xlwings Lite or Server, or LibreOffice's.",
)
def fill_workbook(workbook: Path, scenario: Path, output: Path, target: str | None) -> None:
    """Write the inputs of SCENARIO (TOML, one key an input) into WORKBOOK and store every computed value.

    The keys are the names of the workbook's input cells; 'plan' is left aside. Nothing is written when an input is
    unknown, missing or not in its list. Exits with 1 when a cell of the written workbook shows an error.
    """
    from sizebook.calculation.spellings import TARGETS
    from sizebook.scenarios import read_toml
    from sizebook.workbooks.filling import fill

    inputs = {key: value for key, value in read_toml(scenario).items() if key != "plan"}
    chosen = next((known for known in TARGETS if known == target), None)
    filled = fill(workbook, inputs, output, target=chosen)
    click.echo(f"{output}: {len(inputs)} inputs, {len(filled.calculated.values)} cells")
    for problem in filled.problems:
        click.echo(f"sizebook: {problem}", err=True)
    if filled.problems:
        sys.exit(1)
