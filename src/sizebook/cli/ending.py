"""What a signal from outside does: the command ends as after an error, so that nothing half-written is left."""

from __future__ import annotations

import signal
import sys
from types import FrameType

import click


def end_in_order() -> None:
    """Have a request to end (`SIGTERM`, a closed terminal) unwind the command instead of cutting it off."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _end)


def _end(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough; a second would cut the clearing up short
    click.echo(f"sizebook: ended by {signal.Signals(number).name}: nothing half-written is left.", err=True)
    sys.exit(128 + number)
