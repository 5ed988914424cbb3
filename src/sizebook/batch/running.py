"""Produces the scenarios of a batch in parallel; one that fails is reported and does not stop the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from sizebook.batch.jobs import Outputs, produce, scenario_of
from sizebook.batch.reading import Row
from sizebook.core.errors import SizebookError


@dataclass(frozen=True)
class Outcome:
    """What became of one scenario: its outputs, or the problem in words."""

    row: Row
    outputs: Outputs | None
    problem: str = ""


def run(rows: Sequence[Row], folder: Path, jobs: int) -> Iterator[Outcome]:
    """Produce every scenario in ``jobs`` processes and yield the outcomes as they come."""
    # Spawned, not forked: the calculation engine runs threads, which do not survive a fork.
    with ProcessPoolExecutor(min(jobs, len(rows)), mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(_outcome, row, folder): row for row in rows}
        for future in as_completed(futures):
            yield _settled(future, futures[future])


def _settled(future: Future[Outcome], row: Row) -> Outcome:
    """Return a scenario's outcome; a crash of its process is an outcome too, not the end of the batch."""
    error = future.exception()
    if error is None:
        return future.result()
    return Outcome(row, None, f"{row.where}: failed unexpectedly: got {type(error).__name__}: {error}. Report this.")


def _outcome(row: Row, folder: Path) -> Outcome:
    try:
        scenario = scenario_of(row.values, row.where, row.folder)
        return Outcome(row, produce(scenario, folder, row.name))
    except SizebookError as error:
        problem = str(error)
        return Outcome(row, None, problem if problem.startswith(row.where) else f"{row.where}: {problem}")
