"""Calls for processes that are killed when they take too much."""

import time


def twice(number: int) -> int:
    return 2 * number


def asleep(seconds: int) -> None:
    time.sleep(seconds)


def busy(seconds: int) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def filling(n_bytes: int) -> int:
    kept = bytearray(b"\1" * n_bytes)
    time.sleep(60)
    return len(kept)
