"""Writes files whole or not at all."""

from __future__ import annotations

from pathlib import Path


def write_whole(path: Path, content: bytes) -> Path:
    """Write beside the target, then rename: a reader, or a full disk, never leaves half a file under its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.part")
    try:
        unfinished.write_bytes(content)
        return unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
