"""What a command says beside its answer: on standard error, so that the answer itself can be piped on.

Coloured where standard error is a terminal that knows colours and NO_COLOR (no-color.org) is not set, plain otherwise.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

import click

# What a message begins with.
_HEAD = r"(?m)^(?:sizebook|Error):"


def told(notes: Iterable[str]) -> None:
    """Print remarks, such as old names that still work."""
    for note in notes:
        _print(f"{click.style('sizebook: note:', fg='yellow')} {note}")


def failed(message: str) -> None:
    """Print an error."""
    _print(re.sub(_HEAD, lambda head: click.style(head[0], fg="red", bold=True), message, count=1))


def _print(text: str) -> None:
    # Click takes colours out for whatever is no terminal; of NO_COLOR and terminals without colours it knows nothing.
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    click.echo(text, err=True, color=False if plain else None)
