"""Answers remembered by their call, and calls answered later, so that a column of searches does not hold Excel.

Excel asks a column cell by cell and waits for each. Once the cells of one recalculation have computed for `BUDGET`
seconds, the rest of them are told to wait; a thread computes them one after another while Excel goes on, and they are
asked again when all are done. Nothing here knows Excel: the add-in's Visual Basic shows who waits and asks again
(`addin/cells.bas`).
"""

import time
from collections.abc import Callable
from contextvars import Context, copy_context
from threading import Lock, Thread
from typing import Any

MOST_ANSWERS = 4_096  # remembered
MOST_WAITING = MOST_ANSWERS // 2  # so that those done are still remembered when the cells ask again
BUDGET = 2.0  # seconds of computing that the cells of one recalculation take from Excel
PAUSE = 0.25  # seconds without a call after which the next one belongs to another recalculation
# What a cell shows that waits: an error value, so that nothing sums it up.
WAITING = "#GETTING_DATA"

# Works out one answer, and says whether it may be remembered.
Compute = Callable[[], tuple[Any, bool]]


class DeferredAnswers:
    """Answers to calls by their bytes; a call that has to wait gets ``later``."""

    def __init__(self, later: Any, clock: Callable[[], float] = time.perf_counter) -> None:
        self._said, self._clock, self._lock = later, clock, Lock()
        self._known: dict[bytes, Any] = {}
        self._once: dict[bytes, tuple[Any, BaseException | None]] = {}
        self._waiting: dict[bytes, tuple[Context, Compute]] = {}
        self._thread: Thread | None = None
        self._last = self._spent = 0.0

    def answer(self, call: bytes, compute: Compute, *, may_wait: bool) -> Any:
        """Return the answer to a call, `later` where it comes later, which only a caller that asks again may be told.

        ``compute`` works it out, in this thread or in that of those that wait; where it fails there, it raises here.
        """
        known = self._known.get(call, self)  # itself stands for no answer
        if known is not self:
            return known
        with self._lock:
            waited = self._once.pop(call, None)
            if waited is None and may_wait and (call in self._waiting or self._is_spent()):
                return self._later(call, compute)
        if waited is None:
            return self._at_once(call, compute)
        answer, error = waited
        if error is not None:
            raise error
        return answer

    def _at_once(self, call: bytes, compute: Compute) -> Any:
        """Return the answer worked out here and now, and note what it took of the time of this recalculation."""
        is_kept, answer = False, None
        start = self._clock()
        try:
            answer, is_kept = compute()
        finally:
            with self._lock:
                self._last = self._clock()
                self._spent += self._last - start
                if is_kept:
                    _put(self._known, call, answer, MOST_ANSWERS)
        return answer

    def waiting(self) -> int:
        """Return how many calls wait for their answers."""
        return len(self._waiting)

    def _is_spent(self) -> bool:
        """Return whether the cells of this recalculation have had their time; a pause begins another one."""
        if self._clock() - self._last > PAUSE:
            self._spent = 0.0
        return self._spent >= BUDGET

    def _later(self, call: bytes, compute: Compute) -> Any:
        """Note that a call waits, under the lock."""
        self._last = self._clock()
        if len(self._waiting) < MOST_WAITING:  # those beyond ask again with the others, and find room then
            # The context says where the workbook lies that asks.
            self._waiting.setdefault(call, (copy_context(), compute))
        if self._thread is None:
            self._thread = Thread(target=self._work, daemon=True)
            self._thread.start()
        return self._said

    def _is_asked(self) -> bool:
        """Return whether cells are asking: computing beside them would slow each, two threads of Python take turns."""
        with self._lock:
            return self._clock() - self._last < PAUSE

    def _work(self) -> None:
        while True:
            while self._is_asked():
                time.sleep(PAUSE / 10)
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                call, (context, compute) = next(iter(self._waiting.items()))
            answer: Any = None
            error: BaseException | None = None
            is_kept = False
            try:
                answer, is_kept = context.run(compute)
            except BaseException as raised:  # noqa: BLE001 - raised where the cell asks again; panics of engines are such
                error = raised
            with self._lock:
                if is_kept:
                    _put(self._known, call, answer, MOST_ANSWERS)
                else:
                    _put(self._once, call, (answer, error), MOST_WAITING)
                del self._waiting[call]


def _put(kept: dict[bytes, Any], call: bytes, answer: Any, most: int) -> None:
    """Keep an answer, and let the oldest go."""
    kept[call] = answer
    if len(kept) > most:
        del kept[next(iter(kept))]
