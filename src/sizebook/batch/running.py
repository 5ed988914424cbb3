"""Produces the scenarios of a batch in parallel; one that fails is reported and does not stop the others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from sizebook.batch.formats import USUAL, produce
from sizebook.batch.jobs import made
from sizebook.batch.journal import Journal, Outcome, journal
from sizebook.batch.naming import INDEX
from sizebook.batch.reading import Row
from sizebook.batch.table import lines_of
from sizebook.batch.workers import workers
from sizebook.core.errors import SizebookError
from sizebook.sources.writing import clean_leftovers, clean_scratch, make_folder


@dataclass(frozen=True)
class Batch:
    """A batch that has run: the outcome of every scenario in order, how many stood finished before, and the index."""

    outcomes: tuple[Outcome, ...]
    n_before: int
    index: Path


Shown = Callable[[Iterator[Outcome], int], Iterable[Outcome]]  # passes outcomes on and shows how many of how many


@dataclass(frozen=True)
class Order:
    """How a batch is produced: in how many processes, which formats, and whether what is done stays."""

    jobs: int
    formats: tuple[str, ...] = USUAL
    resume: bool = False


def run_batch(rows: Sequence[Row], folder: Path, order: Order, shown: Shown) -> Batch:
    """Produce a batch in a folder that no other batch has, under its journal; where it resumes what is left of it.

    Temporary files are removed, those of this batch's workers, however they ended, and those of runs that were killed.
    """
    make_folder(folder)
    with journal(folder, order.formats) as record:
        finished = record.enter(rows, resume=order.resume)
        n_before = len(finished)
        left = [row for row in rows if row.name not in finished]
        clean_leftovers(folder)
        clean_scratch()  # here too, for a batch with nothing left to do starts no worker
        try:
            finished |= {outcome.row.name: outcome for outcome in shown(run(left, record, order.jobs), len(left))}
        finally:
            clean_leftovers(folder)
        outcomes = tuple(finished[row.name] for row in rows)
        return Batch(outcomes, n_before, _indexed(record, outcomes))


def _indexed(record: Journal, outcomes: Sequence[Outcome]) -> Path:
    """Write the indexes of a batch, unless those that are there show the same; return the workbook's path."""
    if not record.is_indexed(outcomes):
        from sizebook.batch.index import write_index
        from sizebook.batch.index_page import write_index_page

        lines = lines_of(outcomes)
        record.indexed(outcomes, [write_index(lines, record.folder), write_index_page(lines, record.folder)])
    return record.folder / f"{INDEX}.xlsx"


def run(rows: Sequence[Row], record: Journal, jobs: int) -> Iterator[Outcome]:
    """Produce scenarios in ``jobs`` processes, note each in the journal and yield the outcomes as they come.

    When a worker dies, nobody can tell which scenario it had. Those that were under way are tried once more, one at a
    time: of which a worker dies again, that one has failed. The others go on as before.
    """
    queue = deque(rows)
    while queue:
        suspects = deque((yield from _together(queue, record, jobs)))
        while suspects:
            for row in (yield from _together(suspects, record, 1)):
                outcome = Outcome(row, None, _died(row))
                record.settled(outcome)
                yield outcome


def _together(queue: deque[Row], record: Journal, jobs: int) -> Generator[Outcome, None, list[Row]]:
    """Produce the scenarios of a queue until it is empty or a worker dies; return those that were under way then."""
    under_way: dict[Future[Outcome], Row] = {}
    is_broken = False
    with workers(min(jobs, len(queue))) as pool:
        while under_way or (queue and not is_broken):
            is_broken = is_broken or not _submitted(pool, queue, under_way, record, jobs)
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                if _is_lost(future):
                    is_broken = True
                    continue
                outcome = _settled(future, under_way.pop(future))
                record.settled(outcome)
                yield outcome
            if is_broken and all(future.done() and _is_lost(future) for future in under_way):
                break
    return list(under_way.values())


def _is_lost(future: Future[Outcome]) -> bool:
    """Return whether the worker of a scenario, or another of its pool, died before the outcome was there."""
    return isinstance(future.exception(), BrokenProcessPool)


def _submitted(
    pool: Executor, queue: deque[Row], under_way: dict[Future[Outcome], Row], record: Journal, jobs: int
) -> bool:
    """Hand out as many scenarios as there are workers; return whether the pool still takes any."""
    try:
        while queue and len(under_way) < jobs:
            under_way[pool.submit(outcome_of, queue[0], record.folder, record.formats)] = queue[0]
            record.begun(queue.popleft())
    except BrokenProcessPool:
        return False
    return True


def _settled(future: Future[Outcome], row: Row) -> Outcome:
    """Return a scenario's outcome; an unforeseen error is an outcome too, not the end of the batch."""
    error = future.exception()
    if error is None:
        return future.result()
    return Outcome(row, None, f"{row.where}: failed unexpectedly: got {type(error).__name__}: {error}. Report this.")


def _died(row: Row) -> str:
    return (
        f"{row.where}: worker died: got a process that ended twice over this scenario, want it finished. Give the "
        "machine more memory, or find out with 'sizebook report' what ends it."
    )


def outcome_of(row: Row, folder: Path, formats: Sequence[str]) -> Outcome:
    """Return what became of one scenario: it is planned and its files are written. Whoever schedules calls this."""
    try:
        return Outcome(row, produce(made(row.values, row.where, row.folder), folder, row.name, formats=formats))
    except SizebookError as error:
        problem = str(error)
        return Outcome(row, None, problem if problem.startswith(row.where) else f"{row.where}: {problem}")
