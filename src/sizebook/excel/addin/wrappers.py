"""The VBA modules of the add-in: one VBA function for every function of the registry, and what they stand on.

xlwings makes such functions itself, but its wrapper puts the text of an error into the cell, where ISERROR is FALSE and
SUM skips it: a wrong total. Here an error is a true error value. What is the same for all functions is Visual Basic in
files of its own (`python.bas`, `cells.bas`, `check.bas`, `macros.bas`, `workbook.bas`), with places for what is known
only here.
"""

import unicodedata
from collections.abc import Mapping
from pathlib import Path

from sizebook.core.registry import MOST_ARGUMENTS, Function
from sizebook.core.wizard import argument_help, category
from sizebook.excel.addin.causes import CAUSES
from sizebook.excel.addin.windows_machine import Library
from sizebook.excel.callables import ERROR_VALUES
from sizebook.excel.deferred_answers import WAITING
from sizebook.functions import load

_CONSTANTS = ("xlErrDiv0", "xlErrNA", "xlErrName", "xlErrNull", "xlErrNum", "xlErrRef", "xlErrValue")
_LINE = 800  # signs of a list on one line; what stands before it must fit beside
_WHY = "SIZEBOOK_WHY"
CODE_NAME = "ThisWorkbook"  # of the module that belongs to the workbook itself, the one that hears Excel's events


def vba_modules(libraries: Mapping[int, Library], n_settings: int) -> dict[str, str]:
    """Return the source of every module of the add-in by its name, in ASCII."""
    functions = list(load().values())
    pairs = zip(ERROR_VALUES, _CONSTANTS, strict=True)
    return {
        CODE_NAME: _filled_in("workbook"),
        "sizebook_functions": _functions(functions),
        "sizebook_cells": _filled_in(
            "cells", cases="\n".join(f'        Case "{c}": AsCell = CVErr({k})' for c, k in pairs), waiting=WAITING
        ),
        "sizebook_python": _filled_in(
            "python", **{f"declaration_{bits}": library.declaration for bits, library in libraries.items()}
        ),
        "sizebook_check": _filled_in("check", n_settings=str(n_settings), causes=_causes()),
        "sizebook_macros": _filled_in(
            "macros",
            calls="\n".join(f"    Describe_{f.name}" for f in functions),
            subs="\n".join(map(_description, functions)),
        ),
    }


def _functions(functions: list[Function]) -> str:
    return _ascii("\n".join(["Option Explicit\n", *map(wrapper, functions)]))


def wrapper(function: Function) -> str:
    """Return one VBA function; an argument that is left out reaches Python as such.

    The two attributes are what Excel's wizard shows before the macro of all descriptions has run.
    """
    name, declared = function.name, function.arguments[:MOST_ARGUMENTS]
    arguments = _listed([("" if a.required else "Optional ") + f"{a.name} As Variant" for a in declared])
    values = _listed([a.name for a in declared])
    failed = "WhyNot(Err.Number, Err.Description)" if name == _WHY else "CVErr(xlErrValue)"
    return (
        f"Public Function {name}({arguments}) As Variant\n"
        f"Attribute {name}.VB_Description = {_quoted(function.summary)}\n"
        f'Attribute {name}.VB_ProcData.VB_Invoke_Func = " \\n14"\n'
        "    On Error GoTo Failed\n"
        f'    {name} = Answer("{name}", Array({values}))\n'
        "    Exit Function\n"
        "Failed:\n"
        f"    {name} = {failed}\n"
        "End Function\n"
    )


def _filled_in(name: str, **places: str) -> str:
    """Return a module of Visual Basic with its places filled in."""
    text = Path(__file__).with_name(f"{name}.bas").read_text(encoding="ascii")
    for place, content in places.items():
        text = text.replace("{" + place + "}", content)
    return _ascii(text)


def _causes() -> str:
    return "\n".join(f'        Case "{key}": Said = {_quoted(text)}' for key, text in CAUSES.items())


def _description(function: Function) -> str:
    """Return the procedure that describes one function: VBA compiles 64 kB a procedure and reads 1023 signs a line."""
    texts = _listed([_quoted(argument_help(a)) for a in function.arguments[:MOST_ARGUMENTS]])
    return (
        f"Private Sub Describe_{function.name}()\n"
        f'    Describe "{function.name}", "{category(function)}", _\n'
        f"        {_quoted(function.summary)}, _\n"
        f"        Array({texts})\n"
        "End Sub\n"
    )


def _listed(items: list[str]) -> str:
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
    """Return the text in ASCII: VBA reads sources in one code page, whichever the machine has."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "replace").decode()
