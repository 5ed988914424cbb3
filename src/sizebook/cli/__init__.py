"""The command line: `sizebook COMMAND`. A command's module is imported only when that command runs.

A problem is one message on standard error and exit code 2; a batch or check that found failures exits with 1.
Click rather than Typer: Typer imports pydantic at every start, which made `sizebook call` three times as slow.
"""

from __future__ import annotations

import sys

import click

from sizebook import __version__
from sizebook.cli.lazy import LazyGroup
from sizebook.core.errors import SizebookError

# Command -> module of this package and the click command (or group) in it.
COMMANDS = {
    "functions": "functions:list_functions",
    "call": "functions:call_function",
    "count": "counting:count_model",
    "fill": "workbooks:fill_workbook",
    "batch": "production:batch",
    "calibrate": "calibrating:calibrate_rates",
    "demo": "production:demo",
    "data": "data:data",
    "plan": "plan:plan",
    "models": "models:list_models",
    "reconcile": "models:write_reconciliation",
    "sweep": "sweep:sweep_table",
    "report": "reports:write_report",
    "validate": "validating:validate_published",
    "verify": "verifying:verify_checkpoint",
    "excel": "excel:excel",
    "libreoffice": "libreoffice:libreoffice",
}


@click.group(cls=LazyGroup, places=COMMANDS)
@click.version_option(__version__, prog_name="sizebook")
def app() -> None:
    """Size transformer models: parameters, memory, compute, GPUs, money, energy and carbon."""


def main() -> None:
    """Run the command line; the entry point of the package."""
    try:
        app()
    except SizebookError as error:
        click.echo(f"sizebook: {error}", err=True)
        sys.exit(2)
