"""The add-in in LibreOffice: the file loads, and its wrappers run with the call to Python replaced.

The module `sizebook_python` is the only one that cannot run here: it calls Windows. A stand-in takes its place; the
others are those of the file, but for Value2, which LibreOffice 7.4 does not know.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sizebook.excel.addin.causes import CAUSES, cause_text
from sizebook.excel.addin.windows_machine import Library, Machine
from sizebook.excel.addin.wrappers import vba_modules
from sizebook.excel.addin.xlam_file import addin_bytes, settings, xlam_bytes
from tests.excel.addin.machines import windows
from tests.libreoffice.office import PREFIX, Office, sweep_away_left

STAND_IN = """\
Option Explicit
Public Const IN_WORDS As Long = -2147220991

Private Function Rows1(ByVal value As Variant) As Variant
    Dim rows(0 To 0, 0 To 0) As Variant
    rows(0, 0) = value
    Rows1 = rows
End Function

' What xlwings gives: always rows.
Public Function CallPython(ByVal name As String, ByVal given As Variant) As Variant
    Dim rows(0 To 1, 0 To 1) As Variant
    Select Case name
        Case "FILES_BESIDE": CallPython = Rows1("")
        Case "PARAMS_LN"
            If IsArray(given(0)) Then
                rows(0, 0) = given(0)(1, 1)
                rows(0, 1) = "#N/A"
                rows(1, 0) = given(0)(2, 1)
                rows(1, 1) = "text"
                CallPython = rows
            ElseIf given(0) < 1 Then
                CallPython = Rows1("#NUM!")
            Else
                CallPython = Rows1(given(0) * IIf(UBound(given) = 0, 2, 1))
            End If
        Case "PARAMS_MHA": CallPython = Array("#REF!", 7)
        Case "PARAMS_ATTENTION": CallPython = Rows1(UBound(given))
        Case "PARAMS_FFN": CallPython = Rows1("#GETTING_DATA")
        Case "SIZEBOOK_VERSION": CallPython = Rows1("sizebook 1")
        Case Else: Err.Raise 11, "Python", "no such thing"
    End Select
End Function

Public Sub ForgetPython()
End Sub

Public Function LibraryPath(ByVal of_this_excel As Boolean) As String
    LibraryPath = Setting(IIf(of_this_excel, "library_64", "library_32"))
End Function

Public Function LibraryCause() As String
End Function

Public Function AskedOfAreas() As Variant
    AskedOfAreas = SIZEBOOK_WHY("PARAMS_LN", ThisWorkbook.Worksheets("settings").Range("A1,A3"))
