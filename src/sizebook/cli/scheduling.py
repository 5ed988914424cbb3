"""The option `--scheduler` of every command that works on many rows: a cluster in place of this machine's processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def scheduler_option(command: Command) -> Command:
    """Add ``--scheduler`` to a command."""
    return click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Workers of this Dask scheduler, such as tcp://host:8786, in place of processes of this machine.",
    )(command)
