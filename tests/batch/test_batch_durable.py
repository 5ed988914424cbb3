"""A batch survives kills: its journal says what is done, and `--resume` does the rest."""

import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sizebook.batch import runner
from sizebook.batch.formats import USUAL, Outputs
from sizebook.batch.journal import FILE, Outcome, fingerprint, journal
from sizebook.batch.scenario_list import Row, read_batch
from sizebook.core.errors import InputError
from sizebook.plans.contents import Figure
from sizebook.scheduling import processes
from sizebook.sources import writing
from tests.batch import kills
from tests.commands import run

PARAMETERS = Figure("parameters", "Parameters", "parameters", 8_030_261_248)


def rows(folder: Path, *models: str) -> list[Row]:
    return [Row("s.csv, scenario", folder, model, {"model": model}) for model in models]


def settled(row: Row, folder: Path) -> Outcome:
    """Write what stands for the outputs of a scenario."""
    workbook, report = folder / f"{row.name}.xlsx", folder / f"{row.name}.pdf"
    workbook.write_bytes(b"workbook")
    report.write_bytes(b"report")
    return Outcome(row, Outputs({"xlsx": workbook, "pdf": report}, (PARAMETERS,), ("a remark",)))


def test_what_is_done_stays_done_and_the_rest_is_open(tmp_path: Path) -> None:
    good, bad, unfinished, gone = rows(tmp_path, "good", "bad", "unfinished", "gone")
    with journal(tmp_path, USUAL) as record:
        assert record.enter([good, bad, unfinished, gone], resume=True) == {}
        for row in (good, bad, unfinished, gone):
            record.record_start(row)
        record.record_outcome(settled(good, tmp_path))
        record.record_outcome(settled(gone, tmp_path))
        record.record_outcome(Outcome(bad, None, "s.csv: wrong"))
    (tmp_path / "gone.pdf").unlink()
    with journal(tmp_path, USUAL) as record:
        assert record.enter([good, bad, unfinished, gone], resume=True) == {"good": settled(good, tmp_path)}
    assert kills.journal(tmp_path).states == {"good": "done", "bad": "open", "unfinished": "open", "gone": "open"}
    with journal(tmp_path, USUAL) as record:
        assert record.enter([good, bad], resume=False) == {}
    assert kills.journal(tmp_path).states == {"good": "open", "bad": "open"}


def test_what_was_made_is_done_by_the_files_that_it_names(tmp_path: Path) -> None:
    """A report alone was asked for: it is what a resumed batch looks for."""
    [row] = rows(tmp_path, "programme")
    (tmp_path / "programme.pdf").write_bytes(b"report")
    made = Outcome(row, Outputs({"pdf": tmp_path / "programme.pdf"}, (PARAMETERS,)))
    with journal(tmp_path, USUAL) as record:
        record.enter([row], resume=True)
        record.record_start(row)
        record.record_outcome(made)
    with journal(tmp_path, USUAL) as record:
        assert record.enter([row], resume=True) == {"programme": made}
    (tmp_path / "programme.pdf").unlink()
    with journal(tmp_path, USUAL) as record:
        assert record.enter([row], resume=True) == {}


def test_a_scenario_that_changed_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "config.json"
    config.write_text("{}")
    [row] = rows(tmp_path, "config.json")
    before = fingerprint(row, USUAL)
    assert fingerprint(Row("elsewhere", tmp_path, row.name, dict(row.values)), USUAL) == before
    assert fingerprint(Row(row.where, tmp_path, row.name, {"model": "config.json", "dtype": "fp8"}), USUAL) != before
    config.write_text('{"model_type": "llama"}')
    assert fingerprint(row, USUAL) != before
    config.write_text("{}")
    assert fingerprint(row, USUAL) == before
    assert fingerprint(row, ("json",)) != before
    monkeypatch.setattr("sizebook.batch.journal.__version__", "0.0.0")
    assert fingerprint(row, USUAL) != before


def test_two_batches_into_one_folder_are_refused(tmp_path: Path) -> None:
    scenarios = kills.table(tmp_path, 1)
    out = tmp_path / "out"
    out.mkdir()
    with journal(out, USUAL):
        done = run("batch", scenarios, "-o", out)
    assert isinstance(done.exception, InputError)
    assert str(done.exception) == (
        f"batch under way: got {out} in use (database is locked), want a folder of its own for every batch. "
        "Wait until that one has ended, or choose another folder."
    )
    assert [path.name for path in out.iterdir()] == [FILE]


def test_a_damaged_journal_and_one_of_another_version_are_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database at all, but long enough to be taken for one" * 10)
    with pytest.raises(InputError) as caught, journal(tmp_path, USUAL):
        pass
    assert str(caught.value) == (
        f"damaged journal: got file is not a database in {tmp_path / FILE}, want the journal of a batch. Remove the "
        "file and run the batch anew."
    )
    (tmp_path / FILE).unlink()
    database = sqlite3.connect(tmp_path / FILE)
    database.execute("PRAGMA user_version = 9")
    database.close()
    with pytest.raises(InputError) as caught, journal(tmp_path, USUAL):
        pass
    assert str(caught.value) == (
        f"journal of another version: got format 9 in {tmp_path / FILE}, want 4. Choose another folder."
    )


def deadly(row: Row, folder: Path, formats: tuple[str, ...]) -> Outcome:
    """Stand in for making a scenario: end the worker where the scenario says so, always or the first time."""
    import os
    import signal

    mark = folder / f"{row.name}.mark"
    if row.name == "poison" or (row.name == "once" and not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return settled(row, folder)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("deadly_row", ["once", "poison"])
def test_a_dead_worker_costs_its_row_one_retry(
    deadly_row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "produce_scenario", deadly)
    every = rows(tmp_path, "a", deadly_row, "b", "c")

    def shown(outcomes: Iterator[Outcome], _n: int) -> Iterator[Outcome]:
        return outcomes

    batch = runner.run_batch(every, tmp_path, runner.RunOptions(2), shown)
    problem = (
        "s.csv, scenario: worker died: got a process that ended twice over this scenario, want it finished. Give the "
        "machine more memory, or find out with 'sizebook report' what ends it."
    )
    failed = {"poison": problem} if deadly_row == "poison" else {}
    assert {outcome.row.name: outcome.problem for outcome in batch.outcomes if outcome.problem} == failed
    found = kills.journal(tmp_path)
    assert found.states == {row.name: "failed" if row.name in failed else "done" for row in every}
    assert found.attempts[deadly_row] == 2
    assert max(found.attempts.values()) == 2


def test_a_finished_batch_resumes_without_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenarios, out = kills.table(tmp_path, 3), tmp_path / "out"
    out.mkdir()
    with journal(out, USUAL) as record:
        every = read_batch(scenarios).rows
        record.enter(every, resume=False)
        for row in every:
            record.record_outcome(settled(row, out))

    def refused(*_: Any) -> None:
        raise AssertionError("a worker was started")

    monkeypatch.setattr(processes, "workers", refused)
    temp = tmp_path / "temp"
    (temp / f".{writing._SCRATCH}.0123456789abcdef.part").mkdir(parents=True)  # of a run that was killed at its end
    monkeypatch.setattr(tempfile, "tempdir", str(temp))
    done = run("batch", scenarios, "-o", out, "--resume")
    assert f"3 of 3 scenarios done, 3 of them before. Index: {out / 'index.xlsx'}" in done.output
    assert list(temp.iterdir()) == []
