"""`sizebook batch` and `sizebook demo` write workbooks and reports."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sizebook.batch.formats import FORMATS, LONG_TABLES, USUAL
from sizebook.cli.messages import print_notes
from sizebook.cli.options import (
    FILE,
    FOLDER,
    own_workbook_option,
    presentation,
    presentation_options,
    progress,
    rates_option,
    report_style,
    run_options,
    scheduler_option,
)
from sizebook.cli.shell_completion import key_and_value
from sizebook.core.errors import InputError
from sizebook.core.extras import need
from sizebook.core.hints import suggestion

if TYPE_CHECKING:
    from sizebook.batch.comparison_files import ComparisonOptions
    from sizebook.batch.journal import Outcome
    from sizebook.batch.scenario_list import Row


NEXT = """
Open next
  the report: the answer on page one, then every figure with its formula and source
  the workbook, sheet Result: with the add-in, it recalculates when you change a yellow cell of Inputs
  every published model beside it:  sizebook dashboard -o models.html
  a model of your own:              sizebook count path/to/config.json --explain"""


@click.command("demo")
@click.option("--output", type=FOLDER, default=Path("sizebook-demo"))
def demo(output: Path) -> None:
    """Size Llama-3.1-8B: fill the planning workbook and render the report into a folder."""
    need("workbooks", "reports")
    from sizebook.batch.formats import produce_files
    from sizebook.batch.plan_kinds import plan_scenario
    from sizebook.scenarios.scenario_files import read_toml
    from sizebook.sources.bundled import bundled

    path = bundled("workbooks") / "scenarios" / "llama-3.1-8b.toml"
    planned = plan_scenario(read_toml(path), path.name, path.parent)
    outputs = produce_files(planned, output, path.stem)
    for tile in planned.report.tiles:
        click.echo(f"{tile.label:24} {tile.value}")
    for kind, label in (("xlsx", "Workbook"), ("pdf", "Report")):
        click.echo(f"{label:24} {outputs.files[kind].resolve()}")
    click.echo(NEXT)


@click.command("batch")
@click.argument("scenarios", type=FILE)
@click.option("-o", "--output", type=FOLDER, required=True, help="Folder to fill.")
@click.option("--jobs", type=click.IntRange(min=1), help="Number of processes; one a processor if left out.")
@scheduler_option
@click.option("--resume", is_flag=True, help="Continue an earlier run of the same batch.")
@click.option(
    "--grid",
    "grids",
    multiple=True,
    metavar="KEY=VALUES",
    shell_complete=key_and_value,
    help="Vary one scenario: KEY=V1,V2,... or KEY=FIRST:LAST:N; several options give every combination.",
)
@click.option(
    "--formats",
    default=",".join(USUAL),
    show_default=True,
    metavar="LIST",
    help="; ".join(f"{name}: {kind.meaning}" for name, kind in FORMATS.items())
    + f"; {', '.join(LONG_TABLES)}: four tables of the whole batch, figures, months, inputs and notes. These alone "
    "come without an index.",
)
@click.option("--compare", is_flag=True, help="Write comparison.html and comparison.pdf of the scenarios as well.")
@click.option("--base", metavar="NAME", help="With --compare: the scenario to compare with; the first if left out.")
@click.option("--rank-by", metavar="FIGURE", help="With --compare: the figure that ranks scenarios; cost if left out.")
@rates_option
@presentation_options
@own_workbook_option
def batch(scenarios: Path, output: Path, grids: tuple[str, ...], rates: Path | None, **asked: Any) -> None:
    """Produce files for every scenario of a table, with an index as a workbook and as a page, or tables of them all.

    SCENARIOS is a list in TOML ([[scenario]] tables) or YAML, or a table in CSV, Parquet or xlsx with one scenario a
    row, whose columns are keys such as traffic.requests_per_day or service.1.model; with --grid it is one scenario.
    Exits with 1 if a scenario failed; the others are still produced.

    A journal in the folder (journal.sqlite) records every scenario. With --resume a killed batch continues: a scenario
    is finished if its values, version, formats and files are the same. Tables alone, once they hold every scenario,
    need no journal: it goes.
    """
    need("workbooks", "reports")
    from sizebook.batch.formats import parse_formats
    from sizebook.batch.runner import run_batch
    from sizebook.batch.scenario_grid import parse_axis
    from sizebook.batch.scenario_list import read_batch
    from sizebook.scenarios.presentation import with_presentation

    formats = parse_formats(asked["formats"], tuple(LONG_TABLES))
    if LONG_TABLES.keys() & set(formats):
        need("sweep", *(["duckdb"] if "duckdb" in formats else []))
    order = run_options(asked, formats)
    given = read_batch(scenarios, [parse_axis(text) for text in grids])
    print_notes([*given.notes, f"{len(given.rows)} scenarios in {scenarios.name}"] if grids else given.notes)
    comparison = _comparison(given.rows, asked)
    style = report_style(asked)  # errors appear before anything runs
    rows = [replace(row, values=with_presentation(row.values, presentation(asked), row.folder)) for row in given.rows]
    done = run_batch(_with_own_rates(rows, rates), output, order, shown=progress("Scenarios"))
    failed = [outcome for outcome in done.outcomes if outcome.outputs is None]
    before = f", {done.n_before} of them before" if order.resume else ""
    n_done = len(done.outcomes) - len(failed)
    shown = f"Index: {done.index.resolve()}" if done.index else f"Tables: {output.resolve()}"
    click.echo(f"{n_done} of {len(done.outcomes)} scenarios done{before}. {shown}")
    for outcome in failed:
        click.echo(f"failed: {outcome.problem}", err=True)
    if comparison:
        _compare(done.outcomes, output, comparison, style)
    if failed:
        sys.exit(1)


def _comparison(rows: Sequence[Row], asked: dict[str, Any]) -> ComparisonOptions | None:
    """Return the comparison that the options ask for, None without --compare; bad options are refused."""
    from sizebook.batch.comparison_files import ComparisonOptions

    base, rank_by = asked["base"], asked["rank_by"]
    if not asked["compare"] and (base or rank_by):
        raise InputError("nothing to compare: got --base or --rank-by alone, want --compare with it. Add --compare.")
    names = [row.name for row in rows]
    if base and base not in names:
        raise InputError(f"unknown base: got '{base}', want the name of a scenario.{suggestion(base, names)}")
    return ComparisonOptions(base, rank_by) if asked["compare"] else None


def _compare(outcomes: Sequence[Outcome], output: Path, comparison: ComparisonOptions, style: Any) -> None:
    from sizebook.batch.comparison_files import write_comparison
    from sizebook.batch.index_table import lines_of

    for path in write_comparison(lines_of(outcomes), output, comparison, style=style):
        click.echo(f"Comparison: {path.resolve()}")


def _with_own_rates(rows: Sequence[Row], rates: Path | None) -> Sequence[Row]:
    """Return the scenarios with own rates; a note counts those whose plans compute no times."""
    from sizebook.scenarios.scenario_files import uses_rates, with_rates

    if rates is None:
        return rows
    without = [row for row in rows if not uses_rates(row.values)]
    if len(without) == len(rows):
        with_rates(rows[0].values, rates)  # refuses
    if without:
        print_notes(
            [f"--rates {rates.name} changes nothing in {len(without)} of {len(rows)} scenarios, which size a model"]
        )
    return [row if row in without else replace(row, values=with_rates(row.values, rates)) for row in rows]
