"""Outputs appear whole or not at all, under the rights of the file they replace; what killed runs left goes."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import polars as pl
import pytest
from openpyxl import Workbook, load_workbook

from sizebook.core.errors import InputError
from sizebook.sources.cell_text import is_calculated, neutralised, put_text
from sizebook.sources.writing import clean_leftovers, scratch_folder, unfinished, write_whole
from sizebook.sweeps import streaming
from tests.refused import message_of

HOLDER = """
import sys, time
from pathlib import Path
from sizebook.sources.writing import {name}
with {name}(Path(sys.argv[1])) as temporary:
    print("holds", flush=True)
    time.sleep(60)
"""


def holder(name: str, path: Path) -> subprocess.Popen[str]:
    """Start a process that holds a temporary file or folder and does not finish."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER.format(name=name), str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "holds\n"
    return process


def test_a_link_is_replaced_when_that_is_asked_for_and_what_it_leads_to_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, link = tmp_path / "kept" / "real.txt", tmp_path / "link.txt"
    write_whole(real, b"old")
    real.chmod(0o600)
    link.symlink_to("kept/real.txt")
    assert message_of(InputError, write_whole, link, b"new") == (
        f"a link as output: got {link}, which leads to kept/real.txt, want a file itself. Name that file, or replace "
        "the link: sizebook --force ..., or SIZEBOOK_FORCE=1."
    )
    assert link.is_symlink() and real.read_bytes() == b"old"
    monkeypatch.setenv("SIZEBOOK_FORCE", "1")
    write_whole(link, b"new")
    assert not link.is_symlink() and (link.read_bytes(), real.read_bytes()) == (b"new", b"old")
    assert link.stat().st_mode == write_whole(tmp_path / "fresh.txt", b"").stat().st_mode
    dangling = tmp_path / "dangling.txt"
    dangling.symlink_to("kept/later.txt")
    write_whole(dangling, b"made")
    assert not dangling.is_symlink() and [path.name for path in real.parent.iterdir()] == ["real.txt"]


