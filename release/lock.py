"""Writes the lock file of development: every distribution with its version and hashes, and no address.

`python -m release.lock` adds what pyproject.toml newly asks for, with --upgrade it takes the newest of everything, and
with --check it says what is asked for in vain. A release publishes the lines of each extra as a lock of its own.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from uv import find_uv_bin

from release.licences import walked

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements-dev.lock"
UPGRADE = "--upgrade"
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)
BLOCK = re.compile(r"^([A-Za-z0-9._-]+)==.*\n(?:    --hash=.*\n)+", re.MULTILINE)


def write() -> None:
    """Resolve everything but torch for all platforms and write the pins."""
    words = [
        find_uv_bin(), "pip", "compile", "--quiet", "pyproject.toml", "--extra", "all", "--group", "dev",
        "--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate",
        "--no-emit-index-url", "--no-emit-find-links", "--output-file", str(LOCK),
        *([UPGRADE] if UPGRADE in sys.argv else []),
    ]  # fmt: skip
    subprocess.run(words, cwd=ROOT, check=True)


def pins() -> dict[str, set[str]]:
    """Return the versions that the lock pins, by canonical name; several where platforms differ."""
    found: dict[str, set[str]] = {}
    for name, version in PIN.findall(LOCK.read_text(encoding="utf-8")):
        found.setdefault(canonicalize_name(name), set()).add(version)
    return found


def asked() -> dict[str, list[str]]:
    """Return what the base asks for with each extra; ``all`` is every other, and torch left out: one build a card."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: each for name, each in project["optional-dependencies"].items() if name not in ("torch", "all")}
    extras["all"] = [line for each in extras.values() for line in each]
    return {name: [*project["dependencies"], *each] for name, each in extras.items()}


def of_extra(extra: str) -> str:
    """Return the pins and hashes of the base with one extra, on every platform."""
    names = set(walked(asked()[extra], {}))
    blocks = BLOCK.finditer(LOCK.read_text(encoding="utf-8"))
    return "".join(block[0] for block in blocks if canonicalize_name(block[1]) in names)


def wanted() -> Iterator[Requirement]:
    """Yield what pyproject.toml asks for: the base, every extra but torch, and the groups."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    yield from map(Requirement, asked()["all"])
    yield from (Requirement(line) for each in groups.values() for line in each if isinstance(line, str))


def unmet() -> list[str]:
    """Return the requirements that no pin satisfies."""
    known = pins()
    return [
        str(each)
        for each in wanted()
        if not any(each.specifier.contains(v, prereleases=True) for v in known.get(canonicalize_name(each.name), ()))
    ]


if __name__ == "__main__":
    if "--check" not in sys.argv:
        write()
    if missing := unmet():
        sys.exit(f"out of date: got no pin for {', '.join(missing)}, want one each. Run: python -m release.lock")
