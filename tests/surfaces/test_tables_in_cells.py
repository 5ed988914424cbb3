"""Several cells for one argument of a function that gives a table: refused in the same words wherever it is asked."""

from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.formula import ArrayFormula
from xlwings import XlwingsError

from sizebook.calculation import recalculate
from sizebook.core import cells
from sizebook.core.errors import InputError
from sizebook.core.registry import registered
from sizebook.excel.callables import build_callables, error_value
from sizebook.functions import load
from sizebook.libreoffice import calc
from tests.excel import officejs_client
from tests.refused import message_of

load()
MODELS = [["llama-3.1-8b"], ["gpt-2-small"]]
MESSAGE = (
    "a table for each cell: got 2x1 cells for model of PLAN_TRAINING, want one cell, for it gives a table itself. "
    "Call it once for each cell, or give TRAINING_TABLE a line for each case."
)
GIVEN = (MODELS, "h100-sxm", 8, 64)


def test_every_function_that_gives_a_table_refuses_them() -> None:
    """The first argument that is one value is given twice; the area tells which table takes many cases."""
    named = {}
    for function in registered().values():
        first = next((a.name for a in function.arguments if a.quantity.kind not in ("range", "list")), None)
        if function.result.kind != "range" or first is None:
            continue
        given = [function.example[0].get(a.name) for a in function.arguments]
        at = [a.name for a in function.arguments].index(first)
        given[at] = [[given[at]], [given[at]]]
        with pytest.raises(InputError) as refused:
            cells.evaluate(function, given)
        assert f"table for each cell: got 2x1 cells for {first} of {function.name}, want" in str(refused.value)
        named[function.name] = str(refused.value).rpartition(", or give ")[2].partition(" ")[0]
    assert {name for name, table in named.items() if table == "SERVING_TABLE"} == {
        "PLAN_SERVING", "SERVING_BACKWARDS", "SERVING_BASIS", "SERVING_ALTERNATIVES", "SERVING_COMMITMENTS",
        "SERVING_CURVE", "SERVING_FIGURES", "SERVING_LEDGER",
    }  # fmt: skip
    assert {name for name, table in named.items() if table == "TRAINING_TABLE"} == {
        "FINE_TUNING_MEMORY", "PLAN_TRAINING", "TRAINING_FIGURES", "TRAINING_LEDGER", "TRAINING_MEMORY",
    }  # fmt: skip


def test_the_same_words_on_every_surface(tmp_path: Path) -> None:
    assert message_of(InputError, cells.call, "PLAN_TRAINING", *GIVEN) == MESSAGE
    assert build_callables(error_value)["PLAN_TRAINING"](*GIVEN) == "#VALUE!"
    assert cells.call("SIZEBOOK_WHY", "PLAN_TRAINING", *GIVEN) == MESSAGE
    assert message_of(InputError, cells.call, "SIZEBOOK_EXPLAIN", "PLAN_TRAINING", *GIVEN) == MESSAGE
    assert message_of(XlwingsError, officejs_client.call, "PLAN_TRAINING", *GIVEN) == MESSAGE
    ((shown,),) = calc.evaluate(load()["PLAN_TRAINING"], GIVEN)
    assert shown != shown  # a NaN carries Calc's error

    book = Workbook()
    sheet = book.worksheets[0]
    for row, (model,) in enumerate(MODELS, 1):
        sheet.cell(row, 1, model)
    sheet["C1"] = ArrayFormula("C1:H9", '=PLAN_TRAINING(A1:A2,"h100-sxm",8,64)')
    book.save(tmp_path / "asked.xlsx")
    found = recalculate(tmp_path / "asked.xlsx")
    assert found.problems["Sheet", "C1"] == MESSAGE


def test_a_table_for_one_cell_is_no_table_for_each() -> None:
    """Some spreadsheets send each cell as a range of one."""
    rows = cells.call("PLAN_TRAINING", [["gpt-2-small"]], [["a100-sxm-80gb"]], [[1]], [[8]])
    assert rows[0][0] == "layout"
    assert not any(isinstance(cell, list) for row in rows for cell in row)
