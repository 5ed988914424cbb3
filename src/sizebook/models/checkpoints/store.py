"""Where the files of a checkpoint lie: a folder here, or a repository elsewhere, seen alike by name and size."""

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from sizebook.core.errors import InputError
from sizebook.intake.files import opened, refuse_over
from sizebook.intake.limits import limits
from sizebook.intake.text_formats import json_object

MOST_FILES = "zip_parts"  # a folder may hold as many files as an archive parts
_DEEPEST = 2  # parts of a pipeline lie one folder down


class Store(Protocol):
    """The files of one checkpoint by their path within it, and a way to read each."""

    @property
    def name(self) -> str: ...

    def sizes(self) -> Mapping[str, int]: ...

    def opened(self, name: str, *, ahead: int = 0) -> AbstractContextManager[BinaryIO]: ...


@dataclass(frozen=True)
class Folder:
    """A folder of this machine."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.resolve().name

    def sizes(self) -> dict[str, int]:
        """Return the regular files of the folder and of those one below, links followed, that are still there."""
        found: dict[str, int] = {}
        left = [(self.path, "", 1)]
        while left:
            folder, prefix, depth = left.pop()
            with _listed(folder) as entries:
                for entry in entries:
                    with suppress(OSError):  # gone since it was listed, another program's; a link that leads to itself
                        if entry.is_dir() and depth < _DEEPEST:
                            left.append((Path(entry.path), f"{prefix}{entry.name}/", depth + 1))
                        elif entry.is_file():
                            found[prefix + entry.name] = entry.stat().st_size
                    refuse_over(MOST_FILES, len(found) + len(left), f"files in {self.path}")
        return dict(sorted(found.items()))

    def opened(self, name: str, *, ahead: int = 0) -> AbstractContextManager[BinaryIO]:
        return opened(self.path / name, "a checkpoint")


@contextmanager
def _listed(folder: Path) -> Iterator[Iterator[os.DirEntry[str]]]:
    try:
        with os.scandir(folder) as entries:
            yield entries
    except OSError as error:
        raise InputError(
            f"cannot read: got {error.strerror} for {folder}, want a folder with a checkpoint. Check the path."
        ) from error


def json_of(store: Store, name: str, wanted: str) -> dict[str, Any]:
    """Return the object that a JSON file of a store holds."""
    refuse_over("text_bytes", store.sizes().get(name, 0), f"bytes in {name}")
    with store.opened(name) as file:
        return json_object(file.read(min(store.sizes()[name], limits().text_bytes)), f"{name} of {store.name}", wanted)
