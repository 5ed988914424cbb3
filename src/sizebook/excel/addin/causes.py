"""Why the functions do not work: every cause in words, once for the command line and for the macro in Excel.

The texts hold one place, ``{got}``. `doctor` finds a cause by looking at the machine; the VBA module `sizebook_check`
carries the same texts for a machine where Python does not start.
"""

from collections.abc import Iterator
from pathlib import Path, PureWindowsPath

from sizebook.excel.addin.windows_machine import BITS, Machine

_AGAIN = "run 'python -m sizebook excel install' with it"

CAUSES = {
    "system": "not Windows: got {got}, want Excel for Windows. Use xlwings Lite or Server here: docs/excel.md.",
    "startup": "no folder of Excel: got no APPDATA in the environment, want %APPDATA%\\Microsoft\\Excel\\XLSTART. Run "
    "this as the user who uses Excel.",
    "store": "Python from the Microsoft Store: got {got}, want one from python.org or conda. Windows hides the files "
    f"of Store apps from Excel. Install the other, pip install sizebook there, and {_AGAIN}.",
    "synced": "Python in a synced folder: got {got}, want one on the disk of this machine. Files that are only online "
    f"cannot be run. Move Python out of OneDrive, and {_AGAIN}.",
    "network": "Python on a network drive: got {got}, want one on the disk of this machine. Excel may not start "
    f"programs from there. Install Python locally, and {_AGAIN}.",
    "letters": "the path of Python has letters outside the code page of this Windows: got {got}, want letters of it, "
    "by which Excel starts programs. Install Python in a folder such as C:\\Python, pip install sizebook there, and "
    f"{_AGAIN}.",
    "interpreter": "Python not found: got no file {got}, want the Python that the add-in was made for. It was moved or "
    f"removed. In the Python that has sizebook now, {_AGAIN}.",
    "bitness": "the library is not of Excel's bitness: got no {got}, want it beside the one of the other bitness. "
    "Install xlwings again: pip install --force-reinstall --no-deps xlwings.",
    "antivirus": "a library of xlwings was removed after it was installed: got no file {got}, want it there. An "
    "antivirus program may have taken it: look into its quarantine, allow the file, then "
    "pip install --force-reinstall --no-deps xlwings.",
    "library": "xlwings was installed without its libraries: got no file {got}, want it beside Python. Only wheels "
    "for Windows hold it. Install again: pip install --force-reinstall --no-deps --only-binary xlwings xlwings.",
    "blocked": "Windows refuses the library: got {got}, want Excel to load it. A policy or an antivirus program "
    "blocks it: ask whoever runs this machine to allow the file.",
    "load": "the library does not load: got {got}, want Excel to load it. Install xlwings again: "
    "pip install --force-reinstall --no-deps xlwings.",
    "pywin32": "pywin32 is missing: got no module win32api in {got}, want it. Install it: pip install pywin32.",
    "start": "Python does not start from Excel: got '{got}', want an answer. In a command prompt, "
    "'python -m sizebook excel doctor' in the same Python says more.",
    "areas": "an argument of several areas: got {got}, want one range. Give the areas one by one.",
    "call": "Python failed: got '{got}', want a result. This is an error of sizebook: report it with this text.",
    "absent": "the add-in is not installed: got no {got}, want it there. Run 'sizebook excel install'.",
    "marked": "Windows marked the add-in as downloaded: got {got}, want it unmarked, or Excel leaves it out in "
    "silence. Run 'sizebook excel install'.",
    "outdated": "the add-in is out of date: got one for {got}, want one for what is installed. Run 'sizebook excel "
    "update'.",
}


def cause_text(key: str, got: object) -> str:
    """Return a cause in words."""
    return CAUSES[key].replace("{got}", str(got))


def find_causes(machine: Machine) -> Iterator[str]:
    """Yield the reasons why an add-in made on this machine would not work, the first to mend first."""
    if machine.system != "win32":
        yield cause_text("system", machine.system)
        return
    if machine.startup is None:
        yield cause_text("startup", "")
    yield from _of_python(machine)
    yield from _of_libraries(machine)
    if not machine.has_pywin32:
        yield cause_text("pywin32", machine.interpreter)


def _of_python(machine: Machine) -> Iterator[str]:
    interpreter = PureWindowsPath(str(machine.interpreter))
    homes = [interpreter, PureWindowsPath(str(machine.base))]
    if any("windowsapps" in (part.casefold() for part in home.parts) for home in homes):
        yield cause_text("store", interpreter)
    if any(_is_within(home, folder) for home in homes for folder in machine.synced):
        yield cause_text("synced", interpreter)
    if not _is_written_in(machine.code_page, str(interpreter)):
        yield cause_text("letters", interpreter)
    if interpreter.drive.startswith("\\\\"):
        yield cause_text("network", interpreter)


def _of_libraries(machine: Machine) -> Iterator[str]:
    wanted = [machine.excel_bits] if machine.excel_bits else BITS
    missing = [machine.libraries[bits] for bits in wanted if not machine.libraries[bits].found]
    others_found = any(library.found for library in machine.libraries.values())
    for library in missing:
        if machine.listed:
            yield cause_text("antivirus", library.path)
        else:
            yield cause_text("bitness" if others_found else "library", library.path)


def _is_written_in(code_page: str, text: str) -> bool:
    try:
        text.encode(code_page)
    except UnicodeEncodeError:
        return False
    return True


def _is_within(path: PureWindowsPath, folder: Path) -> bool:
    return path.is_relative_to(PureWindowsPath(str(folder)))
