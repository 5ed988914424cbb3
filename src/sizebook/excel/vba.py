"""The VBA module for classic xlwings: one VBA function for every function of the registry, made without Excel.

xlwings makes such a module itself, but its wrapper puts the text of an error into the cell, where ISERROR is FALSE and
SUM skips it: a wrong total. Here an error is a true error value.
"""

from __future__ import annotations

import unicodedata

from sizebook import __version__
from sizebook.core.registry import Function
from sizebook.core.wizard import argument_help, category
from sizebook.excel.functions import ERROR_VALUES
from sizebook.functions import load

PYTHON_MODULE = "sizebook.excel.classic"
_CONSTANTS = ("xlErrDiv0", "xlErrNA", "xlErrName", "xlErrNull", "xlErrNum", "xlErrRef", "xlErrValue")

_HEAD = f"""\
Attribute VB_Name = "sizebook_functions"
' Made by "sizebook excel vba", sizebook {__version__}. Make it again rather than change it.
' Needs the xlwings add-in: Tools > References > xlwings.
Option Explicit

Private Const PYTHON_MODULE As String = "{PYTHON_MODULE}"
"""

_CONVERSION = """\
' Python hands an error over as the text of its code. As a text ISERROR would not see it and SUM would skip it.
Private Function AsCells(ByVal result As Variant) As Variant
    Dim i As Long, j As Long
    If Not IsArray(result) Then
        AsCells = AsCell(result)
        Exit Function
    End If
    If Dimensions(result) = 1 Then
        For i = LBound(result) To UBound(result)
            result(i) = AsCell(result(i))
        Next i
    Else
        For i = LBound(result, 1) To UBound(result, 1)
            For j = LBound(result, 2) To UBound(result, 2)
                result(i, j) = AsCell(result(i, j))
            Next j
        Next i
    End If
    AsCells = result
End Function

Private Function Dimensions(ByRef values As Variant) As Long
    Dim last As Long
    On Error GoTo OneDimension
    last = UBound(values, 2)
    Dimensions = 2
    Exit Function
OneDimension:
    Dimensions = 1
End Function

Private Function AsCell(ByVal value As Variant) As Variant
    AsCell = value
    If VarType(value) <> vbString Then Exit Function
    Select Case value
{cases}
    End Select
End Function
"""

_DESCRIBE = """\
' Run once: gives the function wizard its help texts.
Public Sub DescribeSizebookFunctions()
{calls}
End Sub

{subs}
Private Sub Describe(ByVal macro As String, ByVal heading As String, ByVal summary As String, ByVal texts As Variant)
    Application.MacroOptions Macro:="'" & ThisWorkbook.Name & "'!" & macro, _
        Description:=summary, Category:=heading, ArgumentDescriptions:=texts
End Sub
"""


_LINE = 800  # signs of a list on one line; what stands before it must fit beside


def vba_module() -> str:
    """Return the text of the module, with the line ends that the VBA editor imports."""
    functions = list(load().values())
    parts = [_HEAD, *(wrapper(f) for f in functions), _conversion(), _descriptions(functions)]
    return _ascii("\n".join(parts)).replace("\n", "\r\n")


def wrapper(function: Function) -> str:
    """Return one VBA function; an argument that is left out reaches Python as such."""
    name = function.name
    arguments = _filled([("" if a.required else "Optional ") + f"{a.name} As Variant" for a in function.arguments])
    values = _filled([a.name for a in function.arguments])
    return (
        f"Public Function {name}({arguments}) As Variant\n"
        "    On Error GoTo Failed\n"
        f'    {name} = AsCells(XLPy.CallUDF(PYTHON_MODULE, "{name}", Array({values}), _\n'
        "        ThisWorkbook, Application.Caller))\n"
        "    Exit Function\n"
        "Failed:\n"
        f"    {name} = CVErr(xlErrValue)\n"
        "End Function\n"
    )


def _conversion() -> str:
    pairs = zip(ERROR_VALUES, _CONSTANTS, strict=True)
    return _CONVERSION.replace("{cases}", "\n".join(f'        Case "{c}": AsCell = CVErr({k})' for c, k in pairs))


def _descriptions(functions: list[Function]) -> str:
    calls = "\n".join(f"    Describe_{f.name}" for f in functions)
    subs = "\n".join(_description(f) for f in functions)
    return _DESCRIBE.replace("{calls}", calls).replace("{subs}", subs)


def _description(function: Function) -> str:
    """Return the procedure that describes one function: VBA compiles 64 kB a procedure and reads 1023 signs a line."""
    texts = _filled([_quoted(argument_help(a)) for a in function.arguments])
    return (
        f"Private Sub Describe_{function.name}()\n"
        f'    Describe "{function.name}", "{category(function)}", _\n'
        f"        {_quoted(function.summary)}, _\n"
        f"        Array({texts})\n"
        "End Sub\n"
    )


def _filled(items: list[str]) -> str:
    """Return a list on as few lines as hold it: VBA reads 1023 signs a line and continues a statement on 24."""
    lines = [""]
    for at, item in enumerate(items):
        piece = item if at == len(items) - 1 else f"{item}, "
        if lines[-1] and len(lines[-1]) + len(piece) > _LINE:
            lines.append("")
        lines[-1] += piece
    return " _\n        ".join(line.rstrip() for line in lines)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _ascii(text: str) -> str:
    """Return the text in ASCII: the VBA editor reads files in the code page of the machine, whichever that is."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "replace").decode()
