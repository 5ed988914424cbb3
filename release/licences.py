"""Writes docs/licences.md: the licence of every distribution that an installation brings, from what it says of itself.

`python release/licences.py` writes, with --check it says whether the page is out of date. It walks the requirements of
the base and of each extra on every platform; torch is left out, as the checks install none.
"""

import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "licences.md"
PLATFORMS = (
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
    {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
)
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# Of other platforms: not installed where the page is written, so read from their project pages on 2026-11-22.
ELSEWHERE = {"appscript": "Public Domain", "colorama": "BSD License", "pywin32": "PSF"}
HEAD = """\
# Licences of what is installed

sizebook is under Apache-2.0. What `pip install` brings beside it, by extra, with the licence as each distribution
states it. Made by `python release/licences.py` and checked by CI; the exact versions of a release are in its SBOM. The
extra `torch` is not walked. Fonts and tables: [README](../README.md). xlwings is BSD as it is used here; Lite and
Server load its PRO part: [excel](excel.md).

| distribution | licence | comes with |
|---|---|---|
"""


def licence(name: str) -> str:
    """Return the licence that a distribution states: the expression, the classifiers, or the first line of the text."""
    try:
        stated = distribution(name).metadata
    except PackageNotFoundError:
        if name not in ELSEWHERE:
            raise SystemExit(f"licence unknown: got no {name} here, want it installed or in ELSEWHERE.") from None
        return ELSEWHERE[name]
    classifiers = [each.rpartition(":: ")[2] for each in stated.get_all("Classifier", []) if each.startswith("License")]
    found = stated.get("License-Expression") or "; ".join(classifiers) or (stated.get("License") or "").split("\n")[0]
    if not found:
        raise SystemExit(f"licence unknown: got no statement of {name}, want one. Read its files and name it here.")
    return found


def needed(requirement: Requirement, extras: set[str]) -> bool:
    """Return whether a requirement holds on any platform and Python, with any of the extras of its distribution."""
    if requirement.marker is None:
        return True
    environments = (
        {**default_environment(), **platform, "python_version": python, "python_full_version": f"{python}.0"}
        for platform in PLATFORMS
        for python in PYTHONS
    )
    return any(requirement.marker.evaluate({**each, "extra": extra}) for each in environments for extra in extras)


def walked(requirements: list[str], seen: dict[tuple[str, str], None]) -> Iterator[str]:
    """Yield the canonical names of requirements and, in depth, of what they require."""
    for line in requirements:
        requirement = Requirement(line)
        name = canonicalize_name(requirement.name)
        if (name, ",".join(sorted(requirement.extras))) in seen:
            continue
        seen[name, ",".join(sorted(requirement.extras))] = None
        yield name
        try:
            found: Distribution = distribution(name)
        except PackageNotFoundError:
            continue
        inner = [each for each in found.requires or () if needed(Requirement(each), {"", *requirement.extras})]
        yield from walked(inner, seen)


def page() -> str:
    """Return the page, a line a distribution."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"base": project["dependencies"], **project["optional-dependencies"]}
    brought: dict[str, list[str]] = {}
    for group, requirements in groups.items():
        for name in dict.fromkeys(walked(requirements, {})) if group not in ("torch", "all") else ():
            brought.setdefault(name, []).append(group)
    return HEAD + "".join(f"| {name} | {licence(name)} | {', '.join(brought[name])} |\n" for name in sorted(brought))


def main() -> None:
    text = page()
    if "--check" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
    elif text != PAGE.read_text(encoding="utf-8"):
        sys.exit("out of date: got another docs/licences.md, want it as installed. Run: python release/licences.py")


if __name__ == "__main__":
    main()
