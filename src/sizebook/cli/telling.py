"""What a command says beside its answer: on standard error, so that the answer itself can be piped on."""

from __future__ import annotations

from collections.abc import Iterable

import click


def told(notes: Iterable[str]) -> None:
    """Print remarks, such as old names that still work."""
    for note in notes:
        click.echo(f"sizebook: note: {note}", err=True)
