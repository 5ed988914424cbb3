"""Workbooks filled once for all tests: filling a fleet takes 15 seconds of a processor."""

import fcntl
import hashlib
import os
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizebook.core.targets import Target
from sizebook.workbooks.filling import Filled, fill


@dataclass(frozen=True)
class FilledOnce:
    """Fills a workbook where no test of this session, in this process or another, has asked for the same yet.

    Tests only read what it returns.
    """

    folder: Path

    def __call__(self, template: Path, given: Mapping[str, Any], target: Target | None = None) -> Filled:
        asked = repr((str(template), sorted(given.items()), target))
        place = self.folder / hashlib.sha256(asked.encode()).hexdigest()[:16]
        place.mkdir(parents=True, exist_ok=True)
        kept = place / "filled.pickle"
        with (place / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                kept.write_bytes(pickle.dumps(fill(template, given, place / template.name, target=target)))
        found: Filled = pickle.loads(kept.read_bytes())
        return found


def shared_folder(base: Path) -> Path:
    """Return the temporary folder that all processes of a session share, of one process's own within it."""
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "filled"
