"""`sizebook scenario`: a file to fill in, and the JSON Schema that editors complete scenarios with."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sizebook.cli.completing import names_of, plans
from sizebook.sources.writing import write_whole

_OUTPUT = click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="File to write.")


@click.group("scenario")
def scenario() -> None:
    """Help to write scenario files."""


@scenario.command("template")
@click.argument("kind", shell_complete=names_of(plans))
@_OUTPUT
def write_template(kind: str, output: Path | None) -> None:
    """Print a commented scenario of a KIND: sizing, training, fine_tuning, serving, fleet or programme."""
    from sizebook.scenarios.template import template

    _put(template(kind), output)


@scenario.command("schema")
@_OUTPUT
def write_schema(output: Path | None) -> None:
    """Print the JSON Schema of scenario files in TOML, YAML or JSON."""
    from sizebook.scenarios.schema import schema

    _put(json.dumps(schema(), indent=2) + "\n", output)


def _put(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        click.echo(write_whole(output, text.encode()))
