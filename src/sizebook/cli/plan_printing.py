"""What the plan commands share: their options, reading a scenario, printing as JSON or text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sizebook.cli.options import FILE, json_option, rates_option

if TYPE_CHECKING:
    from sizebook.scenarios.scenario_files import Kind

Command = TypeVar("Command", bound=Callable[..., Any])


def plan_options(command: Command) -> Command:
    """Add what every plan command takes: the scenario file, ``--json`` and ``--rates``."""
    return click.argument("scenario", type=FILE)(json_option(rates_option(command)))


def read_scenario(path: Path, kind: type[Kind], rates: Path | None, plan: str) -> Kind:
    """Return the checked scenario of a file, with own rates put in."""
    from sizebook.scenarios.scenario_files import parse, read_toml, resolve_files, with_rates

    return parse(kind, resolve_files(path.parent, with_rates(read_toml(path), rates, plan=plan)), path.name)


def print_plan(as_json: bool, data: Callable[[], Mapping[str, Any]], text: Callable[[], Iterable[str]]) -> None:
    """Print a plan as JSON or as text; only the one that is asked for is made."""
    click.echo(json.dumps(_without_nan(data()), indent=2) if as_json else "\n".join(text()))


def _without_nan(value: Any) -> Any:
    """Return plain data with null for what nobody lists: JSON has no NaN."""
    if isinstance(value, Mapping):
        return {key: _without_nan(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(inner) for inner in value]
    return None if value != value else value
