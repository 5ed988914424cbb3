"""Machines made up for the tests: a healthy Windows, from which each test breaks one thing."""

from pathlib import Path

from sizebook.excel.addin.windows_machine import BITS, Library, Machine

DECLARATION = (
    'Declare PtrSafe Function XLPyDLLActivateAuto Lib "xlwings{bits}-0.37.8.dll" (ByRef Result As Variant, '
    'Optional ByVal Config As String = "", Optional ByVal mode As Long = 1) As Long'
)


def library(bits: int, folder: str = r"C:\Python312", found: bool = True) -> Library:
    name = f"xlwings{bits}-0.37.8.dll"
    return Library(name, DECLARATION.format(bits=bits), Path(rf"{folder}\{name}"), found)


def windows(startup: Path) -> Machine:
    """Return a machine on which nothing stands in the way."""
    return Machine(
        system="win32",
        interpreter=Path(r"C:\Python312\python.exe"),
        base=Path(r"C:\Python312"),
        python_bits=64,
        xlwings_version="0.37.8",
        libraries={bits: library(bits) for bits in BITS},
        listed=True,
        has_pywin32=True,
        excel_bits=64,
        startup=startup,
        synced=(Path(r"C:\Users\Ada\OneDrive"),),
        code_page="cp1252",
    )