def test_permissions_of_an_existing_file_stay_and_a_new_one_gets_those_of_the_system(tmp_path: Path) -> None:
    secret = write_whole(tmp_path / "secret.txt", b"old")
    secret.chmod(0o640)
    write_whole(secret, b"new")
    assert (stat.S_IMODE(secret.stat().st_mode), secret.read_bytes()) == (0o640, b"new")
    before = os.umask(0o027)
    try:
        fresh = write_whole(tmp_path / "fresh.txt", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE(fresh.stat().st_mode) == 0o640


def test_a_folder_a_device_and_a_protected_file_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    for name in ("fifo", "folder"):
        assert (
            message_of(InputError, write_whole, tmp_path / name, b"")
            == f"not a file: got {tmp_path / name}, want a file to write. Choose another name."
        )
    protected = write_whole(tmp_path / "protected.txt", b"old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root, who runs the tests, may write anything
    assert message_of(InputError, write_whole, protected, b"new") == (
        f"write-protected: got {protected}, want a file that may be changed. Choose another name."
    )
    assert protected.read_bytes() == b"old"


def test_threads_that_write_one_file_do_not_meet(tmp_path: Path) -> None:
    target, failed = tmp_path / "one.txt", []

    def write(letter: str) -> None:
        try:
            for _ in range(20):
                write_whole(target, letter.encode() * 10_000)
        except Exception as error:  # noqa: BLE001, a thread's error would be lost
            failed.append(error)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and len(set(target.read_bytes())) == 1 and len(target.read_bytes()) == 10_000
    assert [path.name for path in tmp_path.iterdir()] == ["one.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals and locks of POSIX")
@pytest.mark.parametrize("name", ["unfinished", "scratch_folder"])
def test_what_a_live_run_writes_stays_and_what_a_killed_one_left_goes(name: str, tmp_path: Path) -> None:
    target = tmp_path / "out.csv" if name == "unfinished" else tmp_path
    live = holder(name, target)
    [temporary] = tmp_path.glob(".*.part")
    try:
        clean_leftovers(tmp_path)
        write_whole(tmp_path / "out.csv", b"ours")
        assert temporary.exists()
    finally:
        live.send_signal(signal.SIGKILL)
        live.wait()
    assert temporary.exists()
    if name == "unfinished":
        write_whole(target, b"again")
    else:
        with scratch_folder(tmp_path):
            pass
    assert not list(tmp_path.glob(".*.part"))


def test_files_of_others_are_no_leftovers(tmp_path: Path) -> None:
    others = [
        ".out.csv.1234.part",
        ".out.csv.part",
        "out.csv.0123456789abcdef.part",
        ".other.csv.0123456789abcdef.part",
    ]
    for name in others:
        (tmp_path / name).touch()
    with unfinished(tmp_path / "out.csv") as temporary:
        temporary.write_bytes(b"")
    assert {path.name for path in tmp_path.iterdir()} == {"out.csv", *others}


def test_a_name_as_long_as_the_system_takes_is_written(tmp_path: Path) -> None:
    name = "n" * 251 + ".txt"
    write_whole(tmp_path / name, b"long")
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_command_that_is_asked_to_end_leaves_nothing(tmp_path: Path) -> None:
    table = tmp_path / "big.csv"
    line = "llama-3.1-8b,h100-sxm,1000,200,1\n"
    table.write_text("model,gpu,input_tokens,output_tokens,concurrency\n" + line * 1_000_000)
    command = [sys.executable, "-m", "sizebook", "sweep", str(table), "-o", str(tmp_path / "out.csv")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    give_up = time.monotonic() + 600
    while not list(tmp_path.glob(".out.csv.*")) and time.monotonic() < give_up:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 128 + signal.SIGTERM
    assert "sizebook: ended by SIGTERM: nothing half-written is left." in said
    assert "Traceback" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["big.csv"]


EVIL = ["=1+1", '=HYPERLINK("http://e.vil","x")', "+1+1", "-1+1", "@SUM(1)", "\t=1+1", "#REF!"]


def test_text_is_text_in_a_new_workbook(tmp_path: Path) -> None:
    book = Workbook()
    for row, text in enumerate([*EVIL, "a\0b"], 1):
        put_text(book.active.cell(row, 1), text)
    book.save(tmp_path / "texts.xlsx")
    cells = [row[0] for row in load_workbook(tmp_path / "texts.xlsx").active.iter_rows()]
    assert [(cell.data_type, cell.value) for cell in cells] == [("s", text) for text in [*EVIL, "a\ufffdb"]]
    assert [cell.quotePrefix for cell in cells] == [True] * 6 + [False] * 2
    assert message_of(InputError, lambda: put_text(book.active.cell(1, 1), "x" * 40_000)) == (
        f"text too long for a cell: got '{'x' * 119}... (40002 characters), want at most 32767 characters. "
        "Shorten it, or write a .csv or .parquet table."
    )


@pytest.mark.parametrize("suffix", [".xlsx", ".csv"])
def test_a_sweep_writes_text_as_text(suffix: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"note": [*EVIL, None, "-5", "plain"], "figure": [1.5] * 10})
    output = tmp_path / f"out{suffix}"
    streaming.write(iter([frame]), output)
    if suffix == ".xlsx":
        rows = list(load_workbook(output).active.iter_rows(min_row=2))
        assert [row[0].value for row in rows] == [*EVIL, None, "-5", "plain"]
        assert {row[0].data_type for row in rows if row[0].value} == {"s"}
        assert {row[1].value for row in rows} == {1.5}
    else:
        # '#REF!' only looks like an error; -5 is a number.
        guarded_notes = [f"'{text}" for text in EVIL[:-1]] + ["#REF!", None, "-5", "plain"]
        assert pl.read_csv(output)["note"].to_list() == guarded_notes


def test_numbers_are_not_guarded() -> None:
    texts = ["-5", "+3.5e-7", "-.5", "", "a=b", "-", "=", "-5x"]
    assert [is_calculated(text) for text in texts] == [False, False, False, False, False, True, True, True]
    assert [neutralised("-5"), neutralised("-5x")] == ["-5", "'-5x"]
