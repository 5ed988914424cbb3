"""What every scheduler does: it has pieces of work done somewhere and gives back what became of each, as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerDiedError(Exception):
    """The processes that had a piece of work ended over it, each time that it was tried."""


@dataclass(frozen=True)
class Ended(Generic[Item, Result]):
    """A piece of work that has ended: with its result, or with the error that it raised."""

    item: Item
    result: Result | None
    error: BaseException | None = None


class Scheduler(Protocol):
    """Has a task done on items wherever its workers are."""

    def results(
        self, task: Callable[[Item], Result], items: Iterable[Item], begun: Callable[[Item], object]
    ) -> Iterator[Ended[Item, Result]]:
        """Yield what became of every item, each once, in the order in which they end; ``begun`` is told of each try.

        An iterator that is closed, or left by an error such as Ctrl-C, cancels what is not done.
        """
        ...
