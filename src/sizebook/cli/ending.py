"""How a command ends: by a signal from outside as after an error, so that nothing half-written is left; and at once."""

from __future__ import annotations

import atexit
import gc
import signal
import sys
from types import FrameType

import click


def end_in_order() -> None:
    """Have a request to end (`SIGTERM`, a closed terminal) unwind the command instead of cutting it off."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _end)


def end_at_once() -> None:
    """Have the process end without a last search for circles among all that it loaded: the system takes it back whole.

    That search takes a sixth of the time of a count. Whatever else is to be done at the end is done before.
    """
    atexit.register(gc.freeze)


def _end(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough; a second would cut the clearing up short
    click.echo(f"sizebook: ended by {signal.Signals(number).name}: nothing half-written is left.", err=True)
    sys.exit(128 + number)
