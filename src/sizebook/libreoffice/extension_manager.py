"""Installs the extension into the LibreOffice of the user who asks, says what is there, and takes it away."""

import os
import re
import shutil
import subprocess

from sizebook.core.errors import InputError
from sizebook.libreoffice.extension import IDENTIFIER, build_extension
from sizebook.sources.writing import scratch_folder


def install() -> str:
    """Build the extension, install it with `unopkg` in place of an earlier one, and return what `unopkg` said.

    Errors: as root, which `unopkg` refuses; without LibreOffice; when `unopkg` fails, with its message, or twice
    without one.
    """
    unopkg = _program()
    with scratch_folder() as folder:
        words = ("add", "--force", str(build_extension(folder / "sizebook.oxt")))
        # Added over itself, the extension is listed as registered and Calc knows none of its functions (7.4).
        _ask(unopkg, "remove", IDENTIFIER)  # fails where there is none
        done = _ask(unopkg, *words)
        if done.returncode != 0 and not _said(done):
            _ask(unopkg, "remove", IDENTIFIER)
            done = _ask(unopkg, *words)  # 7.4 now and then ends without a word where nothing is wrong
    return _succeeded(done, "installation")


def installed() -> str:
    """Return the version that is installed, nothing where none is. Errors: as `install` has them."""
    done = _ask(_program(), "list", IDENTIFIER)
    version = re.search(r"^\s*Version:\s*(\S+)", done.stdout, re.MULTILINE)
    return version[1] if version else ""


def uninstall() -> bool:
    """Take the extension away; return whether there was one. Errors: as `install` has them."""
    if not installed():
        return False
    _succeeded(_ask(_program(), "remove", IDENTIFIER), "removal")
    return True


def _program() -> str:
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        raise InputError("not as root: got user root, want the user of LibreOffice. Run the command as that user.")
    unopkg = shutil.which("unopkg")
    if unopkg is None:
        raise InputError(
            "no LibreOffice found: got no program 'unopkg', want one on the search path. Install LibreOffice, or make "
            "the file with 'sizebook libreoffice build' and open it in LibreOffice."
        )
    return unopkg


def _ask(unopkg: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([unopkg, *words], capture_output=True, text=True, check=False)


def _succeeded(done: subprocess.CompletedProcess[str], what: str) -> str:
    if done.returncode != 0:
        said = _said(done) or f"exit status {done.returncode} and no word"
        raise InputError(f"{what} failed: got '{said}' from unopkg, want success. Close LibreOffice and try again.")
    return done.stdout.strip()


def _said(done: subprocess.CompletedProcess[str]) -> str:
    return (done.stderr or done.stdout).strip()
