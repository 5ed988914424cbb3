"""Workbooks from outside are ZIP archives: what their directory claims is checked before a part is unpacked."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sizebook.core.errors import InputError
from sizebook.intake.files import opened, refuse_over, repeated
from sizebook.intake.limits import limits, raised

CONTENT_TYPES = "[Content_Types].xml"
_SMALL = 1_000_000  # a part this small may be packed as well as it likes
# What zipfile raises of damaged and of strange archives: passwords and unknown methods are RuntimeErrors.
DAMAGED = (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, struct.error, ValueError, OSError)
_DOCTYPES = tuple("<!DOCTYPE".encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))


@contextmanager
def archive(path: Path, wanted: str) -> Iterator[zipfile.ZipFile]:
    """Give a ZIP archive whose directory was checked: number, names, sizes and ratio of its parts.

    zipfile unpacks no more of a part than the directory states, so what the directory states bounds the memory.
    Errors: `InputError`, also for what goes wrong with a part while it is read inside the block.
    """
    with opened(path, wanted) as file:
        try:
            with zipfile.ZipFile(file) as found:
                _check_directory(found.infolist(), path.name)
                yield found
        except DAMAGED as error:
            raise no_workbook(path) from error


def no_workbook(path: Path) -> InputError:
    """Return the refusal of a file that Excel did not write, or locked."""
    return InputError(
        f"not a workbook: got {path.name}, want an .xlsx or .xlsm file without a password. "
        "Save it in that format from Excel."
    )


def check_workbook(path: Path) -> None:
    """Check a workbook that another library will read: its directory, and no document type in its XML."""
    with archive(path, "a workbook") as found:
        for name in found.namelist():
            if holds_xml(name):
                refuse_doctype(name, found.read(name), path.name)


def holds_xml(name: str) -> bool:
    """Return whether a part is XML of the workbook itself: not somebody's own data in it, nor a picture."""
    is_xml = name.casefold().endswith((".xml", ".rels", ".vml"))
    return is_xml and not name.startswith(("customXml/", "xl/media/"))


def refuse_doctype(part: str, content: bytes, where: str) -> None:
    """Raise where XML declares a document type: its entities expand without bound or read other files.

    Open Packaging Conventions (ECMA-376-2, 8.1.3) forbid one in a part.
    """
    if any(doctype in content for doctype in _DOCTYPES):
        raise InputError(
            f"damaged workbook: got a document type in {part} of {where}, want XML without one. "
            "Open and save it in Excel; do not open it if you do not know where it is from."
        )


def _check_directory(parts: list[zipfile.ZipInfo], where: str) -> None:
    refuse_over("zip_parts", len(parts), f"parts in {where}")
    refuse_over("zip_bytes", sum(part.file_size for part in parts), f"unpacked bytes in {where}")
    if twice := repeated(part.filename for part in parts):
        raise InputError(
            f"damaged workbook: got the part {twice[0]} twice in {where}, want each once. Open and save it in Excel."
        )
    most = limits().zip_ratio
    for part in parts:
        if part.file_size > _SMALL and part.file_size > most * part.compress_size:
            raise InputError(
                f"compression ratio too high: got {part.file_size} bytes out of {part.compress_size} for "
                f"{part.filename} in {where}, want at most {most} for one. {raised('zip_ratio')}"
            )
