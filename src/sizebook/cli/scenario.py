"""`sizebook scenario` writes a template of a scenario file, or the JSON Schema for editors."""

import json
from pathlib import Path

import click

from sizebook.cli.lazy import HintedGroup
from sizebook.cli.options import FILE
from sizebook.cli.shell_completion import names_of, plans
from sizebook.core.errors import InputError
from sizebook.sources.writing import write_whole

_OUTPUT = click.option("-o", "--output", type=FILE, help="File to write.")


@click.group("scenario", cls=HintedGroup)
def scenario() -> None:
    """Write a scenario file to fill in, or its JSON Schema."""


@scenario.command("template")
@click.argument("kind", required=False, shell_complete=names_of(plans))
@_OUTPUT
def write_template(kind: str | None, output: Path | None) -> None:
    """Print a commented scenario of KIND: sizing, training, fine_tuning, serving, fleet or programme."""
    from sizebook.scenarios.template import template

    if kind is None:
        raise InputError(f"no kind: got nothing, want {', '.join(plans())}. Name one, such as serving.")
    _write(template(kind), output)


@scenario.command("schema")
@_OUTPUT
def write_schema(output: Path | None) -> None:
    """Print the JSON Schema of scenario files in TOML, YAML or JSON."""
    from sizebook.scenarios.schema import schema

    _write(json.dumps(schema(), indent=2) + "\n", output)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        click.echo(write_whole(output, text.encode()))
