"""Runs a calculation in a process of its own, so that nothing a workbook holds can hang, crash or exhaust this one.

Where there is fork and this process has one thread, each calculation is a fork of it (5 ms). Otherwise a second
process is started (0.3 s) and kept for the calculations to come.
"""

import atexit
import gc
import mmap
import multiprocessing
import os
import pickle
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NoReturn

from sizebook.core.errors import InputError, SizebookError
from sizebook.intake.limits import Limits, raised

_NOTE_BYTES = 256
_POLL_SECONDS = 0.05
_PATIENCE = 60  # a calculation that waits for something instead of working ends after so many times its limit
_PARENT_DEATH_SIGNAL = 1  # prctl's PR_SET_PDEATHSIG
Note = Callable[[str], None]  # says at which cell the calculation is


@dataclass(frozen=True)
class Task:
    """A calculation: the function that works it out, what it takes, and the name of the workbook for messages."""

    work: Callable[..., Any]
    given: tuple[Any, ...]
    workbook: str


def guarded(task: Task, limits: Limits) -> Any:
    """Return what a task gives; `InputError` names the workbook, and where known the cell, if it does not end well."""
    return _forked(task, limits) if forks() else _warm(task, limits)


def forks() -> bool:
    """Return whether a calculation is a fork of this process, which thus has all that this one holds."""
    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1


# ---- the child


def give_back_memory() -> None:
    """Give free memory back to the machine, where the C library would keep it for later."""
    if sys.platform == "linux":
        import ctypes

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)


def _outcome(task: Task, note: Note) -> tuple[str, Any]:
    """Return how a task ended, and its value or what is to be said."""
    try:
        return "done", task.work(*task.given, note)
    except SizebookError as error:
        return "refused", str(error)
    except MemoryError:
        return "memory", None
    except BaseException as error:  # noqa: BLE001 - panics of the engine are no Exceptions
        return "failed", f"{type(error).__name__}: {error}"


def _limit_memory(n_bytes: int) -> bool:
    """Limit the memory of this process beyond what it has; return whether the platform can."""
    try:
        import resource

        present = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * mmap.PAGESIZE
    except (ImportError, OSError):
        return False
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = present + n_bytes
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return True


def _die_with_parent() -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _silence() -> None:
    """Drop what an engine in Rust prints as it dies, which would stand above the one message; not in search of it."""
    if not os.environ.get("SIZEBOOK_DEBUG"):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _noting(noted: Any) -> Note:
    """Return what notes a cell in memory that the parent sees as well."""

    def note(where: str) -> None:
        noted[:_NOTE_BYTES] = where.encode()[:_NOTE_BYTES].ljust(_NOTE_BYTES, b"\0")

    return note


def _noted(noted: Any) -> str:
    return bytes(noted[:]).rstrip(b"\0").decode(errors="replace")


def _in_fork(task: Task, limits: Limits, writing: int, noted: mmap.mmap) -> NoReturn:
    """Work a task out in a fork, write its outcome and end; nothing of the parent's is tidied up here."""

    try:
        _die_with_parent()
        _silence()
        _limit_memory(limits.calculation_bytes)
        gc.disable()  # the process ends with the calculation, and collecting would copy what it shares with the parent
        data = memoryview(pickle.dumps(_outcome(task, _noting(noted)), pickle.HIGHEST_PROTOCOL))
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)


def _serve(connection: Connection, noted: Any) -> None:
    """Work out one task after another, as they come."""
    _silence()
    connection.send(("ready", None))
    while True:
        try:
            task, limits = connection.recv()
        except EOFError:
            return
        _limit_memory(limits.calculation_bytes)
        connection.send(_outcome(task, _noting(noted)))


# ---- the parent


def _forked(task: Task, limits: Limits) -> Any:
    reading, writing = os.pipe()
    noted = mmap.mmap(-1, _NOTE_BYTES)
    child = os.fork()
    if child == 0:
        _in_fork(task, limits, writing, noted)
    os.close(writing)
    data = None
    try:
        data = _read_all(reading, _Watch(child, limits.calculation_seconds))
    finally:
        os.close(reading)
        if data is None:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    where = _noted(noted)
    if data is None:
        raise _too_slow(task, limits, where)
    if not data:
        raise _died(task, limits, os.waitstatus_to_exitcode(status), where)
    return _result(task, limits, pickle.loads(data), where)


