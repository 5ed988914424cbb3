"""The VBA modules of the add-in: every function and argument, the limits of VBA, nothing that runs by itself."""

import re
from pathlib import Path

import pytest
from oletools.olevba import VBA_Parser, VBA_Scanner

from sizebook.core.cells import evaluate
from sizebook.core.registry import Function
from sizebook.excel import classic
from sizebook.excel.addin.wrappers import vba_modules
from sizebook.excel.addin.xlam_file import addin_bytes
from sizebook.functions import load
from tests.excel.addin.machines import windows

FUNCTIONS = list(load().values())
MACHINE = windows(Path(r"C:\Users\Ada\AppData\Roaming\Microsoft\Excel\XLSTART"))
MODULES = vba_modules(MACHINE.libraries, 6)
STANDARD = {name: source for name, source in MODULES.items() if name != "ThisWorkbook"}
LINES = MODULES["sizebook_functions"].split("\n")
# Statements as VBA reads them: lines that a list is continued over, joined.
STATEMENTS = re.sub(r", _\n +", ", ", MODULES["sizebook_functions"]).split("\n")
# Names that the wrappers themselves use; an argument of the same name would hide them.
USED = {"array", "answer", "cverr", "err", "whynot", "failed"}


def test_one_function_in_full() -> None:
    start = LINES.index("Public Function PARAMS_LN(d_model As Variant, Optional bias As Variant) As Variant")
    summary = "Return the trainable parameters of one layer norm: gain and bias; without bias it is an RMSNorm."
    assert LINES[start + 1 : start + 9] == [
        f'Attribute PARAMS_LN.VB_Description = "{summary}"',
        'Attribute PARAMS_LN.VB_ProcData.VB_Invoke_Func = " \\n14"',
        "    On Error GoTo Failed",
        '    PARAMS_LN = Answer("PARAMS_LN", Array(d_model, bias))',
        "    Exit Function",
        "Failed:",
        "    PARAMS_LN = CVErr(xlErrValue)",
        "End Function",
    ]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_function_hands_its_arguments_over_in_order(function: Function) -> None:
    most = function.arguments[:60]  # of VBA; the others are given among the options
    names = [a.name for a in most]
    head = re.compile(rf"Public Function {function.name}\((.*)\) As Variant")
    declared = [found[1].split(", ") for found in map(head.fullmatch, STATEMENTS) if found and found[1]]
    want = [f"{'' if a.required else 'Optional '}{a.name} As Variant" for a in most]
    assert declared == ([want] if want else [])
    assert STATEMENTS.count(f'    {function.name} = Answer("{function.name}", Array({", ".join(names)}))') == 1
    failed = "WhyNot(Err.Number, Err.Description)" if function.name == "SIZEBOOK_WHY" else "CVErr(xlErrValue)"
    assert LINES.count(f"    {function.name} = {failed}") == 1
    assert MODULES["sizebook_macros"].split("\n").count(f"    Describe_{function.name}") == 1
    assert USED.isdisjoint(names)


def test_what_vba_cannot_declare_is_given_among_the_options() -> None:
    """The last argument of the longest function, through the last place that its wrapper has."""
    longest = max((f for f in FUNCTIONS if f.category != "help"), key=lambda f: len(f.arguments))
    last, given = longest.arguments[-1].name, [longest.example[0].get(a.name) for a in longest.arguments[:59]]
    assert len(longest.arguments) > 60, "or this test has nothing to ask"
    assert evaluate(longest, [*given, f"{last}={longest.arguments[-1].default or ''}"]) == evaluate(longest, given)


@pytest.mark.parametrize("name", MODULES)
def test_module_keeps_to_the_limits_of_vba(name: str) -> None:
    text = MODULES[name]
    assert text.isascii()
    assert "{" not in re.sub(r"\{got\}", "", text), "a place that was not filled in"
    assert max(map(len, text.split("\n"))) <= 1023
    continued = max((len(run.split("\n")) - 1 for run in re.findall(r"(?:[^\n]* _\n)+", text)), default=0)
    assert continued <= 24, "lines that one statement may be continued over"
    assert max(map(len, re.split(r"(?m)^End (?:Function|Sub)", text))) < 64_000


