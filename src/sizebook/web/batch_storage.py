# ruff: noqa: E402 - need() must run before the imports of the extra
"""The folders of batches: a limit on their number and bytes; the oldest finished batch is deleted to make room.

Batches of an earlier service in the same folder count too, and are deleted first.
"""

import re
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sizebook.core.extras import need

need("web", "workbooks", "reports")

from sizebook.batch.journal import FILE, journal
from sizebook.core.errors import InputError

ID = re.compile(r"[0-9a-f]{16}")
MOST = 100  # batches that are kept


@dataclass
class _StoredBatch:
    n_bytes: int
    has_ended: bool


class BatchStorage:
    """The batches in a folder; ``removed`` is called with the name of each deleted one. Threads may share it."""

    def __init__(self, folder: Path, most_bytes: int, removed: Callable[[str], object]) -> None:
        self.folder, self.most_bytes, self.removed = folder, most_bytes, removed
        self._lock = threading.Lock()
        self._batches = {
            path.name: _StoredBatch(_size(path), has_ended=True) for path in _earlier_batches(folder)
        }  # oldest first

    def begin(self, name: str) -> Path:
        """Return the folder of a new batch. Errors: `InputError` if too many batches are running."""
        with self._lock:
            while len(self._batches) >= MOST:
                if not self._remove_oldest():
                    raise InputError(f"too many batches: got {MOST} running, want fewer. Wait until one has ended.")
            self._batches[name] = _StoredBatch(0, has_ended=False)
        return self.folder / name

    def reserve(self, name: str, n_bytes: int) -> None:
        """Reserve bytes for a batch. Errors: `InputError` if running batches leave no room."""
        with self._lock:
            while sum(each.n_bytes for each in self._batches.values()) + n_bytes > self.most_bytes:
                if not self._remove_oldest():
                    raise InputError(
                        f"disk full: got batches of more than {self.most_bytes} bytes, want at most as many. Ask for "
                        "fewer scenarios or formats, or raise the limit batch_bytes where the service is started."
                    )
            self._batches[name].n_bytes += n_bytes

    def end(self, name: str) -> None:
        """Note that a batch has ended, with the size of its folder."""
        with self._lock:
            self._batches[name] = _StoredBatch(_size(self.folder / name), has_ended=True)

    def _remove_oldest(self) -> bool:
        name = next((name for name, each in self._batches.items() if each.has_ended), None)
        if name is None:
            return False
        del self._batches[name]
        self.removed(name)
        shutil.rmtree(self.folder / name, ignore_errors=True)
        return True


def _earlier_batches(folder: Path) -> list[Path]:
    """Return the batch folders of earlier services, oldest first."""
    found = [path for path in folder.iterdir() if ID.fullmatch(path.name)] if folder.is_dir() else []
    return sorted((path for path in found if _is_finished(path)), key=lambda path: path.stat().st_mtime)


def _is_finished(path: Path) -> bool:
    """Return whether a folder has a journal that no other service has open."""
    if not (path / FILE).is_file():
        return False
    try:
        with journal(path, ()):
            return True
    except InputError:
        return False


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file()) if folder.is_dir() else 0
