"""One LibreOffice for the whole test session, with the extension installed in a profile of its own.

It runs without a display and, where the tests run as root, as `nobody`: `unopkg` refuses root.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import pytest
from openpyxl import load_workbook

from sizebook.libreoffice.extension import build_extension

TESTS = Path(__file__).resolve().parents[1]  # cells may read the files of tests, which lie beside no workbook
READER = Path(__file__).with_name("calc_reader.py")
# The system's own folder: what renders reports moves the temporary files of its process where nobody else may read.
TEMPORARY = Path(os.environ.get("TMPDIR", "/tmp"))
PREFIX = "sizebook-office-"  # of the folders of offices; then comes the process that they belong to
Display = dict[str, dict[str, str]]


class Displays(Protocol):
    def __call__(self, path: Path) -> Display: ...


class Prints(Protocol):
    def __call__(self, path: Path) -> Path: ...


class Office:
    """A running office: reads what Calc displays, and prints to PDF."""

    PROFILE = "profile"

    def __init__(self, with_extension: bool = True, locale: str = "") -> None:
        # Not pytest's folder: another user could not enter it.
        sweep_away_left()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=TEMPORARY))
        self._as_user = _unprivileged(self.folder)
        profile = self.folder / self.PROFILE
        if with_extension:
            self.install(profile)
        if locale:
            _set_locale(profile, locale)
        shutil.copy(READER, self.folder / READER.name)
        self._process = subprocess.Popen(
            [python_with_uno(), str(self.folder / READER.name), program("soffice"), str(profile)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **self._as_user,
        )
        assert self._answer() == "ready"

    def install(self, profile: Path) -> None:
        """Install the extension into a profile."""
        extension = build_extension(self.folder / "sizebook.oxt")
        command = [program("unopkg"), "add", f"-env:UserInstallation=file://{profile}", str(extension)]
        installed = self._run(command)
        if installed.returncode != 0 and not installed.stderr:  # as in `sizebook.libreoffice.extension_manager`
            installed = self._run([*command, "--force"])
        assert installed.returncode == 0, (installed.returncode, installed.stderr)

    def display(self, path: Path) -> Display:
        """Return the text of every cell that is not empty, by sheet and cell, as Calc displays it.

        Without recalculation Calc shows the values stored in the file, as it does for a reader who opens it.
        """
        shown: Display = self._ask({"read": str(self._copied(path))})
        return shown

    def values(self, path: Path, enter: Mapping[str, float | str] | None = None) -> dict[str, dict[str, float | str]]:
        """Return the value of every cell that is not empty, recalculated: far quicker than what each displays.

        ``enter`` are values to type into cells first, by sheet and cell.
        """
        found: dict[str, dict[str, float | str]] = self._ask(
            {"read": str(self._copied(path)), "values": True, "enter": dict(enter or {})}
        )
        return found

    def planted(self, path: Path, edits: list[tuple[str, str]], look: list[str]) -> list[list[str]]:
        """Return what cells show, first as the file is, then after each edit of one cell alone."""
        found: list[list[str]] = self._ask({"plant": str(self._copied(path)), "edits": edits, "look": look})
        return found

    def pdf(self, path: Path) -> Path:
        """Return a PDF that Calc printed of the workbook."""
        target = str(self.folder / f"{path.stem}.pdf")
        return Path(self._ask({"pdf": str(self._copied(path)), "to": target}))

    def basic(self, source: str, function: str) -> Any:
        """Return what a function of a Basic module gives; a module that does not compile ends the office."""
        return self._ask({"basic": source, "call": function})

    def macros(self, path: Path, enter: dict[str, str]) -> dict[str, dict[str, str]]:
        """Return the Basic modules of a file, and what formulas show that are entered into its first sheet."""
        found: dict[str, dict[str, str]] = self._ask({"macros": str(self._copied(path)), "enter": enter})
        return found

    def wizard(self, names: list[str]) -> dict[str, dict[str, Any]]:
        """Return what the function wizard says of functions and of their arguments."""
        found: dict[str, dict[str, Any]] = self._ask({"help": names})
        return found

    def __enter__(self) -> Office:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _copied(self, path: Path) -> Path:
        copied = self.folder / path.name
        shutil.copyfile(path, copied)
        copied.chmod(0o644)
        return copied

    def _ask(self, request: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "LibreOffice ended: see its message above"
        return json.loads(line)

    def _run(self, command: list[str], **settings: str) -> subprocess.CompletedProcess[str]:
        how = {**self._as_user, "env": {**self._as_user["env"], **settings}}
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, **how)


def assert_stored_is_recalculated(office: Office, path: Path) -> None:
    """Hold every value stored in a workbook to what Calc works out.

    Values, not what is displayed: a recalculated cell without a number format takes that of what it refers to.
    """
    recalculated, n_compared, differing = office.values(path), 0, {}
    for sheet in load_workbook(path, data_only=True):
        for row in sheet.iter_rows():
            for cell in row:
                got = recalculated[sheet.title].get(cell.coordinate)
                n_compared += cell.value is not None
                if not is_same(got, cell.value):
                    differing[f"{sheet.title}!{cell.coordinate}"] = (cell.value, got)
    assert n_compared > 300
    assert differing == {}


# An office judges prices on the day it runs, a filled workbook on the day of its plan.
_AGE = re.compile(r"; \d+ of \d+ prices over \d+ days old")


# Half-way between two figures the last digit may differ: Excel rounds what has 15 digits, Calc all of it.
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+")


def _is_same_text(got: str, stored: str) -> bool:
    one, other = (_THOUSANDS.findall(text) for text in (got, stored))
    apart = [abs(int(a.replace(",", "")) - int(b.replace(",", ""))) for a, b in zip(one, other, strict=False)]
    return _THOUSANDS.sub("", got) == _THOUSANDS.sub("", stored) and all(each <= 1 for each in apart)


def is_same(got: float | str | None, stored: Any) -> bool:
    """Return whether Calc's value is the stored one; a date is its number there, TRUE is 1 and FALSE 0."""
    if stored in (None, ""):
        return got is None
    if isinstance(stored, str):
        return isinstance(got, str) and _is_same_text(_AGE.sub("", got), _AGE.sub("", stored))
    days = (stored - datetime(1899, 12, 30)).days if isinstance(stored, datetime) else stored
    return bool(got == pytest.approx(float(days), rel=1e-12))


