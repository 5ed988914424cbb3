"""Installs the extension into the LibreOffice of the user who asks."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from sizebook.core.errors import InputError
from sizebook.libreoffice.extension import IDENTIFIER, build_extension
from sizebook.sources.writing import scratch_folder


def install() -> str:
    """Build the extension, install it with `unopkg` in place of an earlier one, and return what `unopkg` said.

    Errors: as root, which `unopkg` refuses; without LibreOffice; when `unopkg` fails, with its message, or twice
    without one.
    """
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        raise InputError(
            "cannot install as root: got user root, want the user of LibreOffice. Run the command as that user."
        )
    unopkg = shutil.which("unopkg")
    if unopkg is None:
        raise InputError(
            "no LibreOffice found: got no program 'unopkg', want one on the search path. Install LibreOffice, or make "
            "the file with 'sizebook libreoffice build' and open it in LibreOffice."
        )
    with scratch_folder() as folder:
        extension = build_extension(folder / "sizebook.oxt")
        done = _replaced(unopkg, extension)
        if done.returncode != 0 and not _said(done):
            done = _replaced(unopkg, extension)  # 7.4 now and then ends without a word where nothing is wrong
    if done.returncode != 0:
        said = _said(done) or f"exit status {done.returncode} and no word"
        raise InputError(
            f"installation failed: got '{said}' from unopkg, want success. Close LibreOffice and try again."
        )
    return done.stdout.strip()


def _replaced(unopkg: str, extension: Path) -> subprocess.CompletedProcess[str]:
    # Added over itself, the extension is listed as registered and Calc knows none of its functions (7.4).
    subprocess.run([unopkg, "remove", IDENTIFIER], capture_output=True, check=False)  # fails where there is none
    return subprocess.run([unopkg, "add", "--force", str(extension)], capture_output=True, text=True, check=False)


def _said(done: subprocess.CompletedProcess[str]) -> str:
    return (done.stderr or done.stdout).strip()
