"""The interface of schedulers: run a task on items somewhere, yield each outcome when it is there."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerDiedError(Exception):
    """Every process that tried a piece of work died."""


@dataclass(frozen=True)
class Finished(Generic[Item, Result]):
    """A finished piece of work: its result, or the error that it raised."""

    item: Item
    result: Result | None
    error: BaseException | None = None


class Scheduler(Protocol):
    """Runs a task on items, wherever its workers are."""

    def results(
        self, task: Callable[[Item], Result], items: Iterable[Item], begun: Callable[[Item], object]
    ) -> Iterator[Finished[Item, Result]]:
        """Yield the outcome of every item once, in the order in which they finish; ``begun`` is called at each try.

        Closing the iterator, or an error such as Ctrl-C, cancels the rest.
        """
        ...
