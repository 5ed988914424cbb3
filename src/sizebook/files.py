"""Writes files whole or not at all: beside the target first, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sizebook.errors import InputError


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Give a path to write to; it takes the target's name when the block ends well and is gone when it does not.

    A reader, a crash or a full disk never leaves half a file under the target's name. The folder is made where it is
    missing. Errors: `InputError` where the system refuses to write.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise InputError(
            f"cannot write: got {error.strerror or error} for {path}, want a file in a folder that can be written. "
            "Check the path."
        ) from error
    finally:
        if temporary.parent.is_dir():
            temporary.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> Path:
    """Write a file's content and return its path."""
    with unfinished(path) as temporary:
        temporary.write_bytes(content)
    return path
