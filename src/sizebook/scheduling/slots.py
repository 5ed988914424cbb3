# ruff: noqa: E402 - need() must run before the imports of the extra
"""Runs single calls in processes that are killed if a call takes too long or too much memory."""

import os
import queue
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from sizebook.core.extras import need

need("workbooks")

import psutil

from sizebook.core.errors import InputError
from sizebook.scheduling.scheduler import Finished, Item, Result, WorkerDiedError
from sizebook.scheduling.workers import begin
from sizebook.sources.writing import scratch_folder

_LOOK_EVERY_SECONDS = 0.2
_PATIENCE = 10  # a call that waits for something instead of working ends after so many times its seconds
_A_DAY = 86_400.0
_CALLS_A_PROCESS = 500  # then a fresh process, so that caches of libraries do not grow for ever


class BusyError(Exception):
    """No process became free in time."""


@dataclass(frozen=True)
class Bounds:
    """Limits of one call: seconds to wait for a process, as many of a processor to run, bytes of resident memory."""

    seconds: int
    n_bytes: int


class Slots:
    """A fixed number of processes for calls with limits; also a scheduler whose pieces have the same limits."""

    def __init__(self, n: int, bounds: Bounds) -> None:
        self.n, self.bounds = n, bounds
        self._free: queue.Queue[_Slot] = queue.Queue()
        # Linux ends a process with the thread that started it (`begin`), and threads of callers come and go.
        self._starter = ThreadPoolExecutor(1)
        self._all = [_Slot(bounds, self._starter) for _ in range(n)]
        for slot in self._all:
            self._free.put(slot)

    def call(self, task: Callable[[Item], Result], item: Item, *, wait_seconds: float | None = None) -> Result:
        """Return what a task returns, or raise what it raises.

        Errors: `InputError` if it exceeds its limits, `WorkerDiedError` if its process dies, `BusyError`.
        """
        try:
            slot = self._free.get(timeout=self.bounds.seconds if wait_seconds is None else wait_seconds)
        except queue.Empty as error:
            raise BusyError from error
        try:
            found: Result = slot.call(task, item)
            return found
        finally:
            self._free.put(slot)

    def _patiently(self, task: Callable[[Any], Any], item: Any) -> Any:
        return self.call(task, item, wait_seconds=_A_DAY)

    def results(
        self, task: Callable[[Item], Result], items: Iterable[Item], begun: Callable[[Item], object]
    ) -> Iterator[Finished[Item, Result]]:
        """Yield the outcome of every item (`scheduler.Scheduler`); single calls can run in between."""
        left, under_way = iter(items), dict[Future[Any], Any]()
        with ThreadPoolExecutor(self.n) as threads:
            try:
                while True:
                    while len(under_way) < self.n and (item := next(left, self)) is not self:
                        begun(item)  # type: ignore[arg-type]
                        under_way[threads.submit(self._patiently, task, item)] = item
                    if not under_way:
                        return
                    for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                        error = future.exception()
                        yield Finished(under_way.pop(future), None if error else future.result(), error)
            finally:
                for future in under_way:
                    future.cancel()

    def close(self) -> None:
        """End all processes."""
        for slot in self._all:
            slot.end()
        self._starter.shutdown()


class _Slot:
    def __init__(self, bounds: Bounds, starter: ThreadPoolExecutor) -> None:
        self.bounds, self.starter = bounds, starter
        self.pool: ProcessPoolExecutor | None = None
        self.process: psutil.Process | None = None
        self.n_calls = 0
        self.scratch = ExitStack()  # the temporary files of this process alone

    def call(self, task: Callable[[Any], Any], item: Any) -> Any:
        try:
            future = self._pool().submit(task, item)
            return self._watched(future)
        except BrokenProcessPool as error:
            self.end()
            raise WorkerDiedError("once") from error

    def _pool(self) -> ProcessPoolExecutor:
        self.n_calls += 1
        if self.pool is None or self.n_calls > _CALLS_A_PROCESS:
            self.end()
            folder = self.scratch.enter_context(scratch_folder())
            self.pool = ProcessPoolExecutor(1, get_context("spawn"), begin, (os.getpid(), str(folder)))
            self.process, self.n_calls = psutil.Process(self.starter.submit(self._started, self.pool).result()), 1
        return self.pool

    @staticmethod
    def _started(pool: ProcessPoolExecutor) -> int:
        """Return the number of the process that a pool starts for its first call."""
        return pool.submit(os.getpid).result()

    def _watched(self, future: Future[Any]) -> Any:
        """Return a call's result, or kill its process if it exceeds its limits."""
        give_up, done_before = time.monotonic() + _PATIENCE * self.bounds.seconds, self._worked()
        while not future.done():
            wait([future], timeout=_LOOK_EVERY_SECONDS)
            if future.done():
                break
            if time.monotonic() > give_up or self._worked() - done_before > self.bounds.seconds:
                self.end()
                raise InputError(
                    f"too long: got more than {self.bounds.seconds} s of work, want less. Ask for less, or raise the "
                    "limit request_seconds where the service is started."
                )
            if self._bytes() > self.bounds.n_bytes:
                self.end()
                raise InputError(
                    f"too much memory: got more than {self.bounds.n_bytes} bytes of work, want less. Ask for less, or "
                    "raise the limit request_memory_bytes where the service is started."
                )
        return future.result()

    def _bytes(self) -> int:
        return sum(_resident(each) for each in _family(self.process))

    def _worked(self) -> float:
        """Return the seconds of a processor that the process and its children took, so that no busy machine counts."""
        return sum(_processor_seconds(each) for each in _family(self.process))

    def end(self) -> None:
        """Kill the process and its children."""
        for each in _family(self.process):
            try:
                each.kill()
            except psutil.NoSuchProcess:
                continue
        if self.pool is not None:
            self.pool.shutdown(wait=True, cancel_futures=True)
        self.pool = self.process = None
        self.scratch.close()


def _family(process: psutil.Process | None) -> list[psutil.Process]:
    if process is None:
        return []
    try:
        return [*process.children(recursive=True), process]
    except psutil.NoSuchProcess:
        return []


def _processor_seconds(process: psutil.Process) -> float:
    try:
        return float(sum(process.cpu_times()[:4]))  # its own, and of children that have ended
    except psutil.NoSuchProcess:
        return 0.0


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0
