# ruff: noqa: E402 - the extra is asked for before what stands on it
"""The folders of the service's batches: at most so many, of so many bytes; the oldest that has ended makes room.

Those of a service that ran before in the same folder count too, and go first.
"""

from __future__ import annotations

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
class _Kept:
    n_bytes: int
    has_ended: bool


class Shelf:
    """What is kept in a folder; ``removed`` is told the name of what made room. Threads may share it."""

    def __init__(self, folder: Path, most_bytes: int, removed: Callable[[str], object]) -> None:
        self.folder, self.most_bytes, self.removed = folder, most_bytes, removed
        self._lock = threading.Lock()
        self._kept = {path.name: _Kept(_size(path), has_ended=True) for path in _before(folder)}  # oldest first

    def begin(self, name: str) -> Path:
        """Return the folder of a new batch. Errors: `InputError` where too many are under way."""
        with self._lock:
            while len(self._kept) >= MOST:
                if not self._remove_oldest():
                    raise InputError(f"too many batches: got {MOST} under way, want fewer. Wait until one has ended.")
            self._kept[name] = _Kept(0, has_ended=False)
        return self.folder / name

    def take(self, name: str, n_bytes: int) -> None:
        """Have room for more bytes of a batch. Errors: `InputError` where batches under way leave none."""
        with self._lock:
            while sum(each.n_bytes for each in self._kept.values()) + n_bytes > self.most_bytes:
                if not self._remove_oldest():
                    raise InputError(
                        f"disk full: got batches of more than {self.most_bytes} bytes, want at most as many. Ask for "
                        "fewer scenarios or formats, or raise the limit batch_bytes where the service is started."
                    )
            self._kept[name].n_bytes += n_bytes

    def end(self, name: str) -> None:
        """Note that a batch has ended, with all that lies in its folder."""
        with self._lock:
            self._kept[name] = _Kept(_size(self.folder / name), has_ended=True)

    def _remove_oldest(self) -> bool:
        name = next((name for name, each in self._kept.items() if each.has_ended), None)
        if name is None:
            return False
        del self._kept[name]
        self.removed(name)
        shutil.rmtree(self.folder / name, ignore_errors=True)
        return True


def _before(folder: Path) -> list[Path]:
    """Return the folders that a service that has ended left here, oldest first."""
    found = [path for path in folder.iterdir() if ID.fullmatch(path.name)] if folder.is_dir() else []
    return sorted((path for path in found if _is_left(path)), key=lambda path: path.stat().st_mtime)


def _is_left(path: Path) -> bool:
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
