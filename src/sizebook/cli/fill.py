"""`sizebook fill` writes a scenario into a workbook and recalculates it without a spreadsheet program."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sizebook.cli.options import FILE, rates_option
from sizebook.core.errors import InputError
from sizebook.core.targets import TARGETS

if TYPE_CHECKING:
    from sizebook.workbooks.anchors.plan_values import PlanValues


@click.command("fill")
@click.argument("workbook", type=FILE)
@click.argument("scenario", type=FILE)
@click.option("-o", "--output", type=FILE, required=True, help="Workbook to write.")
@click.option(
    "--target",
    type=click.Choice(TARGETS),
    help="Spell functions as this add-in stores them: the .xlam, xlwings Lite or Server, or LibreOffice's. 'lambda': "
    "plain arithmetic as LAMBDAs, for Excel 365 without an add-in. 'values': no formulas.",
)
@click.option("--namespace", help="With --target office-js: the namespace of the server's manifest; none for Lite.")
@rates_option
@click.option("--strict", is_flag=True, help="Refuse a workbook with formulas that cannot be calculated.")
@click.option("--protect", is_flag=True, help="Protect the sheets, without a password; inputs stay open.")
def fill_workbook(
    workbook: Path, scenario: Path, output: Path, rates: Path | None, strict: bool, protect: bool,
    **spelling: str | None,
) -> None:  # fmt: skip
    """Write the inputs of SCENARIO (TOML) into WORKBOOK and store every computed value.

    WORKBOOK is a file, or the bare name of one that comes with sizebook: model_sizing.xlsx,
    model_comparison.xlsx, fine_tuning.xlsx, training_budget.xlsx, training_programme.xlsx,
    serving_capacity.xlsx, fleet_plan.xlsx.

    The keys are the names of the workbook's input cells. A scenario whose 'plan' is the one that WORKBOOK was made for
    may be any that 'sizebook report' takes. Nothing is written when an input is unknown, missing or not in its list.

    Into a workbook of your own, a scenario with a 'plan' brings that plan: figures into defined names and {{ names }}
    of texts, tables into Excel tables, pictures into named ranges; 'sizebook template check' lists them.

    Exits with 1 when a cell of the written workbook shows an error, or cannot be calculated: such a cell keeps the
    value that WORKBOOK holds beside it.
    """
    from sizebook.cli.messages import print_error, print_notes
    from sizebook.workbooks.anchors.plan_values import PlanValues
    from sizebook.workbooks.filling import SaveOptions, fill, fill_from

    target = next((known for known in TARGETS if known == spelling["target"]), None)
    namespace = spelling["namespace"] or ""
    if namespace and target is None:
        raise InputError(f"namespace without target: got '{namespace}', want --target office-js beside it. Add it.")
    template = find_workbook(workbook)
    given = values_for(scenario, template, rates)
    options = SaveOptions(namespace, protect)
    asked: dict[str, Any] = {"target": target, "strict": strict, "options": options}
    if isinstance(given, PlanValues):
        filled = fill_from(template, given, output, **asked)
        did = [f"{len(filled.placed)} anchors", *(f"  {line}" for line in filled.placed)]
    else:
        filled = fill(template, given, output, **asked)
        did = [f"{len(given)} inputs"]
    print_notes(filled.notes)
    calculated = filled.calculated
    cells = f"{len(calculated.values)} cells, calculated by {calculated.engine}" if calculated.engine else "no formulas"
    click.echo(f"{output}: {did[0]}, {cells}")
    for line in did[1:]:
        click.echo(line)
    for problem in filled.problems:
        print_error(f"sizebook: {problem}")
    if filled.problems:
        sys.exit(1)


def find_workbook(workbook: Path) -> Path:
    """Return the file as it is given, or the one of that bare name that travels with the package, its ending left out
    or not.

    Errors: `UnknownKeyError` for a bare name that is near one of those or has no ending, and no file.
    """
    from sizebook.core.hints import likely_words, unknown_key
    from sizebook.sources.bundled import bundled

    if workbook.exists() or workbook.name != str(workbook):
        return workbook
    ours = {each.name: each for each in sorted(bundled("workbooks").glob("*.xlsx"))}
    if (name := workbook.name if workbook.suffix else f"{workbook.name}.xlsx") in ours:
        return ours[name]
    if likely_words(name, ours) or not workbook.suffix:
        raise unknown_key("workbook", name, ours, lists="'sizebook fill --help'")
    return workbook


def values_for(scenario: Path, workbook: Path, rates: Path | None) -> Mapping[str, Any] | PlanValues:
    """Return what a scenario file gives a workbook: values of its inputs, or what a plan brings for its anchors."""
    from sizebook.batch.workbook_values import workbook_values
    from sizebook.cli.messages import print_notes
    from sizebook.scenarios.scenario_files import read_toml, with_rates

    gift = workbook_values(
        with_rates(read_toml(scenario), rates), scenario.name, scenario.parent, workbook=workbook.name
    )
    print_notes(gift.notes)
    return gift.values
