"""The option `--rates` of every command that works out times: a file that `sizebook calibrate` wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def rates_option(command: Command) -> Command:
    """Add ``--rates`` to a command, which takes it as ``rates``."""
    return click.option(
        "--rates",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Own rates in place of the shipped ones: a file that 'sizebook calibrate' wrote.",
    )(command)
