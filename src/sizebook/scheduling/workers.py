"""Worker processes that end with their parent, and at once if the work is stopped."""

import ctypes
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, current_process, get_context

from sizebook.sources.writing import scratch_folder

_PR_SET_PDEATHSIG = 1  # of Linux's prctl: the signal that a process gets when its parent dies
_LOOK_EVERY_SECONDS = 1.0


@contextmanager
def workers(n: int) -> Iterator[ProcessPoolExecutor]:
    """Yield an executor with ``n`` fresh processes; if an error leaves the block they are killed.

    Spawned, not forked: the calculation engine runs threads, which do not survive a fork.
    """
    finished = False
    with scratch_folder() as folder:
        pool = ProcessPoolExecutor(n, get_context("spawn"), begin, (os.getpid(), str(folder)))
        try:
            yield pool
            finished = True
        finally:
            for child in [] if finished else active_children():
                child.kill()
            pool.shutdown(wait=True, cancel_futures=True)


def begin(parent: int, folder: str) -> None:
    """End this process when its parent ends, and put its temporary files where the parent removes them.

    The parent handles Ctrl-C.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # the parent died before prctl was called
            os._exit(1)
    else:  # not on Linux: a process with a second thread does not fork for its calculations
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def allow_children() -> None:
    """Let this process start children although Dask's nanny made it daemonic.

    A workbook is calculated in a child process, so that it can be stopped. The standard library has no public way to
    allow it.
    """
    config: dict[str, object] = getattr(current_process(), "_config", {})
    config.pop("daemon", None)


def _watch(parent: int) -> None:
    """End this process once its parent is gone."""
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY_SECONDS)
    os._exit(1)
