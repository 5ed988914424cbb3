"""`sizebook bridge` says what each thing that differs between two plans adds to the cost."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from sizebook.cli.options import FILE, json_option
from sizebook.core.extras import need


@click.command("bridge")
@click.argument("one", type=FILE)
@click.argument("other", type=FILE)
@json_option
def bridge_plans(one: Path, other: Path, as_json: bool) -> None:
    """Say what each input, version and table that differs between two plans adds to the cost, in ten bars at most.

    ONE and OTHER are scenario files (TOML), or outputs of sizebook in any format: last month's report and today's
    scenario, for example. Inputs are changed one after another, in the order of their keys.
    """
    need("workbooks", "reports")
    from sizebook.batch.bridge import as_lines, bridge, side_of

    found = bridge(side_of(one), side_of(other))
    click.echo(json.dumps(asdict(found) | {"bars": found.bars}, indent=2) if as_json else "\n".join(as_lines(found)))
