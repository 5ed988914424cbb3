# ruff: noqa: E402 - need() must run before the imports of the extra
"""The batches of the service: each runs over the journal of its folder and reports its progress."""

import asyncio
import logging
import secrets
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from sizebook.core.extras import need

need("web", "workbooks", "reports")

from sizebook.batch.formats import Made
from sizebook.batch.journal import FILE, Outcome
from sizebook.batch.runner import RunOptions, Work, run_batch_with
from sizebook.batch.scenario_list import Row
from sizebook.batch.sent_scenarios import failed_outcome, write_received
from sizebook.core.errors import InputError, SizebookError, UnknownKeyError
from sizebook.intake.limits import limits
from sizebook.scheduling.slots import Slots
from sizebook.web.batch_storage import ID, BatchStorage
from sizebook.web.request_work import scenario_files

_LOG = logging.getLogger(__name__)
_LOOK_EVERY_SECONDS, _LOOKS_PER_KEEPALIVE = 0.25, 40


class CancelledError(Exception):
    """A client cancelled the batch."""


@dataclass(frozen=True)
class Progress:
    """The progress of a batch: state (running, done, failed with a problem, cancelled), scenarios, files so far."""

    id: str
    state: str
    scenarios: int
    done: int
    failed: int
    problem: str = ""
    problems: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass
class _Job:
    id: str
    folder: Path
    rows: Sequence[Row]
    formats: tuple[str, ...]
    state: str = "running"
    problem: str = ""
    outcomes: list[Outcome] = field(default_factory=list)
    is_cancelled: bool = False
    looked: tuple[float, Progress] | None = None

    def glance(self) -> Progress:
        """Return the progress, computed once for all clients that ask at about the same time."""
        now = time.monotonic()
        if self.looked is None or now - self.looked[0] >= _LOOK_EVERY_SECONDS / 2:
            self.looked = now, self.progress()
        return self.looked[1]

    def progress(self) -> Progress:
        problems = tuple(each.problem for each in self.outcomes if each.outputs is None)
        files = sorted(path.name for path in _outputs(self.folder))
        n_done = len(self.outcomes) - len(problems)
        return Progress(
            id=self.id,
            state=self.state,
            scenarios=len(self.rows),
            done=n_done,
            failed=len(problems),
            problem=self.problem,
            problems=problems,
            files=tuple(files),
        )


class Batches:
    """All batches of a service. They run one at a time and end with the service."""

    def __init__(self, folder: Path, slots: Slots) -> None:
        self.folder, self.slots = folder, slots
        self._jobs: dict[str, _Job] = {}
        self._storage = BatchStorage(folder, limits().batch_bytes, removed=lambda name: self._jobs.pop(name, None))
        self._turn = threading.Lock()

    def begin(self, rows: Sequence[Row], formats: tuple[str, ...]) -> Progress:
        """Start a batch and return its progress. Errors: `InputError` if too many batches are running."""
        name = secrets.token_hex(8)
        job = self._jobs[name] = _Job(name, self._storage.begin(name), rows, formats=formats)
        threading.Thread(target=self._run, args=(job,), daemon=True).start()
        return job.progress()

    def _run(self, job: _Job) -> None:
        with self._turn:
            try:
                _refuse_cancelled(job)
                task, order = partial(scenario_files, formats=job.formats), RunOptions(self.slots.n, job.formats)
                work = Work(self.slots, task, partial(self._written, job=job))
                run_batch_with(job.rows, job.folder, work, order=order, shown=partial(_followed, job))
                state = "done"
            except CancelledError:
                state = "cancelled"
            except (SizebookError, OSError) as error:
                state, job.problem = "failed", str(error)
            except Exception as error:  # noqa: BLE001 - otherwise the batch would look as if it still ran
                state, job.problem = "failed", f"failed unexpectedly: got {type(error).__name__}, want none. Report it."
                _LOG.exception("batch %s", job.id)
        self._storage.end(job.id)
        job.state = state

    def _written(self, row: Row, found: Any, job: _Job) -> Outcome:
        """Write the files of a row, or return the problem if there is no room for them."""
        try:
            if isinstance(found, Made):
                self._storage.reserve(job.id, sum(map(len, found.files.values())))
        except InputError as error:
            return failed_outcome(row, str(error))
        return write_received(row, found, job.folder)

    def job(self, name: str) -> _Job:
        """Return a batch. Errors: `UnknownKeyError`."""
        if not ID.fullmatch(name) or name not in self._jobs:
            raise UnknownKeyError("unknown batch: got no such id, want one that POST /batches gave. Start a batch.")
        return self._jobs[name]

    def file(self, name: str, file: str) -> Path:
        """Return a file of a batch. Errors: `UnknownKeyError`."""
        path = next((each for each in _outputs(self.job(name).folder) if each.name == file), None)
        if path is None:
            raise UnknownKeyError("unknown file: got no such name, want one of the batch's files. Ask for the batch.")
        return path

    def cancel(self, name: str) -> Progress:
        """Stop a batch after the running scenarios; finished ones stay."""
        job = self.job(name)
        job.is_cancelled = True
        return job.progress()

    def close(self) -> None:
        """Cancel all batches."""
        for name in list(self._jobs):
            self.cancel(name)


def _refuse_cancelled(job: _Job) -> None:
    if job.is_cancelled:
        raise CancelledError


def _followed(job: _Job, outcomes: Iterator[Outcome], _n: int) -> Iterator[Outcome]:
    for outcome in outcomes:
        job.outcomes.append(outcome)
        yield outcome
        _refuse_cancelled(job)


async def events(job: _Job) -> AsyncIterator[Progress | None]:
    """Yield the progress whenever it changes, and None after a while without change, until the batch ends."""
    seen: Progress | None = None
    n_looks = 0
    while seen is None or seen.state == "running":
        now = job.glance()
        if now != seen or n_looks >= _LOOKS_PER_KEEPALIVE:
            yield None if now == seen else now
            seen, n_looks = now, 0
        n_looks += 1
        if now.state == "running":  # several changes within this time count as one
            await asyncio.sleep(_LOOK_EVERY_SECONDS)


def _outputs(folder: Path) -> list[Path]:
    """Return the files of a batch; none if its folder does not exist yet or was just deleted."""
    try:
        return [path for path in folder.iterdir() if path.is_file() and not path.name.startswith((".", FILE))]
    except FileNotFoundError:
        return []
