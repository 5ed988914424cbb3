# ruff: noqa: E402 - need() must run before the imports of the extra
"""Runs pieces of work on the workers of a Dask scheduler, which may come and go.

Items and results travel as text of JSON, so that neither side unpickles what the other made of a file.

If a worker dies, Dask gives its piece to another one, and fails the piece once more workers died over it than
``distributed.scheduler.allowed-failures`` allows (3).
"""

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from sizebook.core.extras import need

need("cluster")

import distributed
from distributed.core import CommClosedError
from distributed.scheduler import KilledWorker

from sizebook.core.errors import InputError
from sizebook.scheduling.scheduler import Finished, Item, Result, WorkerDiedError

CONNECT_SECONDS = 30  # a scheduler on a busy machine takes its time
_LOOK_EVERY_SECONDS = 5.0
_PIECES_A_THREAD = 2  # one running and one waiting, so that a worker never waits for its next piece


@dataclass(frozen=True)
class Cluster:
    """The workers of a Dask scheduler. ``notify`` is called if there is none; ``packed`` returns an item as data."""

    address: str
    notify: Callable[[str], object]
    packed: Callable[[Any], Any]

    def check(self, stamp: Callable[[], Mapping[str, str]]) -> None:
        """Refuse a scheduler and workers with other versions, by their packages and by ``stamp`` called on them.

        Workers that join later are not checked here; their results are. Errors: `InputError`.
        """
        with connected(self.address) as client:
            _refuse_other_versions(client)
            here = stamp()
            for worker, there in client.run(stamp).items():
                if other := [name for name, mark in here.items() if there[name] != mark]:
                    raise InputError(
                        f"other installation: got other {', '.join(other)} of sizebook at worker {worker}, want the "
                        "same as here. Install the same there."
                    )

    def results(
        self, task: Callable[[Item], Result], items: Iterable[Item], begun: Callable[[Item], object]
    ) -> Iterator[Finished[Item, Result]]:
        """Yield the outcome of every item (`scheduler.Scheduler`). ``task`` takes and returns what JSON holds.

        Errors: `InputError` if no scheduler answers, or it goes away.
        """
        with connected(self.address) as client:
            submission = _Submission(self, client, iter(items), task, begun)
            try:
                yield from _outcomes(submission)
            finally:
                if client.status == "running":
                    with suppress(OSError):  # of a scheduler that is gone nothing is left to cancel
                        client.cancel(list(submission.under_way), force=True)


class _Submission:
    """The pieces that are submitted to a cluster and not finished."""

    def __init__(self, cluster: Cluster, client: Any, items: Iterator[Any], task: Any, begun: Any) -> None:
        self.cluster, self.client, self.items, self.task, self.begun = cluster, client, items, task, begun
        self.under_way: dict[Any, Any] = {}
        self.is_empty, self.is_said = False, False

    def hand_out(self) -> None:
        """Submit pieces for the present workers; a few if there is none."""
        threads = self._n_threads()
        if not threads and not self.is_said:
            self.cluster.notify(f"no worker at {self.cluster.address}: waiting for one. Ctrl-C ends the batch.")
        self.is_said = not threads
        while not self.is_empty and len(self.under_way) < _PIECES_A_THREAD * max(threads, 1):
            item = next(self.items, self)
            self.is_empty = item is self
            if not self.is_empty:
                sent = json.dumps(self.cluster.packed(item))
                self.under_way[self.client.submit(_on_worker, self.task, sent, pure=False)] = item
                self.begun(item)

    def _n_threads(self) -> int:
        try:
            return sum(self.client.nthreads().values())
        except OSError as error:  # a connection lost meanwhile that cannot be made anew
            raise _gone(self.cluster.address) from error

    def ended(self) -> list[Any]:
        """Return the futures that have ended; none if nothing did for a while."""
        try:
            with self.client.as_current():
                waited = distributed.wait(list(self.under_way), _LOOK_EVERY_SECONDS, return_when="FIRST_COMPLETED")
        except TimeoutError:
            return []
        except CancelledError:
            return [future for future in self.under_way if future.done()]
        return list(waited.done)


def _on_worker(task: Callable[[Any], Any], sent: str) -> str:
    return json.dumps(task(json.loads(sent)))


def _outcomes(submission: _Submission) -> Iterator[Finished[Any, Any]]:
    submission.hand_out()
    while submission.under_way:
        for future in submission.ended():
            if future.cancelled() or future.status == "lost":
                raise _gone(submission.cluster.address)
            item = submission.under_way.pop(future)
            error = future.exception() if future.status == "error" else None
            if error is None:
                yield Finished(item, json.loads(future.result()))
            else:
                died = isinstance(error, KilledWorker)
                yield Finished(item, None, WorkerDiedError("again and again") if died else error)
            future.release()
        submission.hand_out()


class _Client(distributed.Client):  # type: ignore[misc]
    """A client that ends its thread where no scheduler answers; Dask's own leaves it, and no calculation forks then."""

    def start(self, **options: Any) -> Any:
        try:
            return super().start(**options)
        except BaseException:
            self._loop_runner.stop()
            self.status = "closed"  # so that nothing closes it again once it is collected
            raise


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Yield a client of a scheduler. Errors: `InputError` if none answers, or it goes away meanwhile.

    What Dask and Tornado log of a scheduler that is gone, tracebacks included, would stand above that error.
    """
    # All of Dask's follow "distributed" but two, which its settings give a level of their own.
    for name in ("distributed", "distributed.client", "distributed.gc", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        client = _Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        said = " ".join(str(error).split())[:200]
        raise InputError(
            f"no scheduler: got {said} at {address}, want the address of a Dask scheduler, such as "
            "tcp://127.0.0.1:8786. Start one with 'dask scheduler', or correct the address."
        ) from error
    try:
        yield client
    except (CommClosedError, CancelledError) as error:
        raise _gone(address) from error
    finally:
        client.close(timeout=2)


def _gone(address: str) -> InputError:
    return InputError(
        f"scheduler gone: got no answer from {address}, want it to run until the work is done. Start it "
        "again, and the command with --resume."
    )


def _refuse_other_versions(client: Any) -> None:
    """Refuse scheduler and workers with another version of sizebook, of Python or of Dask than this process."""
    found = client.get_versions(packages=["sizebook"])
    here = _versions(found["client"])
    places = {"the scheduler": found["scheduler"], **{f"worker {name}": at for name, at in found["workers"].items()}}
    for place, at in places.items():
        there = _versions(at)
        other = {name: version for name, version in there.items() if version != here[name]}
        if other:
            got = ", ".join(f"{name} {version or 'missing'}" for name, version in other.items())
            want = ", ".join(f"{name} {here[name]}" for name in other)
            raise InputError(f"other versions: got {got} at {place}, want {want} as here. Install the same there.")


def _versions(at: dict[str, Any]) -> dict[str, Any]:
    """Return the versions that must be the same; pickles work across patch releases of Python."""
    packages = at["packages"]
    python = ".".join(str(packages["python"]).split(".")[:2])
    return {"sizebook": packages.get("sizebook"), "python": python, "distributed": packages["distributed"]}
