"""Which files may be read: by a cell those beside its workbook and below the folders of `SIZEBOOK_FILES`, none of a
network; by a request to a service those that came with it.

Whoever opens a workbook runs its formulas unasked, so a cell is not trusted as a command line is.
``SIZEBOOK_FILES=off`` reads no file in a cell. Files of the package and the user's own tables are always read.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from sizebook.core.errors import InputError, shown
from sizebook.core.tables import DATA, user_folder

SETTING, OFF = "SIZEBOOK_FILES", "off"
_NETWORK = ("\\\\", "//")
_in_a_cell = ContextVar("in_a_cell", default=False)
_beside: ContextVar[Path | None] = ContextVar("beside", default=None)
_address: ContextVar[str] = ContextVar("address", default="")  # of a workbook that lies in a web folder
_confined: ContextVar[tuple[Path, ...]] = ContextVar("confined", default=())
_asked: ContextVar[int] = ContextVar("asked", default=0)


class asked_by_a_cell:  # noqa: N801 - reads as the other contexts; a class, for every call of a cell enters it
    """Hold what is read inside to the files that a cell may read."""

    def __enter__(self) -> None:
        self._token = _in_a_cell.set(True)

    def __exit__(self, *_: object) -> None:
        _in_a_cell.reset(self._token)


@contextmanager
def confined_to(*folders: Path) -> Iterator[None]:
    """Hold what is read inside to these folders, the tables of the package and the user's own."""
    token = _confined.set((*folders, DATA, user_folder()))
    try:
        yield
    finally:
        _confined.reset(token)


def set_workbook_folder(folder: str) -> None:
    """Say where the workbook lies whose cells ask from now on; empty where it lies nowhere.

    Excel calls a folder that OneDrive or SharePoint keeps in step by its web address: beside that lies no file, and a
    cell that asks for one is told so.
    """
    is_elsewhere = "://" in folder or folder.startswith(_NETWORK)
    _address.set(folder if is_elsewhere else "")
    _beside.set(Path(folder) if folder and not is_elsewhere else None)


def refuse_relative(path: Path) -> None:
    """Refuse a relative name in a cell for what is read once: the same name means another file in another workbook."""
    if _in_a_cell.get() and not path.is_absolute():
        raise InputError(
            f"name without its folder: got {shown(str(path))}, want the whole path in a cell. Write it out."
        )


def reads_files() -> bool:
    """Return whether cells may read files of the folders that the environment names."""
    return os.environ.get(SETTING, "").strip().casefold() not in ("", OFF)


def files_asked() -> int:
    """Return how often a cell has asked for a file of its own, in this thread: what follows from one may change."""
    return _asked.get()


def located(path: Path) -> Path:
    """Return the file to open: for a cell the one meant beside its workbook, every link followed.

    Errors: `InputError` for a file that a cell may not read. Nothing is asked of a network before that.
    """
    if _confined.get():
        return _within(path)
    if not _in_a_cell.get():
        return path
    _asked.set(_asked.get() + (not path.is_relative_to(DATA)))
    if str(path).startswith(_NETWORK):
        raise InputError(f"file of a network: got {shown(str(path))}, want a file of this machine. Copy it here first.")
    beside = _beside.get()
    found = Path(os.path.realpath(path if beside is None else beside / path))
    if any(found.is_relative_to(os.path.realpath(folder)) for folder in (DATA, user_folder())):
        return found
    stated = os.environ.get(SETTING, "").strip()
    if stated.casefold() == OFF:
        raise InputError(
            f"files not allowed in cells: got {shown(str(path))}, want no file in a cell. "
            f"Whoever set {SETTING}={OFF} allows it."
        )
    folders = [*([beside] if beside else []), *(Path(each) for each in stated.split(os.pathsep) if each)]
    if not any(found.is_relative_to(os.path.realpath(folder)) for folder in folders):
        if _address.get() and not path.is_absolute():
            raise InputError(
                f"workbook in a web folder: got {shown(str(path))} beside {shown(_address.get())}, want a folder of "
                f"this machine. Name the folder that OneDrive keeps here in {SETTING} of the environment, and give the "
                "whole path of the file."
            )
        where = ", ".join(str(folder) for folder in folders) or "no folder"
        raise InputError(
            f"file outside the allowed folders: got {shown(str(path))}, want a file below {where}. Put it beside "
            f"the workbook, or name its folder in {SETTING} of the environment."
        )
    return found


def _within(path: Path) -> Path:
    """Return a path of the folders that reading is confined to."""
    if not str(path).startswith(_NETWORK):
        found = Path(os.path.realpath(path))
        if any(found.is_relative_to(os.path.realpath(folder)) for folder in _confined.get()):
            return found
    raise InputError(
        f"file of the server: got {shown(str(path))}, want none: a request brings what it needs. Leave the name out."
    )
