"""`sizebook validate` reruns every published figure that ships with the package."""

import json
import sys
from dataclasses import asdict

import click

from sizebook.cli.text_tables import text_table
from sizebook.core.units import percent, significant
from sizebook.validation import training_runs
from sizebook.validation.published import Summary, validate


@click.command("validate")
@click.option("--json", "as_json", is_flag=True, help="Print every row as JSON.")
@click.option(
    "--rows", "every", is_flag=True, help="Print every row, not only the summary and rows outside their tolerance."
)
def validate_published(as_json: bool, every: bool) -> None:
    """Compare published figures with computed ones; exit with 1 if one is outside its tolerance."""
    summaries = validate()
    if as_json:
        click.echo(json.dumps([*(_as_data(each) for each in summaries), _left_out()], indent=2))
    else:
        click.echo("\n".join([*_as_text(summaries, every), training_runs.summary()]))
    sys.exit(0 if all(each.within == len(each.results) for each in summaries) else 1)


def _as_data(each: Summary) -> dict[str, object]:
    rows = [{**asdict(result), "error": result.error, "within": result.within} for result in each.results]
    return {
        "quantity": each.quantity,
        "cases": len(rows),
        "within": each.within,
        "mean_error": each.mean_error,
        "worst_error": each.worst.error,
        "rows": rows,
    }


def _left_out() -> dict[str, object]:
    """Return the errors of training times on runs that the fit had not seen; these have no tolerance."""
    rows = training_runs.errors()
    return {
        "quantity": "training_runs_left_out",
        "cases": sum(row.runs for row in rows),
        "mean_error": training_runs.over_runs(rows, "unseen_error"),
        "mean_error_of_groups": training_runs.over_groups(rows, "unseen_error"),
        "in_band": training_runs.over_runs(rows, "in_band"),
        "in_band_of_groups": training_runs.over_groups(rows, "in_band"),
        "rows": [asdict(row) for row in rows],
    }


def _as_text(summaries: tuple[Summary, ...], every: bool) -> list[str]:
    rows: list[tuple[object, ...]] = [
        (each.quantity, len(each.results), each.within, percent(each.mean_error, 2), percent(each.worst.error, 2))
        for each in summaries
    ]
    total = ("total", sum(len(each.results) for each in summaries), sum(each.within for each in summaries), "", "")
    heads, *lines, last = text_table([("quantity", "cases", "within", "mean", "worst"), *rows, total])
    found = [heads]
    for line, each in zip(lines, summaries, strict=True):
        found.append(line)
        for r in each.results:
            if every or not r.within:
                error = f"{percent(r.error, 2)} of {percent(r.tolerance, 2)} allowed"
                figures = f"published {significant(r.published, 5)}, computed {significant(r.computed, 5)} {r.unit}"
                found.append(f"  {r.subject}: {figures}, {error}")
    return [*found, last]
