"""Asks whether everything can be installed from wheels alone, per platform, Python and extra; run by hand.

`python release/wheels.py` (group `release` of pyproject.toml, a package index to ask). Exits with 1 where an answer is
not the one expected: a platform that was lost, or one that was won and should be taken out of NOT_THERE.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
WINDOWS_ARM, PYODIDE = "aarch64-pc-windows-msvc", "wasm32-pyodide2024"
PLATFORMS = (
    "x86_64-manylinux_2_28", "aarch64-manylinux_2_28", "x86_64-apple-darwin", "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc", WINDOWS_ARM, PYODIDE,
)  # fmt: skip
EXTRAS = ("", "workbooks", "reports", "sweep", "hub")
# (platform, extra) -> Pythons without a wheel of something in it; the base is nowhere among them.
NOT_THERE = {
    (WINDOWS_ARM, "workbooks"): PYTHONS,  # formualizer
    (WINDOWS_ARM, "reports"): PYTHONS,  # vl-convert-python
    (WINDOWS_ARM, "hub"): ("3.11",),  # PyYAML
    # Pyodide has builds of its own of lxml, NumPy, Polars and PyYAML, which no index lists; none of the other two.
    (PYODIDE, "workbooks"): PYTHONS,
    (PYODIDE, "reports"): PYTHONS,
    (PYODIDE, "sweep"): PYTHONS,
    (PYODIDE, "hub"): PYTHONS,
}


def resolves(platform: str, python: str, extra: str) -> bool:
    """Return whether a set of wheels satisfies the project there."""
    words = [
        "uv", "pip", "compile", "--quiet", "pyproject.toml", "--only-binary", ":all:",
        "--python-platform", platform, "--python-version", python,
    ]  # fmt: skip
    done = subprocess.run(
        words + (["--extra", extra] if extra else []), cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode and "No solution found" not in done.stderr:
        raise SystemExit(f"no answer: got {done.stderr.strip()} from uv, want wheels or the lack of them.")
    return done.returncode == 0


def main() -> int:
    declared = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
    unexpected = [f"extra {name} is not asked about" for name in sorted(declared - {*EXTRAS, "torch", "all"})]
    for platform in PLATFORMS:
        for extra in EXTRAS:
            lacking = tuple(python for python in PYTHONS if not resolves(platform, python, extra))
            said = f"{platform:26} {extra or 'base':10} {'no wheels on ' + ', '.join(lacking) if lacking else 'yes'}"
            expected = lacking == NOT_THERE.get((platform, extra), ())
            print(said if expected else f"{said}   UNEXPECTED", flush=True)
            unexpected += [] if expected else [said]
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
