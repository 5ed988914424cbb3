"""What the add-in depends on, as found on this machine: Python, xlwings and its libraries, Excel, synced folders.

Everything that asks the machine is here; what follows from it (`causes`, `settings`) is plain data, so that a test can
give it a machine of any kind.
"""

import locale
import os
import re
import struct
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files, version
from importlib.util import find_spec
from pathlib import Path

from sizebook.core.errors import InputError

# Either bitness of Excel loads the library of its own kind; xlwings ships both.
BITS = (64, 32)
# Where Excel looks for what it opens at every start: a trusted folder of the user's own.
STARTUP = ("Microsoft", "Excel", "XLSTART")
SYNCED = ("OneDrive", "OneDriveCommercial", "OneDriveConsumer")
_DECLARED = re.compile(
    r'^ *(Declare PtrSafe Function XLPyDLLActivateAuto Lib "(xlwings(64|32)-[^"]+\.dll)" \(.*\) As Long)\r?$', re.M
)


@dataclass(frozen=True)
class Library:
    """The library through which Excel of one bitness starts Python: how VBA declares it, and where it lies."""

    file_name: str
    declaration: str
    path: Path
    found: bool


@dataclass(frozen=True)
class Machine:
    """The machine as far as the add-in depends on it.

    ``libraries`` are by the bitness of Excel; ``listed`` says whether xlwings' list of installed files names them;
    ``excel_bits`` is None where no Excel says its own; ``startup`` is None outside Windows; ``code_page`` is the one in
    which VBA hands texts to libraries.
    """

    system: str
    interpreter: Path
    base: Path
    python_bits: int
    xlwings_version: str
    libraries: Mapping[int, Library]
    listed: bool
    has_pywin32: bool
    excel_bits: int | None
    startup: Path | None
    synced: tuple[Path, ...]
    code_page: str


def read_machine(environment: Mapping[str, str] | None = None, prefix: Path | None = None) -> Machine:
    """Return this machine; ``environment`` and ``prefix`` stand for `os.environ` and the folder of this Python."""
    known = os.environ if environment is None else environment
    folder = Path(sys.prefix) if prefix is None else prefix
    roaming = known.get("APPDATA")
    return Machine(
        system=sys.platform,
        interpreter=Path(sys.executable),
        base=Path(sys.base_prefix),
        python_bits=struct.calcsize("P") * 8,
        xlwings_version=version("xlwings"),
        libraries=find_libraries(_xlwings_folder(), _library_folders(folder)),
        listed=any(Path(str(each)).suffix == ".dll" for each in files("xlwings") or ()),
        has_pywin32=find_spec("win32api") is not None,
        excel_bits=_excel_bits(),
        startup=Path(roaming, *STARTUP) if roaming else None,
        synced=tuple(Path(known[name]) for name in SYNCED if known.get(name)),
        code_page=locale.getencoding(),
    )


def find_libraries(xlwings_folder: Path, folders: Iterable[Path]) -> dict[int, Library]:
    """Return the libraries that this xlwings declares in its own VBA, each at the first folder that holds it."""
    text = (xlwings_folder / "xlwings.bas").read_text(encoding="utf-8", errors="replace")
    declared = {int(bits): (name, line) for line, name, bits in _DECLARED.findall(text)}
    if set(declared) != set(BITS):
        raise InputError(
            f"unknown xlwings: got {len(declared)} declarations of XLPyDLLActivateAuto in its xlwings.bas, want one "
            "for each bitness of Excel. Install the xlwings that this sizebook was made for: "
            "pip install -U sizebook xlwings."
        )
    places = list(folders)
    found = {}
    for bits, (name, line) in declared.items():
        at = next((folder / name for folder in places if (folder / name).is_file()), None)
        found[bits] = Library(name, line, at or places[0] / name, at is not None)
    return found


def _library_folders(prefix: Path) -> list[Path]:
    """Return where pip puts an xlwings' libraries: the environment, beside its Python, or the user's own folder."""
    user = sysconfig.get_preferred_scheme("user")
    places = [prefix, Path(sys.executable).parent, Path(sysconfig.get_path("data", user))]
    return list(dict.fromkeys(places))


def _xlwings_folder() -> Path:
    spec = find_spec("xlwings")
    if spec is None or spec.origin is None:
        raise PackageNotFoundError("xlwings")
    return Path(spec.origin).parent


def _excel_bits() -> int | None:
    """Return the bitness that Windows' registry gives for Excel."""
    if sys.platform != "win32":
        return None
    import winreg

    kept = (
        (r"SOFTWARE\Microsoft\Office\ClickToRun\Configuration", "Platform"),
        (r"SOFTWARE\Microsoft\Office\16.0\Outlook", "Bitness"),
    )
    for key, name in kept:
        try:
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key, 0, winreg.KEY_READ | winreg.KEY_WOW64_64KEY) as opened:
                return 64 if winreg.QueryValueEx(opened, name)[0] == "x64" else 32
        except OSError:
            continue
    return None
