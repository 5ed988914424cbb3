"""Runs the scenarios of a batch in parallel; a scenario that fails is reported and does not stop the others."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sizebook.batch.file_names import INDEX
from sizebook.batch.formats import FORMATS, LONG_TABLES, USUAL, produce_files
from sizebook.batch.index_table import lines_of
from sizebook.batch.journal import Journal, Outcome, journal, remove_journal
from sizebook.batch.long_tables import write_tables
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.batch.record import installation
from sizebook.batch.scenario_list import Row
from sizebook.batch.sent_scenarios import contents_on_worker, failed_outcome, pack, write_sent
from sizebook.core.errors import SizebookError
from sizebook.scheduling.processes import Processes
from sizebook.scheduling.scheduler import Scheduler, WorkerDiedError
from sizebook.sources.writing import clean_leftovers, clean_scratch, make_folder


@dataclass(frozen=True)
class Batch:
    """A batch that has run: the outcome of every scenario in order, how many stood finished before, and the index.

    A batch of tables alone has no index.
    """

    outcomes: tuple[Outcome, ...]
    n_before: int
    index: Path | None


ShowProgress = Callable[
    [Iterator[Outcome], int], Iterable[Outcome]
]  # passes outcomes on and shows how many of how many


@dataclass(frozen=True)
class RunOptions:
    """How rows are worked on: in so many processes or by the workers of a Dask scheduler, which formats, what stays.

    ``notify`` is called with what is to be known meanwhile, such as that there is no worker.
    """

    jobs: int
    formats: tuple[str, ...] = USUAL
    resume: bool = False
    scheduler: str = ""
    notify: Callable[[str], object] = print


@dataclass(frozen=True)
class Work:
    """What is done with every row, by which scheduler, and what its result, back here, makes of the row."""

    scheduler: Scheduler
    task: Callable[[Any], Any]
    outcome: Callable[[Row, Any], Outcome]


def run_batch(rows: Sequence[Row], folder: Path, order: RunOptions, shown: ShowProgress) -> Batch:
    """Produce a batch in a folder that no other batch has, under its journal, and its indexes."""
    return run_batch_with(rows, folder, _work(order, folder), order=order, shown=shown)


def run_batch_with(rows: Sequence[Row], folder: Path, work: Work, *, order: RunOptions, shown: ShowProgress) -> Batch:
    """Produce a batch as `run_batch` does, by work that is given.

    Where it is tables alone and all scenarios are done, these hold what its journal held, which goes.
    """
    make_folder(folder)
    with journal(folder, order.formats) as record:
        outcomes, n_before = run_remaining(rows, record, work, shown=shown, resume=order.resume)
        _show(record, outcomes)
    has_index = _has_index(order.formats)
    if not has_index and all(outcome.outputs for outcome in outcomes):
        remove_journal(folder)
    return Batch(outcomes, n_before, folder / f"{INDEX}.xlsx" if has_index else None)


def _work(order: RunOptions, folder: Path) -> Work:
    """Return how scenarios are made: by processes that write their files, or by workers that send them."""
    if order.scheduler:
        from sizebook.scheduling.cluster import Cluster

        cluster = Cluster(order.scheduler, order.notify, pack)
        cluster.check(installation)
        return Work(cluster, partial(contents_on_worker, formats=order.formats), partial(write_sent, folder=folder))
    task = partial(produce_scenario, folder=folder, formats=order.formats)
    return Work(Processes(order.jobs), task, lambda _, outcome: outcome)


def run_remaining(
    rows: Sequence[Row], record: Journal, work: Work, *, shown: ShowProgress, resume: bool
) -> tuple[tuple[Outcome, ...], int]:
    """Return the outcomes of all rows and how many stood finished before; where it resumes only what is left is done.

    Temporary files are removed, those of this batch's workers, however they ended, and those of runs that were killed.
    """
    finished = record.enter(rows, resume=resume)
    n_before = len(finished)
    left = [row for row in rows if row.name not in finished]
    clean_leftovers(record.folder)
    clean_scratch()  # here too, for a batch with nothing left to do starts no worker
    try:
        finished |= {outcome.row.name: outcome for outcome in shown(run_rows(left, record, work), len(left))}
    finally:
        clean_leftovers(record.folder)
    return tuple(finished[row.name] for row in rows), n_before


def run_rows(rows: Sequence[Row], record: Journal, work: Work) -> Iterator[Outcome]:
    """Have rows worked on, note each in the journal and yield the outcomes as they come."""
    if not rows:
        return
    for ended in work.scheduler.results(work.task, rows, record.record_start):
        if ended.error is None:
            outcome = work.outcome(ended.item, ended.result)
        else:  # an unforeseen error is an outcome too, not the end of the batch
            outcome = Outcome(ended.item, None, _cut_short(ended.item, ended.error))
        record.record_outcome(outcome)
        if outcome.outputs and outcome.outputs.lines:  # they stand in the journal: 10 000 of them fill the memory
            outcome = replace(outcome, outputs=replace(outcome.outputs, lines=""))
        yield outcome


def _cut_short(row: Row, error: BaseException) -> str:
    if isinstance(error, WorkerDiedError):
        return (
            f"{row.where}: worker died: got a process that ended {error} over this scenario, want it finished. Give "
            "the machine more memory, or find out with 'sizebook report' what ends it."
        )
    return f"{row.where}: failed unexpectedly: got {type(error).__name__}: {error}. Report this."


def _has_index(formats: Sequence[str]) -> bool:
    """Return whether scenarios have files of their own, which an index lists."""
    return any(name in FORMATS for name in formats)


def _show(record: Journal, outcomes: Sequence[Outcome]) -> None:
    """Write the indexes and tables of a batch, unless those that are there show the same."""
    if record.is_indexed(outcomes):
        return
    written = []
    if _has_index(record.formats):
        from sizebook.batch.index_html import write_index_page
        from sizebook.batch.index_workbook import write_index

        lines = lines_of(outcomes)
        written += [write_index(lines, record.folder), write_index_page(lines, record.folder)]
    if endings := [LONG_TABLES[name] for name in record.formats if name in LONG_TABLES]:
        done = record.hashes(outcome.row.name for outcome in outcomes if outcome.outputs)
        failed = {outcome.row.name: outcome.problem for outcome in outcomes if not outcome.outputs}
        written += write_tables(done, failed, record.lines, folder=record.folder, endings=endings)
    record.record_indexes(outcomes, written)


def produce_scenario(row: Row, folder: Path, formats: Sequence[str]) -> Outcome:
    """Return what became of one scenario: it is planned and its files are written. Whoever schedules calls this."""
    try:
        return Outcome(
            row, produce_files(plan_scenario(row.values, row.where, row.folder), folder, row.name, formats=formats)
        )
    except SizebookError as error:
        return failed_outcome(row, str(error))
