"""`sizebook bridge` says what each thing that differs between two plans adds to the cost."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from sizebook.cli.options import FILE, json_option, presentation_options
from sizebook.core.errors import InputError
from sizebook.core.extras import need


@click.command("bridge")
@click.argument("one", type=FILE)
@click.argument("other", type=FILE, required=False)
@click.option("--months", type=int, nargs=2, metavar="A B", help="Month A of ONE against month B of OTHER.")
@click.option("-o", "--output", type=FILE, help="Report to write: PDF, HTML or xlsx.")
@json_option
@presentation_options
def bridge_plans(
    one: Path, other: Path | None, months: tuple[int, int] | None, output: Path | None, as_json: bool, **asked: Any
) -> None:
    """Say what each input, version and table that differs between two plans adds to the cost, in ten bars at most.

    ONE and OTHER are scenario files (TOML), or outputs of sizebook in any format: last month's report and today's
    scenario, for example. Inputs are changed one after another, in the order of their keys. Without OTHER two months of
    ONE are compared.
    """
    need("workbooks", "reports")
    from sizebook.batch.bridge import as_lines, bridge, side_of
    from sizebook.cli.meeting_reports import write_meeting_report

    if other is None and months is None:
        raise InputError(
            f"nothing to compare with: got {one.name} alone, want OTHER or --months. Name what to compare it with."
        )
    first, second = months or (None, None)
    found = bridge(side_of(one, first), side_of(other or one, second))
    write_meeting_report(found, output, asked)
    told = asdict(found) | {"end": found.end, "bars": found.bars}
    click.echo(json.dumps(told, indent=2, default=str) if as_json else "\n".join(as_lines(found)))
