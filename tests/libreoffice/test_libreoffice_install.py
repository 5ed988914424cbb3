"""The extension's files, and what the installation says when it cannot."""

import os
import re
import zipfile
from pathlib import Path

import pytest

from sizebook import __version__
from sizebook.core.errors import InputError
from sizebook.functions import load
from sizebook.libreoffice.extension import build_extension, extension_files
from sizebook.libreoffice.extension_manager import install, installed, uninstall
from tests.commands import run
from tests.refused import message_of


@pytest.fixture
def as_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A user who is not root, and an empty folder as the search path for programs."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def unopkg(folder: Path, script: str) -> None:
    program = folder / "unopkg"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_root_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert message_of(InputError, install) == (
        "not as root: got user root, want the user of LibreOffice. Run the command as that user."
    )


def test_without_libreoffice(as_user: Path) -> None:
    assert message_of(InputError, install) == (
        "no LibreOffice found: got no program 'unopkg', want one on the search path. Install LibreOffice, or make the "
        "file with 'sizebook libreoffice build' and open it in LibreOffice."
    )


def test_failure_is_passed_on(as_user: Path) -> None:
    unopkg(as_user, "echo 'lock file exists' >&2; exit 1")
    assert message_of(InputError, install) == (
        "installation failed: got 'lock file exists' from unopkg, want success. Close LibreOffice and try again."
    )


def test_a_crash_without_a_word_is_tried_once_more(as_user: Path) -> None:
    unopkg(as_user, f'test "$1" = remove && exit 0; echo >> {as_user}/tried; exit 139')
    assert message_of(InputError, install) == (
        "installation failed: got 'exit status 139 and no word' from unopkg, want success. Close LibreOffice and try "
        "again."
    )
    assert (as_user / "tried").read_text() == "\n\n"
    unopkg(
        as_user, f'test "$1" = remove && exit 0; test -e {as_user}/crashed && exit 0; echo >{as_user}/crashed; exit 139'
    )
    assert install() == ""


def test_an_earlier_version_goes_first(as_user: Path) -> None:
    """`tests.libreoffice.as_user` installs twice in a real LibreOffice and asks a cell."""
    unopkg(as_user, f'echo "$1 ${{2##*/}}" >> {as_user}/asked; test "$1" = add && test -s "$3" && echo "${{3##*/}}"')
    assert install() == "sizebook.oxt"
    assert (as_user / "asked").read_text() == "remove org.sizebook.calc\nadd --force\n"


LISTED = """All deployed user extensions:

Identifier: org.sizebook.calc
  Version: 0.1.0
  URL: vnd.sun.star.expand:$UNO_USER_PACKAGES_CACHE/uno_packages/lu1.tmp_/sizebook.oxt
  is registered: yes
"""


def asked(*words: str) -> str:
    done = run("libreoffice", *words)
    assert done.exit_code == 0, done.output
    return done.output


def test_what_is_installed_is_said_updated_and_removed(as_user: Path) -> None:
    (as_user / "listed").write_text(LISTED)
    unopkg(
        as_user,
        f'echo "$1" >> {as_user}/asked\n'
        f'case "$1" in list) while read -r line; do echo "$line"; done < {as_user}/listed;; esac',
    )
    assert installed() == "0.1.0"
    assert asked("status") == f"0.1.0\nthis is {__version__}: run 'sizebook libreoffice update'\n"
    assert asked("update") == f"installed {__version__}: restart LibreOffice\n"
    assert asked("uninstall") == "removed: restart LibreOffice\n"
    assert (as_user / "asked").read_text().split() == ["list", "list", "list", "remove", "add", "list", "remove"]
    (as_user / "listed").write_text(LISTED.replace("0.1.0", __version__))
    assert asked("status") == f"{__version__}\nup to date\n"
    assert asked("update") == "up to date\n"


def test_where_none_is_installed_nothing_is_removed(as_user: Path) -> None:
    unopkg(as_user, 'echo "ERROR: There is no such extension deployed: org.sizebook.calc" >&2; exit 1')
    assert installed() == ""
    assert not uninstall()
    assert asked("status") == "not installed: 'sizebook libreoffice install' installs it\n"
    assert asked("uninstall") == "nothing to remove\n"


def test_interface_has_every_function_and_place() -> None:
    declared = re.findall(r"sequence< sequence<any> > (\w+)\(([^)]*)\);", extension_files()["XSizebook.idl"].decode())
    places = {name: parameters.count("[in] any a") for name, parameters in declared}
    assert places == {name: len(function.arguments) for name, function in load().items()}


def test_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = build_extension(tmp_path / "a.oxt"), build_extension(tmp_path / "b.oxt")
    assert first.read_bytes() == second.read_bytes()
    names = zipfile.ZipFile(first).namelist()
    assert names[:4] == ["META-INF/manifest.xml", "description.xml", "XSizebook.idl", "addin.py"]
    assert "pythonpath/sizebook/libreoffice/calc.py" in names