def sweep_away_left(temporary: Path = TEMPORARY) -> None:
    """Remove the folders of processes that were killed before they could do so."""
    for folder in temporary.glob(f"{PREFIX}*"):
        process = folder.name.removeprefix(PREFIX).partition("-")[0]
        if not process.isdigit():
            continue
        try:
            os.kill(int(process), 0)  # asks whether it is there
        except ProcessLookupError:
            shutil.rmtree(folder, ignore_errors=True)
        except PermissionError:
            continue


_LOCALE = (
    '<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>{}</value>'
    "</prop></item>"
)
_SETTINGS = (
    '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" '
    'xmlns:xs="http://www.w3.org/2001/XMLSchema"></oor:items>'
)


def _set_locale(profile: Path, locale: str) -> None:
    """Have a profile write numbers, days and money as people do where they say ``de-DE``."""
    settings = profile / "user" / "registrymodifications.xcu"
    settings.parent.mkdir(parents=True, exist_ok=True)
    before = settings.read_text(encoding="utf-8") if settings.exists() else _SETTINGS
    settings.write_text(before.replace("</oor:items>", _LOCALE.format(locale) + "</oor:items>"), encoding="utf-8")
    for path in (profile, settings.parent, settings):
        path.chmod(0o777 if path.is_dir() else 0o666)


def _unprivileged(folder: Path) -> dict[str, Any]:
    """Return how to start a process whose home is the folder, as nobody when this one is root."""
    environment = {"HOME": str(folder), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "SIZEBOOK_FILES": str(TESTS)}
    if os.geteuid() != 0:
        return {"env": environment, "cwd": folder}
    import pwd

    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {
        "env": environment,
        "cwd": folder,
        "user": nobody.pw_uid,
        "group": nobody.pw_gid,
        "extra_groups": [],
    }


def program(name: str) -> str:
    found = shutil.which(name)
    assert found, f"missing program: got no {name}, want LibreOffice Calc. Install libreoffice-calc."
    return found


def python_with_uno() -> str:
    """Return a Python that can talk to the office: the system's, as a virtual environment has no `uno`."""
    for candidate in ("/usr/bin/python3", sys.executable):
        if subprocess.run([candidate, "-c", "import uno"], capture_output=True, check=False).returncode == 0:
            return candidate
    raise AssertionError("missing module: got no Python with uno, want one. Install python3-uno.")
