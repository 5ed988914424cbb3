"""What a workbook is written for: LAMBDAs of Excel 365, and plain values."""

import re
from pathlib import Path
from typing import Any

from openpyxl import load_workbook
from openpyxl.formatting.rule import FormulaRule
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table, TableFormula

from sizebook.calculation import recalculate
from sizebook.core.errors import InputError
from sizebook.core.named_lambda import named_lambda
from sizebook.core.registry import find
from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import fill
from tests.refused import message_of


def _shown(path: Path) -> dict[str, Any]:
    book = load_workbook(path, data_only=True)
    return {f"{sheet.title}!{cell.coordinate}": cell.value for sheet in book for row in sheet for cell in row}


def test_closed_forms_become_lambdas_that_give_the_same(template: Path, tmp_path: Path) -> None:
    plain = fill(template, {"d_model": 8}, tmp_path / "plain.xlsx")
    filled = fill(template, {"d_model": 8}, tmp_path / "lambda.xlsx", target="lambda")
    assert filled.notes == ()
    assert _shown(filled.path) == _shown(plain.path)
    book = load_workbook(filled.path)
    assert book["Plan"]["B2"].value == "=PARAMS_MHA(A2,FALSE)"
    assert [name for name in book.defined_names if name.isupper()] == ["MODEL_BYTES", "PARAMS_MHA"]
    assert book.defined_names["PARAMS_MHA"].attr_text == named_lambda(find("PARAMS_MHA"))
    again = fill(filled.path, {"d_model": 512}, tmp_path / "again.xlsx", target="lambda")  # the names stand already
    assert load_workbook(again.path, data_only=True)["Plan"]["B2"].value == 1_048_576


def test_the_engine_works_the_written_lambdas_out(template: Path, tmp_path: Path) -> None:
    path = fill(template, {"d_model": 8}, tmp_path / "lambda.xlsx", target="lambda").path
    book = load_workbook(path)
    for name in ("PARAMS_MHA", "MODEL_BYTES"):  # all arguments are given, which the engine needs
        text = book.defined_names[name].attr_text.replace("_xlop.", "_xlpm.")
        book.defined_names[name].attr_text = re.sub(r"_xlfn\.ISOMITTED\([\w.]+\)", "FALSE", text)
    for at in ("B2", "B3"):
        book["Plan"][at].value = ArrayFormula(at, book["Plan"][at].value)
    book.save(path)
    found = recalculate(path, functions={})
    assert (found["Plan", "B2"], found["Plan", "B3"]) == (4 * 8 * 8, 4 * 8 * 8 * 2)


def _calling_outside_cells(template: Path) -> None:
    """Put calls where they were respelled by nobody: into a name, a rule, a validation and a column of a table."""
    book = load_workbook(template)
    sheet = book["Plan"]
    book.defined_names["per_layer"] = DefinedName("per_layer", attr_text="PARAMS_FFN(Plan!$A$2,8)")
    sheet.conditional_formatting.add("A2", FormulaRule(formula=["PARAMS_MHA($A$2)>10"]))
    rule = DataValidation(type="custom", formula1="DTYPE_BITS($A$3)>1")
    rule.add("C1")
    sheet.add_data_validation(rule)
    sheet["F1"], sheet["F2"] = "bits", "=DTYPE_BITS(A3)"
    table = Table(displayName="Bits", ref="F1:F2")
    table._initialise_columns()
    table.tableColumns[0].name = "bits"
    table.tableColumns[0].calculatedColumnFormula = TableFormula(attr_text="DTYPE_BITS(A3)")
    sheet.add_table(table)
    book.save(template)


