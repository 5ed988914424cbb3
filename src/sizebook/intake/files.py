"""Opens files from outside: regular files only, of a size within the limits, as UTF-8 with or without its mark.

A FIFO would be waited for without end and a device read without end, so both are refused before a byte is read.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from sizebook.core.errors import InputError
from sizebook.intake.allowed_files import located, refuse_relative
from sizebook.intake.limits import limits, raised

# A FIFO without a writer would block the opening itself; Windows opens text unless told otherwise.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


Content = TypeVar("Content")


def as_it_stands(path: Path, read: Callable[[Path], Content]) -> Content:
    """Return what ``read`` makes of a file, read again when it has changed.

    Whether it may be read is asked each time: the next cell may stand in another workbook.
    """
    refuse_relative(path)
    try:
        state = located(path).stat()
    except OSError:  # reading it says why
        return read(path)
    found: Content = _read_at(read, path, state.st_size, state.st_mtime_ns)
    return found


@lru_cache(maxsize=64)
def _read_at(read: Callable[[Path], Any], path: Path, _size: int, _changed_ns: int) -> Any:
    return read(path)


@contextmanager
def opened(path: Path, wanted: str) -> Iterator[BinaryIO]:
    """Give a regular file to read bytes from.

    Errors: `InputError` where it cannot be opened or is a folder, a pipe or a device; ``wanted`` says what it should
    be, or by a cell that may not read it (`places`). Links are followed: what they lead to is judged.
    """
    path = located(path)
    try:
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError) as error:
        raise unreadable(path, wanted, error) from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "no regular file")
        raise InputError(f"cannot read: got {kind} at {path}, want {wanted}. Give the path of a regular file.")
    with os.fdopen(descriptor, "rb") as file:
        yield file


def check_regular(path: Path, wanted: str, limit: str) -> int:
    """Return the bytes of a file that another library will open; refused as by `opened`, or as over its limit."""
    with opened(path, wanted) as file:
        size = os.fstat(file.fileno()).st_size
    refuse_over(limit, size, f"bytes in {path.name}")
    return size


def read_bytes(path: Path, wanted: str, limit: str = "text_bytes") -> bytes:
    """Return the content of a file, at most as many bytes as the limit says."""
    most = getattr(limits(), limit)
    with opened(path, wanted) as file:
        refuse_over(limit, os.fstat(file.fileno()).st_size, f"bytes in {path.name}")
        try:
            content = file.read(most + 1)  # a size that the system states may be wrong (/proc), what is read is not
        except OSError as error:
            raise unreadable(path, wanted, error) from error
        refuse_over(limit, len(content), f"bytes in {path.name}")
    return content


def read_text(path: Path, wanted: str, limit: str = "text_bytes") -> str:
    """Return the text of a file in UTF-8, with or without the byte-order mark that editors on Windows write."""
    return decoded(read_bytes(path, wanted, limit), path.name, wanted)


def decoded(content: bytes, where: str, wanted: str) -> str:
    """Return bytes as text, or say in which line another encoding shows."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError(
            f"not UTF-8: got byte 0x{content[error.start]:02x} in line {line} of {where}, want {wanted} in UTF-8. "
            "Save it in that encoding."
        ) from error


def refuse_over(limit: str, number: int, what: str) -> None:
    """Raise where a number is over the limit of that name."""
    most = getattr(limits(), limit)
    if number > most:
        raise InputError(f"too large: got {number} {what}, want at most {most}. {raised(limit)}")


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that stand more than once, in the order of their second place."""
    seen: set[str] = set()
    again: dict[str, None] = {}
    for name in names:
        if name in seen:
            again[name] = None
        seen.add(name)
    return list(again)


def unreadable(path: Path, wanted: str, error: Exception) -> InputError:
    """Return the refusal of a file that the system does not give."""
    said = getattr(error, "strerror", None) or str(error)
    return InputError(f"cannot read: got {said} for {path}, want {wanted}. Check the path.")