@pytest.mark.filterwarnings("ignore:.*deprecated")
def test_nothing_runs_by_itself() -> None:
    """No AutoExec, no address; the only programs are the command line that starts Python and the library of xlwings."""
    found = {(kind, word) for text in MODULES.values() for kind, word, _ in VBA_Scanner(text).scan()}
    assert {word for kind, word in found if kind == "IOC"} <= {"cmd.exe", "8.dll"}  # it reads xlwings64-0.37.8.dll so
    assert not [word for kind, word in found if kind == "AutoExec"]
    code = "\n".join(
        line
        for line in "\n".join(MODULES.values()).split("\n")
        if not re.match(r"\s*(?:'|\"|Array\(|Case \"|Attribute )", line)
    )
    assert not re.search(r"\b(?:Shell|CreateObject|GetObject|Open|Kill|Environ|FileCopy)\b", code)


@pytest.mark.filterwarnings("ignore:.*deprecated")
def test_olevba_lists_every_module_and_function(tmp_path: Path) -> None:
    target = tmp_path / "sizebook.xlam"
    target.write_bytes(addin_bytes(MACHINE))
    read = {name: code for _, _, name, code in VBA_Parser(str(target)).extract_macros()}
    assert set(read) == {"ThisWorkbook.cls", "Sheet1.cls", *(f"{name}.bas" for name in STANDARD)}
    assert read["ThisWorkbook.cls"].replace("\r\n", "\n").endswith(f"Customizable = True\n{MODULES['ThisWorkbook']}")
    for name, source in STANDARD.items():
        assert read[f"{name}.bas"].replace("\r\n", "\n") == f'Attribute VB_Name = "{name}"\n{source}'
    assert re.findall(r"Public Function (\w+)", read["sizebook_functions.bas"]) == [f.name for f in FUNCTIONS]
    macros = re.findall(r"^Public Sub (\w+)\(\)", read["sizebook_macros.bas"].replace("\r\n", "\n"), re.MULTILINE)
    assert macros == [
        "CheckSizebook",
        "OpenSizebookPage",
        "AnswerWaitingCells",
        "AnswerWaitingCellsLater",
        "DescribeSizebookFunctions",
    ]
    # What VBA asks of Python by name, beside the functions of cells, is there.
    asked = set(re.findall(r'CallPython\(? ?"([A-Z_]+)"', "\n".join(MODULES.values())))
    assert asked == {"CALLS_WAITING", "FILES_BESIDE", "PAGE_OF_MODELS", "SIZEBOOK_VERSION"} <= set(classic.__all__)


def test_describing_restores_what_it_changed_whatever_happens() -> None:
    """A second Excel has it read-only; on 0.13.0 Save failed there, the workbook stayed and the screen froze."""
    body = re.search(r"(?s)Public Sub DescribeSizebookFunctions\(\)(.*?)End Sub", STANDARD["sizebook_macros"])
    assert body is not None
    lines = [line.partition("'")[0].strip() for line in body[1].split("\n")]
    handler, restore, failed = (lines.index(line) for line in ("On Error GoTo Failed", "Restore:", "Failed:"))
    assert handler < lines.index("ThisWorkbook.IsAddin = False") < restore < failed
    assert [line for line in lines[restore + 1 : failed] if line] == [
        "On Error Resume Next",
        "ThisWorkbook.IsAddin = True",
        'If problem = "" And Not ThisWorkbook.ReadOnly Then ThisWorkbook.Save',
        "Application.ScreenUpdating = True",
        'If problem <> "" Then MsgBox problem, vbInformation, "sizebook"',
        "Exit Sub",
    ]
    assert "Resume Restore" in lines[failed:]


def test_a_second_build_is_identical() -> None:
    assert addin_bytes(MACHINE) == addin_bytes(MACHINE)
