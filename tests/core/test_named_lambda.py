"""Closed forms as LAMBDAs of defined names, worked out by the engine alone, against the functions."""

import math
import re
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.formula import ArrayFormula

from sizebook.calculation import recalculate
from sizebook.core import cells
from sizebook.core.errors import SizebookError
from sizebook.core.named_lambda import named_lambda
from sizebook.core.registry import Function, find
from sizebook.functions import load
from tests.functions.points import points

NATIVE = [function for function in load().values() if named_lambda(function)]


def _for_engine(text: str) -> str:
    """Return a LAMBDA whose arguments are all given: only Excel knows ones that are left out."""
    return re.sub(r"_xlfn\.ISOMITTED\([\w.]+\)", "FALSE", text.replace("_xlop.", "_xlpm."))


def _by_engine(folder: Path, calls: list[tuple[Function, list[Any]]]) -> list[Any]:
    """Return what the engine makes of calls of the named LAMBDAs over cells, none of our functions at hand."""
    book = Workbook()
    sheet = book["Sheet"]
    for function in {function.name: function for function, _ in calls}.values():
        text = _for_engine(named_lambda(function) or "")
        book.defined_names[function.name] = DefinedName(function.name, attr_text=text)
    for row, (function, given) in enumerate(calls, 1):
        places = [sheet.cell(row, column, value).coordinate for column, value in enumerate(given, 2)]
        # As an array formula: in an ordinary one the engine would have to rule out that IF gets an area.
        sheet.cell(row, 1).value = ArrayFormula(f"A{row}", f"={function.name}({','.join(places)})")
    path = folder / "lambdas.xlsx"
    book.save(path)
    values = recalculate(path, functions={}).values
    return [values["Sheet", f"A{row}"] for row in range(1, len(calls) + 1)]


def _by_function(function: Function, given: list[Any]) -> Any:
    try:
        return cells.evaluate(function, given)
    except SizebookError as error:
        return error.code


def test_every_closed_form_and_every_table_is_a_lambda() -> None:
    assert {f.name for f in NATIVE} == {f.name for f in load().values() if f.formula} | {"DTYPE_BITS"}


def test_a_lambda_as_a_file_stores_it() -> None:
    assert named_lambda(find("GPU_HOURS")) == (
        "_xlfn.LAMBDA(_xlpm.gpus,_xlpm.seconds,"
        "IF(ISNUMBER(_xlpm.gpus)*ISNUMBER(_xlpm.seconds),"
        "IF((INT(_xlpm.gpus)=_xlpm.gpus)*(ABS(_xlpm.gpus)<=1E+18)*(_xlpm.gpus>=1)*"
        "(_xlpm.gpus<=1000000000)*(_xlpm.seconds>=0),"
        "_xlfn.LET(_xlpm.value_,_xlpm.gpus*_xlpm.seconds/3600,IF(_xlpm.value_>=0,_xlpm.value_,#NUM!)),"
        "#NUM!),_xlpm.gpus*_xlpm.seconds*#VALUE!))"
    )


def test_a_lambda_gives_what_its_function_gives(tmp_path: Path) -> None:
    asked = [(f, list(point.given.values()), point.result) for f in NATIVE if f.formula for point in points(f, 3)]
    bits = find("DTYPE_BITS")
    asked += [(bits, [dtype], cells.call("DTYPE_BITS", dtype)) for dtype in bits.arguments[0].quantity.allowed]
    shown = _by_engine(tmp_path, [(function, given) for function, given, _ in asked])
    for (function, given, result), value in zip(asked, shown, strict=True):
        assert not isinstance(value, str), (function.name, given, value)
        assert math.isclose(value, result, rel_tol=1e-12), (function.name, given)


def test_a_lambda_refuses_what_its_function_refuses(tmp_path: Path) -> None:
    asked = [
        (find("PARAMS_MHA"), [None, True], "#VALUE!"),
        (find("PARAMS_MHA"), ["wide", True], "#VALUE!"),
        (find("PARAMS_MHA"), [0, True], "#NUM!"),
        (find("PARAMS_MHA"), [4096.5, True], "#NUM!"),
        (find("PARAMS_MHA"), ["#N/A", True], "#N/A"),
        (find("WEIGHT_BYTES"), [7_000_000_000, "fp7"], "#N/A"),
        (find("PARAMS_ATTENTION"), [4096, 32, 128, 5, True], "#NUM!"),  # 32 heads do not share 5 evenly
        (find("DTYPE_BITS"), ["fp7"], "#N/A"),
    ]
    assert _by_engine(tmp_path, [(function, given) for function, given, _ in asked]) == [code for *_, code in asked]
    for function, given, code in asked:
        assert _by_function(function, given) == code, (function.name, given)
