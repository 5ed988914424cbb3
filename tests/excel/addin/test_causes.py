"""Why the functions would not work, on machines made up for it; the texts whole, as the command line prints them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import InputError
from sizebook.excel.addin.causes import find_causes
from sizebook.excel.addin.windows_machine import BITS, find_libraries, read_machine
from tests.excel.addin.machines import library, windows
from tests.refused import message_of

STARTUP = Path("XLSTART")
STORE = r"C:\Users\Ada\AppData\Local\Microsoft\WindowsApps\python.exe"
SYNCED = r"C:\Users\Ada\onedrive\py\python.exe"

CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nothing": ({}, []),
    "system": (
        {"system": "darwin"},
        ["not Windows: got darwin, want Excel for Windows. Use xlwings Lite or Server here: docs/excel.md."],
    ),
    "no profile": (
        {"startup": None},
        [
            "no folder of Excel: got no APPDATA in the environment, want %APPDATA%\\Microsoft\\Excel\\XLSTART. Run "
            "this "
            "as the user who uses Excel."
        ],
    ),
    "Store Python": (
        {"interpreter": Path(STORE)},
        [
            f"Python from the Microsoft Store: got {STORE}, want one from python.org or conda. Windows hides the files "
            "of Store apps from Excel. Install the other, pip install sizebook there, and run 'python -m sizebook "
            "excel "
            "install' with it."
        ],
    ),
    "environment made with Store Python": (
        {"base": Path(r"C:\Program Files\WindowsApps\PythonSoftwareFoundation.Python.3.12")},
        [
            "Python from the Microsoft Store: got C:\\Python312\\python.exe, want one from python.org or conda. "
            "Windows "
            "hides the files of Store apps from Excel. Install the other, pip install sizebook there, and run 'python "
            "-m sizebook excel install' with it."
        ],
    ),
    "synced folder": (
        {"interpreter": Path(SYNCED)},
        [
            f"Python in a synced folder: got {SYNCED}, want one on the disk of this machine. Files that are only "
            "online "
            "cannot be run. Move Python out of OneDrive, and run 'python -m sizebook excel install' with it."
        ],
    ),
    "letters of this Windows": ({"interpreter": Path("C:\\Users\\J\u00f6rg M\u00fcller\\python.exe")}, []),
    "letters of another": (
        {"interpreter": Path("C:\\Users\\\u738b\\python.exe")},
        [
            "the path of Python has letters outside the code page of this Windows: got C:\\Users\\\u738b\\python.exe, "
            "want letters of it, by which Excel starts programs. Install Python in a folder such as C:\\Python, pip "
            "install sizebook there, and run 'python -m sizebook excel install' with it."
        ],
    ),
    "network": (
        {"interpreter": Path("\\\\server\\share\\python.exe")},
        [
            "Python on a network drive: got \\\\server\\share\\python.exe, want one on the disk of this machine. "
            "Excel may "
            "not start programs from there. Install Python locally, and run 'python -m sizebook excel install' with it."
        ],
    ),
    "antivirus": (
        {"libraries": {64: library(64, found=False), 32: library(32)}},
        [
            "a library of xlwings was removed after it was installed: got no file C:\\Python312\\xlwings64-0.37.8.dll, "
            "want it there. An antivirus program may have taken it: look into its quarantine, allow the file, then pip "
            "install --force-reinstall --no-deps xlwings."
        ],
    ),
    "bitness": (
        {"libraries": {64: library(64), 32: library(32, found=False)}, "excel_bits": 32, "listed": False},
        [
            "the library is not of Excel's bitness: got no C:\\Python312\\xlwings32-0.37.8.dll, want it beside the "
            "one of "
            "the other bitness. Install xlwings again: pip install --force-reinstall --no-deps xlwings."
        ],
    ),
    "no library": (
        {"libraries": {bits: library(bits, found=False) for bits in BITS}, "listed": False},
        [
            "xlwings was installed without its libraries: got no file C:\\Python312\\xlwings64-0.37.8.dll, want it "
            "beside "
            "Python. Only wheels for Windows hold it. Install again: pip install --force-reinstall --no-deps "
            "--only-binary xlwings xlwings."
        ],
    ),
    "Excel of the other bitness alone is missed": (
        {"libraries": {64: library(64), 32: library(32, found=False)}, "excel_bits": 64},
        [],
    ),
    "no pywin32": (
        {"has_pywin32": False},
        [
            "pywin32 is missing: got no module win32api in C:\\Python312\\python.exe, want it. Install it: pip install "
            "pywin32."
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_cause(case: str) -> None:
    changed, want = CASES[case]
    assert list(find_causes(replace(windows(STARTUP), **changed))) == want


def test_the_machine_is_looked_at(tmp_path: Path) -> None:
    seen = read_machine({"APPDATA": str(tmp_path), "OneDrive": "synced", "OneDriveCommercial": ""}, tmp_path)
    assert seen.startup == tmp_path / "Microsoft" / "Excel" / "XLSTART"
    assert seen.synced == (Path("synced"),)
    assert {bits: each.found for bits, each in seen.libraries.items()} == {64: False, 32: False}
    for each in seen.libraries.values():
        (tmp_path / each.file_name).touch()
    again = read_machine({}, tmp_path)
    assert [each.path for each in again.libraries.values()] == [
        tmp_path / each.file_name for each in seen.libraries.values()
    ]
    assert all(each.found for each in again.libraries.values())
    assert (again.startup, again.synced) == (None, ())


def test_xlwings_that_declares_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "xlwings.bas").write_text("Option Explicit\n")
    assert message_of(InputError, find_libraries, tmp_path, [tmp_path]) == (
        "unknown xlwings: got 0 declarations of XLPyDLLActivateAuto in its xlwings.bas, want one for each bitness of "
        "Excel. Install the xlwings that this sizebook was made for: pip install -U sizebook xlwings."
    )
