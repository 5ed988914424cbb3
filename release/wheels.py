"""Asks whether everything can be installed from wheels alone, per platform, Python and extra; run by hand.

`python release/wheels.py` (group `release` of pyproject.toml, a package index to ask). Exits with 1 where an answer is
not the one expected: a platform that was lost, or one that was won and should be taken out of NOT_THERE.
"""

import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from uv import find_uv_bin

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
WINDOWS_ARM, PYODIDE = "aarch64-pc-windows-msvc", "wasm32-pyodide2024"
PLATFORMS = (
    "x86_64-manylinux_2_28", "aarch64-manylinux_2_28", "x86_64-apple-darwin", "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc", WINDOWS_ARM, PYODIDE,
)  # fmt: skip
EXTRAS = ("", "workbooks", "reports", "sweep", "duckdb", "hub", "cluster", "web", "mcp")
NOT_ASKED = {"torch", "all"}  # torch has an index of its own; all is the others
# (platform, extra) -> Pythons without a wheel of something in it; the base is nowhere among them.
NOT_THERE = {
    (WINDOWS_ARM, "workbooks"): PYTHONS,  # formualizer
    (WINDOWS_ARM, "reports"): PYTHONS,  # vl-convert-python
    (WINDOWS_ARM, "hub"): ("3.11",),  # PyYAML
    (WINDOWS_ARM, "cluster"): ("3.11",),  # PyYAML
    # Pyodide has builds of its own of lxml, NumPy, Polars and PyYAML, which no index lists; none of the other two.
    (PYODIDE, "workbooks"): PYTHONS,
    (PYODIDE, "reports"): PYTHONS,
    (PYODIDE, "sweep"): PYTHONS,
    (PYODIDE, "duckdb"): PYTHONS,
    (PYODIDE, "hub"): PYTHONS,
    (PYODIDE, "cluster"): PYTHONS,  # nor of distributed's psutil and tornado
    (PYODIDE, "mcp"): PYTHONS,
}


UV = find_uv_bin()  # once, before the threads: Python's settings, which it reads, fill themselves at the first question


def resolves(platform: str, extra: str, python: str) -> bool:
    """Return whether a set of wheels satisfies the project there."""
    words = [
        UV, "pip", "compile", "--quiet", "pyproject.toml", "--only-binary", ":all:",
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
    unexpected = [f"extra {name} is not asked about" for name in sorted(declared - {*EXTRAS, *NOT_ASKED})]
    print(*unexpected, sep="\n", end="\n" if unexpected else "")
    for platform in PLATFORMS:
        for extra in EXTRAS:
            with ThreadPoolExecutor() as pool:
                are_there = list(pool.map(partial(resolves, platform, extra), PYTHONS))
            lacking = tuple(python for python, is_there in zip(PYTHONS, are_there, strict=True) if not is_there)
            said = f"{platform:26} {extra or 'base':10} {'no wheels on ' + ', '.join(lacking) if lacking else 'yes'}"
            expected = lacking == NOT_THERE.get((platform, extra), ())
            print(said if expected else f"{said}   UNEXPECTED", flush=True)
            unexpected += [] if expected else [said]
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
