"""Builds what a release publishes, into dist/: wheel, sdist, what offices load, a lock an extra, SBOM, checksums.

Run as `python -m release.build [ENVIRONMENT]`. All but the SBOM is built twice, the second time of a copy of the tree
in another folder, and must be the same byte for byte. The SBOM (CycloneDX) lists a new environment of the lock of
`all` with the wheel; it is kept where a folder is given for it. The add-in is a template, to be looked at before
anybody installs: it names no Python, and `sizebook excel install` makes the one for a machine.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import venv
from dataclasses import replace
from pathlib import Path

from release.lock import asked, of_extra
from sizebook import __version__
from sizebook.core.domain_archive import archive
from sizebook.excel.addin.installation import write_addin
from sizebook.excel.addin.windows_machine import Machine, read_machine
from sizebook.excel.lite import lite_files
from sizebook.libreoffice.extension import build_extension

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
CHECKSUMS = "SHA256SUMS"


def built(root: Path, out: Path) -> dict[str, str]:
    """Build all but the SBOM out of a tree into a folder; return the digests by name."""
    words = [sys.executable, "-m", "build", "--outdir", str(out)]
    subprocess.run(words, cwd=root, check=True, stdout=sys.stderr)  # the sdist, and the wheel out of it
    addins(out)
    for extra in asked():
        (out / f"sizebook-{__version__}-{extra}.lock.txt").write_text(of_extra(extra), encoding="utf-8")
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.iterdir()}


def refuse_another_build(first: dict[str, str]) -> None:
    """Build once more from a copy elsewhere; refuse what is not the same."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(
            ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", "dist", "out", "__pycache__", "shared")
        )
        again = built(tree, Path(folder) / "dist")
    if other := sorted(name for name in first.keys() | again.keys() if first.get(name) != again.get(name)):
        sys.exit(f"not reproducible: got another {', '.join(other)} of a second build, want the same bytes.")
    print(f"{len(again)} files built twice: the same bytes", file=sys.stderr)


def addins(out: Path) -> None:
    """Write what offices load: the Calc extension, the files for xlwings Lite and the template of the Excel add-in."""
    build_extension(out / f"sizebook-{__version__}.oxt")
    for kind, offline in (("lite", False), ("lite-offline", True)):
        texts = {name: text.encode() for name, text in lite_files(offline=offline).items()}
        (out / f"sizebook-{kind}-{__version__}.zip").write_bytes(archive(texts))
    with tempfile.TemporaryDirectory() as folder:
        made = write_addin(nobodys(read_machine()), Path(folder))
        shutil.move(made, out / f"sizebook-template-{__version__}.xlam")


def nobodys(machine: Machine) -> Machine:
    """Return a machine without its paths, so that the template says nothing of where it was built."""
    libraries = {bits: replace(each, path=Path(each.file_name)) for bits, each in machine.libraries.items()}
    return replace(machine, interpreter=Path("python.exe"), base=Path(), libraries=libraries)


def bill_of_materials(wheel: Path, folder: Path) -> None:
    """Write the SBOM of a new environment in a folder, with the lock of `all` and the wheel."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run = [str(python), "-m", "pip", "--quiet"]
    lock = wheel.parent / f"sizebook-{__version__}-all.lock.txt"
    subprocess.run([*run, "install", "--require-hashes", "--requirement", str(lock)], check=True)
    subprocess.run([*run, "install", f"{wheel}[all]"], check=True)  # nothing is left to be resolved
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
    refuse_another_build(built(ROOT, DIST))
    wheel = next(DIST.glob("*.whl"))
    with tempfile.TemporaryDirectory() as folder:
        bill_of_materials(wheel, Path(*sys.argv[1:2] or [folder]).resolve())
    sums = checksums()
    (DIST / CHECKSUMS).write_text(sums, encoding="utf-8")
    print(sums, end="")


if __name__ == "__main__":
    main()