End Function
"""


@pytest.fixture(scope="module")
def office() -> Iterator[Office]:
    """An office without the extension, whose functions would answer in the place of the macros."""
    with Office(with_extension=False) as office:
        yield office


def machine_in(folder: Path) -> Machine:
    """Return a machine whose files the office can see."""
    found = {bits: Library(each.file_name, each.declaration, folder / each.file_name, True) for bits, each in
             windows(folder).libraries.items()}  # fmt: skip
    return replace(windows(folder), interpreter=folder / "python.exe", libraries=found)


def with_stand_in(machine: Machine, target: Path) -> Path:
    made_with = settings(machine)
    modules = vba_modules(machine.libraries, len(made_with)) | {"sizebook_python": STAND_IN}
    spelled = {name: text.replace(".Value2", ".Value") for name, text in modules.items()}
    target.write_bytes(xlam_bytes(made_with, spelled))
    return target


def test_the_file_loads_with_all_its_modules(office: Office, tmp_path: Path) -> None:
    machine = windows(tmp_path)
    target = tmp_path / "sizebook.xlam"
    target.write_bytes(addin_bytes(machine))
    found = office.macros(target, {"D1": '=INDEX(B1:B9;MATCH("interpreter";A1:A9;0))'})
    assert found["cells"]["D1"] == r"C:\Python312\python.exe"
    for name, source in vba_modules(machine.libraries, len(settings(machine))).items():
        read = found["modules"][f"sizebook.{name}"]
        plain = "\n".join(line for line in source.split("\n") if not line.startswith("Attribute "))
        assert read.replace("\r\n", "\n").split("Option VBASupport 1\n")[1].strip() == plain.strip()


def test_wrappers_run(office: Office, tmp_path: Path) -> None:
    entered = {
        "D1": "=PARAMS_LN(512)",
        "D2": "=PARAMS_LN(512;1)",
        "D3": "=PARAMS_LN(-1)",
        "F1": "300",
        "F2": "400",
        "D4": "=PARAMS_LN(F1)",
        "D5": "=INDEX(PARAMS_LN(F1:F2);1;1)",
        "D6": "=INDEX(PARAMS_LN(F1:F2);1;2)",
        "D7": "=INDEX(PARAMS_LN(F1:F2);2;1)",
        "D8": "=INDEX(PARAMS_LN(F1:F2);2;2)",
        "D9": "=INDEX(PARAMS_MHA(1);1;1)",
        "D10": "=INDEX(PARAMS_MHA(1);1;2)",
        "D11": "=MODEL_BYTES(1)",
        "D12": "=PARAMS_FFN(1;2)",
        "D13": "=PARAMS_ATTENTION(1;;3)",
        "D14": "=SIZEBOOK_VERSION()",
    }
    shown = office.macros(with_stand_in(machine_in(office.folder), tmp_path / "stand_in.xlam"), entered)["cells"]
    # LibreOffice writes the error values of VBA so: 2036 #NUM!, 2042 #N/A, 2023 #REF!, 2015 #VALUE!.
    assert shown == {"F1": "300", "F2": "400"} | {
        "D1": "1024",
        "D2": "512",
        "D3": "Error 2036",
        "D4": "600",
        "D5": "300",
        "D6": "Error 2042",
        "D7": "400",
        "D8": "text",
        "D9": "Error 2023",
        "D10": "7",
        "D11": "Error 2015",
        "D12": "Error 2043",
        "D13": "2",  # up to the last that is given
        "D14": "sizebook 1",
    }


def test_folders_of_killed_runs_are_swept_away(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    for owner in (ended.pid, os.getpid(), "somebody"):
        (tmp_path / f"{PREFIX}{owner}-x" / "profile").mkdir(parents=True)
    sweep_away_left(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [f"{PREFIX}{os.getpid()}-x", f"{PREFIX}somebody-x"]
    )


WHY = {"D1": '=SIZEBOOK_WHY("PARAMS_LN";512)', "D2": "=SizebookState()"}


def test_why_answers_without_python(office: Office, tmp_path: Path) -> None:
    """Nothing but the file itself says what is missing, first things first."""
    machine = machine_in(office.folder)
    target = with_stand_in(machine, tmp_path / "why.xlam")
    python, library, other = machine.interpreter, machine.libraries[64].path, machine.libraries[32].path

    def said() -> list[str]:
        return list(office.macros(target, WHY)["cells"].values())

    assert said() == [cause_text("interpreter", python)] * 2
    python.touch()
    assert said() == [cause_text("antivirus", library)] * 2
    other.touch()
    assert said() == [cause_text("bitness", library)] * 2
    library.touch()
    # All is there and Python answers, but not this call: an error of its own, not of the set-up.
    assert said() == [cause_text("call", "no such thing"), f"sizebook works.\r\nsizebook 1\r\nPython: {python}"]
    assert office.macros(target, {"D1": "=AskedOfAreas()"})["cells"]["D1"] == cause_text("areas", "$A$1,$A$3")


@pytest.mark.parametrize(("folder", "key"), [("WindowsApps", "store"), ("OneDrive - Acme", "synced")])
def test_why_knows_folders_that_excel_cannot_enter(office: Office, tmp_path: Path, folder: str, key: str) -> None:
    interpreter = Path(rf"C:\Users\Ada\{folder}\python.exe")
    target = with_stand_in(replace(windows(tmp_path), interpreter=interpreter), tmp_path / f"{key}.xlam")
    assert office.macros(target, WHY)["cells"]["D1"] == cause_text(key, interpreter)


# Windows as the module that calls it sees it: a library that loads or not and why, a Python that starts or not.
WINDOWS = """\
Private last_dll_error As Long
Private starts As Long

