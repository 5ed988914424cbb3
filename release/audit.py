"""Compares what the lock pins with saved advisories of pypa/advisory-database (OSV): `python -m release.audit`.

`--from FOLDER` takes the rows of a check-out anew and states its commit and day in `advisories.csv`; the comparison
itself asks nobody. What became known after that day is not seen, so a release starts with a newer copy.
"""

import csv
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version
from ruamel.yaml import YAML

from release.lock import pins

SAVED = Path(__file__).parent / "advisories.csv"
COLUMNS = ("package", "advisory", "introduced", "fixed", "versions")
Row = dict[str, str]


def taken(folder: Path) -> Iterator[Row]:
    """Yield a row for each range of versions that an advisory on a pinned distribution names."""
    for name in sorted(pins()):
        for path in sorted((folder / "vulns" / name).glob("*.yaml")):
            advisory = YAML(typ="safe", pure=True).load(path)
            for affected in [] if advisory.get("withdrawn") else advisory["affected"]:
                yield from _rows(name, advisory["id"], affected)


def _rows(name: str, advisory: str, affected: dict[str, Any]) -> Iterator[Row]:
    ranges = [each for each in affected.get("ranges", ()) if each["type"] == "ECOSYSTEM"]
    for events in (each["events"] for each in ranges):
        ends = {key: str(value) for event in events for key, value in event.items()}
        if len(events) > 2 or "last_affected" in ends:  # several stretches: the versions are listed as well
            ranges = []
        else:
            yield {
                "package": name,
                "advisory": advisory,
                "introduced": ends["introduced"],
                "fixed": ends.get("fixed", ""),
            }
    if not ranges:
        listed = " ".join(map(str, affected.get("versions", ())))
        yield {"package": name, "advisory": advisory, "versions": listed}


def saved() -> tuple[str, list[Row]]:
    """Return what the saved rows are from, and the rows."""
    head, *lines = SAVED.read_text(encoding="utf-8").splitlines()
    return head.removeprefix("# "), list(csv.DictReader(lines))


def hits() -> list[str]:
    """Return every pinned version that an advisory names."""
    known = pins()
    return [
        f"{row['package']} {version}: {row['advisory']}"
        for row in saved()[1]
        for version in sorted(known.get(canonicalize_name(row["package"]), ()))
        if _is_named(version, row)
    ]


def _is_named(version: str, row: Row) -> bool:
    if row["versions"]:
        return version in row["versions"].split()
    try:
        low, high = Version(row["introduced"]), Version(row["fixed"]) if row["fixed"] else None
    except InvalidVersion:  # of a scheme of before: none that is pinned today
        return False
    return low <= Version(version) and (high is None or Version(version) < high)


def write(folder: Path) -> None:
    """Save the rows of a check-out, with its commit and day."""
    words = ["git", "-C", str(folder), "log", "-1", "--format=commit %h of %cs"]
    where = subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()
    with SAVED.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# pypa/advisory-database (CC-BY-4.0), {where}\n")
        rows = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        rows.writeheader()
        rows.writerows(taken(folder))


if __name__ == "__main__":
    if "--from" in sys.argv:
        write(Path(sys.argv[sys.argv.index("--from") + 1]))
    source, rows = saved()
    print(f"{sum(map(len, pins().values()))} pins against {len(rows)} rows of {source}: {len(hits())} named")
    if found := hits():
        sys.exit("named by an advisory: got " + "; ".join(found) + ", want none. Run: python -m release.lock --upgrade")
