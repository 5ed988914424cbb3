"""Runs pieces of work in processes of this machine."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from sizebook.scheduling.scheduler import Finished, Item, Result, WorkerDiedError
from sizebook.scheduling.workers import workers


@dataclass(frozen=True)
class Processes:
    """A scheduler with ``n`` fresh processes, which end with this one.

    When a worker dies, nobody can tell which piece it had. The pieces that were running are tried once more, one at a
    time; a piece over which a worker dies again has failed. The others continue.
    """

    n: int

    def results(
        self, task: Callable[[Item], Result], items: Iterable[Item], begun: Callable[[Item], object]
    ) -> Iterator[Finished[Item, Result]]:
        """Yield the outcome of every item (`scheduler.Scheduler`)."""
        queue = deque(items)
        while queue:
            suspects = deque((yield from _together(_Work(task, begun, self.n), queue)))
            while suspects:
                for item in (yield from _together(_Work(task, begun, 1), suspects)):
                    yield Finished(item, None, WorkerDiedError("twice"))


@dataclass(frozen=True)
class _Work:
    task: Callable[[Any], Any]
    begun: Callable[[Any], object]
    n: int


def _together(work: _Work, queue: deque[Any]) -> Generator[Finished[Any, Any], None, list[Any]]:
    """Work through a queue until it is empty or a worker dies; return the items that were running then."""
    under_way: dict[Future[Any], Any] = {}
    is_broken = False
    with workers(min(work.n, len(queue))) as pool:
        while under_way or (queue and not is_broken):
            is_broken = is_broken or not _submitted(pool, work, queue, under_way)
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                if _is_lost(future):
                    is_broken = True
                    continue
                error = future.exception()
                yield Finished(under_way.pop(future), None if error else future.result(), error)
            if is_broken and all(future.done() and _is_lost(future) for future in under_way):
                break
    return list(under_way.values())


def _is_lost(future: Future[Any]) -> bool:
    """Return whether the worker of an item, or another of its pool, died before the result arrived."""
    return isinstance(future.exception(), BrokenProcessPool)


def _submitted(pool: Executor, work: _Work, queue: deque[Any], under_way: dict[Future[Any], Any]) -> bool:
    """Submit as many items as there are workers; return whether the pool still works."""
    try:
        while queue and len(under_way) < work.n:
            under_way[pool.submit(work.task, queue[0])] = queue[0]
            work.begun(queue.popleft())
    except BrokenProcessPool:
        return False
    return True
