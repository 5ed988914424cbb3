"""Tables as CSV, as tests write and read them."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def written(path: Path, rows: Sequence[Mapping[str, Any]], encoding: str = "utf-8") -> Path:
    """Write rows of the same columns; return where."""
    with path.open("w", encoding=encoding, newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table by column."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
