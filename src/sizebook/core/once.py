"""Work that several calls of one calculation ask for: a workbook stages the same plan in several tables."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
_done: ContextVar[dict[Any, Any] | None] = ContextVar("done", default=None)


@contextmanager
def one_calculation() -> Iterator[None]:
    """Let `once` keep what it did until this ends: no table of data changes meanwhile."""
    token = _done.set({})
    try:
        yield
    finally:
        _done.reset(token)


def once(work: Callable[P, R], *given: P.args, **named: P.kwargs) -> R:
    """Return what a work gives; within one calculation it is done once for the same arguments."""
    done = _done.get()
    if done is None:
        return work(*given, **named)
    key = (work, given, tuple(named.items()))
    if key not in done:
        done[key] = work(*given, **named)
    found: R = done[key]
    return found
