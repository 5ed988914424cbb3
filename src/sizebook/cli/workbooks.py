"""`sizebook fill`: inputs from a scenario file into a workbook, recalculated without a spreadsheet."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from sizebook.cli.rates import rates_option
from sizebook.core.errors import InputError
from sizebook.core.targets import TARGETS


@click.command("fill")
@click.argument("workbook", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("scenario", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Workbook to write."
)
@click.option(
    "--target",
    type=click.Choice(TARGETS),
    help="Spell functions as this add-in stores them: the .xlam, xlwings Lite or Server, or LibreOffice's. 'lambda': "
    "plain arithmetic as LAMBDAs, for Excel 365 without an add-in. 'values': no formulas.",
)
@click.option("--namespace", help="With --target office-js: the namespace of the server's manifest; none for Lite.")
@rates_option
@click.option("--strict", is_flag=True, help="Refuse a workbook with formulas that cannot be calculated.")
def fill_workbook(
    workbook: Path, scenario: Path, output: Path, rates: Path | None, strict: bool, **spelling: str | None
) -> None:
    """Write the inputs of SCENARIO (TOML) into WORKBOOK and store every computed value.

    WORKBOOK is a file, or the bare name of one that comes with sizebook: model_sizing.xlsx,
    model_comparison.xlsx, fine_tuning.xlsx, training_budget.xlsx, training_programme.xlsx,
    serving_capacity.xlsx, fleet_plan.xlsx.

    The keys are the names of the workbook's input cells. A scenario whose 'plan' is the one that WORKBOOK was made for
    may be any that 'sizebook report' takes. Nothing is written when an input is unknown, missing or not in its list.
    Exits with 1 when a cell of the written workbook shows an error, or cannot be calculated: such a cell keeps the
    value that WORKBOOK holds beside it.
    """
    from sizebook.cli.telling import failed, told
    from sizebook.workbooks.filling import fill

    inputs = inputs_from(scenario, workbook, rates)
    target = next((known for known in TARGETS if known == spelling["target"]), None)
    namespace = spelling["namespace"] or ""
    if namespace and target is None:
        raise InputError(f"namespace without target: got '{namespace}', want --target office-js beside it. Add it.")
    filled = fill(found(workbook), inputs, output, target=target, namespace=namespace, strict=strict)
    told(filled.notes)
    calculated = filled.calculated
    click.echo(f"{output}: {len(inputs)} inputs, {len(calculated.values)} cells, calculated by {calculated.engine}")
    for problem in filled.problems:
        failed(f"sizebook: {problem}")
    if filled.problems:
        sys.exit(1)


def found(workbook: Path) -> Path:
    """Return the file as it is given, or the one of that bare name that travels with the package."""
    from sizebook.sources.bundled import bundled

    ours = bundled("workbooks") / workbook.name
    is_ours = not workbook.exists() and workbook.name == str(workbook) and ours.exists()
    return ours if is_ours else workbook


def inputs_from(scenario: Path, workbook: Path, rates: Path | None) -> dict[str, Any]:
    """Return the inputs that a scenario file gives: by the mapping of its plan, or key by key."""
    from sizebook.batch.jobs import JOBS, inputs_of, scenario_of
    from sizebook.cli.telling import told
    from sizebook.scenarios.files import read_toml, with_rates

    values = with_rates(read_toml(scenario), rates)
    job = JOBS.get(str(values.get("plan")))
    if job is not None and job.workbook == workbook.name:
        checked = scenario_of(values, scenario.name, scenario.parent)
        told(checked.notes)
        return inputs_of(checked)
    if job is not None and workbook.name in {each.workbook for each in JOBS.values()}:
        raise InputError(
            f"another workbook: got plan = '{values['plan']}' for {workbook.name}, want {job.workbook}. Fill that one."
        )
    return {key: value for key, value in values.items() if key != "plan"}
