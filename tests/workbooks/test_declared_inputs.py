"""Inputs of the shipped workbooks derive from the declarations: names, units, meanings, defaults and validation."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.calculation.tokens import address, arguments, called_name, closing, tokenize
from sizebook.core.coercion import coerce
from sizebook.core.errors import InputError, SizebookError
from sizebook.core.sections import Argument
from sizebook.functions import load
from sizebook.workbooks.book import Book
from sizebook.workbooks.filling import read_inputs
from sizebook.workbooks.input_cells import KEEP_CELL_VALUE
from sizebook.workbooks.input_cells import Input as Declared
from sizebook.workbooks.line_sheet import InputLine, new_sheet
from tests.workbooks.shipped import SHIPPED, Shipped, opened

every_workbook = pytest.mark.parametrize("shipped", SHIPPED, ids=lambda s: s.file)
# Take a plan's inputs as a range of options.
BY_OPTIONS = {"SERVING_LEDGER", "SERVING_COMMITMENTS", "SERVING_ALTERNATIVES", "SERVING_BASIS", "SERVING_FIGURES",
              "SERVING_CURVE",
              "FLEET_LEDGER", "FLEET_COMMITMENTS", "FLEET_ALTERNATIVES", "FLEET_BASIS",
              "TRAINING_LEDGER", "TRAINING_MEMORY", "TRAINING_FIGURES", "PROGRAMME_FIGURES",
              "PROGRAMME_BUDGET"}  # fmt: skip
OWN = {*load()}


def book_of(file: str) -> Workbook:
    return opened(path_of(file))


@cache
def inputs_of(file: str) -> dict[str, Declared]:
    return read_inputs(path_of(file))


@cache
def rules_of(file: str, sheet: str) -> dict[str, list[DataValidation]]:
    """The rules of a sheet by the cells that they hold for."""
    found: dict[str, list[DataValidation]] = {}
    for rule in book_of(file)[sheet].data_validations.dataValidation:
        for area in rule.sqref.ranges:
            for row, column in area.cells:
                found.setdefault(f"{get_column_letter(column)}{row}", []).append(rule)
    return found


def path_of(file: str) -> Path:
    (found,) = [shipped.path for shipped in SHIPPED if shipped.file == file]
    return found


@every_workbook
def test_every_leaf_is_an_input_and_nothing_else_is(shipped: Shipped) -> None:
    assert set(inputs_of(shipped.file)) == set(shipped.declared) | shipped.beside


@every_workbook
def test_unit_meaning_and_default_are_the_declared(shipped: Shipped) -> None:
    book = book_of(shipped.file)
    for name, entry in inputs_of(shipped.file).items():
        if name in shipped.beside or name.startswith("model"):
            continue
        leaf, sheet = shipped.declared[name], book[entry.at.sheet]
        row = [cell.value for cell in sheet[entry.at.top]]
        unit = next(n for n, head in enumerate(row_of_heads(sheet)) if head == "Unit")
        assert row[unit] == (leaf.quantity.unit or None), name
        assert leaf.quantity.meaning.partition(";")[0][1:] in row[unit + 1], name
        prompt = rule_of(shipped, entry).prompt
        assert leaf.quantity.meaning[1:60] in prompt and leaf.quantity.unit in prompt, name
        flag = {True: "yes", False: "no"}.get(leaf.default) if isinstance(leaf.default, bool) else leaf.default
        if not entry.required and not leaf.required and leaf.name != "title":
            left_open = name.partition("_")[0] == "dp" and shipped.file.startswith("training_")
            assert entry.default == (None if left_open else flag), name  # a blank dp is what the others leave over


def row_of_heads(sheet: Worksheet) -> list[Any]:
    return next([cell.value for cell in row] for row in sheet.iter_rows() if any(cell.value == "Unit" for cell in row))


def rule_of(shipped: Shipped, entry: Declared) -> DataValidation:
    (found,) = rules_of(shipped.file, entry.at.sheet)[address(entry.at.top, entry.at.left)]
    return found


def takes(rule: DataValidation, value: float) -> bool:
    """Return whether a spreadsheet takes a number in a cell with this rule."""
    assert rule.operator == "between"
    whole = rule.type != "whole" or value == int(value)
    return whole and float(rule.formula1) <= value <= float(rule.formula2)


@every_workbook
def test_a_spreadsheet_refuses_what_the_function_refuses(shipped: Shipped) -> None:
    probed = 0
    for name, entry in inputs_of(shipped.file).items():
        leaf = shipped.declared.get(name)
        if leaf is None or leaf.quantity.kind not in ("integer", "number"):
            continue
        rule, q = rule_of(shipped, entry), leaf.quantity
        stated = [bound for bound in (q.minimum, q.above, q.maximum, q.below) if bound is not None]
        for bound in [*stated, 1]:
            for value in (bound - 1, bound - 0.001, bound, bound + 0.001, bound + 1, bound * 1.5):
                assert takes(rule, value) == accepted(leaf, value), (name, value)
                probed += 1
        assert rule.showErrorMessage and rule.errorStyle in (None, "stop")
        assert all(f"{bound:,.15g}".replace(",", " ") in rule.error for bound in stated), name
    assert probed or shipped.file == "model_sizing.xlsx"


def accepted(leaf: Argument, value: float) -> bool:
    try:
        coerce(leaf, value)
    except SizebookError:
        return False
    return True


@every_workbook
def test_lists_are_those_of_the_quantity_and_refuse_where_it_does(shipped: Shipped) -> None:
    book = book_of(shipped.file)
    for name, entry in inputs_of(shipped.file).items():
        leaf = shipped.declared.get(name)
        if leaf is None or name.startswith("model") or not (leaf.quantity.allowed or leaf.quantity.kind == "flag"):
            continue
        rule = rule_of(shipped, entry)
        sheet, _, area = rule.formula1.partition("!")
        listed = tuple(cell.value for row in book[sheet][area.replace("$", "")] for cell in row)
        assert listed == (leaf.quantity.allowed or ("no", "yes")), name
        is_strict = leaf.quantity.kind in ("flag", "choice")
        assert (rule.errorStyle or "stop") == ("stop" if is_strict else "warning"), name
        assert entry.choices == (listed if is_strict else ()), name


@every_workbook
def test_every_call_binds_every_input_of_its_functions(shipped: Shipped) -> None:
    """A blank where an input of that name stands would plan with the default instead."""
    inputs, functions, seen = inputs_of(shipped.file), load(), set()
    named = {re.sub(r"_\d+$", "", name) for name in inputs}
    for sheet in book_of(shipped.file):
        for row in sheet.iter_rows():
            for cell in row:
                text = getattr(cell.value, "text", cell.value)
                called = re.findall(r"(\w+)\(", text) if isinstance(text, str) and text.startswith("=") else []
                if OWN.intersection(called):
                    seen |= calls_of(text, f"{sheet.title}!{cell.coordinate}", named)
    assert seen & set(functions) or shipped.file == "fleet_plan.xlsx"  # whose calls take all inputs as ranges


def calls_of(formula: str, at: str, named: set[str]) -> set[str]:
    tokens, functions, seen = tokenize(formula), load(), set()
    for index, token in enumerate(tokens):
        name = called_name(token).upper() if token.kind == "call" else ""
        if name not in functions or name in BY_OPTIONS:
            continue
        given = arguments(tokens, index, closing(tokens, index))
        known = functions[name].arguments
        blank = [a.name for a, part in zip(known, [*given, *[[]] * len(known)], strict=False) if not part]
        assert not set(blank) & named, f"{at}: {name} leaves out {set(blank) & named}"
        seen.add(name)
    return seen


def test_a_call_takes_lines_by_name_in_the_registrys_order() -> None:
    book = Book("Test", "0")
    page = new_sheet(book, "Inputs", "")
    for line in ("model", "gpu", "tp", "weight_dtype", "other"):
        page.input(InputLine(line, line, None, "", ""))

    def bound(function: str, **given: Any) -> dict[str, str]:
        name, _, rest = book.call(function, **given).removesuffix(")").partition("(")
        assert name == function
        names = [argument.name for argument in load()[function].arguments]
        return {name: text for name, text in zip(names, rest.split(","), strict=False) if text}

    assert bound("TTFT_SECONDS", concurrency="$B7", gpu=None, engine='"vllm"') == {
        "model": "{model}", "concurrency": "$B7", "tp": "{tp}", "weight_dtype": "{weight_dtype}", "engine": '"vllm"',
    }  # fmt: skip
    book.replace_argument("model", "other")
    assert bound("MAX_CONCURRENCY", context_tokens=100) == {
        "model": "{other}", "gpu": "{gpu}", "context_tokens": "100", "tp": "{tp}", "weight_dtype": "{weight_dtype}",
    }  # fmt: skip
    assert not book.call("MAX_CONCURRENCY", context_tokens=100).endswith(",)")
    with pytest.raises(InputError, match=r"^unknown argument: got load for TTFT_SECONDS, want one of model, gpu, "):
        book.call("TTFT_SECONDS", load=3)


def test_every_input_tells_its_default() -> None:
    for shipped in SHIPPED:
        for name, entry in inputs_of(shipped.file).items():
            assert entry.required or entry.default is not KEEP_CELL_VALUE, name
