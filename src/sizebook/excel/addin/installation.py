"""Installs, updates, examines and removes `sizebook.xlam` in the folder that Excel opens at every start."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from sizebook.core.errors import InputError
from sizebook.excel.addin.causes import cause_text, find_causes
from sizebook.excel.addin.windows_machine import Machine
from sizebook.excel.addin.xlam_file import FILE_NAME, SHEET_PART, addin_bytes, settings
from sizebook.intake.archives import DAMAGED
from sizebook.sources.writing import write_whole

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_MOST_BYTES = 50_000_000


def addin_path(machine: Machine) -> Path:
    """Return where the add-in goes on this machine. Errors: `InputError` where Excel has no folder for it."""
    if machine.startup is None:
        raise InputError(cause_text("startup" if machine.system == "win32" else "system", machine.system))
    return machine.startup / FILE_NAME


def install(machine: Machine) -> Path:
    """Make the add-in for this machine and put it where Excel loads it; refuse where it would not work there."""
    causes = list(find_causes(machine))
    if causes:
        raise InputError("\n".join(causes))
    return write_addin(machine, addin_path(machine).parent)


def write_addin(machine: Machine, folder: Path) -> Path:
    """Write the add-in into any folder and return its path."""
    target = folder / FILE_NAME
    try:
        return write_whole(target, addin_bytes(machine))
    except InputError as error:
        raise _in_use(target, error) from error


def uninstall(machine: Machine) -> Path | None:
    """Remove the add-in and return where it was, None where there was none."""
    target = addin_path(machine)
    try:
        target.unlink()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _in_use(target, error) from error
    return target


def check_installed(machine: Machine) -> Iterator[str]:
    """Yield what is wrong with the add-in that is installed."""
    target = addin_path(machine)
    if not target.is_file():
        yield cause_text("absent", target)
        return
    if Path(f"{target}:Zone.Identifier").exists():  # where Windows notes that a file was downloaded
        yield cause_text("marked", target)
    old, new = read_settings(target), settings(machine)
    if old != new:
        yield cause_text("outdated", ", ".join(f"{key} {old.get(key, '?')}" for key in new if old.get(key) != new[key]))


def read_settings(addin_file: Path) -> dict[str, str]:
    """Return the settings in an add-in, also in one that Excel saved, which keeps texts in a table of their own.

    Errors: `InputError` for a file that is no add-in of sizebook.
    """
    try:
        with zipfile.ZipFile(addin_file) as parts:
            sheet = _part(parts, SHEET_PART)
            shared = "xl/sharedStrings.xml"
            texts = [_text(each) for each in _part(parts, shared)] if shared in parts.namelist() else []
    except (*DAMAGED, KeyError, ElementTree.ParseError) as error:
        raise InputError(
            f"not an add-in of sizebook: got {addin_file}, want one that 'sizebook excel install' made. Run it."
        ) from error
    rows = [
        [texts[int(_text(cell))] if cell.get("t") == "s" else _text(cell) for cell in row]
        for row in sheet.iter(f"{_MAIN}row")
    ]
    return {row[0]: row[1] for row in rows if len(row) == 2}


def _part(parts: zipfile.ZipFile, name: str) -> ElementTree.Element:
    if parts.getinfo(name).file_size > _MOST_BYTES:
        raise KeyError(name)
    return ElementTree.fromstring(parts.read(name))


def _text(element: ElementTree.Element) -> str:
    return "".join(element.itertext())


def _in_use(target: Path, error: Exception) -> InputError:
    refused = error if isinstance(error, OSError) else error.__cause__
    if isinstance(refused, PermissionError):
        return InputError(
            f"the add-in is in use: got {target} open in Excel, want it closed. Close Excel and try again."
        )
    return (
        error
        if isinstance(error, InputError)
        else InputError(f"cannot remove: got {error}, want {target} removed. Remove it yourself.")
    )
