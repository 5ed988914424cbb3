"""The VBA module of the classic surface: its text, and what its own code does, run by LibreOffice's Basic."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from sizebook.cli.excel import excel
from sizebook.core.registry import Function
from sizebook.excel.vba import vba_module
from sizebook.functions import load
from tests.surfaces.office import Office

FUNCTIONS = list(load().values())
MODULE = vba_module()
LINES = MODULE.split("\r\n")
# Statements as VBA reads them: lines that a list is continued over, joined.
STATEMENTS = re.sub(r", _\r\n +", ", ", MODULE).split("\r\n")
# Names that the wrappers themselves use; an argument of the same name would hide them.
USED = {"array", "application", "thisworkbook", "xlpy", "cverr", "ascells", "failed", "python_module"}


def test_one_function_in_full() -> None:
    start = LINES.index("Public Function PARAMS_LN(d_model As Variant, Optional bias As Variant) As Variant")
    assert LINES[start + 1 : start + 8] == [
        "    On Error GoTo Failed",
        '    PARAMS_LN = AsCells(XLPy.CallUDF(PYTHON_MODULE, "PARAMS_LN", Array(d_model, bias), _',
        "        ThisWorkbook, Application.Caller))",
        "    Exit Function",
        "Failed:",
        "    PARAMS_LN = CVErr(xlErrValue)",
        "End Function",
    ]


def test_module_starts_as_the_editor_imports_it() -> None:
    assert LINES[0] == 'Attribute VB_Name = "sizebook_functions"'
    assert 'Private Const PYTHON_MODULE As String = "sizebook.excel.classic"' in LINES


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_function_hands_its_arguments_over_in_order(function: Function) -> None:
    names = [a.name for a in function.arguments]
    head = re.compile(rf"Public Function {function.name}\((.*)\) As Variant")
    declared = [found[1].split(", ") for found in map(head.fullmatch, STATEMENTS) if found]
    assert declared == [[f"{'' if a.required else 'Optional '}{a.name} As Variant" for a in function.arguments]]
    call = f'    {function.name} = AsCells(XLPy.CallUDF(PYTHON_MODULE, "{function.name}", Array({", ".join(names)}), '
    assert STATEMENTS.count(f"{call}ThisWorkbook, Application.Caller))") == 1
    assert LINES.count(f"    {function.name} = CVErr(xlErrValue)") == 1
    assert LINES.count(f"    Describe_{function.name}") == 1
    assert USED.isdisjoint(names)


def test_module_keeps_to_the_limits_of_vba() -> None:
    assert MODULE.isascii()
    assert "\n" not in MODULE.replace("\r\n", "")
    assert max(len(line) for line in LINES) <= 1023
    continued = max(len(run.split("\r\n")) - 1 for run in re.findall(r"(?:[^\r\n]* _\r\n)+", MODULE))
    assert continued <= 24, "lines that one statement may be continued over"
    procedures = re.split(r"(?m)^End (?:Function|Sub)", MODULE)
    assert max(map(len, procedures)) < 64_000


@pytest.mark.filterwarnings("ignore:.*deprecated")
def test_nothing_runs_by_itself_or_touches_the_machine() -> None:
    from oletools.olevba import VBA_Scanner

    assert {kind for kind, _, _ in VBA_Scanner(MODULE).scan()} <= {"Suspicious"}, (
        "no AutoExec, no address, no file name"
    )
    code = "\n".join(line for line in LINES if not line.lstrip().startswith(("'", '"', "Array(")))
    assert not re.search(r"\b(?:Declare|Shell|CreateObject|GetObject|Open|Kill|Environ)\b", code)


STUB = """
Function Answered(ByVal module As Variant, ByVal asked As Variant, ByVal given As Variant, _
        ByVal book As Variant, ByVal caller As Variant) As Variant
    Answered = "#NUM!"
End Function

Function Tested() As Variant
    Dim rows(0 To 1, 0 To 1) As Variant, single_row As Variant, shown As Variant
    rows(0, 0) = 1024
    rows(0, 1) = "#N/A"
    rows(1, 0) = "text"
    rows(1, 1) = "#DIV/0!"
    shown = AsCells(rows)
    single_row = AsCells(Array("#REF!", 7))
    Tested = IsError(PARAMS_LN(-1)) & "," & shown(0, 0) & "," & IsError(shown(0, 1)) & "," & shown(1, 0) & "," & _
        IsError(shown(1, 1)) & "," & IsError(single_row(0)) & "," & single_row(1) & "," & AsCells("no error")
End Function
"""


def test_error_codes_become_true_errors_in_cells_rows_and_tables(calc_office: Office) -> None:
    body = MODULE.replace("\r\n", "\n").replace(LINES[0], "Option VBASupport 1").replace("XLPy.CallUDF(", "Answered(")
    assert calc_office.basic(body + STUB, "Tested") == "True,1024,True,text,True,True,7,no error"


def test_command_writes_the_file_whole(tmp_path: Path) -> None:
    target = tmp_path / "new" / "sizebook_functions.bas"
    done = CliRunner().invoke(excel, ["vba", "-o", str(target)])
    assert (done.exit_code, done.output) == (0, f"{target}\n")
    assert target.read_bytes() == MODULE.encode("ascii")
    assert list(target.parent.iterdir()) == [target]
