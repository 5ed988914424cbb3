"""Builds what a release publishes, into dist/: wheel, sdist, what offices load, SBOM, checksums.

Run as `python release/build.py [ENVIRONMENT]`. The SBOM (CycloneDX) lists a new environment with the wheel and the
extra `all`; it is kept where a folder is given for it. The add-in is a template, to be looked at before anybody
installs: it names no Python, and `sizebook excel install` makes the one for a machine.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import venv
from dataclasses import replace
from pathlib import Path

from sizebook import __version__
from sizebook.core.domain_archive import archive
from sizebook.excel.addin.installation import write_addin
from sizebook.excel.addin.windows_machine import Machine, read_machine
from sizebook.excel.lite import lite_files
from sizebook.libreoffice.extension import build_extension

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
CHECKSUMS = "SHA256SUMS"


def distributions() -> Path:
    """Build the sdist, and the wheel out of it; return the wheel."""
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(DIST)], cwd=ROOT, check=True, stdout=sys.stderr)
    return next(DIST.glob("*.whl"))


def addins() -> None:
    """Write what offices load: the Calc extension, the files for xlwings Lite and the template of the Excel add-in."""
    build_extension(DIST / f"sizebook-{__version__}.oxt")
    for kind, offline in (("lite", False), ("lite-offline", True)):
        texts = {name: text.encode() for name, text in lite_files(offline=offline).items()}
        (DIST / f"sizebook-{kind}-{__version__}.zip").write_bytes(archive(texts))
    with tempfile.TemporaryDirectory() as folder:
        made = write_addin(nobodys(read_machine()), Path(folder))
        shutil.move(made, DIST / f"sizebook-template-{__version__}.xlam")


def nobodys(machine: Machine) -> Machine:
    """Return a machine without its paths, so that the template says nothing of where it was built."""
    libraries = {bits: replace(each, path=Path(each.file_name)) for bits, each in machine.libraries.items()}
    return replace(machine, interpreter=Path("python.exe"), base=Path(), libraries=libraries)


def bill_of_materials(wheel: Path, folder: Path) -> None:
    """Write the SBOM of a new environment in a folder, with the wheel and its extra `all`."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run = [str(python), "-m", "pip", "--quiet"]
    subprocess.run([*run, "install", f"{wheel}[all]"], check=True)
    subprocess.run([*run, "uninstall", "--yes", "pip", "setuptools"], check=True)
    words = ["-m", "cyclonedx_py", "environment", "--output-reproducible", "--spec-version", "1.6", str(python)]
    listed = subprocess.run([sys.executable, *words], check=True, capture_output=True, text=True)
    found = json.loads(listed.stdout)
    for component in found["components"]:
        if component["name"] == "sizebook":  # installed from a file of this machine, which is nobody else's
            component.pop("externalReferences", None)
    (DIST / f"sizebook-{__version__}.cdx.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def checksums() -> str:
    """Return the digest of every file, as `sha256sum --check` reads them."""
    files = sorted(path for path in DIST.iterdir() if path.name != CHECKSUMS)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def main() -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    wheel = distributions()
    addins()
    with tempfile.TemporaryDirectory() as folder:
        bill_of_materials(wheel, Path(*sys.argv[1:2] or [folder]).resolve())
    sums = checksums()
    (DIST / CHECKSUMS).write_text(sums, encoding="utf-8")
    print(sums, end="")


if __name__ == "__main__":
    main()
