"""A process of the service outlives the thread whose request started it."""

import os
from threading import Thread

from sizebook.scheduling.slots import Bounds, Slots


def _process(_: None) -> int:
    return os.getpid()


def test_a_process_outlives_the_thread_that_asked_first() -> None:
    slots, found = Slots(1, Bounds(60, 10**10)), []

    def ask() -> None:
        found.append(slots.call(_process, None))

    try:
        for _ in range(3):
            thread = Thread(target=ask)
            thread.start()
            thread.join()
        assert len(found) == 3 and len(set(found)) == 1
    finally:
        slots.close()