Private Function LoadLibraryW(ByVal path As String) As Long
    LoadLibraryW = IIf(last_dll_error = 0, 1, 0)
End Function

Private Function XLPyDLLActivateAuto(ByRef started As Variant, ByVal command As String, ByVal unused As Long) As Long
    starts = starts + 1
    started = "access denied"
    XLPyDLLActivateAuto = 1
End Function

Public Function LibraryCauseOf(ByVal number As Long) As String
    last_dll_error = number
    LibraryCauseOf = LibraryCause()
    last_dll_error = 0
End Function

Public Function AskedTwice() As String
    Dim i As Long, answer As Variant
    starts = 0
    ForgetPython
    On Error Resume Next
    For i = 1 To 2
        answer = CallPython("SIZEBOOK_VERSION", Array())
        AskedTwice = WhyNot(Err.Number, Err.Description) & starts
    Next i
End Function

Public Function Started() As String
    Started = StartCommand()
End Function
"""
REFUSED = {
    2: "antivirus", 3: "antivirus", 126: "antivirus", 193: "bitness", 5: "blocked", 225: "blocked", 577: "blocked",
    1260: "blocked", 1114: "load",
}  # fmt: skip


def on_a_made_up_windows(python: str) -> str:
    """Return the module that calls Windows, its declarations replaced by `WINDOWS`."""
    code = re.sub(r"(?s)#If Win64 Then\n    Private Declare.*?#End If\n", "", python)
    code = re.sub(r"(?s)    #If Win64 Then\n(.*?)    #Else\n.*?    #End If\n", r"\1", code)
    code = re.sub(r"Private Declare PtrSafe Function LoadLibraryW .*\n", "", code)
    return code.replace("StrPtr(", "CStr(").replace("Err.LastDllError", "last_dll_error") + WINDOWS


def test_what_windows_refuses_is_named(office: Office, tmp_path: Path) -> None:
    machine, target = machine_in(office.folder), tmp_path / "refused.xlam"
    machine.interpreter.touch()
    for each in machine.libraries.values():
        each.path.touch()
    made_with = settings(machine)
    modules = vba_modules(machine.libraries, len(made_with))
    modules["sizebook_python"] = on_a_made_up_windows(modules["sizebook_python"])
    target.write_bytes(
        xlam_bytes(made_with, {name: text.replace(".Value2", ".Value") for name, text in modules.items()})
    )
    entered = {f"D{at}": f"=LibraryCauseOf({number})" for at, number in enumerate(REFUSED, 1)}
    shown = office.macros(target, entered | {"E1": "=AskedTwice()", "E2": "=Started()"})["cells"]
    library = machine.libraries[64].path
    for at, (number, key) in enumerate(REFUSED.items(), 1):
        got = f"{library}, error {number}" if key in ("blocked", "load") else str(library)
        assert shown[f"D{at}"] == cause_text(key, got), number
    assert shown["E1"] == cause_text("start", "access denied") + "1", "a start that failed is not tried again at once"
    assert shown["E2"] == (
        f'cmd.exe /K ""{machine.interpreter}" -P -B -c "import xlwings; xlwings.serve(\'$(CLSID)\')""'
    )


def test_every_cause_has_a_test() -> None:
    """What stands in the way is named by a key; each is shown by a test of this folder."""
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    untested = [key for key, text in CAUSES.items() if f'"{key}"' not in tests and text[:25] not in tests]
    assert untested == []
