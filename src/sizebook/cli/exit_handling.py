"""How a command ends: signals unwind it like an error does, so that it leaves no half-written file."""

import atexit
import gc
import signal
import sys
from types import FrameType

import click


def handle_signals() -> None:
    """Let `SIGTERM` and a closed terminal unwind the command instead of killing it."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _end)


def skip_last_garbage_collection() -> None:
    """Skip the garbage collection at exit, which takes a sixth of the time of a count; the system frees everything."""
    atexit.register(gc.freeze)


def _end(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second signal would interrupt the cleaning up
    click.echo(f"sizebook: ended by {signal.Signals(number).name}: nothing half-written is left.", err=True)
    sys.exit(128 + number)