def test_functions_outside_cells_are_respelled_named_and_remarked(template: Path, tmp_path: Path) -> None:
    _calling_outside_cells(template)
    path = fill(template, {"d_model": 8}, tmp_path / "lite.xlsx", target="office-js").path
    book = load_workbook(path)
    (rule,) = next(iter(book["Plan"].conditional_formatting)).rules
    own = {check.formula1 for check in book["Plan"].data_validations.dataValidation}
    column = book["Plan"].tables["Bits"].tableColumns[0].calculatedColumnFormula
    assert book.defined_names["per_layer"].attr_text == "_xldudf_PARAMS_FFN(Plan!$A$2,8)"
    assert rule.formula == ["_xldudf_PARAMS_MHA($A$2)>10"]
    assert "_xldudf_DTYPE_BITS($A$3)>1" in own
    assert column.attr_text == "_xldudf_DTYPE_BITS(A3)"
    named = load_workbook(fill(template, {"d_model": 8}, tmp_path / "lambda.xlsx", target="lambda").path)
    assert {"PARAMS_FFN", "PARAMS_MHA", "DTYPE_BITS"} <= set(named.defined_names)
    frozen = fill(template, {"d_model": 8}, tmp_path / "values.xlsx", target="values")
    assert frozen.notes == (
        "template.xlsx: a rule of Plan calls PARAMS_MHA, which needs the add-in still",
        "template.xlsx: a rule of Plan calls DTYPE_BITS, which needs the add-in still",
        "template.xlsx: the name per_layer calls PARAMS_FFN, which needs the add-in still",
    )


def test_what_is_more_than_arithmetic_is_said_to_need_the_add_in(template: Path, tmp_path: Path) -> None:
    book = load_workbook(template)
    book["Plan"]["C2"] = '=PARAMS_MODEL("llama-3.1-8b")'
    book["Plan"]["C3"] = '=_xldudf_KV_BYTES_PER_TOKEN("llama-3.1-8b")'
    book.save(template)
    filled = fill(template, {"d_model": 8}, tmp_path / "out.xlsx", target="lambda")
    assert filled.notes == (
        "template.xlsx: 2 functions are LAMBDAs; KV_BYTES_PER_TOKEN, PARAMS_MODEL need the add-in still, being more "
        "than plain arithmetic",
    )
    assert load_workbook(filled.path)["Plan"]["C3"].value == '=KV_BYTES_PER_TOKEN("llama-3.1-8b")'


def test_a_name_that_the_workbook_uses_otherwise_is_refused(template: Path, tmp_path: Path) -> None:
    book = load_workbook(template)
    book.defined_names["params_mha"] = DefinedName("params_mha", attr_text="Plan!$B$2")
    book.save(template)
    assert message_of(InputError, fill, template, {"d_model": 8}, tmp_path / "out.xlsx", target="lambda") == (
        "name in use: got the defined name params_mha in template.xlsx, want none that a function bears. Rename it in "
        "the Name Manager."
    )
    assert not (tmp_path / "out.xlsx").exists()


def test_values_leave_no_formula_and_change_no_cell(template: Path, tmp_path: Path) -> None:
    book = load_workbook(template)
    sheet = book["Plan"]
    sheet["D20"], sheet["E20"], sheet["D21"], sheet["E21"] = "width", "twice", 3, "=D21*2"
    table = Table(displayName="Widths", ref="D20:E21")
    table._initialise_columns()
    for column, head in zip(table.tableColumns, ("width", "twice"), strict=True):
        column.name = head
    table.tableColumns[1].calculatedColumnFormula = TableFormula(attr_text="Widths[[#This Row],[width]]*2")
    sheet.add_table(table)
    sheet["D25"].value = ArrayFormula("D25:D26", "=D21:D21*{1;2}")
    book.save(template)
    plain = fill(template, {"d_model": 8}, tmp_path / "plain.xlsx")
    frozen = fill(template, {"d_model": 8}, tmp_path / "values.xlsx", target="values")
    assert _shown(frozen.path) == _shown(plain.path)
    assert (_shown(frozen.path)["Plan!B2"], _shown(frozen.path)["Plan!D26"]) == (256, 6)
    cells = [cell for sheet in load_workbook(frozen.path) for row in sheet for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    (kept,) = load_workbook(frozen.path)["Plan"].tables.values()
    assert kept.tableColumns[1].calculatedColumnFormula is None


def test_a_planning_workbook_as_values_calls_nothing(tmp_path: Path) -> None:
    frozen = fill(
        bundled("workbooks") / "model_sizing.xlsx", {"model": "llama-3.1-8b"}, tmp_path / "v.xlsx", target="values"
    )
    kept = fill(bundled("workbooks") / "model_sizing.xlsx", {"model": "llama-3.1-8b"}, tmp_path / "k.xlsx")
    assert _shown(frozen.path) == _shown(kept.path)
    assert not [c for sheet in load_workbook(frozen.path) for row in sheet for c in row if c.data_type == "f"]
