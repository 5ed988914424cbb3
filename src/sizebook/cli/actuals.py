"""`sizebook actuals`: traffic from logs, money from bills, and why a month was not as planned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sizebook.cli.options import ANY_PATH, FILE, json_option, presentation_options, refuse_without_effect
from sizebook.cli.plan_printing import ScenarioFile
from sizebook.core.errors import InputError

if TYPE_CHECKING:
    from sizebook.actuals.plan_variance import PlanVariance, Subtotal
    from sizebook.actuals.planned_services import PlannedServices


@click.group("actuals")
def actuals() -> None:
    """Read what really happened: requests from logs, cost from bills, and why a plan was off."""


@actuals.command("traffic")
@click.argument("log", type=FILE)
@click.option("-o", "--output", type=ANY_PATH, required=True, help="New folder for the files of a scenario.")
@click.option(
    "--cache-tokens",
    type=float,
    help="Tokens of the prefix cache that all replicas share: the log is replayed against it.",
)
@click.option("--replicas", type=click.IntRange(min=1), help="Replicas among which requests divide; 1 if left out.")
@click.option("--over-hours", type=float, help="Hours over which an engine counted, for metrics of Prometheus.")
def traffic(
    log: Path, output: Path, cache_tokens: float | None, replicas: int | None, over_hours: float | None
) -> None:
    """Turn LOG into the traffic of a serving scenario: requests a day, hours, lengths, bursts, cache hits.

    LOG is a log of requests (CSV, JSON Lines or Parquet of LiteLLM, AIPerf, Mooncake, Azure, BurstGPT, or with columns
    seconds, input_tokens, output_tokens), or what an engine shows at /metrics (.prom or .txt of vLLM or SGLang).
    """
    from sizebook.actuals import engine_metrics
    from sizebook.actuals.traffic_figures import traffic_figures
    from sizebook.actuals.traffic_files import in_words, write_traffic
    from sizebook.actuals.traffic_logs import read_log

    if log.suffix.casefold() in engine_metrics.KINDS:
        refuse_without_effect("with metrics of an engine", cache_tokens=cache_tokens, replicas=replicas)
        if over_hours is None or not over_hours > 0:
            raise InputError(
                f"no time: got {log.name} without --over-hours, want the hours over which the engine counted. Add it."
            )
        figures = engine_metrics.figures_of_metrics(log, over_hours * 3600)
    else:
        refuse_without_effect("with a log of requests, which has times", over_hours=over_hours)
        figures = traffic_figures(read_log(log), cache_tokens)
    written = write_traffic(figures, output, log.name, n_replicas=replicas or 1)
    for line in in_words(figures, log.name):
        click.echo(line)
    click.echo(f"wrote {', '.join(path.name for path in written)} into {output}")


@actuals.command("bill")
@click.argument("bill", type=FILE)
@click.option(
    "--tag", default="", help="Your tag key, such as team, or a column of yours: cost by its values, and what has none."
)
@click.option("--csv", "table", type=ANY_PATH, help="Write the services by month to this CSV file.")
def bill(bill: Path, tag: str, table: Path | None) -> None:
    """Check BILL (FOCUS 1.2 or 1.3, CSV or Parquet) by the rules of FOCUS and add it up by month and service."""
    from sizebook.actuals.bills import BilledService, read_bill
    from sizebook.sources.cell_text import neutral_cells
    from sizebook.sources.writing import csv_text, write_whole

    found = read_bill(bill, tag)
    heads = [field.name for field in fields(BilledService)]
    if table is not None:
        rows = (neutral_cells([*asdict(each).values(), found.currency]) for each in found.services)
        write_whole(table, csv_text([*heads, "currency"], rows).encode())
    for each in found.services:
        name = f"{each.service}, {each.tag}" if each.tag else each.service
        line = f"{each.month}  {name}: {each.effective_cost:,.2f} {found.currency}"
        line += f", {each.gpu_hours:,.1f} GPU-hours" if each.gpu_hours else ", no GPU counted"
        parts = ((each.unused_cost, "of it for unused commitments"), (each.untagged_cost, f"without {tag}"))
        for amount, what in parts:
            line += f", {amount:,.2f} {what}" if amount else ""
        click.echo(line)
    click.echo(f"together {sum(each.effective_cost for each in found.services):,.2f} {found.currency}")
    if found.unknown_columns:
        click.echo(f"columns that FOCUS does not know, left alone: {', '.join(found.unknown_columns)}")


@actuals.command("variance")
@click.argument("scenario", type=FILE)
@click.argument("table", type=FILE)
@click.option("-o", "--output", type=FILE, help="Report of two pages to write: PDF, HTML or xlsx.")
@json_option
@presentation_options
def variance(scenario: Path, table: Path, output: Path | None, as_json: bool, **asked: Any) -> None:
    """Say why the months of TABLE did not cost what SCENARIO planned, and what the year costs now.

    SCENARIO is a serving plan, or a fleet plan of several services. TABLE is CSV with the columns month, requests,
    input_tokens, output_tokens, gpu_hours and cost, of a fleet also service, and where they are known busy_share,
    rate_per_usd, unused_cost, untagged_cost and no_gpu_cost. What a cause adds is its Shapley value, which no order of
    the causes moves; JSON has the values in the stated order too.
    """
    from sizebook.actuals.actual_months import read_actuals
    from sizebook.actuals.plan_variance import variance_of
    from sizebook.cli.meeting_reports import write_meeting_report

    name, planned = _planned(scenario)
    found = variance_of(planned, name, read_actuals(table, planned.start, [each.name for each in planned.services]))
    write_meeting_report(found, output, asked)
    told = asdict(found) | {"lines": found.total.lines, "services": [asdict(each) for each in found.by_service]}
    click.echo(json.dumps(told, indent=2) if as_json else "\n".join(as_lines(found)))


def _planned(path: Path) -> tuple[str, PlannedServices]:
    """Return the services of a serving or fleet scenario, and the name of the plan."""
    from sizebook.actuals.planned_services import services_of
    from sizebook.scenarios.fleet import FleetScenario, plan_fleet_scenario
    from sizebook.scenarios.kinds import plan_of
    from sizebook.scenarios.scenario_files import read_toml
    from sizebook.scenarios.serving import ServingScenario, plan_serving_scenario

    file = ScenarioFile(path)
    if plan_of(read_toml(path)) == "fleet":
        fleet = file.read(FleetScenario, "fleet")
        return fleet.title or path.stem, services_of(plan_fleet_scenario(fleet), fleet.money)
    checked = file.read(ServingScenario, "serving")
    name = checked.title or path.stem
    return name, services_of(plan_serving_scenario(checked), checked.money, name)


def as_lines(found: PlanVariance) -> Iterator[str]:
    """Yield plan against actual as lines of text."""
    from sizebook.actuals.variance import LABELS

    total, services = found.total, found.by_service
    yield from (f"{found.name}, {found.currency}", "", *map(_compared, found.by_month))
    for part in services if len(services) > 1 else ():
        yield _compared(part)
        yield f"  {', '.join(f'{LABELS[name]} {_signed(v)}' for name, v in part.lines.items() if abs(v) >= 0.5)}"
    yield ""
    yield f"{_compared(replace(total, name='all months'))}, because of"
    yield from (f"  {LABELS[name]:24} {_signed(amount):>14}" for name, amount in total.lines.items())
    yield ""
    yield f"forecast to the end of {found.until}: {found.forecast_total:,.0f} (plan {found.planned_total:,.0f})"
    yield from (f"note: {each}" for each in found.remarks)


def _compared(part: Subtotal) -> str:
    return f"{part.name}: planned {part.planned:,.0f}, actual {part.actual:,.0f} ({part.difference:+,.0f})"


def _signed(amount: float) -> str:
    return f"{amount:+,.0f}" if abs(amount) >= 0.5 else "0"  # never -0
