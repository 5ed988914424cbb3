"""Runs the command line on hostile files in a fork that is measured, and judges what comes of it."""

import atexit
import os
import re
import resource
import shlex
import shutil
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import openpyxl

import sizebook.workbooks.filling  # noqa: F401 - loaded once, before the forks
from sizebook.cli import main
from tests.attack.material import make

SECONDS, MEGABYTES = 10.0, 1_500
_CLOCK = 12  # times the seconds of a processor, on a busy machine
KEYS = {"name", "run", "said", "code", "files", "shows", "prints", "holds", "lacks", "makes"}
KEYS |= {"by_hand", "fresh", "most_file_bytes"}


@dataclass(frozen=True)
class Ended:
    """How a command ended, what it said and what it took."""

    code: int
    out: str
    err: str
    seconds: float
    megabytes: float


def command_problem(case: Mapping[str, Any]) -> str:
    """Return how a case falls short, empty where it holds."""
    assert not case.keys() - KEYS, case.keys() - KEYS
    made = Path(tempfile.mkdtemp())  # no TemporaryDirectory, which a fork would remove at its end
    try:
        folder = made / "w"
        for inside in (folder, made / "temp"):
            inside.mkdir()
        for name, given in case.get("files", {}).items():
            make(folder / name, given)
        there = {path.name for path in folder.iterdir()}
        return next((problem for problem in _problems(case, folder, there, _ended(case, folder)) if problem), "")
    finally:
        shutil.rmtree(made)


def _ended(case: Mapping[str, Any], folder: Path) -> Ended:
    outputs = [folder.parent / "out", folder.parent / "err"]
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _in_fork(case, folder, outputs)
    give_up = time.monotonic() + _CLOCK * SECONDS
    while True:
        ended, status, used = os.wait4(child, os.WNOHANG)
        if ended:
            break
        if time.monotonic() > give_up:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.005)
    out, err = (path.read_text(encoding="utf-8", errors="replace") for path in outputs)
    code = os.waitstatus_to_exitcode(status)
    return Ended(code, out, err, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def _in_fork(case: Mapping[str, Any], folder: Path, outputs: list[Path]) -> NoReturn:
    """Run the command as a process of its own would; whatever happens, nothing of the parent's goes on here."""
    code: Any = 70
    try:
        os.setsid()
        os.chdir(folder)
        _set_up(case, folder, outputs)
        if shell := case.get("fresh"):  # what a shell sets before a new interpreter starts
            os.execv("/bin/bash", ["bash", "-c", f"{shell}; exec {sys.executable} -m sizebook {case['run']}"])
        sys.argv = ["sizebook", *shlex.split(case["run"])]
        main()
        code = 0
    except SystemExit as ended:
        code = ended.code or 0
    except BaseException:  # noqa: BLE001 - shown as what it is
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        atexit._run_exitfuncs()
        os._exit(code)


def _set_up(case: Mapping[str, Any], folder: Path, outputs: list[Path]) -> None:
    """Give a fork the streams, the environment and the limits of its case."""
    for number, path in enumerate([Path(os.devnull), *outputs]):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
    temporary = str(folder.parent / "temp")
    os.environ.update({"TMPDIR": temporary, "COLUMNS": "200", "HF_HUB_OFFLINE": "1"})
    tempfile.tempdir = None
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if most := case.get("most_file_bytes"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def _problems(case: Mapping[str, Any], folder: Path, given: set[str], ended: Ended) -> Iterator[str]:
    """Yield what is wrong, the worst first."""
    said = ended.err.strip()
    if "Traceback" in said or "panicked" in said:
        yield f"a traceback, {said[-300:]}"
    wanted = case.get("code", 2 if "said" in case else 0)
    if ended.code != wanted:
        yield f"exit code {ended.code} after {ended.seconds:.1f} s, want {wanted}: {said[:700]}"
    if "said" in case and not _fits(case["said"], said.removeprefix("sizebook: ")):
        yield f"says {said!r}, want {case['said']!r}"
    if "prints" in case and case["prints"] not in ended.out:
        yield f"prints {ended.out[:300]!r}, want {case['prints']!r}"
    yield from _shown(case.get("shows", {}), folder)
    for name, text in case.get("holds", {}).items():
        found = (folder / name).read_text(encoding="utf-8")
        if found != text:
            yield f"{name} holds {found[:300]!r}, want {text!r}"
    for name, text in case.get("lacks", {}).items():
        if text.encode() in _unpacked(folder / name):
            yield f"{name} holds {text!r}"
    if (
        extra := {path.name for path in folder.iterdir()}
        - given
        - set(case.get("makes", () if wanted == 2 else ("out.xlsx",)))
    ):
        yield f"written: {', '.join(sorted(extra))}"
    if left := [path.name for path in (folder.parent / "temp").iterdir()]:
        yield f"left in the temporary folder: {', '.join(left)}"
    if ended.seconds > SECONDS or ended.megabytes > MEGABYTES:
        yield f"took {ended.seconds:.1f} s and {ended.megabytes:.0f} MB"


def _unpacked(path: Path) -> bytes:
    """Return the content of a file, of an archive that of all its parts."""
    if not zipfile.is_zipfile(path):
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        return b"\n".join(map(archive.read, archive.namelist()))


def _fits(wanted: str, said: str) -> bool:
    """Return whether a message is as wanted, where ... stands for what may differ."""
    return re.fullmatch(".*".join(map(re.escape, wanted.split("..."))), said, re.DOTALL) is not None


def _shown(wanted: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """Yield the cells of the filled workbook that show something else."""
    if not wanted:
        return
    sheet = openpyxl.load_workbook(folder / "out.xlsx", data_only=True)["S"]
    for place, value in wanted.items():
        if sheet[place].value != value:
            yield f"{place} shows {sheet[place].value!r}, want {value!r}"