class _Watch:
    """How long a process may still work: seconds of a processor, so that a busy machine ends nothing."""

    def __init__(self, process: int, seconds: float, worked_before: float = 0.0) -> None:
        self.process, self.seconds, self.worked_before = process, seconds, worked_before
        self.give_up = time.monotonic() + _PATIENCE * seconds

    def left(self) -> float:
        """Return the seconds that are left, 0 or less where the time is up."""
        if time.monotonic() > self.give_up:
            return 0.0
        return self.seconds - (_processor_seconds(self.process) - self.worked_before)


def _read_all(reading: int, watch: _Watch) -> bytes | None:
    """Return what a child writes until it ends, None where it works longer."""
    data, left = bytearray(), watch.seconds
    while left > 0:
        if not select.select([reading], [], [], max(left, _POLL_SECONDS))[0]:
            left = watch.left()
            continue
        piece = os.read(reading, 1 << 20)
        if not piece:
            return bytes(data)
        data += piece
    return None


class _Warm:
    """A process that waits for tasks, used by one thread at a time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: BaseProcess | None = None
        self.connection: Connection | None = None
        self.noted: Any = None

    def started(self) -> tuple[BaseProcess, Connection]:
        """Return the process and the line to it, started where there is none."""
        if self.process is None or self.connection is None or not self.process.is_alive():
            context = multiprocessing.get_context("spawn")
            self.connection, theirs = context.Pipe()
            self.noted = context.RawArray("c", _NOTE_BYTES)
            self.process = context.Process(target=_serve, args=(theirs, self.noted), daemon=True)
            self.process.start()
            theirs.close()
            self.connection.recv()  # ready: its start counts against no task
        return self.process, self.connection

    def stop(self) -> None:
        """End the process; the next task starts another."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
        self.process = self.connection = None


_WARM = _Warm()
atexit.register(_WARM.stop)


def _warm(task: Task, limits: Limits) -> Any:
    with _WARM.lock:
        process, connection = _WARM.started()
        _noting(_WARM.noted)("")
        before = _memory_bytes(process.pid)
        pid = process.pid or 0
        watch = _Watch(pid, limits.calculation_seconds, _processor_seconds(pid))
        connection.send((task, limits))
        while not connection.poll(_POLL_SECONDS):
            if watch.left() <= 0:
                _WARM.stop()
                raise _too_slow(task, limits, _noted(_WARM.noted))
            if _memory_bytes(process.pid) - before > limits.calculation_bytes:
                _WARM.stop()
                raise _too_much(task, limits, _noted(_WARM.noted))
        try:
            outcome = connection.recv()
        except EOFError:
            process.join()
            code = process.exitcode or 0
            _WARM.stop()
            raise _died(task, limits, code, _noted(_WARM.noted)) from None
        return _result(task, limits, outcome, _noted(_WARM.noted))


def _memory_bytes(process: int | None) -> int:
    """Return the memory that a process holds; what the platform itself limits needs no watching."""
    import psutil

    try:
        return int(psutil.Process(process).memory_info().rss)
    except psutil.Error:
        return 0


def _processor_seconds(process: int) -> float:
    """Return the seconds of a processor that a process has taken, of all its threads together."""
    import psutil

    try:
        times = psutil.Process(process).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


def _result(task: Task, limits: Limits, outcome: tuple[str, Any], where: str) -> Any:
    kind, value = outcome
    if kind == "done":
        return value
    if kind == "refused":
        raise InputError(value)
    if kind == "memory":
        raise _too_much(task, limits, where)
    raise InputError(
        f"calculation failed: got {value} in {_at(task, where)}, want values. "
        "Report it with the workbook, and take the formula out meanwhile."
    )


def _at(task: Task, where: str) -> str:
    return f"{task.workbook}, {where}" if where else task.workbook


def _too_slow(task: Task, limits: Limits, where: str) -> InputError:
    return InputError(
        f"calculation too long: got more than {limits.calculation_seconds:g} s in {_at(task, where)}, want its values "
        f"by then. {raised('calculation_seconds')}"
    )


def _too_much(task: Task, limits: Limits, where: str) -> InputError:
    return InputError(
        f"calculation too large: got more than {limits.calculation_bytes:,} bytes in {_at(task, where)}, want less. "
        f"{raised('calculation_bytes')}"
    )


def _died(task: Task, limits: Limits, code: int, where: str) -> InputError:
    if code in (-signal.SIGABRT, -signal.SIGKILL if hasattr(signal, "SIGKILL") else 0):
        return _too_much(task, limits, where)
    return InputError(
        f"calculation failed: got exit code {code} in {_at(task, where)}, want values. "
        "Report it with the workbook, and take the formula out meanwhile."
    )
