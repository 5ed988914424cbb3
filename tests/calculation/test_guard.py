"""Calculations that hang, crash, exhaust memory or panic end as one error that names workbook and, if known, cell."""

import faulthandler
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from sizebook.calculation import guard, recalculate
from sizebook.calculation.guard import Note, Task, guarded
from sizebook.calculation.spreadsheet import FUNCTIONS
from sizebook.core.errors import InputError, RangeError
from sizebook.intake.limits import VARIABLE, Limits
from sizebook.sources.bundled import bundled
from tests.calculation.grids import saved
from tests.commands import python
from tests.refused import message_of

SHORT = Limits(calculation_seconds=1)
AMPLE = Limits()
NARROW = Limits(calculation_bytes=64_000_000)


class Panic(BaseException):
    """What a panic of the engine looks like: no `Exception`."""


def sleeps(note: Note) -> None:
    note("Plan!B7")
    time.sleep(60)


def works(note: Note) -> None:
    note("Plan!B7")
    while True:
        pass


def crashes(note: Note) -> None:
    faulthandler.disable()  # pytest's own, which would print where
    os.kill(os.getpid(), signal.SIGSEGV)


def grows(note: Note) -> int:
    return len(b"x" * 2**30)


def panics(note: Note) -> None:
    raise Panic("index out of bounds")


def refuses(note: Note) -> None:
    raise RangeError("seats are out of range: got -1, want at least 0. Correct it.")


def tells_its_process(note: Note) -> int:
    return os.getpid()


FAILURES = [
    (
        works, SHORT,
        "calculation too long: got more than 1 s in book.xlsx{}, want its values by then. If you trust the file, "
        "raise the limit: --limit calculation_seconds=N, or SIZEBOOK_LIMITS=calculation_seconds=N.",
    ),
    (
        crashes, AMPLE,
        "calculation failed: got exit code -11 in book.xlsx, want values. "
        "Report it with the workbook, and take the formula out meanwhile.",
    ),
    (
        grows, NARROW,
        "calculation too large: got more than 64,000,000 bytes in book.xlsx, want less. If you trust the file, "
        "raise the limit: --limit calculation_bytes=N, or SIZEBOOK_LIMITS=calculation_bytes=N.",
    ),
    (
        panics, AMPLE,
        "calculation failed: got Panic: index out of bounds in book.xlsx, want values. "
        "Report it with the workbook, and take the formula out meanwhile.",
    ),
    (refuses, AMPLE, "seats are out of range: got -1, want at least 0. Correct it."),
]  # fmt: skip


@pytest.mark.parametrize(("work", "limits", "message"), FAILURES)
def test_a_bad_end_is_one_error(work: Callable[..., Any], limits: Limits, message: str) -> None:
    assert message_of(InputError, lambda: guarded(Task(work, (), "book.xlsx"), limits)) == message.format(", Plan!B7")


def test_one_that_waits_instead_of_working_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_PATIENCE", 1)
    assert message_of(InputError, lambda: guarded(Task(sleeps, (), "book.xlsx"), SHORT)) == FAILURES[0][2].format(
        ", Plan!B7"
    )


def in_a_thread(job: Callable[[], Any]) -> Any:
    """Return what a job gives beside the main thread, where a process must not fork."""
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(job())
        except InputError as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return results[0]


def test_beside_threads_a_second_process_is_kept_and_replaced_when_it_ends_badly() -> None:
    def process() -> int:
        return int(in_a_thread(lambda: guarded(Task(tells_its_process, (), "book.xlsx"), AMPLE)))

    first = process()
    assert first == process() != os.getpid()
    for work, limits, message in FAILURES:
        ended = in_a_thread(lambda work=work, limits=limits: guarded(Task(work, (), "book.xlsx"), limits))
        assert str(ended) == message.format(", Plan!B7")
    assert process() != first


def test_a_fork_leaves_nothing_behind() -> None:
    before = psutil.Process().children(recursive=True)
    with pytest.raises(InputError):
        guarded(Task(works, (), "book.xlsx"), SHORT)
    assert psutil.Process().children(recursive=True) == before


def test_a_calculation_beyond_its_limits_names_the_workbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = range(1, 60_001)
    slow = {f"A{row}": f"=SUM($B$1:B{row})*SUM(C$1:C{row})+PARAMS_LN({row})" for row in rows}
    path = saved(tmp_path / "slow.xlsx", slow)
    monkeypatch.setenv(VARIABLE, "calculation_seconds=1")
    with pytest.raises(InputError, match=r"^calculation too long: got more than 1 s in slow\.xlsx"):
        recalculate(path)


def test_a_spreadsheet_function_worked_out_here_names_its_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: Any) -> None:
        while True:
            pass

    def exhausting(*_: Any) -> int:
        return len(b"x" * 2**40)

    def unforeseen(*_: Any) -> Any:
        return {}["key"]

    path = saved(tmp_path / "book.xlsx", {"A1": 39448, "B2": "=IFERROR(YEAR(A1),0)"})
    for stated, work, message in (
        ("calculation_seconds=1", endless, r"^calculation too long: got more than 1 s in book\.xlsx, Main!B2, want"),
        ("calculation_seconds=9", exhausting, r"^calculation too large: got .* in book\.xlsx, Main!B2, want less"),
    ):
        monkeypatch.setenv(VARIABLE, stated)
        monkeypatch.setitem(FUNCTIONS, "YEAR", work)
        with pytest.raises(InputError, match=message):
            recalculate(path)
    monkeypatch.setitem(FUNCTIONS, "YEAR", unforeseen)
    assert recalculate(path).not_calculated == (("Main", "B2"),)


WITHOUT_FORK = """
import os, sys
del os.fork  # as on Windows
from sizebook.cli import main
if __name__ == "__main__":
    main()
"""


def test_a_workbook_is_filled_where_there_is_no_fork(tmp_path: Path) -> None:
    script, words = tmp_path / "without_fork.py", ["fill", str(bundled("workbooks") / "model_sizing.xlsx")]
    script.write_text(WITHOUT_FORK, encoding="utf-8")
    (tmp_path / "gpt2.toml").write_text('model = "gpt-2"\ndtype = "fp32"\n', encoding="utf-8")
    words += [str(tmp_path / "gpt2.toml"), "-o"]
    done = [
        python(*start, *words, tmp_path / name, timeout=600)
        for start, name in (((script,), "spawned.xlsx"), (("-m", "sizebook"), "forked.xlsx"))
    ]
    assert [each.returncode for each in done] == [0, 0], done
    assert (tmp_path / "spawned.xlsx").read_bytes() == (tmp_path / "forked.xlsx").read_bytes()


def test_a_workbook_has_the_same_values_beside_threads(tmp_path: Path) -> None:
    path = saved(tmp_path / "book.xlsx", {"A1": "=1+2", "A2": "=PARAMS_MHA(4096)+A1"})
    beside = in_a_thread(lambda: recalculate(path).values)
    assert beside == recalculate(path).values
    assert beside["Main", "A2"] == 4 * 4096 * 4096 + 4 * 4096 + 3
