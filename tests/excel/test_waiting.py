"""A long column does not hold Excel: cells beyond the time of one recalculation wait, and are asked again."""

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.cells import call
from sizebook.excel import deferred_answers
from sizebook.excel.deferred_answers import DeferredAnswers
from sizebook.functions import load
from tests.commands import python
from tests.surfaces.test_files_in_cells import CONFIG, COUNTED

# Excel, as far as a column of cells needs it: every cell asks in turn; those that wait are volatile, so they ask again
# when `AnswerWaitingCells` calculates, which it does once `CALLS_WAITING` is 0.
EXCEL = """
import json, sys, time
from tests.excel.classic_client import on_windows
udfs = on_windows()
from sizebook.excel import classic, deferred_answers
deferred_answers.BUDGET = {budget}
def ask(name, *given):
    return udfs.call_udf("sizebook.excel.classic", name, given)[0][0]
ask("FILES_BESIDE", {folder!r}, {may_wait})
shown, rounds = {{}}, []
volatile = list(enumerate(json.load(sys.stdin)))
while volatile:
    for at, given in volatile:
        shown[at] = ask(*given)
    volatile = [(at, given) for at, given in volatile if shown[at] == "#GETTING_DATA"]
    rounds.append(len(volatile))
    while ask("CALLS_WAITING"):
        time.sleep(0.01)
json.dump([rounds, list(shown.values())], sys.stdout)
"""


def column(calls: list[list[Any]], **how: Any) -> tuple[list[int], list[Any]]:
    """Return how many cells waited after each recalculation, and what the column shows in the end."""
    known = {"budget": 0.0, "may_wait": True, "folder": ""} | how
    how = {"cwd": Path(__file__).parents[2], "env": {"PYTHONPATH": ":".join(sys.path)}}
    done = python("-c", EXCEL.format(**known), input=json.dumps(calls), **how)
    assert done.returncode == 0, done.stderr
    rounds, shown = json.loads(done.stdout)
    return rounds, shown


SEARCHES = [["MIN_GPUS_TRAIN", "llama-3.1-8b", "h100-sxm", 1024 + at] for at in range(1000)]


def test_a_column_of_searches_is_answered_in_the_second_recalculation() -> None:
    load()
    rounds, shown = column(SEARCHES)
    assert rounds == [1000, 0]
    tokens = [[given[3]] for given in SEARCHES]
    assert shown == [row[0] for row in call("MIN_GPUS_TRAIN", "llama-3.1-8b", "h100-sxm", tokens)]  # type: ignore[union-attr, index]


def test_a_short_column_waits_for_nothing() -> None:
    rounds, shown = column([["PARAMS_LN", at] for at in (512.0, -1.0)], budget=600.0)
    assert (rounds, shown) == ([0], [1024.0, "#NUM!"])


def test_a_macro_never_waits() -> None:
    """It asks once. An add-in of before, which knows nothing of waiting, asks as a macro does."""
    assert column([["PARAMS_LN", 512.0]], may_wait=False) == ([0], [1024.0])


def test_cells_that_waited_read_beside_their_workbook_and_nowhere_else(tmp_path: Path) -> None:
    """Whichever thread reads, it is for the workbook that asked."""
    for name in ("books/config.json", "config.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(CONFIG))
    calls = [["CONFIG_PARAMS", name] for name in ("config.json", "../config.json", "sample")]
    rounds, shown = column(calls, folder=str(tmp_path / "books"))
    assert (rounds, shown) == ([3, 0], [float(COUNTED), "#VALUE!", 1043584.0])


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 600
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.001)


class Slow:
    """Computes a call by its length, at a clock that each computation moves on by a second."""

    def __init__(self) -> None:
        self.now, self.computed, self.threads, self.held = 0.0, list[bytes](), set[str](), threading.Event()
        self.held.set()

    def ask(self, answers: DeferredAnswers, asked: bytes) -> Any:
        return answers.answer(asked, lambda: self.compute(asked), may_wait=True)

    def compute(self, asked: bytes) -> tuple[int, bool]:
        self.held.wait(20)
        self.now += 1.0
        self.computed.append(asked)
        self.threads.add(threading.current_thread().name)
        if asked == b"fails":
            raise ValueError("as it does")
        return len(asked), not asked.startswith(b"/")

    def clock(self) -> float:
        self.now += 0.001
        return self.now


def test_cells_wait_once_a_recalculation_has_had_its_time() -> None:
    slow = Slow()
    answers = DeferredAnswers("later", slow.clock)
    assert [slow.ask(answers, each) for each in (b"1", b"22", b"333")] == [1, 2, "later"]
    until(lambda: not answers.waiting())
    assert slow.ask(answers, b"333") == 3 and slow.computed == [b"1", b"22", b"333"]
    slow.now += deferred_answers.PAUSE
    assert slow.ask(answers, b"4444") == 4, "another recalculation has its own time"


@pytest.mark.parametrize(("asked", "times"), [(b"333", 1), (b"/file", 2)])
def test_what_follows_from_a_file_is_not_kept(asked: bytes, times: int) -> None:
    slow = Slow()
    answers = DeferredAnswers("later", slow.clock)
    assert [answers.answer(asked, lambda: slow.compute(asked), may_wait=False) for _ in range(2)] == [len(asked)] * 2
    assert slow.computed.count(asked) == times


def test_a_call_that_fails_later_fails_for_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deferred_answers, "BUDGET", 0.0)
    slow, answers = Slow(), DeferredAnswers("later")
    assert slow.ask(answers, b"fails") == slow.ask(answers, b"/file") == "later"
    until(lambda: not answers.waiting())
    with pytest.raises(ValueError, match=r"^as it does$"):
        slow.ask(answers, b"fails")
    assert slow.ask(answers, b"/file") == 5, "once, though it is not kept"
    assert slow.ask(answers, b"/file") == "later"


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells beyond those that may wait ask again with the others, and find room then."""
    monkeypatch.setattr(deferred_answers, "MOST_ANSWERS", 4)
    monkeypatch.setattr(deferred_answers, "MOST_WAITING", 2)
    monkeypatch.setattr(deferred_answers, "BUDGET", 0.0)
    slow, answers = Slow(), DeferredAnswers("later")
    slow.held.clear()
    asked = [bytes(length) for length in range(1, 8)]
    assert {slow.ask(answers, each) for each in asked} == {"later"}
    assert answers.waiting() == 2
    slow.held.set()
    for pair in (asked[:2], asked[2:4], asked[4:6]):
        until(lambda: not answers.waiting())
        assert [slow.ask(answers, each) for each in pair] in ([len(each) for each in pair], ["later"] * 2)
        until(lambda: not answers.waiting())
        assert [slow.ask(answers, each) for each in pair] == [len(each) for each in pair]
    assert slow.threads.isdisjoint({threading.current_thread().name})


def test_a_panic_in_the_thread_is_raised_where_the_cell_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Panic(BaseException):
        pass

    def compute() -> tuple[Any, bool]:
        raise Panic("engine")

    monkeypatch.setattr(deferred_answers, "BUDGET", 0.0)
    monkeypatch.setattr(deferred_answers, "PAUSE", 0.01)
    answers = DeferredAnswers("later")
    assert answers.answer(b"call", compute, may_wait=True) == "later"
    until(lambda: not answers.waiting())
    with pytest.raises(Panic):
        answers.answer(b"call", compute, may_wait=True)
