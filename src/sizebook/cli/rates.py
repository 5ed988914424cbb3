"""The option `--rates` of every command that works out times: a file that `sizebook calibrate` wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from pathlib import Path

Command = TypeVar("Command", bound=Callable[..., Any])


def rates_option(command: Command) -> Command:
    """Add ``--rates`` to a command, which takes it as ``rates``."""
    return click.option(
        "--rates",
        type=click.Path(dir_okay=False),
        callback=_as_path,
        help="Own rates in place of the shipped ones: a file that 'sizebook calibrate' wrote.",
    )(command)


def _as_path(_context: click.Context, _parameter: click.Parameter, given: str | None) -> Path | None:
    if given is None:
        return None
    from pathlib import Path  # a call without the option starts without it

    return Path(given)
