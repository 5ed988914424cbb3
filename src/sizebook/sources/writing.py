"""Writes files whole or not at all: beside the target under a name of its own, then renamed.

A temporary file or folder is locked as long as its writer lives. One that nobody holds was left by a run that was
killed; whoever writes there next removes it.
"""

import atexit
import contextlib
import csv
import hashlib
import io
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove what another process has open
    fcntl = None  # type: ignore[assignment]

FORCE = "SIZEBOOK_FORCE"  # 1: a link as output path is replaced; set by `sizebook --force`
_TOKEN = "[0-9a-f]{16}"  # random: threads, processes and containers that share a folder never meet
_LONGEST_NAME = 200  # bytes; a file system takes 255, and the token needs some
_SCRATCH = "sizebook"


def make_folder(folder: Path) -> None:
    """Make a folder and those above it where they are missing. Errors: `InputError` where the system refuses."""
    with _refusing(folder, "folder that can be written"):
        folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Give a path to write to; it takes the target's name when the block ends well and is gone when it does not.

    A reader, a crash or a full disk never leaves half a file under the target's name. The folder is made where it is
    missing. A file that is there already gives its permissions to the new one. A hard link is replaced by the
    new file, and so is a symbolic one with `FORCE`; what it led to stays as it was.

    Errors: `InputError` where the system refuses to write, and for a target that is no file, write-protected, or a
    symbolic link without `FORCE`.
    """
    with _refusing(path, "file in a folder that can be written"):
        target = _target(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        clean_leftovers(target.parent, target.name)
        with _held(target.parent, target.name) as temporary:
            yield temporary
            _hand_over(temporary, target)


def csv_text(heads: Iterable[str], rows: Iterable[Iterable[Any]], end: str = "\n") -> str:
    """Return heads and rows as CSV."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=end)
    writer.writerow(heads)
    writer.writerows(rows)
    return text.getvalue()


def write_whole(path: Path, content: bytes) -> Path:
    """Write a file's content and return its path."""
    with unfinished(path) as temporary:
        temporary.write_bytes(content)
    return path


@contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """Give a folder for files in between, beside the output or where the system keeps such; it is gone afterwards."""
    within = parent or Path(tempfile.gettempdir())
    clean_scratch(within)
    with _held(within, _SCRATCH, is_folder=True) as folder:
        yield folder


@cache
def keep_temporary_files() -> Path:
    """Put the temporary files of this process, those of libraries too, into a folder that goes with the process.

    A process that is killed leaves the folder; the next one that makes such a folder removes it.
    """
    stack = ExitStack()
    folder = stack.enter_context(scratch_folder())
    tempfile.tempdir = str(folder)
    atexit.register(stack.close)
    return folder


def clean_scratch(parent: Path | None = None) -> None:
    """Remove the folders in between of runs that were killed."""
    clean_leftovers(parent or Path(tempfile.gettempdir()), _SCRATCH)


def clean_leftovers(folder: Path, name: str | None = None) -> None:
    """Remove what killed runs left of a target, or of all targets, in a folder; what a live run writes stays."""
    stem = r"\..+" if name is None else re.escape(f".{_short(name)}")
    for entry in list(os.scandir(folder)):
        if re.fullmatch(rf"{stem}\.{_TOKEN}\.part", entry.name):
            _remove_unless_held(Path(entry.path))


@contextmanager
def _refusing(path: Path, wanted: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"cannot write: got {error.strerror or error} for {path}, want a {wanted}. Check the path."
        ) from error


def _target(path: Path) -> Path:
    """Return the path if a file may be written there: in place of nothing, a file, or a link with `FORCE`."""
    if path.is_symlink():
        if os.environ.get(FORCE) == "1":
            return path
        raise InputError(
            f"a link as output: got {path}, which leads to {path.readlink()}, want a file itself. Name that file, or "
            f"replace the link: sizebook --force ..., or {FORCE}=1."
        )
    if path.exists() and not path.is_file():
        raise InputError(f"not a file: got {path}, want a file to write. Choose another name.")
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError(f"write-protected: got {path}, want a file that may be changed. Choose another name.")
    return path


def _short(name: str) -> str:
    """Return the name of a target as its temporary files carry it."""
    encoded = os.fsencode(name)
    return name if len(encoded) <= _LONGEST_NAME else hashlib.sha256(encoded).hexdigest()[:32]


@contextmanager
def _held(parent: Path, name: str, *, is_folder: bool = False) -> Iterator[Path]:
    """Make a temporary file or folder, locked until the block ends; whatever is left of it then is removed."""
    handle = None
    try:
        while True:
            path = parent / f".{_short(name)}.{secrets.token_hex(8)}.part"
            handle = _made(path, is_folder)
            # Somebody who cleans up may take it for a leftover before it is locked: then another is made.
            if handle is not None or (fcntl is None and path.exists()):
                break
        yield path
    finally:
        _remove(path)
        if handle is not None:
            os.close(handle)


def _made(path: Path, is_folder: bool) -> int | None:
    """Make a temporary file or folder and return the lock on it; None where it is gone, or a system has no such."""
    if is_folder:
        path.mkdir(mode=0o700)
    else:
        path.touch(exist_ok=False)
    if fcntl is None:
        return None
    with contextlib.suppress(FileNotFoundError):
        handle = os.open(path, os.O_RDONLY)
        with contextlib.suppress(OSError):  # a file system without locks, where nobody cleans up either
            fcntl.flock(handle, fcntl.LOCK_EX)
        if path.exists():
            return handle
        os.close(handle)
    return None


def _remove_unless_held(path: Path) -> None:
    with contextlib.suppress(OSError):  # held, gone already, another user's, or open where such cannot be removed
        if fcntl is None:
            path.unlink()
            return
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a lock ends with its process, however that dies
            _remove(path)
        finally:
            os.close(handle)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _hand_over(temporary: Path, target: Path) -> None:
    """Give the finished file its target's permissions and name, and have the disk hold both before going on."""
    if target.exists() and not target.is_symlink():
        old = target.stat()
        with contextlib.suppress(AttributeError, PermissionError):
            os.chown(temporary, old.st_uid, old.st_gid)
        temporary.chmod(stat.S_IMODE(old.st_mode))
    with temporary.open("rb") as written:
        os.fsync(written.fileno())
    temporary.replace(target)
    if fcntl is not None:
        _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a file system that has nothing to sync
            os.fsync(handle)
    finally:
        os.close(handle)
