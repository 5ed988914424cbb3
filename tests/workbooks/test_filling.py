"""Filling other people's workbooks: what changes and what stays."""

import math
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from openpyxl import load_workbook
from openpyxl.worksheet.datavalidation import DataValidation

from sizebook.core.errors import InputError
from sizebook.workbooks.filling import SaveOptions, fill
from tests.refused import message_of
from tests.row_lists import listed
from tests.workbooks.features import parts

PICTURE = b"\x89PNG not really"


def stored(path: Path) -> dict[str, Any]:
    sheet = load_workbook(path, data_only=True)["Plan"]
    return {cell.coordinate: cell.value for row in sheet["A1:B8"] for cell in row}


def test_values_are_stored_beside_live_formulas(template: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.xlsx"
    filled = fill(template, {"D_Model": 8, "dtype": "fp32"}, output)
    got = stored(output)
    assert (got["A2"], got["A3"], got["B2"], got["B3"]) == (8, "fp32", 256, 1024)
    assert (got["B4"], got["B5"], got["B6"]) == ("fp32 <kept>", False, "#DIV/0!")
    assert (got["A5"], got["B7"], got["B8"]) == (16, 16, "blank")
    assert filled.problems == ["Plan!B6: =1/0 gives #DIV/0!"]
    formulas = load_workbook(output)["Plan"]
    assert formulas["B2"].value == "=PARAMS_MHA(A2,FALSE)"
    assert formulas["B4"].value == '=A3&" <kept>"'


def test_only_what_changed_is_written(template: Path, tmp_path: Path) -> None:
    fill(template, {"d_model": 8}, tmp_path / "out.xlsx")
    before, after = parts(template), parts(tmp_path / "out.xlsx")
    changed = {name for name in after if before[name] != after[name]}
    assert set(before) - set(after) == {"xl/calcChain.xml"}
    assert changed == {
        "xl/worksheets/sheet1.xml",
        "xl/charts/chart1.xml",
        "xl/workbook.xml",
        "[Content_Types].xml",
        "xl/_rels/workbook.xml.rels",
    }
    assert b"calcChain" not in after["[Content_Types].xml"] + after["xl/_rels/workbook.xml.rels"]
    assert after["xl/media/image9.png"] == PICTURE


def test_chart_keeps_the_new_values(template: Path, tmp_path: Path) -> None:
    fill(template, {"d_model": 8}, tmp_path / "out.xlsx")
    chart = etree.fromstring(parts(tmp_path / "out.xlsx")["xl/charts/chart1.xml"])
    values = [v.text for v in chart.iter("{http://schemas.openxmlformats.org/drawingml/2006/chart}v")]
    assert values == ["weights", "256", "512"]  # the series' name, then bytes in bf16 below the weights


def test_readers_are_asked_to_show_the_stored_values(template: Path, tmp_path: Path) -> None:
    fill(template, {"d_model": 8}, tmp_path / "out.xlsx")
    workbook = etree.fromstring(parts(tmp_path / "out.xlsx")["xl/workbook.xml"])
    settings = workbook.find("{http://schemas.openxmlformats.org/spreadsheetml/2006/main}calcPr")
    assert settings is not None
    assert dict(settings.attrib) == {"calcId": "191029"}


def test_dates_and_formula_cells_take_values(template: Path, tmp_path: Path) -> None:
    fill(template, {"d_model": 8, "day": date(2026, 11, 21), "twice": 1}, tmp_path / "out.xlsx")
    got = stored(tmp_path / "out.xlsx")
    assert (got["A4"], got["A5"], got["B7"]) == (46347, 1, 46348)


def test_default_of_a_name_stands_in_for_what_the_cell_holds(template: Path, tmp_path: Path) -> None:
    book = load_workbook(template)
    book.defined_names["dtype"].comment = 'default: "fp32"'
    book.defined_names["twice"].comment = 'default: "=A2*3"'
    book.defined_names["day"].comment = "default: null"
    book["Plan"]["A4"] = 5
    book.save(template)
    got = stored(fill(template, {"d_model": 8}, tmp_path / "out.xlsx").path)
    assert (got["A3"], got["A4"], got["A5"]) == ("fp32", None, 24)
    got = stored(fill(template, {"d_model": 8, "twice": "=A2", "day": 7}, tmp_path / "out.xlsx").path)
    assert (got["A4"], got["A5"]) == (7, "=A2")  # what a scenario gives is never a formula


@pytest.mark.parametrize(*listed("workbooks", "test_functions_are_spelled_for_the_target"))
def test_functions_are_spelled_for_the_target(
    template: Path, tmp_path: Path, target: Any, namespace: str, spelling: str
) -> None:
    filled = fill(template, {"d_model": 8}, tmp_path / "out.xlsx", target=target, options=SaveOptions(namespace))
    assert load_workbook(filled.path)["Plan"]["B2"].value == spelling
    again = fill(filled.path, {"d_model": 512}, tmp_path / "again.xlsx", target="classic")
    assert load_workbook(again.path)["Plan"]["B2"].value == "=PARAMS_MHA(A2,FALSE)"
    assert stored(again.path)["B2"] == 1_048_576


@pytest.mark.parametrize(*listed("workbooks", "test_a_namespace_that_no_add_in_has_is_refused"))
def test_a_namespace_that_no_add_in_has_is_refused(
    template: Path, tmp_path: Path, target: Any, namespace: str, message: str
) -> None:
    assert (
        message_of(
            InputError,
            fill,
            template,
            {"d_model": 8},
            tmp_path / "out.xlsx",
            target=target,
            options=SaveOptions(namespace),
        )
        == message
    )
    assert not (tmp_path / "out.xlsx").exists()


@pytest.fixture
def with_rules(template: Path) -> Path:
    """The workbook with data validation: a whole number of 1 or more, a flag, and a cell that holds a list."""
    book = load_workbook(template)
    sheet = book["Plan"]
    for kind, at, first, second in (
        ("whole", "A2", "1", "1000000"),
        ("decimal", "A5", repr(math.nextafter(1, 2)), "9"),
        ("list", "A3", '"no,yes"', None),
    ):
        rule = DataValidation(type=kind, operator="between", formula1=first, formula2=second)
        sheet.data_validations.dataValidation = [r for r in sheet.data_validations.dataValidation if at not in r.sqref]
        sheet.add_data_validation(rule)
        rule.add(at)
    sheet["A3"] = "no"
    book.defined_names["day"].comment = "default: null (list)"
    book.save(template)
    return template


def test_values_become_what_the_cells_hold(with_rules: Path, tmp_path: Path) -> None:
    given = {"d_model": "0.5M", "dtype": True, "day": [[100, 0.5], [200, 0.5]]}
    got = stored(fill(with_rules, given, tmp_path / "out.xlsx").path)
    assert (got["A2"], got["A3"], got["A4"]) == (500_000, "yes", "100:0.5, 200:0.5")
    got = stored(fill(with_rules, {"d_model": 8, "day": [1, 2.5]}, tmp_path / "out.xlsx").path)
    assert (got["A3"], got["A4"]) == ("no", "1, 2.5")


def test_a_value_that_the_cell_would_refuse_is_refused(with_rules: Path, tmp_path: Path) -> None:
    assert message_of(InputError, fill, with_rules, {"d_model": 0, "twice": 1}, tmp_path / "out.xlsx") == (
        "template.xlsx: d_model is out of range: got 0, want at least 1 and at most 1e+06 (as the cell's data "
        "validation says). Correct the number.\n"
        "template.xlsx: twice is out of range: got 1, want above 1 and at most 9 (as the cell's data validation says). "
        "Correct the number."
    )
