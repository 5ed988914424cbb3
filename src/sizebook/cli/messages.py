"""Notes and errors of commands. They go to standard error, so that the answer itself can be piped.

They are coloured if standard error is a terminal with colours and NO_COLOR (no-color.org) is not set.
"""

import os
import re
from collections.abc import Iterable

import click

_HEAD = r"(?m)^(?:sizebook|Error):"


def print_notes(notes: Iterable[str]) -> None:
    """Print notes."""
    for note in notes:
        _print(f"{click.style('sizebook: note:', fg='yellow')} {note}")


def print_error(message: str) -> None:
    """Print an error."""
    _print(re.sub(_HEAD, lambda head: click.style(head[0], fg="red", bold=True), message, count=1))


def _print(text: str) -> None:
    # Click removes colours if standard error is no terminal, but it ignores NO_COLOR and TERM=dumb.
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    click.echo(text, err=True, color=False if plain else None)
